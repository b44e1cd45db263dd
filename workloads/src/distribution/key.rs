//! Which record an operation accesses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::key_text::ParseKeyDistributionError;
use super::{Permutation, YcsbScrambled, Zipfian};
use crate::Rng;

/// How popular the records are. Written as text: `uniform`, `zipfian:0.99`,
/// `zipfian-unscrambled:0.99`, `ycsb-scrambled`, `latest:0.99`, `hotspot:0.2:0.8`, `sequential`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum KeyDistribution {
    /// Every record is equally likely.
    Uniform,
    /// A few records take most operations: the record of rank r has weight 1 / r^theta.
    Zipfian {
        /// The skew, above 0. Caches are often between 1 and 2.5.
        theta: f64,
        /// Whether [`Permutation`] spreads popular records over the key range. Otherwise the first
        /// records are the popular ones. [`key_of`](crate::key_of) mixes keys again, so this
        /// matters only for load order: records loaded first lie together in a log.
        scrambled: bool,
    },
    /// What YCSB draws for `requestdistribution=zipfian`: a rank of ten billion, of skew 0.99,
    /// hashed onto the records. The most popular records get far less than `zipfian:0.99` gives
    /// them; see [`YcsbScrambled`].
    YcsbScrambled,
    /// Zipfian by age: the newest record has rank 1.
    Latest {
        /// The skew, above 0.
        theta: f64,
    },
    /// Two sets of records, each uniform: the hot set (the first records) and all others.
    Hotspot {
        /// The hot set's share of the records, strictly between 0 and 1.
        set: f64,
        /// The share of the operations that access a hot record, from 0 to 1.
        operations: f64,
    },
    /// Records in order, starting over after the last.
    Sequential,
}

impl KeyDistribution {
    /// Checks that every parameter is in its range. Parsing checks text; the fields are public.
    pub fn validate(&self) -> Result<(), ParseKeyDistributionError> {
        match *self {
            Self::Zipfian { theta, .. } | Self::Latest { theta }
                if !(theta > 0.0 && theta.is_finite()) =>
            {
                Err(ParseKeyDistributionError::Theta { text: theta.to_string() })
            }
            Self::Hotspot { set, operations }
                if !(set > 0.0 && set < 1.0 && (0.0..=1.0).contains(&operations)) =>
            {
                let text = format!("{set}:{operations}");
                Err(ParseKeyDistributionError::Hotspot { text })
            }
            _ => Ok(()),
        }
    }
}

/// Draws records from `0..records`. Each thread has its own sampler with its own generator.
///
/// All threads share the same popular records: popularity depends on the distribution and on
/// `records`, never on the seed.
#[derive(Clone, Debug)]
pub struct KeySampler {
    law: Law,
    records: u64,
    rng: Rng,
}

#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Zipfian(Zipfian),
    Scrambled(Zipfian, Permutation),
    YcsbScrambled(YcsbScrambled),
    Latest(Zipfian),
    /// The number of hot records, and the share of operations on them.
    Hotspot(u64, f64),
    /// The next record.
    Sequential(u64),
}

impl KeySampler {
    /// A sampler over `records` records. A sequential walk begins at record 0.
    ///
    /// # Panics
    ///
    /// If `records` is zero or a parameter is out of its range.
    pub fn new(distribution: KeyDistribution, records: u64, rng: Rng) -> Self {
        assert!(records > 0, "records = 0: there is nothing to draw");
        distribution.validate().unwrap_or_else(|error| panic!("{error}"));
        let law = match distribution {
            KeyDistribution::Uniform => Law::Uniform,
            KeyDistribution::Zipfian { theta, scrambled: false } => {
                Law::Zipfian(Zipfian::new(records, theta))
            }
            KeyDistribution::Zipfian { theta, scrambled: true } => {
                Law::Scrambled(Zipfian::new(records, theta), Permutation::new(records))
            }
            KeyDistribution::YcsbScrambled => Law::YcsbScrambled(YcsbScrambled::new(records)),
            KeyDistribution::Latest { theta } => Law::Latest(Zipfian::new(records, theta)),
            KeyDistribution::Hotspot { set, operations } => {
                // At least one record is hot. If it is the only record, it is the whole set.
                let hot = ((records as f64 * set) as u64).clamp(1, records);
                Law::Hotspot(hot, if hot == records { 1.0 } else { operations })
            }
            KeyDistribution::Sequential => Law::Sequential(0),
        };
        Self { law, records, rng }
    }

    /// Starts a sequential walk at `record`; other distributions ignore it.
    ///
    /// # Panics
    ///
    /// If there is no such record.
    #[must_use]
    pub fn starting_at(mut self, record: u64) -> Self {
        assert!(record < self.records, "record {record} of {}: count from 0", self.records);
        if let Law::Sequential(next) = &mut self.law {
            *next = record;
        }
        self
    }

    #[inline]
    pub fn next_record(&mut self) -> u64 {
        match &mut self.law {
            Law::Uniform => self.rng.below(self.records),
            Law::Zipfian(zipfian) => zipfian.draw(&mut self.rng),
            Law::Scrambled(zipfian, permutation) => permutation.apply(zipfian.draw(&mut self.rng)),
            Law::YcsbScrambled(scrambled) => scrambled.draw(&mut self.rng),
            Law::Latest(zipfian) => self.records - 1 - zipfian.draw(&mut self.rng),
            Law::Hotspot(hot, operations) => {
                if self.rng.chance(*operations) {
                    self.rng.below(*hot)
                } else {
                    *hot + self.rng.below(self.records - *hot)
                }
            }
            Law::Sequential(next) => {
                let record = *next;
                *next = if record + 1 == self.records { 0 } else { record + 1 };
                record
            }
        }
    }

    pub const fn records(&self) -> u64 {
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn sampler(text: &str, records: u64) -> KeySampler {
        KeySampler::new(text.parse().unwrap(), records, Seed(42).rng())
    }

    #[test]
    fn a_walk_wraps_from_where_it_began() {
        let mut walk = sampler("sequential", 5).starting_at(3);
        assert_eq!([(); 7].map(|()| walk.next_record()), [3, 4, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn few_records_stay_inside() {
        let texts = "uniform zipfian:0.99 zipfian:1 zipfian-unscrambled:2.5 ycsb-scrambled latest:0.99 \
                     latest:1.2 hotspot:0.01:0.5 hotspot:0.99:0.5 sequential";
        for text in texts.split_whitespace() {
            for records in 1..=5 {
                let mut sampler = sampler(text, records);
                assert!((0..1000).all(|_| sampler.next_record() < records), "{text} of {records}");
            }
        }
    }

    #[test]
    fn parameters_that_were_not_parsed_are_checked() {
        for distribution in [
            KeyDistribution::Zipfian { theta: 0.0, scrambled: true },
            KeyDistribution::Latest { theta: f64::INFINITY },
            KeyDistribution::Hotspot { set: 1.0, operations: 0.5 },
            KeyDistribution::Hotspot { set: 0.5, operations: 1.5 },
        ] {
            assert!(distribution.validate().is_err(), "{distribution:?}");
        }
    }
}
