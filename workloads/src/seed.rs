//! The source of every random choice: a seed, the streams derived from it, and a generator.
//!
//! ```
//! use workloads::Seed;
//!
//! // One stream per purpose, then one per thread: no two of them ever share a draw.
//! let mut rng = Seed(42).stream("operations").nth(3).rng();
//! assert!(rng.below(10) < 10);
//! ```

use crate::mix::{GOLDEN, mix};

/// The number that a suite records so that every request can be generated again in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

// Labels and numbers are hashed from different starts, so `stream("a")` equals an `nth(n)` only by
// a 64-bit coincidence.
const LABEL_START: u64 = 0xCBF2_9CE4_8422_2325;
const NUMBER_START: u64 = 0x6A09_E667_F3BC_C909;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

impl Seed {
    /// The seed of an independent stream for one purpose: a phase, a table, an operation mix.
    pub const fn stream(self, label: &str) -> Self {
        let bytes = label.as_bytes();
        let mut hash = LABEL_START;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(FNV_PRIME);
            at += 1;
        }
        self.derive(hash)
    }

    /// The seed of the `number`-th of many equivalent streams: a thread, a repetition.
    pub const fn nth(self, number: u64) -> Self {
        self.derive(mix(number.wrapping_add(NUMBER_START)))
    }

    /// A generator that starts from this seed.
    pub const fn rng(self) -> Rng {
        Rng::new(self)
    }

    /// Injective in `hash` for a given parent: different children of one seed always differ.
    const fn derive(self, hash: u64) -> Self {
        Self(mix(mix(self.0.wrapping_add(GOLDEN)).wrapping_add(hash)))
    }
}

/// xoshiro256\*\* 1.0 (Blackman and Vigna): 32 bytes of state, period 2^256 − 1, about a nanosecond
/// per draw. SplitMix64 fills the state, as its authors advise.
///
/// Not for cryptography. It is written out here because a new release of a crate might change the
/// numbers, and with them every recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    pub const fn new(seed: Seed) -> Self {
        let mut state = [0; 4];
        let mut at = 0;
        while at < 4 {
            state[at] = mix(seed.0.wrapping_add(GOLDEN.wrapping_mul(at as u64 + 1)));
            at += 1;
        }
        Self { state }
    }

    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        let [_, second, ..] = self.state;
        let result = second.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        self.state[2] ^= self.state[0];
        self.state[3] ^= self.state[1];
        self.state[1] ^= self.state[2];
        self.state[0] ^= self.state[3];
        self.state[2] ^= second << 17;
        self.state[3] = self.state[3].rotate_left(45);
        result
    }

    /// A uniform number in `0..bound` (Lemire's multiplication with rejection).
    ///
    /// The division that makes it exact runs with probability `bound / 2^64`.
    ///
    /// # Panics
    ///
    /// If `bound` is zero.
    #[inline]
    pub const fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "below(0): nothing to choose from");
        let mut wide = self.next_u64() as u128 * bound as u128;
        if (wide as u64) < bound {
            let skewed = bound.wrapping_neg() % bound;
            while (wide as u64) < skewed {
                wide = self.next_u64() as u128 * bound as u128;
            }
        }
        (wide >> u64::BITS) as u64
    }

    /// A uniform number in `0.0..1.0`, a multiple of 2^-53. Never 1.0.
    #[inline]
    pub const fn unit_f64(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// True with the given probability: never for 0.0, always for 1.0.
    #[inline]
    pub const fn chance(&mut self, probability: f64) -> bool {
        self.unit_f64() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_reference_implementation() {
        // The first draws of the authors' C code from the state 1, 2, 3, 4.
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let draws = [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240];
        assert_eq!(draws.map(|_| rng.next_u64()), draws);
    }

    #[test]
    fn seeding_follows_splitmix64() {
        // SplitMix64 from zero, as published with its C code.
        let Rng { state } = Seed(0).rng();
        assert_eq!(state[0], 0xE220_A839_7B1D_CDAF);
        assert_eq!(state[1], 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn streams_differ_from_each_other_and_from_their_parent() {
        let seed = Seed(42);
        let mut seen = vec![seed, seed.stream(""), seed.stream("a"), seed.stream("b")];
        seen.push(seed.stream("a").stream("b"));
        seen.push(seed.stream("b").stream("a"));
        seen.extend((0..1000).map(|number| seed.nth(number)));
        seen.extend((0..1000).map(|number| seed.stream("a").nth(number)));
        let count = seen.len();
        seen.sort_by_key(|seed| seed.0);
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn below_reaches_all_and_stays_inside() {
        let mut rng = Seed(1).rng();
        for bound in [1, 2, 3, 7, 10] {
            let mut seen = vec![0; bound as usize];
            for _ in 0..10_000 {
                seen[rng.below(bound) as usize] += 1;
            }
            let share = 10_000 / bound as i32;
            assert!(seen.iter().all(|&n: &i32| (n - share).abs() < 400), "{bound}: {seen:?}");
        }
        // Three quarters of 2^64: a plain multiplication would make every third number twice as
        // likely, and rejection is frequent.
        let bound = 3 << 62;
        let multiples = (0..30_000).filter(|_| rng.below(bound).is_multiple_of(3)).count();
        assert!((9_500..10_500).contains(&multiples), "{multiples}");
    }

    #[test]
    fn certain_and_impossible_are_exact() {
        let mut rng = Seed(2).rng();
        assert!((0..1000).all(|_| rng.chance(1.0)));
        assert!((0..1000).all(|_| !rng.chance(0.0)));
        assert!((0..1000).map(|_| rng.unit_f64()).all(|unit| (0.0..1.0).contains(&unit)));
        let quarter = (0..40_000).filter(|_| rng.chance(0.25)).count();
        assert!((9_500..10_500).contains(&quarter), "{quarter}");
    }
}
