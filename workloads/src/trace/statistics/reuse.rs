//! Reuse distances: how many other keys were accessed between two operations on a key.
//!
//! Distances are exact while there are few keys. Beyond that they come from a sample (SHARDS, FAST
//! 2015). A key's hash decides whether it is in the sample, so either all of its accesses are or
//! none, and distances between sampled keys are a known fraction of the true ones. When the sample
//! grows too large, every other key leaves it, and whatever is counted afterwards has twice the
//! weight.

use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, Histogram};
use super::keys::{Key, Keys, SAMPLE_BITS, sample_of};
use super::recency::Recency;

/// How soon keys are accessed again, by any operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reuse {
    /// At the end, one key in this many was sampled; 1 if distances are exact.
    pub sampled_one_in: u64,
    /// Number of keys in the sample at the end.
    pub keys_sampled: u64,
    /// Operations that were the first on their key; exact.
    pub cold: u64,
    /// All other operations; exact.
    pub reuses: u64,
    /// The number of distinct other keys between two operations on a key; 0 if adjacent. With a
    /// sample, its count estimates `reuses`, and the distances are estimates too.
    pub distances: Distribution,
}

impl Reuse {
    /// The share of operations that were the first on their key, from 0 to 1; `None` if there are
    /// none.
    #[must_use]
    pub fn cold_share(&self) -> Option<f64> {
        let operations = self.cold + self.reuses;
        (operations > 0).then(|| self.cold as f64 / operations as f64)
    }

    /// The hit ratio of an LRU cache of `objects` objects, from 0 to 1: the share of operations
    /// whose key is among the `objects` most recently accessed keys. Every operation counts as an
    /// access. `None` if there are no operations.
    #[must_use]
    pub fn lru_hit_ratio(&self, objects: u64) -> Option<f64> {
        let cold = self.cold_share()?;
        let within = objects.checked_sub(1).map_or(0, |farthest| self.distances.at_most(farthest));
        Some((1.0 - cold) * within as f64 / self.distances.count.max(1) as f64)
    }
}

/// Tracks the accesses of the keys in the sample.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    recency: Recency,
    keys_max: u32,
    sample_bits: u32,
    distances: Histogram,
}

impl Follower {
    /// Slot numbers have 32 bits, and there are twice as many slots as keys.
    const KEYS_MAX: u32 = 1 << 30;

    pub(super) fn new(keys_max: u32) -> Self {
        Self {
            recency: Recency::new(0),
            keys_max: keys_max.clamp(1, Self::KEYS_MAX),
            sample_bits: 0,
            distances: Histogram::default(),
        }
    }

    /// Makes room for one access. From time to time this visits all keys.
    #[inline]
    pub(super) fn make_room(&mut self, keys: &mut Keys) {
        if self.recency.is_used_up() || self.is_too_large() {
            self.renumber(keys);
        }
    }

    fn is_too_large(&self) -> bool {
        self.recency.taken() > self.keys_max && self.sample_bits < SAMPLE_BITS
    }

    #[cold]
    fn renumber(&mut self, keys: &mut Keys) {
        while self.is_too_large() {
            self.sample_bits += 1;
            for (word, key) in keys.iter_mut() {
                if key.slot != Key::UNTRACKED && !self.is_sampled(word) {
                    self.recency.leave(key.slot);
                    key.slot = Key::UNTRACKED;
                }
            }
        }
        let ranks = self.recency.ranks();
        for (_, key) in keys.iter_mut().filter(|(_, key)| key.slot != Key::UNTRACKED) {
            key.slot = ranks.of(key.slot);
        }
        self.recency = Recency::new(self.recency.taken());
    }

    #[inline]
    fn is_sampled(&self, word: u64) -> bool {
        sample_of(word) & ((1 << self.sample_bits) - 1) == 0
    }

    /// Records an operation on the key `word`, whose history is `key`.
    #[inline]
    pub(super) fn access(&mut self, word: u64, key: &mut Key) {
        if key.slot != Key::UNTRACKED {
            let distance = u64::from(self.recency.behind(key.slot));
            self.distances.add(distance << self.sample_bits, 1 << self.sample_bits);
            self.recency.leave(key.slot);
        } else if key.accesses > 0 || !self.is_sampled(word) {
            return;
        }
        key.slot = self.recency.take();
    }

    pub(super) fn finish(&self, operations: u64, keys: u64) -> Reuse {
        Reuse {
            sampled_one_in: 1 << self.sample_bits,
            keys_sampled: u64::from(self.recency.taken()),
            cold: keys,
            reuses: operations - keys,
            distances: self.distances.finish(),
        }
    }
}
