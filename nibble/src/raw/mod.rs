//! The only unsafe code of the crate.
//!
//! | file | island | safe shore |
//! |---|---|---|
//! | `region.rs` | numbers become pointers into object memory | addresses are checked against the region |
//! | `copy.rs` | bytes move in and out of object memory | [`Protection`] for reading, `Reservation` for writing |
//! | `object.rs` | header layout | as `copy.rs` |
//! | `buckets.rs` | zeroed address space becomes buckets of atomics | bounds checks |
//! | `protection.rs` | what keeps an object's bytes in place | the trait is unsafe to implement |

pub(crate) mod buckets;
pub(crate) mod copy;
pub(crate) mod object;
pub(crate) mod protection;
pub(crate) mod region;

use crate::segment::BlockTable;

pub(crate) use object::Header;
pub(crate) use protection::{Custody, Protection, Quiet};
pub(crate) use region::Region;

/// Object memory: the bytes and the chain of blocks through them.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) region: Region,
    pub(crate) blocks: BlockTable,
}
