//! The process of one attached space: it has the space's segments at their bases, and runs the steps
//! of its traveller while that is there.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::os::fd::AsFd;

use platform::segments::Segment;
use platform::{Pages, cpu};

use super::control::{Command, Control, Field, OWNER, Report, TRAVELLER_AT};
use super::error::Fault;
use crate::lock::{Locks, Patience, Refused};
use crate::pointer::{Here, Part};
use crate::registry::{Listed, Registry, RegistryError, Rights, SegmentId, SpaceId, overlap};
use crate::shared::alone;
use crate::traveller::{Arrival, Code, Go, SpaceHandle, Traveller};

/// Tells a process of which space and journey it is.
pub(super) const VARIABLE: &str = "NIBBLE_SPACE_HOST";
/// How a program ends that does not know its traveller.
pub(super) const UNKNOWN_TRAVELLER: i32 = 64;

/// What a host is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) slot: usize,
    pub(super) handle: u64,
    pub(super) address: usize,
    pub(super) core: usize,
    pub(super) space: u32,
}

impl Told {
    /// As a variable of the environment, with the names of the keeper and the traveller.
    pub(super) fn variable(&self, keeper: &str, traveller: &str) -> String {
        let Self { slot, handle, address, core, space } = self;
        format!("{slot} {handle} {address} {core} {space} {keeper} {traveller}")
    }

    fn read(variable: &str) -> Option<(Self, &str, &str)> {
        let mut words = variable.splitn(7, ' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let told = Self {
            slot: number()? as usize,
            handle: number()?,
            address: number()? as usize,
            core: number()? as usize,
            space: number()? as u32,
        };
        Some((told, words.next()?, words.next()?))
    }
}

/// Why a process cannot be that of a space.
#[derive(Debug)]
pub enum HostError {
    /// Nobody started it for that.
    Alone,
    /// The system refused something.
    System(io::Error),
    /// The keeper has ended.
    Registry(RegistryError),
}

impl fmt::Display for HostError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => write!(
                formatter,
                "the process of a space is started by the program that attaches it, not by hand \
                 ({VARIABLE} is not set)"
            ),
            Self::System(error) => write!(formatter, "the process of a space: {error}"),
            Self::Registry(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for HostError {}

/// Nothing ends a host but its death, or something that it cannot tell its owner.
pub(crate) type Ended = Result<Infallible, HostError>;

/// Whether this process was started to be that of a space.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Runs this process as that of one attached space, with the travellers that it knows. Its standard
/// input is the journey's segment.
///
/// # Errors
/// If the process was not started for that, or the system refuses something.
pub fn run(known: &[Code]) -> Result<Infallible, HostError> {
    let told = std::env::var(VARIABLE).map_err(|_| HostError::Alone)?;
    let (told, keeper, traveller) = Told::read(&told).ok_or(HostError::Alone)?;
    let Some(code) = known.iter().find(|code| code.name == traveller) else {
        std::process::exit(UNKNOWN_TRAVELLER);
    };
    cpu::pin_to(told.core).map_err(HostError::System)?;
    let common = io::stdin().as_fd().try_clone_to_owned();
    let common = common.and_then(|file| Segment::received(file, Pages::Small));
    let control = common.and_then(|common| Control::received(&common, told.address));
    let registry = Registry::connect(keeper).map_err(HostError::Registry)?;
    let host = Host {
        told,
        control: control.map_err(HostError::System)?,
        registry,
        parts: Vec::new(),
        locks: Locks::default(),
        inside: false,
    };
    (code.serve)(host)
}

/// The host.
#[derive(Debug)]
pub(crate) struct Host {
    told: Told,
    control: Control,
    registry: Registry,
    parts: Vec<Part>,
    locks: Locks,
    /// Whether the traveller is here, and the locks are held.
    inside: bool,
}

/// Who has the turn next, if not this space.
enum Next {
    Owner(Report),
    Slot(usize),
}

impl Host {
    /// Serves until the process is killed.
    pub(crate) fn serve<T: Traveller>(mut self) -> Ended {
        let ready = self.attach_all();
        self.tell(&ready.map_or_else(Report::Failed, |()| Report::Ready));
        loop {
            self.control.turn(self.told.slot).wait();
            let next = match self.control.command() {
                Command::Visit => self.visit::<T>(),
                Command::Map => Next::Owner(finished(self.map_one())),
                Command::Unmap => Next::Owner(finished(self.unmap_one())),
            };
            match next {
                Next::Owner(report) => self.tell(&report),
                Next::Slot(slot) => self.control.turn(slot).give(),
            }
        }
    }

    fn tell(&self, report: &Report) {
        self.control.report(report);
        self.control.turn(OWNER).give();
    }

    fn attach_all(&mut self) -> Result<(), Fault> {
        let listed = self.registry.enter(SpaceId(self.told.space)).map_err(Fault::Registry)?;
        listed.into_iter().try_for_each(|one| self.attach(one)).map_err(Fault::Registry)
    }

    fn attach(&mut self, Listed { segment, rights }: Listed) -> Result<(), RegistryError> {
        let lockable = self.registry.describe_segment(segment)?.lockable;
        // First the mapping: if there is none, no lock is in use either.
        let attached = self.registry.map(segment, rights)?;
        if lockable {
            match self.registry.lock(segment) {
                Ok(lock) => self.locks.add(segment, rights, lock),
                Err(error) => {
                    drop(attached);
                    self.registry.unmapped(segment)?;
                    return Err(error);
                }
            }
        }
        self.parts.push(Part { segment, rights, attached });
        Ok(())
    }

    /// Rule 1, of a segment that this space alone gets.
    fn map_one(&mut self) -> Result<(), RegistryError> {
        let (segment, writes) =
            (self.control.read(Field::Segment) as u32, self.control.read(Field::Writes));
        let segment = SegmentId(segment);
        let rights = if writes == 1 { Rights::ReadWrite } else { Rights::Read };
        let info = self.registry.describe_segment(segment)?;
        let space = SpaceHandle(self.told.handle).to_string();
        for part in &self.parts {
            let has = (part.attached.address(), part.attached.bytes());
            if part.segment == segment {
                return Err(RegistryError::AlreadyThere { segment: info.name, space });
            }
            if overlap((info.base, info.bytes), has) {
                let other = self.registry.describe_segment(part.segment)?.name;
                return Err(RegistryError::Overlap { segment: info.name, other, space });
            }
        }
        self.attach(Listed { segment, rights })
    }

    fn unmap_one(&mut self) -> Result<(), RegistryError> {
        let segment = SegmentId(self.control.read(Field::Segment) as u32);
        let info = self.registry.describe_segment(segment)?;
        let Some(at) = self.parts.iter().position(|part| part.segment == segment) else {
            let space = SpaceHandle(self.told.handle).to_string();
            return Err(RegistryError::NotThere { segment: info.name, space });
        };
        self.parts.remove(at);
        if self.locks.remove(segment) {
            self.registry.unlocked(segment)?;
        }
        self.registry.unmapped(segment)
    }

    /// Lets the traveller in, unless it is here, and runs its steps until it leaves.
    fn visit<T: Traveller>(&mut self) -> Next {
        if !self.inside
            && let Some(elsewhere) = self.let_in()
        {
            return elsewhere;
        }
        while self.control.read(Field::Steps) < self.control.read(Field::StepsMost) {
            // SAFETY: this process has the turn, and only who has it touches the traveller. The
            // reference ends before the turn is given.
            #[expect(unsafe_code, reason = "the turn is what makes the reference the only one")]
            let traveller: &mut T = unsafe { alone(self.control.attached(), TRAVELLER_AT) };
            let here = SpaceHandle(self.told.handle);
            let go = traveller.step(&Here::new(&self.parts, here, self.control.arrival()));
            self.control.set_arrival(Arrival::Stayed);
            self.control.add_one(Field::Steps);
            match go {
                Go::To(to) | Go::TryTo(to) if to == here => {}
                _ => return self.leave(go),
            }
        }
        Next::Owner(Report::Paused(self.told.slot))
    }

    /// Takes the locks of this space; if they cannot be had, says who goes on.
    fn let_in(&mut self) -> Option<Next> {
        let patience = match self.control.read(Field::TryOnly) {
            0 => Patience::Blocking,
            _ => Patience::TryOnly,
        };
        let (segment, refused) = match self.locks.enter(patience, &|| self.registry.lives()) {
            Ok(()) => {
                self.inside = true;
                if self.control.arrival() == Arrival::Entered {
                    self.control.add_one(Field::Switches);
                }
                return None;
            }
            Err(refused) => refused,
        };
        let fault = match refused {
            Refused::Busy => {
                // Back to where it was, whose locks it waits for.
                self.control.set_arrival(Arrival::Busy(SpaceHandle(self.told.handle)));
                self.control.write(Field::TryOnly, 0);
                self.control.add_one(Field::Refusals);
                return Some(match self.control.read(Field::From) as usize {
                    OWNER => Next::Owner(Report::Primary),
                    slot => Next::Slot(slot),
                });
            }
            Refused::Poisoned(holder) => match self.registry.describe_segment(segment) {
                Ok(info) => RegistryError::Poisoned { name: info.name, holder },
                Err(error) => error,
            },
            Refused::KeeperGone => RegistryError::Gone,
        };
        Some(Next::Owner(Report::Failed(Fault::Registry(fault))))
    }

    /// Gives up the locks, and says where the traveller goes.
    fn leave(&mut self, go: Go) -> Next {
        self.locks.leave();
        self.inside = false;
        depart(&self.control, self.told.slot, go)
    }
}

/// Where a traveller goes that leaves the space of slot `from`.
fn depart(control: &Control, from: usize, go: Go) -> Next {
    let (to, try_only) = match go {
        Go::Primary | Go::To(SpaceHandle::PRIMARY) | Go::TryTo(SpaceHandle::PRIMARY) => {
            control.set_arrival(Arrival::Entered);
            control.add_one(Field::Switches);
            return Next::Owner(Report::Primary);
        }
        Go::Done => return Next::Owner(Report::Done),
        Go::To(to) => (to, false),
        Go::TryTo(to) => (to, true),
    };
    let Some(slot) = control.slot_of(to) else {
        return Next::Owner(Report::Failed(Fault::UnknownHandle(to.0)));
    };
    control.write(Field::From, from as u64);
    control.write(Field::TryOnly, try_only.into());
    control.set_arrival(Arrival::Entered);
    Next::Slot(slot)
}

/// The same for the primary space: the slot, or what the owner does itself.
pub(super) fn depart_primary(control: &Control, go: Go) -> Result<usize, Report> {
    match depart(control, OWNER, go) {
        Next::Slot(slot) => Ok(slot),
        Next::Owner(report) => Err(report),
    }
}

fn finished(done: Result<(), RegistryError>) -> Report {
    done.map_or_else(|error| Report::Failed(Fault::Registry(error)), |()| Report::Ready)
}
