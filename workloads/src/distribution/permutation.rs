//! A fixed shuffle of `0..records` that needs no table.

use crate::mix::{GOLDEN, inverse};

// Three odd numbers with no structure: the fractional parts of the square roots of 2, 3 and 5.
const FACTORS: [u64; 3] = [0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B];

/// A bijection of `0..records`, identical for every seed and thread.
///
/// A hash modulo the records would not do: with as many ranks as records, more than a third of the
/// records would never be accessed and others would collect several ranks, so the keys would no
/// longer follow the requested law.
///
/// It mixes the word within the smallest power of two that holds `records`, in three rounds of add,
/// multiply by an odd number and xor-shift. Each round is a bijection. A result outside
/// `0..records` is mixed again until it falls inside ("cycle walking"), which takes fewer than two
/// rounds on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    records: u64,
    mask: u64,
    shift: u32,
}

impl Permutation {
    /// A permutation of `0..records`.
    ///
    /// # Panics
    ///
    /// If `records` is zero or above 2^63.
    pub const fn new(records: u64) -> Self {
        assert!(records > 0, "records = 0: there is nothing to shuffle");
        assert!(records <= 1 << 63, "records must be at most 2^63");
        let bits = records.next_power_of_two().trailing_zeros();
        // At least 1: a shift by zero would clear the word.
        let shift = bits.div_ceil(2) + (bits == 0) as u32;
        Self { records, mask: (1 << bits) - 1, shift }
    }

    /// The record for `rank`.
    #[inline]
    pub const fn apply(&self, rank: u64) -> u64 {
        debug_assert!(rank < self.records);
        let mut word = rank;
        loop {
            let mut round = 0;
            while round < FACTORS.len() {
                word = word.wrapping_add(GOLDEN).wrapping_mul(FACTORS[round]) & self.mask;
                word ^= word >> self.shift;
                round += 1;
            }
            if word < self.records {
                return word;
            }
        }
    }

    /// The rank of `record`; the inverse of [`Permutation::apply`].
    pub const fn rank_of(&self, record: u64) -> u64 {
        debug_assert!(record < self.records);
        let mut word = record;
        loop {
            let mut round = FACTORS.len();
            while round > 0 {
                round -= 1;
                // The shift is at least half of the bits, so applying it once undoes it.
                word ^= word >> self.shift;
                word = word.wrapping_mul(inverse(FACTORS[round])).wrapping_sub(GOLDEN) & self.mask;
            }
            if word < self.records {
                return word;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_hit_exactly_once() {
        for records in (1..=300).chain([1000, 4095, 4096, 4097, 100_003]) {
            let permutation = Permutation::new(records);
            let mut hit = vec![false; records as usize];
            for rank in 0..records {
                let record = permutation.apply(rank);
                assert!(!std::mem::replace(&mut hit[record as usize], true), "{record} hit twice");
                assert_eq!(permutation.rank_of(record), rank);
            }
        }
    }

    #[test]
    fn large_domains_hold() {
        for records in [(1 << 40) + 1, 1 << 63, (1 << 63) - 1] {
            let permutation = Permutation::new(records);
            for rank in [0, 1, 2, records / 2, records - 1] {
                let record = permutation.apply(rank);
                assert!(record < records);
                assert_eq!(permutation.rank_of(record), rank);
            }
        }
    }

    #[test]
    fn hot_ranks_are_spread_over_the_whole_range() {
        let records = 1_000_000;
        let permutation = Permutation::new(records);
        // The hottest 1 % of the ranks over 64 equal stretches of the key range: 156 expected in
        // each, with a standard deviation of 12.
        let mut stretches = [0u32; 64];
        for rank in 0..10_000 {
            stretches[(permutation.apply(rank) * 64 / records) as usize] += 1;
        }
        assert!(stretches.iter().all(|&n| (100..212).contains(&n)), "{stretches:?}");
    }
}
