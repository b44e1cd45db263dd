//! How many bytes an object has.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use crate::Rng;
use crate::bytes::{ParseBytesError, format_bytes, parse_bytes};

/// Sizes of objects. Written as text: `100`, `1KiB`, `50-150` or `50..150` (both ends included).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SizeDistribution {
    /// Every object has this many bytes.
    Constant(usize),
    /// Every size from `from` to `to`, both included, is equally likely.
    Uniform {
        /// The smallest size, in bytes.
        from: usize,
        /// The largest size, in bytes; not below `from`.
        to: usize,
    },
}

impl SizeDistribution {
    /// The size of the next object.
    #[inline]
    pub const fn sample(&self, rng: &mut Rng) -> usize {
        match *self {
            Self::Constant(bytes) => bytes,
            Self::Uniform { from, to } => from + rng.below((to - from) as u64 + 1) as usize,
        }
    }

    /// The smallest size that can occur.
    pub const fn min(&self) -> usize {
        match *self {
            Self::Constant(bytes) => bytes,
            Self::Uniform { from, .. } => from,
        }
    }

    /// The largest size that can occur.
    pub const fn max(&self) -> usize {
        match *self {
            Self::Constant(bytes) => bytes,
            Self::Uniform { to, .. } => to,
        }
    }

    /// The mean size, in bytes.
    pub const fn mean(&self) -> f64 {
        (self.min() as f64 + self.max() as f64) / 2.0
    }
}

impl fmt::Display for SizeDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Constant(bytes) => write!(f, "{}", format_bytes(bytes)),
            Self::Uniform { from, to } => write!(f, "{}-{}", format_bytes(from), format_bytes(to)),
        }
    }
}

/// A text that is not a size distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseSizeDistributionError {
    /// One of the sizes cannot be read.
    Bytes(ParseBytesError),
    /// The range runs backwards.
    Reversed {
        /// The smaller end as given.
        from: usize,
        /// The larger end as given.
        to: usize,
    },
}

impl fmt::Display for ParseSizeDistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}; for a range write \"50-150\""),
            Self::Reversed { from, to } => {
                write!(f, "sizes \"{from}-{to}\": the smaller comes first; write \"{to}-{from}\"")
            }
        }
    }
}

impl Error for ParseSizeDistributionError {}

impl FromStr for SizeDistribution {
    type Err = ParseSizeDistributionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = |text| parse_bytes(text).map_err(ParseSizeDistributionError::Bytes);
        let Some((from, to)) = text.split_once("..").or_else(|| text.split_once('-')) else {
            return parse(text).map(Self::Constant);
        };
        let (from, to) = (parse(from)?, parse(to)?);
        if from > to {
            return Err(ParseSizeDistributionError::Reversed { from, to });
        }
        Ok(Self::Uniform { from, to })
    }
}

impl Serialize for SizeDistribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SizeDistribution {
    /// Reads the text, or a plain number of bytes.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl Visitor<'_> for SizeVisitor {
            type Value = SizeDistribution;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a size such as 100, \"1KiB\" or \"50-150\"")
            }

            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Self::Value, E> {
                usize::try_from(bytes).map(SizeDistribution::Constant).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Self::Value, E> {
                usize::try_from(bytes)
                    .map(SizeDistribution::Constant)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(SizeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::Error as ValueError;

    use super::*;

    #[test]
    fn text_and_value_agree() {
        for (text, distribution, canonical) in [
            ("100", SizeDistribution::Constant(100), "100"),
            ("1024", SizeDistribution::Constant(1024), "1KiB"),
            ("50-150", SizeDistribution::Uniform { from: 50, to: 150 }, "50-150"),
            ("1000..1024", SizeDistribution::Uniform { from: 1000, to: 1024 }, "1000-1KiB"),
            (
                "1KiB - 10KiB",
                SizeDistribution::Uniform { from: 1 << 10, to: 10 << 10 },
                "1KiB-10KiB",
            ),
        ] {
            assert_eq!(text.parse(), Ok(distribution), "{text}");
            assert_eq!(distribution.to_string(), canonical);
            assert_eq!(canonical.parse(), Ok(distribution));
        }
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let message = |text: &str| text.parse::<SizeDistribution>().unwrap_err().to_string();
        assert_eq!(
            message("150-50"),
            "sizes \"150-50\": the smaller comes first; write \"50-150\""
        );
        assert_eq!(
            message("big"),
            "size \"big\": write a whole number of bytes, KiB, MiB or GiB, as in \"100\" or \
             \"1KiB\"; for a range write \"50-150\""
        );
    }

    #[test]
    fn numbers_and_text_deserialise() {
        let number = SizeDistribution::deserialize(
            IntoDeserializer::<ValueError>::into_deserializer(100i64),
        );
        assert_eq!(number, Ok(SizeDistribution::Constant(100)));
        let text =
            SizeDistribution::deserialize(IntoDeserializer::<ValueError>::into_deserializer("1-2"));
        assert_eq!(text, Ok(SizeDistribution::Uniform { from: 1, to: 2 }));
        let negative =
            SizeDistribution::deserialize(IntoDeserializer::<ValueError>::into_deserializer(-1i64));
        assert!(negative.is_err());
    }

    #[test]
    fn the_ends_are_included_and_the_mean_is_right() {
        let mut rng = crate::Seed(1).rng();
        let sizes = SizeDistribution::Uniform { from: 50, to: 52 };
        let drawn: Vec<usize> = (0..3000).map(|_| sizes.sample(&mut rng)).collect();
        for size in 50..=52 {
            let count = drawn.iter().filter(|&&drawn| drawn == size).count();
            assert!((880..1120).contains(&count), "{size}: {count}");
        }
        assert!(drawn.iter().all(|size| (50..=52).contains(size)));
        assert_eq!(sizes.mean(), 51.0);
        assert_eq!(SizeDistribution::Constant(7).mean(), 7.0);
    }
}
