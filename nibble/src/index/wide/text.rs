//! The bucket of the paper's text (N17 section 3.1): two cache lines.

use super::bucket::{ENTRIES, WideBucket};
use crate::index::version::Version;
use crate::sync::{AtomicU32, AtomicU64};

/// ```text
/// offset  size  field     written by
///      0   120  entries   whoever holds the bucket locked
///    120     4  version   odd: locked
///    124     4  -
/// ```
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub(crate) struct TextBucket {
    entries: [AtomicU64; ENTRIES],
    version: Version,
    unused: AtomicU32,
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<TextBucket>() == 128);

impl WideBucket for TextBucket {
    #[inline]
    fn version(&self) -> &Version {
        &self.version
    }

    #[inline]
    fn entries(&self) -> &[AtomicU64; ENTRIES] {
        &self.entries
    }

    #[inline]
    fn may_hold(&self, _entry: usize, _key: u64) -> bool {
        true
    }

    #[inline]
    fn note_key(&self, _entry: usize, _key: u64) {}
}
