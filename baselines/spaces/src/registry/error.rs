//! Why a registry does not do what it is asked.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use super::access::Rights;
use super::request::{SegmentId, SpaceId};
use platform::segments::{CHOSEN_END, RANGE_START};

/// Longest name in bytes.
pub const NAME_BYTES_MAX: usize = 255;

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A segment.
    Segment,
    /// An address space.
    Space,
}

/// The reason, with the remedy. When a call returns it, nothing has changed. What the fields are stands in
/// the messages below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegistryError {
    NameEmpty { kind: Kind },
    NameTooLong { kind: Kind, bytes: usize },
    NameTaken { kind: Kind, name: String },
    UnknownName { kind: Kind, name: String, nearest: Option<String> },
    UnknownSegment(SegmentId),
    UnknownSpace(SpaceId),
    BaseOutside { base: usize, bytes: usize },
    BaseUnaligned { base: usize, page_bytes: usize },
    PageBytes { page_bytes: usize },
    BytesUnaligned { bytes: usize, page_bytes: usize },
    TooLarge { bytes: usize, available: u64 },
    Overlap { segment: String, other: String, space: String },
    AlreadyThere { segment: String, space: String },
    NotThere { segment: String, space: String },
    Denied { segment: String, wanted: Rights, granted: Option<Rights>, uid: u32 },
    NotOwner { name: String, owner: u32, uid: u32 },
    SpaceInUse { name: String, processes: usize },
    SegmentInUse { name: String, processes: usize },
    SegmentListed { name: String, space: String },
    NotLockable { name: String },
    Poisoned { name: String, holder: u32 },
    TooMany { what: String, most: usize },
    System { what: String, error: String },
    Gone,
}

impl RegistryError {
    /// Turns an error of the system into one that names what was done.
    pub(crate) fn system(what: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what: what.to_owned(), error: error.to_string() }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Segment => "segment",
            Self::Space => "space",
        })
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameEmpty { kind } => {
                write!(f, "a {kind} without a name: use 1 to {NAME_BYTES_MAX} bytes")
            }
            Self::NameTooLong { kind, bytes } => {
                write!(f, "a {kind} with a name of {bytes} bytes: use 1 to {NAME_BYTES_MAX}")
            }
            Self::NameTaken { kind, name } => {
                write!(f, "the name `{name}` is taken: find that {kind}, or use another name")
            }
            Self::UnknownName { kind, name, nearest: Some(nearest) } => {
                write!(f, "no {kind} is called `{name}`: did you mean `{nearest}`?")
            }
            Self::UnknownName { kind, name, nearest: None } => {
                write!(f, "no {kind} is called `{name}`, and there is none: make one first")
            }
            Self::UnknownSegment(id) => write!(f, "there is no {id}: it never was, or is removed"),
            Self::UnknownSpace(id) => write!(f, "there is no {id}: it never was, or is removed"),
            Self::BaseOutside { base, bytes } => write!(
                f,
                "a segment of {bytes} bytes at {base:#x} leaves the reserved range: use \
                 {RANGE_START:#x} to {CHOSEN_END:#x}"
            ),
            Self::BaseUnaligned { base, page_bytes } => {
                write!(f, "the base {base:#x} is no multiple of {page_bytes}")
            }
            Self::PageBytes { page_bytes } => {
                write!(f, "pages of {page_bytes} bytes: use 4096 or 2097152")
            }
            Self::BytesUnaligned { bytes, page_bytes } => {
                write!(f, "a segment of {bytes} bytes: use a multiple of {page_bytes}, not 0")
            }
            Self::TooLarge { bytes, available } => {
                write!(f, "a segment of {bytes} bytes, of which {available} are free: use fewer")
            }
            Self::Overlap { segment, other, space } => write!(
                f,
                "segment `{segment}` overlaps segment `{other}` of space `{space}`: detach that \
                 one, or use another base"
            ),
            Self::AlreadyThere { segment, space } => {
                write!(f, "segment `{segment}` is in space `{space}` already: detach it first")
            }
            Self::NotThere { segment, space } => {
                write!(f, "segment `{segment}` is not in space `{space}`")
            }
            Self::Denied { segment, wanted, granted, uid } => {
                let granted = granted.map_or("nothing".to_owned(), |rights| rights.to_string());
                write!(
                    f,
                    "user {uid} may {granted} of segment `{segment}`, not {wanted}: its owner can \
                     change the access list"
                )
            }
            Self::NotOwner { name, owner, uid } => {
                write!(f, "`{name}` belongs to user {owner}: user {uid} cannot change it")
            }
            Self::SpaceInUse { name, processes } => {
                write!(f, "space `{name}` is attached by {processes} processes: detach it first")
            }
            Self::SegmentInUse { name, processes } => {
                write!(f, "segment `{name}` is open in {processes} processes: detach it first")
            }
            Self::SegmentListed { name, space } => {
                write!(f, "segment `{name}` is in space `{space}`: detach it first")
            }
            Self::NotLockable { name } => {
                write!(f, "segment `{name}` has no lock: make it lockable first")
            }
            Self::Poisoned { name, holder } => write!(
                f,
                "segment `{name}` is poisoned: process {holder} died while it had the exclusive \
                 lock; repair its contents, then call `repair`"
            ),
            Self::TooMany { what, most } => write!(f, "more than {most} {what}"),
            Self::System { what, error } => write!(f, "{what}: {error}"),
            Self::Gone => {
                f.write_str("the keeper of the registry has ended, and its segments with it")
            }
        }
    }
}

impl std::error::Error for RegistryError {}
