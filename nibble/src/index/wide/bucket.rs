//! What the two wide layouts share: fifteen entries, probed from a position given by the key.

use crate::address::ObjectRef;
use crate::index::hash::Hash;
use crate::index::table::{Found, Search, Want};
use crate::index::version::Version;
use crate::name::Name;
use crate::raw::buckets::ZeroedBucket;
use crate::raw::{Memory, Protection};
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU64, Ordering};

/// Entries per bucket; few in models, where each is a variable to explore.
pub(super) const ENTRIES: usize = if cfg!(loom) { 3 } else { 15 };

/// After this many keys that did not match, the rest of the bucket's objects are fetched at once.
const PATIENCE: usize = 2;

/// The entries of a bucket in probing order.
#[inline]
pub(super) fn probe(hash: Hash) -> impl Iterator<Item = usize> {
    let first = hash.first_entry(ENTRIES);
    (first..ENTRIES).chain(0..first)
}

/// | edge    | from           | to              | guarantees                        |
/// |---------|----------------|-----------------|-----------------------------------|
/// | PUBLISH | `set`, Release | `load`, Acquire | an entry shows its object's bytes |
///
/// `set` and similar functions are called with the version locked.
pub(crate) trait WideBucket: ZeroedBucket + std::fmt::Debug {
    fn version(&self) -> &Version;

    fn entries(&self) -> &[AtomicU64; ENTRIES];

    /// Whether the entry may be that of `key`, as far as the bucket tells.
    fn may_hold(&self, entry: usize, key: u64) -> bool;

    /// Stores the key of an entry, if the layout has room for it.
    fn note_key(&self, entry: usize, key: u64);

    #[inline]
    fn load(&self, entry: usize) -> Option<ObjectRef> {
        // PUBLISH, to: the object's bytes are there.
        // BUCKET-IN, to: a writer's entry also shows its odd version to a later load.
        let ordering = edge::to(Edge::BucketIn, Ordering::Acquire);
        ObjectRef::from_word(self.entries()[entry].load(edge::to(Edge::Publish, ordering)))
    }

    #[inline]
    fn set(&self, entry: usize, object: Option<ObjectRef>) {
        let word = object.map_or(0, ObjectRef::word);
        // PUBLISH, from: the object was written before.
        // BUCKET-IN, from: the version became odd before.
        let ordering = edge::from(Edge::BucketIn, Ordering::Release);
        self.entries()[entry].store(word, edge::from(Edge::Publish, ordering));
    }

    /// Searches for an entry, comparing keys in the log.
    #[inline]
    fn find<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Search {
        let mut strangers = 0;
        for entry in probe(hash) {
            let Some(object) = self.load(entry) else { continue };
            let address = object.address();
            match want {
                Want::Place(place) if place != address => continue,
                Want::Place(_) => {
                    let header = memory.header(address, stays);
                    return Search::Found(entry, Found { address, header });
                }
                Want::Key(key) if self.may_hold(entry, key.word()) => {
                    let header = memory.header(address, stays);
                    if key.is_of(address, header, memory, stays) {
                        return Search::Found(entry, Found { address, header });
                    }
                    strangers += 1;
                    if strangers == PATIENCE {
                        self.prefetch_objects(memory);
                    }
                }
                Want::Key(_) => {}
            }
        }
        Search::Absent
    }

    #[cold]
    fn prefetch_objects(&self, memory: &Memory) {
        for object in (0..ENTRIES).filter_map(|entry| self.load(entry)) {
            memory.region.prefetch(object.address());
        }
    }

    /// The free entry nearest to where the hash starts.
    #[inline]
    fn vacant(&self, hash: Hash) -> Option<usize> {
        probe(hash).find(|&entry| self.load(entry).is_none())
    }

    /// Replaces all entries; each goes as near to its start as it can.
    fn refill(&self, content: impl Iterator<Item = (Hash, u64, ObjectRef)>) {
        let mut entries = [None; ENTRIES];
        for (hash, key, object) in content {
            let free = probe(hash).find(|&entry| entries[entry].is_none());
            entries[free.expect("no more entries than before")] = Some((key, object));
        }
        for (entry, content) in entries.into_iter().enumerate() {
            if let Some((key, _)) = content {
                self.note_key(entry, key);
            }
            self.set(entry, content.map(|(_, object)| object));
        }
    }
}
