//! Segments and address spaces by name, for all processes of a machine.
//!
//! A keeper is a process that holds the memory of segments, one anonymous file each. Processes connect
//! to it, make segments and spaces, and get descriptors of what they may use. The kernel tells the
//! keeper who they are, and when they have ended. Segments outlive the processes that made them, and
//! are gone with the keeper.
//!
//! | of the paper | here |
//! |---|---|
//! | `seg_alloc` | [`Registry::make_segment`] |
//! | `seg_find`, `seg_clone` | [`Registry::find_segment`], [`Registry::clone_segment`] |
//! | `seg_ctl` | [`Registry::set_access`], [`Registry::set_lockable`] |
//! | | [`Registry::repair`], [`Registry::remove_segment`] |
//! | `seg_attach` | [`Registry::attach_segment`], [`crate::journey::Journey::map`] |
//! | `seg_detach` | [`Registry::detach_segment`], [`crate::journey::Journey::unmap`] |
//! | `vas_create`, `vas_find` | [`Registry::make_space`], [`Registry::find_space`] |
//! | `vas_clone`, `vas_ctl` | [`Registry::clone_space`], [`Registry::remove_space`] |
//! | `vas_attach`, `vas_detach` | [`crate::journey::Journey::attach`], [`crate::journey::Journey::detach`] |
//! | `vas_switch` | [`crate::traveller::Go::To`], [`crate::traveller::Go::TryTo`] |

mod access;
mod catalogue;
mod error;
pub mod keeper;
mod request;

use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use platform::mutant::{Mutant, mutated};
use platform::segments::{Attached, Segment};
use platform::sockets::Channel;

use crate::lock::{Lock, Patience, Refused};
use request::{Reply, Request};

pub use access::{Access, Rights, Who};
pub use catalogue::{ACCESS_ENTRIES_MAX, SEGMENTS_PER_SPACE_MAX};
pub use error::{Kind, NAME_BYTES_MAX, RegistryError};
pub use keeper::Keeper;
pub use request::{Listed, NewSegment, SegmentId, SegmentInfo, SpaceId};

pub(crate) use catalogue::overlap;

type Result<T> = std::result::Result<T, RegistryError>;

/// A connection to a keeper. It ends when this is dropped, and with its process.
#[derive(Debug)]
pub struct Registry {
    channel: Channel,
    /// One request at a time.
    turn: Mutex<()>,
    /// One clone at a time: the connection has one slot in a lock.
    cloning: Mutex<()>,
    name: String,
}

impl Registry {
    /// Connects to the keeper of this name.
    ///
    /// # Errors
    /// [`RegistryError::Gone`] if there is none.
    pub fn connect(name: &str) -> Result<Self> {
        let channel = Channel::connect(name).map_err(|error| match error.kind() {
            std::io::ErrorKind::ConnectionRefused => RegistryError::Gone,
            _ => RegistryError::system("connecting to a keeper")(error),
        })?;
        let (turn, cloning) = (Mutex::new(()), Mutex::new(()));
        Ok(Self { channel, turn, cloning, name: name.to_owned() })
    }

    /// The keeper's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the keeper lives.
    #[must_use]
    pub fn lives(&self) -> bool {
        !self.channel.is_closed()
    }

    /// Makes a segment. Its memory is there, and zero, when this returns.
    ///
    /// # Errors
    /// What cannot be, with the remedy; so for all that follows.
    pub fn make_segment(&self, new: NewSegment) -> Result<SegmentId> {
        self.segment(&Request::MakeSegment(new))
    }

    /// The segment of this name.
    ///
    /// # Errors
    /// If there is none; the nearest name is suggested.
    pub fn find_segment(&self, name: &str) -> Result<SegmentId> {
        self.segment(&Request::FindSegment(name.to_owned()))
    }

    /// What is known of a segment.
    ///
    /// # Errors
    /// If there is none.
    pub fn describe_segment(&self, id: SegmentId) -> Result<SegmentInfo> {
        match self.ask(&Request::Describe(id))?.0 {
            Reply::Described(info) => Ok(info),
            other => Err(unexpected(&other)),
        }
    }

    /// Makes a segment with the bytes, the base, the access list and the lock's setting of another. Of
    /// a lockable segment, the shared lock is held meanwhile, so that no visit is copied half done. All
    /// bytes are copied at once: anonymous files share no pages until one is written.
    ///
    /// # Errors
    /// Also [`RegistryError::Poisoned`].
    pub fn clone_segment(&self, origin: SegmentId, name: &str) -> Result<SegmentId> {
        let _one = self.cloning.lock().unwrap_or_else(PoisonError::into_inner);
        let request = Request::CloneSegment(origin, name.to_owned());
        let info = self.describe_segment(origin)?;
        if !info.lockable || mutated(Mutant::CloneUnlocked) {
            return self.segment(&request);
        }
        let lock = self.lock(origin)?;
        let entered = lock.enter(Rights::Read, Patience::Blocking, &|| self.lives());
        let cloned = match entered {
            Ok(()) => {
                let cloned = self.segment(&request);
                lock.leave(Rights::Read);
                cloned
            }
            Err(Refused::Poisoned(holder)) => {
                Err(RegistryError::Poisoned { name: info.name, holder })
            }
            Err(Refused::KeeperGone | Refused::Busy) => Err(RegistryError::Gone),
        };
        self.unlocked(origin)?;
        cloned
    }

    /// Replaces the access list of a segment. Descriptors that were given out stay what they are.
    ///
    /// # Errors
    /// If it belongs to another user.
    pub fn set_access(&self, id: SegmentId, access: Access) -> Result<()> {
        self.done(&Request::SetAccess(id, access))
    }

    /// Makes a segment lockable, or not, while no process has it open.
    ///
    /// # Errors
    /// If one has.
    pub fn set_lockable(&self, id: SegmentId, lockable: bool) -> Result<()> {
        self.done(&Request::SetLockable(id, lockable))
    }

    /// Says that the contents of a poisoned segment are whole again.
    ///
    /// # Errors
    /// If it belongs to another user.
    pub fn repair(&self, id: SegmentId) -> Result<()> {
        self.done(&Request::Repair(id))
    }

    /// Removes a segment that is in no space and open in no process.
    ///
    /// # Errors
    /// If it is.
    pub fn remove_segment(&self, id: SegmentId) -> Result<()> {
        self.done(&Request::RemoveSegment(id))
    }

    /// Maps a segment at its base into this process, which enters no lock for it.
    ///
    /// # Errors
    /// If the access list does not allow it, or something else lies there.
    pub fn map(&self, id: SegmentId, rights: Rights) -> Result<Attached> {
        let info = self.describe_segment(id)?;
        let segment = Request::OpenSegment(id, rights);
        let descriptor = self.descriptor(&segment)?.1;
        let mapped = Segment::received(descriptor, keeper::pages_of(info.page_bytes));
        let mapped = mapped.and_then(|segment| match rights {
            Rights::Read => segment.attach_for_reading(info.base),
            Rights::ReadWrite => segment.attach(info.base),
        });
        mapped.map_err(|error| {
            // Nothing is mapped, so the segment is not in use here; the first error counts.
            let _ = self.done(&Request::Close(id));
            RegistryError::system(&format!("mapping segment `{}`", info.name))(error)
        })
    }

    /// Says that this process has unmapped a segment.
    ///
    /// # Errors
    /// If there is no such segment.
    pub fn unmapped(&self, id: SegmentId) -> Result<()> {
        self.done(&Request::Close(id))
    }

    /// Makes a space without segments. Nobody is in it: processes attach it and enter their own.
    ///
    /// # Errors
    /// If the name is taken.
    pub fn make_space(&self, name: &str) -> Result<SpaceId> {
        self.space(&Request::MakeSpace(name.to_owned()))
    }

    /// The space of this name.
    ///
    /// # Errors
    /// If there is none; the nearest name is suggested.
    pub fn find_space(&self, name: &str) -> Result<SpaceId> {
        self.space(&Request::FindSpace(name.to_owned()))
    }

    /// The segments of a space.
    ///
    /// # Errors
    /// If there is no such space.
    pub fn list_space(&self, id: SpaceId) -> Result<Vec<Listed>> {
        self.list(&Request::List(id))
    }

    /// Makes a space with the segments of another: the same segments, not copies.
    ///
    /// # Errors
    /// If the name is taken, or this user has not the rights of the list.
    pub fn clone_space(&self, id: SpaceId, name: &str) -> Result<SpaceId> {
        self.space(&Request::CloneSpace(id, name.to_owned()))
    }

    /// Removes a space that no process has attached.
    ///
    /// # Errors
    /// If one has.
    pub fn remove_space(&self, id: SpaceId) -> Result<()> {
        self.done(&Request::RemoveSpace(id))
    }

    /// Adds a segment to a space. Who attaches it afterwards has it.
    ///
    /// # Errors
    /// If it overlaps a segment of the space, or the access list does not allow it.
    pub fn attach_segment(&self, id: SpaceId, segment: SegmentId, rights: Rights) -> Result<()> {
        self.done(&Request::AttachSegment(id, Listed { segment, rights }))
    }

    /// Takes a segment out of a space. Who has attached the space before keeps it.
    ///
    /// # Errors
    /// If it is not there.
    pub fn detach_segment(&self, id: SpaceId, segment: SegmentId) -> Result<()> {
        self.done(&Request::DetachSegment(id, segment))
    }

    /// Makes this process one that has attached the space, until its connection ends.
    pub(crate) fn enter(&self, id: SpaceId) -> Result<Vec<Listed>> {
        self.list(&Request::Enter(id))
    }

    /// The lock of a segment, for this connection.
    pub(crate) fn lock(&self, id: SegmentId) -> Result<Lock> {
        let (reply, descriptor) = self.descriptor(&Request::OpenLock(id))?;
        let Reply::Slot(slot) = reply else { return Err(unexpected(&reply)) };
        let memory = Segment::received(descriptor, platform::Pages::Small);
        let lock = memory.and_then(|memory| Lock::new(&memory, slot));
        lock.map_err(RegistryError::system("mapping a lock"))
    }

    /// Says that this connection uses the lock of a segment no more.
    pub(crate) fn unlocked(&self, id: SegmentId) -> Result<()> {
        self.done(&Request::CloseLock(id))
    }

    fn segment(&self, request: &Request) -> Result<SegmentId> {
        match self.ask(request)?.0 {
            Reply::Segment(id) => Ok(id),
            other => Err(unexpected(&other)),
        }
    }

    fn space(&self, request: &Request) -> Result<SpaceId> {
        match self.ask(request)?.0 {
            Reply::Space(id) => Ok(id),
            other => Err(unexpected(&other)),
        }
    }

    fn list(&self, request: &Request) -> Result<Vec<Listed>> {
        match self.ask(request)?.0 {
            Reply::List(list) => Ok(list),
            other => Err(unexpected(&other)),
        }
    }

    fn done(&self, request: &Request) -> Result<()> {
        match self.ask(request)?.0 {
            Reply::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    fn descriptor(&self, request: &Request) -> Result<(Reply, OwnedFd)> {
        match self.ask(request)? {
            (reply, Some(descriptor)) => Ok((reply, descriptor)),
            (reply, None) => Err(unexpected(&reply)),
        }
    }

    fn ask(&self, request: &Request) -> Result<(Reply, Option<OwnedFd>)> {
        let _one = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |_| RegistryError::Gone;
        self.channel.send(&encode(request), None).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidInput => RegistryError::system("asking the keeper")(error),
            _ => RegistryError::Gone,
        })?;
        let (message, descriptor) =
            self.channel.receive().map_err(gone)?.ok_or(RegistryError::Gone)?;
        match decode(&message) {
            Some(Reply::Refused(refused)) => Err(refused),
            Some(reply) => Ok((reply, descriptor)),
            None => Err(other_program(&String::from_utf8_lossy(&message))),
        }
    }
}

fn unexpected(reply: &Reply) -> RegistryError {
    other_program(&format!("{reply:?}"))
}

fn other_program(answer: &str) -> RegistryError {
    RegistryError::System {
        what: "the keeper answers as one of another program does".to_owned(),
        error: answer.to_owned(),
    }
}

pub(crate) fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages have no maps with other keys than text")
}

pub(crate) fn decode<T: DeserializeOwned>(message: &[u8]) -> Option<T> {
    serde_json::from_slice(message).ok()
}
