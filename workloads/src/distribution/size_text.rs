//! Size distributions as text.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use super::{HistogramError, SizeDistribution, ZipfianSizes};
use crate::bytes::{ParseBytesError, format_bytes, parse_bytes};

const ZIPFIAN: &str = "zipfian:";
const HISTOGRAM: &str = "histogram:";

impl fmt::Display for SizeDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = || format!("{}-{}", format_bytes(self.min()), format_bytes(self.max()));
        match self {
            Self::Constant(bytes) => write!(f, "{}", format_bytes(*bytes)),
            Self::Uniform { .. } => write!(f, "{}", range()),
            Self::Zipfian(sizes) => write!(f, "{ZIPFIAN}{}:{}", range(), sizes.theta()),
            Self::Histogram(histogram) => write!(f, "{HISTOGRAM}{histogram}"),
        }
    }
}

/// A text that is not a size distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseSizeDistributionError {
    /// A size cannot be parsed.
    Bytes(ParseBytesError),
    /// The range runs backwards.
    Reversed {
        /// The first end, as given.
        from: usize,
        /// The second end, as given.
        to: usize,
    },
    /// A range was expected.
    NoRange {
        /// The text found instead.
        text: String,
    },
    /// The skew is not a number above 0.
    Theta { text: String },
    /// The list of sizes and weights is not a histogram.
    Histogram(HistogramError),
}

impl fmt::Display for ParseSizeDistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}; for a range write \"50-150\""),
            Self::Reversed { from, to } => {
                write!(f, "sizes \"{from}-{to}\": the smaller comes first; write \"{to}-{from}\"")
            }
            Self::NoRange { text } => {
                write!(f, "sizes \"{text}\": write a range, as in \"zipfian:50-150:0.99\"")
            }
            Self::Theta { text } => write!(
                f,
                "theta \"{text}\": must be a number above 0, as in \"zipfian:50-150:0.99\"; for 0 \
                 write a range"
            ),
            Self::Histogram(error) => error.fmt(f),
        }
    }
}

impl Error for ParseSizeDistributionError {}

impl FromStr for SizeDistribution {
    type Err = ParseSizeDistributionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(list) = text.strip_prefix(HISTOGRAM) {
            let histogram = list.parse().map_err(ParseSizeDistributionError::Histogram)?;
            return Ok(Self::Histogram(histogram));
        }
        if let Some(parameters) = text.strip_prefix(ZIPFIAN) {
            let (sizes, theta) = parameters.split_once(':').unwrap_or((parameters, ""));
            let no_range = || ParseSizeDistributionError::NoRange { text: sizes.to_owned() };
            let no_theta = |_| ParseSizeDistributionError::Theta { text: theta.to_owned() };
            let theta = theta.parse().map_err(no_theta)?;
            let (from, to) = range(sizes)?.ok_or_else(no_range)?;
            return ZipfianSizes::new(from, to, theta).map(Self::Zipfian);
        }
        let sizes = match range(text)? {
            Some((from, to)) => Self::Uniform { from, to },
            None => Self::Constant(bytes(text)?),
        };
        sizes.validate().map(|()| sizes)
    }
}

fn bytes(text: &str) -> Result<usize, ParseSizeDistributionError> {
    parse_bytes(text).map_err(ParseSizeDistributionError::Bytes)
}

/// Parses `50-150` or `50..150`; `None` if the text is not a range.
fn range(text: &str) -> Result<Option<(usize, usize)>, ParseSizeDistributionError> {
    match text.split_once("..").or_else(|| text.split_once('-')) {
        Some((from, to)) => Ok(Some((bytes(from)?, bytes(to)?))),
        None => Ok(None),
    }
}

impl JsonSchema for SizeDistribution {
    fn schema_name() -> Cow<'static, str> {
        "SizeDistribution".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Sizes in bytes, as text: `100`, `1KiB`, `50-150`, \
                `zipfian:50-150:0.99`, `histogram:100=9,1KiB=1`.",
            "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 0 }],
        })
    }
}

impl Serialize for SizeDistribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SizeDistribution {
    /// Accepts text or a plain number of bytes.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl Visitor<'_> for SizeVisitor {
            type Value = SizeDistribution;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "sizes such as 100, \"1KiB\", \"50-150\", \"zipfian:50-150:0.99\" or \
                     \"histogram:100=9,1KiB=1\""
                )
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
    use crate::distribution::SizeHistogram;

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
            (
                "zipfian:50..1024:1.20",
                SizeDistribution::Zipfian(ZipfianSizes::new(50, 1024, 1.2).unwrap()),
                "zipfian:50-1KiB:1.2",
            ),
            (
                "histogram: 1024=1, 100=9",
                SizeDistribution::Histogram(SizeHistogram::new([(100, 9), (1024, 1)]).unwrap()),
                "histogram:100=9,1KiB=1",
            ),
        ] {
            assert_eq!(text.parse().as_ref(), Ok(&distribution), "{text}");
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
            "size \"big\": write a whole number of bytes, KiB, MiB, GiB or TiB, as in \"100\" or \
             \"1KiB\"; for a range write \"50-150\""
        );
        assert_eq!(
            message("zipfian:1-10:0"),
            "theta \"0\": must be a number above 0, as in \"zipfian:50-150:0.99\"; for 0 write a \
             range"
        );
        assert_eq!(
            message("zipfian:100"),
            "theta \"\": must be a number above 0, as in \"zipfian:50-150:0.99\"; for 0 write a \
             range"
        );
        assert!(message("zipfian:100:0.99").starts_with("sizes \"100\": write"));
        assert!(message("zipfian:2-1:0.99").starts_with("sizes \"2-1\": the smaller comes first"));
        assert_eq!(
            message("histogram:100"),
            "histogram entry \"100\": write size and weight, a whole number, as in \
             \"histogram:100=9,1KiB=1\""
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
}
