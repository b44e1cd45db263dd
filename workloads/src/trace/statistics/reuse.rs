//! Reuse distances: how many other keys were named between two operations on a key.
//!
//! Exact while there are few enough keys; beyond, of a sample of them (SHARDS, FAST 2015): a key is
//! in it by its hash, so either all of its accesses are or none, and distances between sampled keys
//! are a known share of the true ones. Where the sample has become too large, every other key
//! leaves it, and what is counted from then on counts twice as much.

use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, Histogram};
use super::keys::{Key, Keys, SAMPLE_BITS, sample_of};
use super::recency::Recency;

/// How soon keys come again, whatever is done with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reuse {
    /// The distances are those of one key in so many at the end; 1 where they are exact.
    pub sampled_one_in: u64,
    /// Keys in the sample at the end.
    pub keys_sampled: u64,
    /// Operations that were the first on their key; exact.
    pub cold: u64,
    /// All other operations; exact.
    pub reuses: u64,
    /// Distinct other keys between two operations on a key, next to each other: 0. Of a sample its
    /// count is an estimate of `reuses`, and distances are estimates too.
    pub distances: Distribution,
}

impl Reuse {
    /// The share of operations that were the first on their key, from 0 to 1; `None` of none.
    #[must_use]
    pub fn cold_share(&self) -> Option<f64> {
        let operations = self.cold + self.reuses;
        (operations > 0).then(|| self.cold as f64 / operations as f64)
    }

    /// The share of operations that would find their key among the `objects` used last, from 0 to
    /// 1: the hit ratio of a cache of so many objects that evicts the one least recently used.
    /// Every operation counts as a use. `None` of no operations.
    #[must_use]
    pub fn lru_hit_ratio(&self, objects: u64) -> Option<f64> {
        let cold = self.cold_share()?;
        let within = objects.checked_sub(1).map_or(0, |farthest| self.distances.at_most(farthest));
        Some((1.0 - cold) * within as f64 / self.distances.count.max(1) as f64)
    }
}

/// Follows the accesses of the keys in the sample.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    recency: Recency,
    keys_max: u32,
    sample_bits: u32,
    distances: Histogram,
}

impl Follower {
    /// Slots have 32 bits, and there are twice as many as keys.
    const KEYS_MAX: u32 = 1 << 30;

    pub(super) fn new(keys_max: u32) -> Self {
        Self {
            recency: Recency::new(0),
            keys_max: keys_max.clamp(1, Self::KEYS_MAX),
            sample_bits: 0,
            distances: Histogram::default(),
        }
    }

    /// Makes room for one access. Every so many accesses it visits all keys.
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

    /// An operation on the key `word`, which has this history.
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
