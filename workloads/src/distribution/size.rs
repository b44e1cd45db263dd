//! Object sizes.

use super::size_text::ParseSizeDistributionError;
use super::{SizeHistogram, Zipfian};
use crate::Rng;

/// A distribution of object sizes. Written as text:
#[derive(Clone, Debug, PartialEq)]
pub enum SizeDistribution {
    /// Every object has this size in bytes.
    Constant(usize),
    /// Every size from `from` to `to`, both included, is equally likely.
    Uniform {
        /// The smallest size, in bytes.
        from: usize,
        /// The largest size, in bytes; at least `from`.
        to: usize,
    },
    /// Zipfian: the smallest size is the most likely.
    Zipfian(ZipfianSizes),
    /// A list of sizes with weights.
    Histogram(SizeHistogram),
}

impl SizeDistribution {
    /// Draws the size of the next object. Takes time constant or logarithmic in the number of bins.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> usize {
        match self {
            Self::Constant(bytes) => *bytes,
            Self::Uniform { from, to } => from + rng.below((to - from) as u64 + 1) as usize,
            Self::Zipfian(sizes) => sizes.from + sizes.law.draw(rng) as usize,
            Self::Histogram(histogram) => histogram.sample(rng),
        }
    }

    /// The smallest possible size.
    pub fn min(&self) -> usize {
        match self {
            Self::Constant(bytes) => *bytes,
            Self::Uniform { from, .. } => *from,
            Self::Zipfian(sizes) => sizes.from,
            Self::Histogram(histogram) => histogram.min(),
        }
    }

    /// The largest possible size.
    pub fn max(&self) -> usize {
        match self {
            Self::Constant(bytes) => *bytes,
            Self::Uniform { to, .. } => *to,
            Self::Zipfian(sizes) => sizes.to,
            Self::Histogram(histogram) => histogram.max(),
        }
    }

    /// The mean size, in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(bytes) => *bytes as f64,
            Self::Uniform { from, to } => (*from as f64 + *to as f64) / 2.0,
            Self::Zipfian(sizes) => sizes.from as f64 + sizes.law.mean_rank(),
            Self::Histogram(histogram) => histogram.mean(),
        }
    }

    /// Checks that a range runs forwards. Parsing checks text; the fields are public.
    pub const fn validate(&self) -> Result<(), ParseSizeDistributionError> {
        match *self {
            Self::Uniform { from, to } if from > to => {
                Err(ParseSizeDistributionError::Reversed { from, to })
            }
            _ => Ok(()),
        }
    }
}

/// Zipfian sizes within a range. The size of rank r, counted from the smallest, has weight 1 /
/// r^theta.
#[derive(Clone, Debug, PartialEq)]
pub struct ZipfianSizes {
    from: usize,
    to: usize,
    theta: f64,
    law: Zipfian,
}

impl ZipfianSizes {
    /// Sizes from `from` to `to` in bytes, both included, with skew `theta` above 0.
    pub fn new(from: usize, to: usize, theta: f64) -> Result<Self, ParseSizeDistributionError> {
        if from > to {
            return Err(ParseSizeDistributionError::Reversed { from, to });
        }
        if !(theta > 0.0 && theta.is_finite()) {
            return Err(ParseSizeDistributionError::Theta { text: theta.to_string() });
        }
        let law = Zipfian::new((to - from) as u64 + 1, theta);
        Ok(Self { from, to, theta, law })
    }

    pub const fn theta(&self) -> f64 {
        self.theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_included_and_the_mean_is_right() {
        for text in ["50-52", "zipfian:50-52:0.99", "zipfian:50-52:1.5", "histogram:50=1,51=2,52=1"]
        {
            let sizes: SizeDistribution = text.parse().unwrap();
            let mut rng = crate::Seed(1).rng();
            let drawn: Vec<usize> = (0..30_000).map(|_| sizes.sample(&mut rng)).collect();
            assert!(drawn.iter().all(|size| (50..=52).contains(size)));
            assert!((50..=52).all(|size| drawn.contains(&size)), "{text}");
            assert_eq!((sizes.min(), sizes.max()), (50, 52));
            let mean = drawn.iter().sum::<usize>() as f64 / drawn.len() as f64;
            assert!((mean - sizes.mean()).abs() < 0.02, "{text}: {mean}, not {}", sizes.mean());
        }
        assert_eq!("50-52".parse::<SizeDistribution>().unwrap().mean(), 51.0);
        assert_eq!(SizeDistribution::Constant(7).mean(), 7.0);
    }
}
