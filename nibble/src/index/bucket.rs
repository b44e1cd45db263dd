//! A bucket: fifteen entries and a version, two cache lines.

use std::array;

use super::hash::Hash;
use crate::address::ObjectRef;
use crate::constants::{BUCKET_BYTES, BUCKET_ENTRIES};
use crate::raw::{Header, Memory, Protection};
use crate::sync::{AtomicU64, Ordering, Spin};

/// After this many keys that were not it, the rest of the bucket's objects are fetched at once.
const PATIENCE: usize = 2;

/// ```text
/// offset  size  field     written by
///      0   120  entries   whoever holds the bucket locked
///    120     8  version   odd: locked; +1 to lock, +1 to unlock
/// ```
/// | edge       | from                       | to                       | guarantees                        |
/// |------------|----------------------------|--------------------------|-----------------------------------|
/// | BUCKET-OUT | `LockedBucket::drop`, Rel. | `lock`, `even_version`, Acq. | an even version shows its entries |
/// | BUCKET-IN  | `set`, Release             | `load`, Acquire          | a torn search sees a moved version |
/// | PUBLISH    | `set`, Release             | `load`, Acquire          | an entry shows its object's bytes |
///
/// Zeroed memory is an empty, unlocked bucket.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Bucket {
    entries: [AtomicU64; BUCKET_ENTRIES],
    version: AtomicU64,
}
const _: () = assert!(size_of::<Bucket>() == BUCKET_BYTES as usize);
const _: () = assert!(std::mem::offset_of!(Bucket, version) == 120);

/// The entries of a bucket in probing order.
#[inline]
fn probe(hash: Hash) -> impl Iterator<Item = usize> {
    let first = hash.first_entry();
    (first..BUCKET_ENTRIES).chain(0..first)
}

impl Bucket {
    /// Waits until nobody changes the bucket.
    #[inline]
    pub(super) fn even_version(&self) -> u64 {
        let mut spin = Spin::default();
        loop {
            // BUCKET-OUT, to: an even version shows the entries its writer left.
            let version = self.version.load(Ordering::Acquire);
            if version.is_multiple_of(2) {
                return version;
            }
            spin.turn();
        }
    }

    /// Whether nothing has changed since the version was `before`.
    #[inline]
    pub(super) fn is_still(&self, before: u64) -> bool {
        // Relaxed: ordered behind the entries, whose loads acquire (BUCKET-IN).
        self.version.load(Ordering::Relaxed) == before
    }

    /// Becomes the only writer.
    #[inline]
    pub(super) fn lock(&self) -> LockedBucket<'_> {
        let mut spin = Spin::default();
        loop {
            // Relaxed: the exchange below acquires.
            let version = self.version.load(Ordering::Relaxed);
            if version.is_multiple_of(2) {
                // BUCKET-OUT, to: the next holder sees the entries and all that was done before
                // the last one let go (live bytes, shape).
                let locked = self.version.compare_exchange_weak(
                    version,
                    version + 1,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                );
                if locked.is_ok() {
                    return LockedBucket { bucket: self, version: version + 1 };
                }
            }
            spin.turn();
        }
    }

    #[inline]
    fn load(&self, entry: usize) -> Option<ObjectRef> {
        // PUBLISH, to: the object's bytes are there.
        // BUCKET-IN, to: a writer's entry also shows its odd version to a later load.
        ObjectRef::from_word(self.entries[entry].load(Ordering::Acquire))
    }

    /// Searches for a key, comparing in the log.
    #[inline]
    pub(super) fn find<P: Protection>(
        &self,
        hash: Hash,
        key: u64,
        memory: &Memory,
        stays: &P,
    ) -> Option<(usize, ObjectRef, Header)> {
        let mut strangers = 0;
        for entry in probe(hash) {
            let Some(object) = self.load(entry) else { continue };
            let header = memory.header(object, stays);
            if header.key == key {
                return Some((entry, object, header));
            }
            strangers += 1;
            if strangers == PATIENCE {
                self.prefetch_objects(memory);
            }
        }
        None
    }

    #[cold]
    fn prefetch_objects(&self, memory: &Memory) {
        for entry in 0..BUCKET_ENTRIES {
            if let Some(object) = self.load(entry) {
                memory.region.prefetch(object.address());
            }
        }
    }

    /// The entry that leads to exactly this object.
    #[inline]
    pub(super) fn entry_of(&self, hash: Hash, object: ObjectRef) -> Option<usize> {
        probe(hash).find(|&entry| self.load(entry) == Some(object))
    }

    /// All entries in use.
    pub(super) fn entries(&self) -> impl Iterator<Item = ObjectRef> {
        (0..BUCKET_ENTRIES).filter_map(|entry| self.load(entry))
    }
}

/// The right to change a bucket; unlocks on drop.
#[must_use = "dropping it unlocks the bucket"]
#[derive(Debug)]
pub(crate) struct LockedBucket<'index> {
    bucket: &'index Bucket,
    version: u64,
}

impl std::ops::Deref for LockedBucket<'_> {
    type Target = Bucket;

    fn deref(&self) -> &Bucket {
        self.bucket
    }
}

impl LockedBucket<'_> {
    #[inline]
    pub(super) fn set(&self, entry: usize, object: Option<ObjectRef>) {
        let word = object.map_or(0, ObjectRef::word);
        // PUBLISH, from: the object was written before.
        // BUCKET-IN, from: the version became odd before.
        self.bucket.entries[entry].store(word, Ordering::Release);
    }

    /// The free entry nearest to where the hash starts.
    #[inline]
    pub(super) fn vacant(&self, hash: Hash) -> Option<usize> {
        probe(hash).find(|&entry| self.load(entry).is_none())
    }

    /// Replaces all entries; each goes as near to its start as it can.
    pub(super) fn refill(&self, content: impl Iterator<Item = (Hash, ObjectRef)>) {
        let mut entries = [None; BUCKET_ENTRIES];
        for (hash, object) in content {
            let free = probe(hash).find(|&entry| entries[entry].is_none());
            entries[free.expect("no more entries than before")] = Some(object);
        }
        for (entry, object) in entries.into_iter().enumerate() {
            self.set(entry, object);
        }
    }

    /// A copy of all entries.
    pub(super) fn snapshot(&self) -> [Option<ObjectRef>; BUCKET_ENTRIES] {
        array::from_fn(|entry| self.load(entry))
    }
}

impl Drop for LockedBucket<'_> {
    #[inline]
    fn drop(&mut self) {
        // BUCKET-OUT, from: everything done under the lock is visible to who sees this version.
        self.bucket.version.store(self.version + 1, Ordering::Release);
    }
}
