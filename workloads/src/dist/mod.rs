//! Distributions: which record an operation touches, and how many bytes an object has.

#[cfg(test)]
mod fit;
mod key;
mod permutation;
mod power;
mod size;
mod zipfian;

pub use key::{KeyDistribution, KeySampler, ParseKeyDistributionError};
pub use permutation::Permutation;
pub use size::{ParseSizeDistributionError, SizeDistribution};
pub use zipfian::Zipfian;
