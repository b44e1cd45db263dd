//! A journey: one traveller, the spaces that it has attached, and the process that began it.
//!
//! Each attached space is a process, all on one core. A switch gives the turn to the process of the
//! other space (`platform::relay`). This is an *approximation* of what a kernel with address spaces as
//! objects does: a switch is two processes and a decision of the scheduler. Heap, globals and
//! thread-local storage are not shared between spaces, only segments are; a system call that waits
//! makes this traveller wait, and no other.

mod control;
mod error;
pub mod host;

use std::io;
use std::marker::PhantomData;
use std::process::{Command as Program, Stdio};

use platform::relay::{Death, Partners};
use platform::segments::Segment;

use crate::pointer::Here;
use crate::registry::{Registry, RegistryError, Rights, SegmentId, SpaceId};
use crate::shared::alone;
use crate::traveller::{Arrival, Go, SpaceHandle, Traveller};
use control::{Command, Control, Field, OWNER, Report, TRAVELLER_AT};
use host::{Told, UNKNOWN_TRAVELLER};
use platform::mutant::{Mutant, mutated};

pub use control::SPACES_MAX;
pub use error::JourneyError;

type Result<T> = std::result::Result<T, JourneyError>;

/// Bits of a handle for the slot of its space; the others count handles.
const SLOT_BITS: u32 = 9;
const _: () = assert!(SPACES_MAX < 1 << SLOT_BITS);

/// The slot that a handle names.
fn slot_in(handle: SpaceHandle) -> Option<usize> {
    let slot = (handle.0 & ((1 << SLOT_BITS) - 1)) as usize;
    (1..=SPACES_MAX).contains(&slot).then_some(slot)
}

/// Rule 12: a handle has a number of its own.
#[derive(Debug, Default)]
struct Handles {
    issued: u64,
}

impl Handles {
    fn issue(&mut self, slot: usize) -> SpaceHandle {
        self.issued += 1;
        let number = if mutated(Mutant::HandleReused) { 1 } else { self.issued };
        SpaceHandle(number << SLOT_BITS | slot as u64)
    }
}

/// The process of an attached space.
#[derive(Debug)]
struct Attached {
    process: Partners,
    handle: SpaceHandle,
}

/// Where the traveller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Primary,
    Slot(usize),
    Nowhere,
}

/// What a run did, and where the traveller is after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    /// Steps of this run.
    pub steps: u64,
    /// Changes of the space in this run.
    pub switches: u64,
    /// Entries of this run that were refused because a lock was busy.
    pub refusals: u64,
    /// The space that the traveller is in; `None` if it is done.
    pub at: Option<SpaceHandle>,
}

/// The journey. Its processes are ended when it is dropped, and when the thread that began it ends.
#[derive(Debug)]
pub struct Journey<T> {
    registry: Registry,
    program: fn() -> io::Result<Program>,
    core: usize,
    common: Segment,
    control: Control,
    /// The attached spaces, by slot; that of the owner is empty.
    spaces: Vec<Option<Attached>>,
    handles: Handles,
    place: Place,
    /// Why it cannot go on.
    broken: Option<JourneyError>,
    traveller: PhantomData<T>,
}

impl<T: Traveller> Journey<T> {
    /// Begins a journey in the primary space. `program` starts a program that calls [`host::run`] with
    /// the code of `T`; its processes run on `core`.
    ///
    /// # Errors
    /// The system's error; if the keeper has ended.
    pub fn begin(
        registry: &Registry,
        program: fn() -> io::Result<Program>,
        core: usize,
        traveller: T,
    ) -> Result<Self> {
        let (common, control) =
            Control::new(size_of::<T>()).map_err(JourneyError::system("a journey's segment"))?;
        let registry = Registry::connect(registry.name())?;
        let mut journey = Self {
            registry,
            program,
            core,
            common,
            control,
            spaces: (0..=SPACES_MAX).map(|_| None).collect(),
            handles: Handles::default(),
            place: Place::Primary,
            broken: None,
            traveller: PhantomData,
        };
        *journey.traveller_mut() = traveller;
        Ok(journey)
    }

    /// The traveller, between two runs.
    #[expect(unsafe_code, reason = "the turn is what makes the reference the only one")]
    pub fn traveller_mut(&mut self) -> &mut T {
        // SAFETY: nobody but who has the turn touches the traveller. Between two runs that is the owner,
        // and after a run that failed its processes are ended.
        unsafe { alone(self.control.attached(), TRAVELLER_AT) }
    }

    /// Begins again in the primary space with another traveller; spaces stay attached.
    ///
    /// # Errors
    /// If the traveller is inside a space, whose locks it has.
    pub fn begin_again(&mut self, traveller: T) -> Result<()> {
        self.check_whole()?;
        if let (Place::Slot(_), Some(inside)) = (self.place, self.at()) {
            return Err(JourneyError::Inside(inside));
        }
        *self.traveller_mut() = traveller;
        self.control.set_arrival(Arrival::Stayed);
        self.place = Place::Primary;
        Ok(())
    }

    /// Attaches a space: starts its process, which has mapped all its segments when this returns.
    ///
    /// # Errors
    /// If there is no such space, or its segments cannot be had.
    pub fn attach(&mut self, space: SpaceId) -> Result<SpaceHandle> {
        self.check_whole()?;
        let slot = (1..=SPACES_MAX).find(|&slot| self.spaces[slot].is_none());
        let slot = slot.ok_or(JourneyError::TooManySpaces)?;
        let handle = self.handles.issue(slot);
        let process = self.start(slot, handle, space);
        self.spaces[slot] = Some(Attached { process: process?, handle });
        match self.reply() {
            Ok(Report::Ready) => {
                self.control.set_handle(slot, handle.0);
                Ok(handle)
            }
            Ok(Report::Failed(fault)) => {
                self.spaces[slot] = None;
                Err(fault.into())
            }
            Err(JourneyError::Died { space, how }) if space == handle => {
                // It never had the turn, so the others are what they were.
                self.spaces[slot] = None;
                let unknown = how == format!("exit status: {UNKNOWN_TRAVELLER}");
                Err(if unknown {
                    JourneyError::UnknownTraveller(T::NAME)
                } else {
                    JourneyError::Died { space, how }
                })
            }
            other => Err(self.broken_by(other)),
        }
    }

    fn start(&self, slot: usize, handle: SpaceHandle, space: SpaceId) -> Result<Partners> {
        let address = self.control.attached().address();
        let told = Told { slot, handle: handle.0, address, core: self.core, space: space.0 };
        let start = || {
            let mut program = (self.program)()?;
            program.env(host::VARIABLE, told.variable(self.registry.name(), T::NAME));
            program.stdin(Stdio::from(self.common.descriptor()?)).stdout(Stdio::null());
            let mut process = Partners::default();
            process.start(&mut program).map(|()| process)
        };
        start().map_err(JourneyError::system("starting the process of a space"))
    }

    /// Detaches a space, whose process ends.
    ///
    /// # Errors
    /// If the traveller is inside, or the handle leads nowhere.
    pub fn detach(&mut self, handle: SpaceHandle) -> Result<()> {
        let slot = self.outside(handle)?;
        self.control.set_handle(slot, 0);
        self.spaces[slot] = None;
        Ok(())
    }

    /// Maps a segment into one attached space only.
    ///
    /// # Errors
    /// If it overlaps another, the access list does not allow it, or the traveller is inside.
    pub fn map(&mut self, handle: SpaceHandle, segment: SegmentId, rights: Rights) -> Result<()> {
        self.control.write(Field::Writes, u64::from(rights == Rights::ReadWrite));
        self.command(handle, Command::Map, segment)
    }

    /// Unmaps a segment from one attached space only.
    ///
    /// # Errors
    /// If it is not there, or the traveller is inside.
    pub fn unmap(&mut self, handle: SpaceHandle, segment: SegmentId) -> Result<()> {
        self.command(handle, Command::Unmap, segment)
    }

    fn command(&mut self, handle: SpaceHandle, command: Command, segment: SegmentId) -> Result<()> {
        let slot = self.outside(handle)?;
        self.control.write(Field::Segment, segment.0.into());
        self.control.set_command(command);
        self.control.turn(slot).give();
        match self.reply() {
            Ok(Report::Ready) => Ok(()),
            Ok(Report::Failed(fault)) => Err(fault.into()),
            other => Err(self.broken_by(other)),
        }
    }

    /// Lets the traveller go until it is done, or has made `most_steps` steps. This thread runs on the
    /// journey's core then and afterwards: across cores, each switch would wait for a core to wake up.
    ///
    /// # Errors
    /// If it is done already, wants to go where it cannot, or a process has died.
    pub fn run(&mut self, most_steps: u64) -> Result<Trip> {
        self.check_whole()?;
        if self.place == Place::Nowhere {
            return Err(JourneyError::AlreadyDone);
        }
        platform::cpu::pin_to(self.core).map_err(JourneyError::system("pinning to a core"))?;
        for field in [Field::Steps, Field::Switches, Field::Refusals] {
            self.control.write(field, 0);
        }
        self.control.write(Field::StepsMost, most_steps);
        self.control.set_command(Command::Visit);
        while self.control.read(Field::Steps) < most_steps && self.place != Place::Nowhere {
            match self.place {
                Place::Primary => self.step_here()?,
                Place::Slot(slot) => self.visit(slot)?,
                Place::Nowhere => {}
            }
        }
        Ok(Trip {
            steps: self.control.read(Field::Steps),
            switches: self.control.read(Field::Switches),
            refusals: self.control.read(Field::Refusals),
            at: self.at(),
        })
    }

    /// A step in the primary space.
    fn step_here(&mut self) -> Result<()> {
        let arrival = self.control.arrival();
        let go = self.traveller_mut().step(&Here::new(&[], SpaceHandle::PRIMARY, arrival));
        self.control.add_one(Field::Steps);
        self.control.set_arrival(Arrival::Stayed);
        if matches!(go, Go::Primary | Go::To(SpaceHandle::PRIMARY)) {
            return Ok(());
        }
        match host::depart_primary(&self.control, go) {
            Ok(slot) => self.visit(slot),
            Err(report) => self.arrived(report),
        }
    }

    /// Gives the turn to a space and waits until it comes back.
    fn visit(&mut self, slot: usize) -> Result<()> {
        self.control.turn(slot).give();
        match self.reply() {
            Ok(report) => self.arrived(report),
            other => Err(self.broken_by(other)),
        }
    }

    fn arrived(&mut self, report: Report) -> Result<()> {
        let (place, fault) = match report {
            Report::Primary | Report::Ready => (Place::Primary, None),
            Report::Done => (Place::Nowhere, None),
            Report::Paused(slot) => (Place::Slot(slot), None),
            Report::Failed(fault) => (Place::Primary, Some(fault)),
        };
        self.place = place;
        match fault {
            None => Ok(()),
            Some(fault) => {
                self.control.set_arrival(Arrival::Stayed);
                Err(fault.into())
            }
        }
    }

    /// Waits for the owner's turn while all processes and the keeper live.
    fn reply(&mut self) -> Result<Report> {
        let Self { control, spaces, registry, .. } = self;
        control.turn(OWNER).wait_looking(|| {
            for attached in spaces.iter_mut().flatten() {
                let died = |death: Death| JourneyError::died(attached.handle, death);
                attached.process.look().map_err(died)?;
            }
            if registry.lives() { Ok(()) } else { Err(JourneyError::from(RegistryError::Gone)) }
        })?;
        control.reported().ok_or_else(|| JourneyError::System {
            what: "what a space reports".to_owned(),
            error: "its program is another one".to_owned(),
        })
    }

    /// Nobody knows who has the turn now: all processes are ended.
    fn broken_by(&mut self, reply: Result<Report>) -> JourneyError {
        let error = reply.err().unwrap_or_else(|| JourneyError::System {
            what: "the process of a space".to_owned(),
            error: "it reports what it was not asked".to_owned(),
        });
        self.spaces.iter_mut().for_each(|space| *space = None);
        self.broken = Some(error.clone());
        error
    }

    fn check_whole(&self) -> Result<()> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// The slot of a space that the traveller is not in.
    fn outside(&self, handle: SpaceHandle) -> Result<usize> {
        self.check_whole()?;
        let slot = self.control.slot_of(handle).ok_or(JourneyError::UnknownHandle(handle))?;
        if self.place == Place::Slot(slot) { Err(JourneyError::Inside(handle)) } else { Ok(slot) }
    }

    fn at(&self) -> Option<SpaceHandle> {
        match self.place {
            Place::Primary => Some(SpaceHandle::PRIMARY),
            Place::Slot(slot) => self.spaces[slot].as_ref().map(|attached| attached.handle),
            Place::Nowhere => None,
        }
    }

    /// The processes of the attached spaces.
    #[must_use]
    pub fn processes(&self) -> Vec<(SpaceHandle, u32)> {
        let attached = self.spaces.iter().flatten();
        attached.map(|one| (one.handle, one.process.ids()[0])).collect()
    }
}
