//! Reads and overwrites of loaded records, each thread asking as fast as it is answered: YCSB's
//! shape, prepared as words before the clock starts.
//!
//! ```
//! use workloads::closed_loop::{Mix, OpWord, fill_operations};
//! use workloads::{KeyDistribution, KeySampler, Seed};
//!
//! let thread = Seed(42).stream("operations").nth(0);
//! let keys = KeyDistribution::Zipfian { theta: 0.99, scrambled: true };
//! let mut sampler = KeySampler::new(keys, 1_000_000, thread.stream("keys").rng());
//! let mut words = vec![OpWord::default(); 1000];
//! fill_operations(&mut words, Mix::new(95.0)?, &mut sampler, &mut thread.stream("kinds").rng());
//! # Ok::<(), workloads::closed_loop::MixError>(())
//! ```
//!
//! Each word is used once. Replaying an array would let the processor learn it, and would read the
//! same records again in the same order.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{KeySampler, Rng};

/// How many of the operations are GETs; the rest are PUTs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Mix {
    get_percent: f64,
}

impl Mix {
    /// A mix with this share of GETs, from 0 to 100.
    pub fn new(get_percent: f64) -> Result<Self, MixError> {
        if (0.0..=100.0).contains(&get_percent) {
            Ok(Self { get_percent })
        } else {
            Err(MixError { get_percent })
        }
    }

    /// The share of GETs, from 0 to 100.
    pub const fn get_percent(self) -> f64 {
        self.get_percent
    }
}

/// A share of GETs that is no percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixError {
    get_percent: f64,
}

impl fmt::Display for MixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "get-percent = {}: must be from 0 to 100, as in 95 for 19 GETs to one PUT",
            self.get_percent
        )
    }
}

impl Error for MixError {}

impl TryFrom<f64> for Mix {
    type Error = MixError;

    fn try_from(get_percent: f64) -> Result<Self, Self::Error> {
        Self::new(get_percent)
    }
}

impl From<Mix> for f64 {
    fn from(mix: Mix) -> Self {
        mix.get_percent
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// Read the record.
    Get,
    /// Overwrite the record.
    Put,
}

const KIND_BITS: u32 = 1;
const RECORD_BITS: u32 = 63;
const RECORD_MASK: u64 = (1 << RECORD_BITS) - 1;

// The two fields tile the word: no gap, no overlap.
const _: () = assert!(KIND_BITS + RECORD_BITS == u64::BITS);
const _: () = assert!(size_of::<OpWord>() == 8);

/// One prepared operation.
///
/// ```text
///  63   62                                                       0
/// +------+--------------------------------------------------------+
/// | kind |                         record                         |
/// | 1 bit|                        63 bits                         |
/// +------+--------------------------------------------------------+
///   0 GET, 1 PUT
/// ```
///
/// The record becomes a key by [`key_of`](crate::key_of), inside the timed loop: a few
/// instructions, the same for every engine. The default word is a GET of record 0.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OpWord(u64);

impl OpWord {
    /// The largest record.
    pub const RECORD_MAX: u64 = RECORD_MASK;

    /// # Panics
    ///
    /// If `record` needs more than 63 bits.
    #[inline]
    pub const fn new(kind: OpKind, record: u64) -> Self {
        assert!(record <= Self::RECORD_MAX, "record needs more than 63 bits");
        let kind = match kind {
            OpKind::Get => 0,
            OpKind::Put => 1 << RECORD_BITS,
        };
        Self(kind | record)
    }

    /// What to do.
    #[inline]
    pub const fn kind(self) -> OpKind {
        if self.0 >> RECORD_BITS == 0 { OpKind::Get } else { OpKind::Put }
    }

    /// Which record.
    #[inline]
    pub const fn record(self) -> u64 {
        self.0 & RECORD_MASK
    }
}

impl fmt::Debug for OpWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.record())
    }
}

/// Prepares the operations of one thread. Sampler and generator go on where they stood, so a second
/// array continues the first.
///
/// `rng` decides between GET and PUT only: two mixes with equal seeds touch the same records in the
/// same order.
pub fn fill_operations(words: &mut [OpWord], mix: Mix, sampler: &mut KeySampler, rng: &mut Rng) {
    let get_share = mix.get_percent / 100.0;
    for word in words {
        let kind = if rng.chance(get_share) { OpKind::Get } else { OpKind::Put };
        *word = OpWord::new(kind, sampler.next_record());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyDistribution, Seed};

    fn operations(get_percent: f64, seed: Seed, count: usize) -> Vec<OpWord> {
        let mut sampler =
            KeySampler::new(KeyDistribution::Uniform, 1000, seed.stream("keys").rng());
        let mut words = vec![OpWord::default(); count];
        let mix = Mix::new(get_percent).unwrap();
        fill_operations(&mut words, mix, &mut sampler, &mut seed.stream("kinds").rng());
        words
    }

    #[test]
    fn words_round_trip() {
        for kind in [OpKind::Get, OpKind::Put] {
            for record in [0, 1, 2, 1 << 62, OpWord::RECORD_MAX] {
                let word = OpWord::new(kind, record);
                assert_eq!((word.kind(), word.record()), (kind, record));
            }
        }
        assert_eq!(OpWord::default(), OpWord::new(OpKind::Get, 0));
        assert_eq!(format!("{:?}", OpWord::new(OpKind::Put, 7)), "Put 7");
    }

    #[test]
    fn the_share_of_gets_is_the_requested_one() {
        for (percent, range) in [
            (0.0, 0..=0),
            (5.0, 4_600..=5_400),
            (50.0, 49_000..=51_000),
            (100.0, 100_000..=100_000),
        ] {
            let words = operations(percent, Seed(42), 100_000);
            let gets = words.iter().filter(|word| word.kind() == OpKind::Get).count();
            assert!(range.contains(&gets), "{percent} %: {gets}");
        }
    }

    #[test]
    fn mixes_of_one_seed_touch_the_same_records() {
        let records = |percent| operations(percent, Seed(42), 1000).into_iter().map(OpWord::record);
        assert!(records(0.0).eq(records(95.0)));
    }

    #[test]
    fn threads_ask_for_different_things() {
        let seed = Seed(42);
        let (first, second) =
            (operations(50.0, seed.nth(0), 10_000), operations(50.0, seed.nth(1), 10_000));
        let agree = first.iter().zip(&second).filter(|(first, second)| first == second).count();
        assert!(agree < 30, "{agree} of 10000 agree, 5 expected");
    }

    #[test]
    fn the_refusal_names_value_and_remedy() {
        for (percent, text) in [(101.0, "101"), (-1.0, "-1"), (f64::NAN, "NaN")] {
            assert_eq!(
                Mix::new(percent).unwrap_err().to_string(),
                format!(
                    "get-percent = {text}: must be from 0 to 100, as in 95 for 19 GETs to one PUT"
                )
            );
        }
    }
}
