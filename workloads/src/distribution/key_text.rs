//! Key distributions as text.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::KeyDistribution;

const UNIFORM: &str = "uniform";
const SCRAMBLED: &str = "zipfian";
const UNSCRAMBLED: &str = "zipfian-unscrambled";
const YCSB: &str = "ycsb-scrambled";
const LATEST: &str = "latest";
const HOTSPOT: &str = "hotspot";
const SEQUENTIAL: &str = "sequential";

impl fmt::Display for KeyDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Uniform => write!(f, "{UNIFORM}"),
            Self::Zipfian { theta, scrambled: true } => write!(f, "{SCRAMBLED}:{theta}"),
            Self::Zipfian { theta, scrambled: false } => write!(f, "{UNSCRAMBLED}:{theta}"),
            Self::YcsbScrambled => write!(f, "{YCSB}"),
            Self::Latest { theta } => write!(f, "{LATEST}:{theta}"),
            Self::Hotspot { set, operations } => write!(f, "{HOTSPOT}:{set}:{operations}"),
            Self::Sequential => write!(f, "{SEQUENTIAL}"),
        }
    }
}

/// A text that is not a key distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum ParseKeyDistributionError {
    UnknownName {
        text: String,
    },
    /// The skew is not a number above 0.
    Theta {
        text: String,
    },
    /// `ycsb-scrambled` with a skew.
    YcsbSkew {
        /// The skew, as given.
        text: String,
    },
    /// The hot set or its share of the operations is not a fraction.
    Hotspot {
        /// Both fractions, as given.
        text: String,
    },
}

impl fmt::Display for ParseKeyDistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { text } => write!(
                f,
                "key distribution \"{text}\": write \"uniform\", \"zipfian:0.99\", \
                 \"zipfian-unscrambled:0.99\", \"ycsb-scrambled\", \"latest:0.99\", \
                 \"hotspot:0.2:0.8\" or \"sequential\""
            ),
            Self::Theta { text } => {
                write!(f, "theta \"{text}\": must be a number above 0; for 0 write \"uniform\"")
            }
            Self::YcsbSkew { text } => write!(
                f,
                "ycsb-scrambled with \"{text}\": YCSB's skew is always 0.99; write \
                 \"ycsb-scrambled\", or \"zipfian:THETA\" for another skew"
            ),
            Self::Hotspot { text } => write!(
                f,
                "hotspot \"{text}\": write the share of the records that are hot, between 0 and \
                 1, both excluded, and the share of the operations on them, from 0 to 1, as in \
                 \"hotspot:0.2:0.8\""
            ),
        }
    }
}

impl Error for ParseKeyDistributionError {}

impl FromStr for KeyDistribution {
    type Err = ParseKeyDistributionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let theta = |text: &str| {
            let refusal = || ParseKeyDistributionError::Theta { text: text.to_owned() };
            text.parse().map_err(|_| refusal())
        };
        let distribution = match text.split_once(':') {
            None if text == UNIFORM => Self::Uniform,
            None if text == YCSB => Self::YcsbScrambled,
            None if text == SEQUENTIAL => Self::Sequential,
            Some((SCRAMBLED, rest)) => Self::Zipfian { theta: theta(rest)?, scrambled: true },
            Some((UNSCRAMBLED, rest)) => Self::Zipfian { theta: theta(rest)?, scrambled: false },
            Some((YCSB, rest)) => {
                return Err(ParseKeyDistributionError::YcsbSkew { text: rest.to_owned() });
            }
            Some((LATEST, rest)) => Self::Latest { theta: theta(rest)? },
            Some((HOTSPOT, rest)) => {
                let fractions = rest.split_once(':');
                let numbers = fractions.and_then(|(set, operations)| {
                    Some((set.parse().ok()?, operations.parse().ok()?))
                });
                let Some((set, operations)) = numbers else {
                    return Err(ParseKeyDistributionError::Hotspot { text: rest.to_owned() });
                };
                Self::Hotspot { set, operations }
            }
            _ => return Err(ParseKeyDistributionError::UnknownName { text: text.to_owned() }),
        };
        distribution.validate().map(|()| distribution)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_agree() {
        for (text, distribution) in [
            ("uniform", KeyDistribution::Uniform),
            ("zipfian:0.99", KeyDistribution::Zipfian { theta: 0.99, scrambled: true }),
            ("zipfian:1", KeyDistribution::Zipfian { theta: 1.0, scrambled: true }),
            ("zipfian-unscrambled:2.5", KeyDistribution::Zipfian { theta: 2.5, scrambled: false }),
            ("ycsb-scrambled", KeyDistribution::YcsbScrambled),
            ("latest:0.99", KeyDistribution::Latest { theta: 0.99 }),
            ("hotspot:0.2:0.8", KeyDistribution::Hotspot { set: 0.2, operations: 0.8 }),
            ("sequential", KeyDistribution::Sequential),
        ] {
            assert_eq!(text.parse(), Ok(distribution));
            assert_eq!(distribution.to_string(), text);
        }
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let message = |text: &str| text.parse::<KeyDistribution>().unwrap_err().to_string();
        for text in ["zipf", "uniform:1", "sequential:1", "latest", "ycsb", ""] {
            assert_eq!(
                message(text),
                format!(
                    "key distribution \"{text}\": write \"uniform\", \"zipfian:0.99\", \
                     \"zipfian-unscrambled:0.99\", \"ycsb-scrambled\", \"latest:0.99\", \
                     \"hotspot:0.2:0.8\" or \"sequential\""
                )
            );
        }
        for theta in ["0", "-0.5", "NaN", "inf", "x", ""] {
            for name in ["zipfian", "zipfian-unscrambled", "latest"] {
                assert_eq!(
                    message(&format!("{name}:{theta}")),
                    format!("theta \"{theta}\": must be a number above 0; for 0 write \"uniform\"")
                );
            }
        }
        for skew in ["0.99", "0.5", ""] {
            assert_eq!(
                message(&format!("ycsb-scrambled:{skew}")),
                format!(
                    "ycsb-scrambled with \"{skew}\": YCSB's skew is always 0.99; write \
                     \"ycsb-scrambled\", or \"zipfian:THETA\" for another skew"
                )
            );
        }
        for fractions in ["0:0.8", "1:0.8", "0.2:1.1", "0.2", "NaN:0.5", "a:b"] {
            let message = message(&format!("hotspot:{fractions}"));
            assert!(message.starts_with(&format!("hotspot \"{fractions}\": write")), "{message}");
        }
    }
}
