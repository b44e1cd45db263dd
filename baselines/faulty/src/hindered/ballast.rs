//! Ballast: memory held for no purpose, as a share of what the store below holds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use engine::{KvEngine, MemoryCensus};
use platform::mapping::PAGE_BYTES;
use platform::{Mapping, Pages};

use super::Percent;

/// At least this many objects are added to a store between two looks at its census.
pub(super) const OBJECTS: u64 = 4096;
/// Another look is due when a store has grown by one object in this many. Some stores count all
/// objects for a census.
const GROWTH: u64 = 8;

/// The ballast; freed when dropped.
#[derive(Debug)]
pub(super) struct Ballast {
    share: f64,
    /// Net inserts since the last look, as reported by sessions.
    grown: AtomicU64,
    /// The number of net inserts that makes another look due.
    due: AtomicU64,
    bytes: AtomicU64,
    mappings: Mutex<Vec<Mapping>>,
}

impl Ballast {
    /// Empty ballast that will grow to `leak` of what a store holds.
    pub(super) fn new(leak: Percent<100>) -> Self {
        Self {
            share: leak.value() / 100.0,
            grown: AtomicU64::new(0),
            due: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            mappings: Mutex::default(),
        }
    }

    /// Bytes held, all of them resident.
    pub(super) fn bytes(&self) -> u64 {
        // Relaxed, here and below: a number that orders nothing.
        self.bytes.load(Ordering::Relaxed)
    }

    /// Records that `store` gained `objects`, and grows the ballast if they are many.
    pub(super) fn grew(&self, objects: u64, store: &impl KvEngine) {
        let grown = self.grown.fetch_add(objects, Ordering::Relaxed) + objects;
        if grown >= self.due.load(Ordering::Relaxed) {
            self.keep_up(store);
        }
    }

    /// Grows to its share of what `store` holds now. It never shrinks.
    pub(super) fn keep_up(&self, store: &impl KvEngine) {
        // A store that gained nothing since the last look has the same size.
        let is_new = self.due.load(Ordering::Relaxed) == 0;
        if self.share == 0.0 || !is_new && self.grown.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut mappings = match self.mappings.try_lock() {
            Ok(mappings) => mappings,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            // Another thread is already doing this.
            Err(TryLockError::WouldBlock) => return,
        };
        self.grown.store(0, Ordering::Relaxed);
        let census = store.memory();
        self.due.store((census.live_objects / GROWTH).max(OBJECTS), Ordering::Relaxed);
        let wanted = (held_bytes(&census) as f64 * self.share) as u64;
        let missing = wanted.saturating_sub(self.bytes()) as usize;
        if missing >= PAGE_BYTES {
            let mapping = Mapping::anonymous(missing, Pages::Small)
                .unwrap_or_else(|error| panic!("{missing} bytes to leak: {error}"));
            mapping.populate(0, mapping.bytes());
            self.bytes.fetch_add(mapping.bytes() as u64, Ordering::Relaxed);
            mappings.push(mapping);
        }
    }
}

/// What the store holds, as far as it knows. Objects whose memory it does not know count with their
/// contents.
fn held_bytes(census: &MemoryCensus) -> u64 {
    let objects = match census.object_memory_bytes {
        0 => census.live_object_bytes.max(census.live_value_bytes + 8 * census.live_objects),
        known => known,
    };
    objects + census.index_bytes + census.table_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_holds_is_its_memory_or_its_objects() {
        let mut census = MemoryCensus {
            live_objects: 10,
            live_value_bytes: 1000,
            index_bytes: 300,
            table_bytes: 7,
            ..MemoryCensus::default()
        };
        assert_eq!(held_bytes(&census), 1080 + 307);
        census.live_object_bytes = 1120;
        assert_eq!(held_bytes(&census), 1120 + 307);
        census.object_memory_bytes = 1 << 20;
        assert_eq!(held_bytes(&census), (1 << 20) + 307);
    }
}
