//! The popularity of records as YCSB draws it for `requestdistribution=zipfian`.

use super::gray::Gray;
use crate::Rng;

/// Draws records `0..records` as YCSB's `ScrambledZipfianGenerator` (core 0.17.0) does: a zipfian
/// rank by Gray's formula, hashed by FNV-1a, modulo the records.
///
/// There are the same ten billion ranks for any number of records. The hottest of 31,092 records
/// therefore gets 3.8 % of the draws, where [`Zipfian`](super::Zipfian) over the records gives it 8.7 %.
/// Many ranks share a record. Beyond a billion records some have no rank and are never drawn.
///
/// YCSB's `CoreWorkload` asks its generator for one record more than exist, and for twice the expected
/// inserts; it draws again while a record does not exist yet. That changes which records are popular, but
/// not how popular they are. Here the range is exactly the records.
///
/// There is no table and no sum to compute: a sampler is ready at once. A draw costs what a draw of
/// [`Zipfian`](super::Zipfian) below theta = 1 costs, then eight multiplications and a remainder.
#[derive(Clone, Debug, PartialEq)]
pub struct YcsbScrambled {
    ranks: Gray,
    records: u64,
}

impl YcsbScrambled {
    /// The skew of the ranks.
    pub const THETA: f64 = 0.99;
    /// The number of ranks. YCSB uses those from 0 to ten billion, both included.
    pub const RANKS: u64 = 10_000_000_001;
    /// YCSB's constant: the sum of the weights of ten billion ranks.
    const ZETA: f64 = 26.469_028_201_783_02;

    /// # Panics
    ///
    /// If `records` is zero.
    pub fn new(records: u64) -> Self {
        assert!(records > 0, "records = 0: there is nothing to draw");
        Self { ranks: Gray::with_zeta(Self::RANKS, Self::THETA, Self::ZETA), records }
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        self.record_of(self.ranks.draw(rng))
    }

    /// The record to which `rank` is hashed.
    #[inline]
    pub const fn record_of(&self, rank: u64) -> u64 {
        fnv_hash(rank) % self.records
    }

    /// The probability of each record. Ranks below `hashed` are hashed one by one; later ones are assumed
    /// to be spread evenly.
    #[cfg(test)]
    fn probabilities(&self, hashed: u64) -> Vec<f64> {
        let rest = (1.0 - self.ranks.probability_below(hashed)) / self.records as f64;
        let mut probabilities = vec![rest; self.records as usize];
        let mut below = 0.0;
        for rank in 0..hashed {
            let up_to = self.ranks.probability_below(rank + 1);
            probabilities[self.record_of(rank) as usize] += up_to - below;
            below = up_to;
        }
        probabilities
    }
}

/// FNV-1a over the eight bytes of `value`, lowest first, as a signed number without its sign.
///
/// YCSB's `Math.abs` would leave one hash negative, that of -2^63. No rank has it.
#[inline]
const fn fnv_hash(value: u64) -> u64 {
    let bytes = value.to_le_bytes();
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01B3);
        at += 1;
    }
    hash.cast_signed().unsigned_abs()
}

#[cfg(test)]
mod tests;
