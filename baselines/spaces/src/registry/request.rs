//! What is said between a registry and its keeper.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::access::{Access, Rights};
use super::error::RegistryError;

/// A segment, in all processes. No id is used twice in the life of a keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SegmentId(pub(crate) u32);

/// A named address space, in all processes. No id is used twice in the life of a keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpaceId(pub(crate) u32);

/// The largest id: pointers that are kept in segments have so many bits for it.
pub(crate) const ID_MAX: u32 = (1 << 24) - 1;

impl SegmentId {
    /// The id as a number, to be kept in a traveller.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The id that was kept as a number. One of no segment is an error when it is used.
    #[must_use]
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for SegmentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "segment {}", self.0)
    }
}

impl fmt::Display for SpaceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "space {}", self.0)
    }
}

/// A segment to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSegment {
    /// Its name, which no other segment has.
    pub name: String,
    /// Its address in every space.
    pub base: usize,
    /// Its length.
    pub bytes: usize,
    /// 4096 or 2097152.
    pub page_bytes: usize,
    /// Who may do what with it.
    pub access: Access,
    /// Whether entering a space that has it takes its lock.
    pub lockable: bool,
}

/// What is known of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentInfo {
    /// Its name.
    pub name: String,
    /// The user whose process made it.
    pub owner: u32,
    /// Its address in every space.
    pub base: usize,
    /// Its length.
    pub bytes: usize,
    /// Size of its pages.
    pub page_bytes: usize,
    /// Whether entering a space that has it takes its lock.
    pub lockable: bool,
    /// The process that died while it had the exclusive lock.
    pub poisoned_by: Option<u32>,
}

/// A segment in a space, with the rights that the space has to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The segment.
    pub segment: SegmentId,
    /// The rights.
    pub rights: Rights,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    MakeSegment(NewSegment),
    FindSegment(String),
    Describe(SegmentId),
    CloneSegment(SegmentId, String),
    SetAccess(SegmentId, Access),
    SetLockable(SegmentId, bool),
    Repair(SegmentId),
    RemoveSegment(SegmentId),
    /// Answered with the segment's descriptor.
    OpenSegment(SegmentId, Rights),
    /// Answered with the descriptor of the segment's lock.
    OpenLock(SegmentId),
    Close(SegmentId),
    CloseLock(SegmentId),
    MakeSpace(String),
    FindSpace(String),
    List(SpaceId),
    CloneSpace(SpaceId, String),
    RemoveSpace(SpaceId),
    AttachSegment(SpaceId, Listed),
    DetachSegment(SpaceId, SegmentId),
    /// The connection's process becomes one that has attached this space.
    Enter(SpaceId),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Segment(SegmentId),
    Space(SpaceId),
    Described(SegmentInfo),
    List(Vec<Listed>),
    /// The connection's slot in the lock.
    Slot(usize),
    Done,
    Refused(RegistryError),
}
