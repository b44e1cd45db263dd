//! Sizes drawn from a list of weights.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::Rng;
use crate::bytes::{format_bytes, parse_bytes};

/// Sizes with whole-number weights. Written as text: `100=9,1KiB=1`, in any order.
///
/// Bins are sorted by size; bins of weight 0 are dropped. Clones share the bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeHistogram {
    bins: Arc<[Bin]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bin {
    bytes: usize,
    /// Sum of the weights up to and including this bin.
    weight_end: u64,
}

impl SizeHistogram {
    /// Builds a histogram from pairs `(size in bytes, weight)`; bins of equal size are merged.
    pub fn new(bins: impl IntoIterator<Item = (usize, u64)>) -> Result<Self, HistogramError> {
        let mut sorted: Vec<(usize, u64)> = bins.into_iter().collect();
        sorted.sort_unstable();
        let mut ends: Vec<Bin> = Vec::new();
        let mut weight_end = 0u64;
        for (bytes, weight) in sorted.into_iter().filter(|&(_, weight)| weight > 0) {
            weight_end = weight_end.checked_add(weight).ok_or(HistogramError::Weights)?;
            match ends.last_mut() {
                Some(last) if last.bytes == bytes => last.weight_end = weight_end,
                _ => ends.push(Bin { bytes, weight_end }),
            }
        }
        if ends.is_empty() { Err(HistogramError::Empty) } else { Ok(Self { bins: ends.into() }) }
    }

    /// Parses a file: either YCSB's format, or one size and one weight per line, separated by
    /// blanks.
    ///
    /// YCSB's format begins with `BlockSize` and a number of bytes. Each further line is a bucket
    /// number, counted from 0, and its weight. Bucket *i* stands for its largest size, (*i* + 1) ·
    /// `BlockSize`, as YCSB documents it (its code makes the last bucket one block smaller). Empty
    /// lines and lines that begin with `#` are ignored.
    pub fn from_file(text: &str) -> Result<Self, HistogramError> {
        let mut block_bytes = None;
        let mut bins = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let refuse = || HistogramError::Line { number: at + 1, text: line.to_owned() };
            let mut words = line.split_whitespace();
            let (Some(first), Some(second), None) = (words.next(), words.next(), words.next())
            else {
                return Err(refuse());
            };
            let number: u64 = second.parse().map_err(|_| refuse())?;
            if first == "BlockSize" && bins.is_empty() && block_bytes.is_none() && number > 0 {
                block_bytes = Some(usize::try_from(number).map_err(|_| refuse())?);
                continue;
            }
            let bytes = match block_bytes {
                None => parse_bytes(first).ok(),
                Some(block) => first
                    .parse::<usize>()
                    .ok()
                    .and_then(|bucket| bucket.checked_add(1)?.checked_mul(block)),
            };
            bins.push((bytes.ok_or_else(refuse)?, number));
        }
        Self::new(bins)
    }

    /// Sizes in bytes with their weights, sorted by size.
    pub fn bins(&self) -> impl Iterator<Item = (usize, u64)> {
        let starts = std::iter::once(0).chain(self.bins.iter().map(|bin| bin.weight_end));
        self.bins.iter().zip(starts).map(|(bin, start)| (bin.bytes, bin.weight_end - start))
    }

    #[inline]
    pub(super) fn sample(&self, rng: &mut Rng) -> usize {
        let drawn = rng.below(self.weight());
        self.bins[self.bins.partition_point(|bin| bin.weight_end <= drawn)].bytes
    }

    pub(super) fn min(&self) -> usize {
        self.bins[0].bytes
    }

    pub(super) fn max(&self) -> usize {
        self.bins[self.bins.len() - 1].bytes
    }

    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.bins().map(|(bytes, weight)| bytes as f64 * weight as f64).sum();
        sum / self.weight() as f64
    }

    fn weight(&self) -> u64 {
        self.bins[self.bins.len() - 1].weight_end
    }
}

impl fmt::Display for SizeHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (bytes, weight)) in self.bins().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(f, "{separator}{}={weight}", format_bytes(bytes))?;
        }
        Ok(())
    }
}

impl FromStr for SizeHistogram {
    type Err = HistogramError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entry = |entry: &str| {
            let (bytes, weight) = entry.split_once('=')?;
            Some((parse_bytes(bytes).ok()?, weight.trim().parse().ok()?))
        };
        let bins: Result<Vec<_>, _> = text
            .split(',')
            .map(|text| entry(text).ok_or_else(|| HistogramError::Entry { text: text.to_owned() }))
            .collect();
        Self::new(bins?)
    }
}

/// Why sizes and weights form no histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistogramError {
    /// No size has a weight.
    Empty,
    /// The sum of the weights exceeds 64 bits.
    Weights,
    /// An entry of the text is not `size=weight`.
    Entry { text: String },
    /// A line of the file is not a size and a weight.
    Line {
        /// The line number, from 1.
        number: usize,
        text: String,
    },
}

impl fmt::Display for HistogramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                write!(f, "histogram: no size has a weight; give one a weight of 1 or more")
            }
            Self::Weights => {
                write!(f, "histogram: the weights add up to 2^64 or more; use smaller ones")
            }
            Self::Entry { text } => write!(
                f,
                "histogram entry \"{text}\": write size and weight, a whole number, as in \
                 \"histogram:100=9,1KiB=1\""
            ),
            Self::Line { number, text } => write!(
                f,
                "histogram file, line {number}, \"{text}\": write size and weight, as in \
                 \"100 9\"; or, after a first line \"BlockSize 100\", number of bucket and weight"
            ),
        }
    }
}

impl Error for HistogramError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_sorted_and_joined() {
        let histogram = SizeHistogram::new([(200, 1), (100, 2), (300, 0), (200, 3)]).unwrap();
        assert!(histogram.bins().eq([(100, 2), (200, 4)]));
        assert_eq!(histogram.to_string(), "100=2,200=4");
        assert_eq!((histogram.min(), histogram.max()), (100, 200));
        assert_eq!(histogram.mean(), 1000.0 / 6.0);
    }

    #[test]
    fn both_file_formats_are_read() {
        let ycsb = SizeHistogram::from_file("BlockSize\t100\n0\t5\n1\t0\n2\t3\n").unwrap();
        assert!(ycsb.bins().eq([(100, 5), (300, 3)]));
        let plain = SizeHistogram::from_file("# sizes of ours\n\n1KiB 3\n100\t5\r\n").unwrap();
        assert!(plain.bins().eq([(100, 5), (1024, 3)]));
        assert_eq!(ycsb.to_string().parse(), Ok(ycsb));
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let message = |text| SizeHistogram::from_file(text).unwrap_err().to_string();
        assert_eq!(
            message("100 5\n200 -1"),
            "histogram file, line 2, \"200 -1\": write size and weight, as in \"100 9\"; or, \
             after a first line \"BlockSize 100\", number of bucket and weight"
        );
        for text in
            ["BlockSize 0", "BlockSize 1\nBlockSize 1", "1 2 3", "100", "BlockSize 1\n1KiB 1"]
        {
            assert!(message(text).starts_with("histogram file, line"), "{text}");
        }
        assert!(message("BlockSize 100").starts_with("histogram: no size has a weight"));
        assert!(message("1 18446744073709551615\n2 1").contains("add up to 2^64"));
        for text in ["", "100", "100=x", "=1", "100=1,", "100=-1"] {
            let error = text.parse::<SizeHistogram>().unwrap_err();
            assert!(matches!(error, HistogramError::Entry { .. }), "{text}: {error}");
        }
    }
}
