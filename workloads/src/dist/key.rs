//! Which record an operation touches.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Permutation, Zipfian};
use crate::Rng;

/// How popular the records are. Written as text: `uniform`, `zipfian:0.99`,
/// `zipfian-unscrambled:0.99`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum KeyDistribution {
    /// Every record is equally likely.
    Uniform,
    /// Few records take most operations: the one of rank r has weight 1 / r^theta.
    Zipfian {
        /// The skew, between 0 and 1, both excluded. YCSB's is 0.99.
        theta: f64,
        /// Whether popular records are spread over the key range by [`Permutation`], or are the
        /// first ones. Keys are mixed again by [`key_of`](crate::key_of), so this matters for
        /// order: records loaded first lie together in a log.
        scrambled: bool,
    },
}

const SCRAMBLED: &str = "zipfian";
const UNSCRAMBLED: &str = "zipfian-unscrambled";

impl fmt::Display for KeyDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Uniform => write!(f, "uniform"),
            Self::Zipfian { theta, scrambled: true } => write!(f, "{SCRAMBLED}:{theta}"),
            Self::Zipfian { theta, scrambled: false } => write!(f, "{UNSCRAMBLED}:{theta}"),
        }
    }
}

/// A text that is not a key distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum ParseKeyDistributionError {
    /// The name is not one of ours.
    UnknownName {
        /// The text as given.
        text: String,
    },
    /// The skew is not a number between 0 and 1.
    Theta {
        /// The skew as given.
        text: String,
    },
}

impl fmt::Display for ParseKeyDistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { text } => write!(
                f,
                "key distribution \"{text}\": write \"uniform\", \"zipfian:0.99\" or \
                 \"zipfian-unscrambled:0.99\""
            ),
            Self::Theta { text } => write!(
                f,
                "theta \"{text}\": must be a number between 0 and 1, both excluded; for 0 write \
                 \"uniform\""
            ),
        }
    }
}

impl Error for ParseKeyDistributionError {}

impl FromStr for KeyDistribution {
    type Err = ParseKeyDistributionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "uniform" {
            return Ok(Self::Uniform);
        }
        let (theta, scrambled) = match text.split_once(':') {
            Some((SCRAMBLED, theta)) => (theta, true),
            Some((UNSCRAMBLED, theta)) => (theta, false),
            _ => return Err(ParseKeyDistributionError::UnknownName { text: text.to_owned() }),
        };
        match theta.parse() {
            Ok(theta) if theta > 0.0 && theta < 1.0 => Ok(Self::Zipfian { theta, scrambled }),
            _ => Err(ParseKeyDistributionError::Theta { text: theta.to_owned() }),
        }
    }
}

impl TryFrom<String> for KeyDistribution {
    type Error = ParseKeyDistributionError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<KeyDistribution> for String {
    fn from(distribution: KeyDistribution) -> Self {
        distribution.to_string()
    }
}

/// Draws records `0..records`; one per thread, each with a generator of its own.
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
}

impl KeySampler {
    /// A sampler over `records` records.
    ///
    /// # Panics
    ///
    /// If `records` is zero, or a `theta` that was not parsed is out of its range.
    pub fn new(distribution: KeyDistribution, records: u64, rng: Rng) -> Self {
        assert!(records > 0, "records = 0: there is nothing to draw");
        let law = match distribution {
            KeyDistribution::Uniform => Law::Uniform,
            KeyDistribution::Zipfian { theta, scrambled: false } => {
                Law::Zipfian(Zipfian::new(records, theta))
            }
            KeyDistribution::Zipfian { theta, scrambled: true } => {
                Law::Scrambled(Zipfian::new(records, theta), Permutation::new(records))
            }
        };
        Self { law, records, rng }
    }

    /// The next record, in `0..records`.
    #[inline]
    pub fn next_record(&mut self) -> u64 {
        match &self.law {
            Law::Uniform => self.rng.below(self.records),
            Law::Zipfian(zipfian) => zipfian.draw(&mut self.rng),
            Law::Scrambled(zipfian, permutation) => permutation.apply(zipfian.draw(&mut self.rng)),
        }
    }

    /// How many records there are.
    pub const fn records(&self) -> u64 {
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_agree() {
        for (text, distribution) in [
            ("uniform", KeyDistribution::Uniform),
            ("zipfian:0.99", KeyDistribution::Zipfian { theta: 0.99, scrambled: true }),
            ("zipfian-unscrambled:0.5", KeyDistribution::Zipfian { theta: 0.5, scrambled: false }),
        ] {
            assert_eq!(text.parse(), Ok(distribution));
            assert_eq!(distribution.to_string(), text);
        }
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let message = |text: &str| text.parse::<KeyDistribution>().unwrap_err().to_string();
        assert_eq!(
            message("zipf"),
            "key distribution \"zipf\": write \"uniform\", \"zipfian:0.99\" or \
             \"zipfian-unscrambled:0.99\""
        );
        for theta in ["0", "1", "1.5", "-0.5", "NaN", ""] {
            assert_eq!(
                message(&format!("zipfian:{theta}")),
                format!(
                    "theta \"{theta}\": must be a number between 0 and 1, both excluded; for 0 \
                     write \"uniform\""
                )
            );
        }
    }
}
