//! The crate's only unsafe code.
//!
//! | file | island | safe shore |
//! |---|---|---|
//! | `region.rs` | numbers become pointers into object memory | addresses are checked against the region |
//! | `bytes.rs` | bytes of object memory, and their stand-in under loom | as `copy.rs` |
//! | `copy.rs` | bytes move in and out of object memory | [`Protection`] for reading, `Reservation` for writing |
//! | `object.rs` | header layout | as `copy.rs` |
//! | `routine.rs` | the copy routines | `copy.rs` |
//! | `prefix.rs` | the keys of byte strings in the log | none: by way of `copy.rs` and `racing.rs` |
//! | `racing.rs` | values overwritten while they are read | every access is atomic; bounds checks |
//! | `lanes.rs` | comparisons of vectors | none: numbers in, numbers out |
//! | `buckets.rs` | zeroed address space becomes buckets of atomics | bounds checks |
//! | `protection.rs` | what keeps an object's bytes in place | the trait is unsafe to implement |

pub(crate) mod buckets;
mod bytes;
pub(crate) mod copy;
pub(crate) mod lanes;
pub(crate) mod object;
mod prefix;
pub(crate) mod protection;
mod racing;
pub(crate) mod region;
mod routine;

use crate::address::{SegmentId, VirtualAddress};
use crate::knobs::CopyRoutine;
use crate::segment::BlockTable;

pub(crate) use object::Header;
pub(crate) use prefix::Prefix;
pub(crate) use protection::{Custody, Protection, Quiet};
pub(crate) use region::Region;

/// Object memory: the bytes, and the chain of blocks through them.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) region: Region,
    pub(crate) blocks: BlockTable,
    /// The routine that copies bytes into the log.
    pub(crate) routine: CopyRoutine,
}

impl Memory {
    /// The segment of a live object.
    ///
    /// # Panics
    /// If no segment owns its block, which is a bug.
    #[inline]
    pub(crate) fn segment_of(&self, address: VirtualAddress) -> SegmentId {
        let (block, _) = self.region.locate(address);
        self.blocks.owner(block).expect("the block of a live object belongs to a segment")
    }
}
