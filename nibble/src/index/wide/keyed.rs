//! The bucket of the 2017 source: fifteen keys beside fifteen entries, in four cache lines.

use super::bucket::{ENTRIES, WideBucket};
use crate::index::version::Version;
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// ```text
/// offset  size  field     written by
///      0     4  version   odd: locked
///      4     4  -
///      8   120  keys      whoever holds the bucket locked; noise where there is no entry
///    128   120  entries   the same
///    248     8  -
/// ```
#[repr(C, align(256))]
#[derive(Debug, Default)]
pub(crate) struct KeyedBucket {
    version: Version,
    unused: AtomicU32,
    keys: [AtomicU64; ENTRIES],
    entries: [AtomicU64; ENTRIES],
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<KeyedBucket>() == 256);

impl WideBucket for KeyedBucket {
    #[inline]
    fn version(&self) -> &Version {
        &self.version
    }

    #[inline]
    fn entries(&self) -> &[AtomicU64; ENTRIES] {
        &self.entries
    }

    #[inline]
    fn may_hold(&self, entry: usize, key: u64) -> bool {
        // BUCKET-IN, to: like the entries. Key and entry may come from two writers; the key in the
        // log decides.
        self.keys[entry].load(edge::to(Edge::BucketIn, Ordering::Acquire)) == key
    }

    #[inline]
    fn note_key(&self, entry: usize, key: u64) {
        // BUCKET-IN, from: like the entries.
        self.keys[entry].store(key, edge::from(Edge::BucketIn, Ordering::Release));
    }
}
