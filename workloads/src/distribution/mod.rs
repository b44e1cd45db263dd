//! Distributions: which record an operation accesses, and how large an object is.

#[cfg(test)]
mod fit;
mod gray;
mod histogram;
mod key;
mod key_text;
mod permutation;
mod power;
mod rejection;
mod size;
mod size_text;
mod ycsb_scrambled;
mod zeta;
mod zipfian;

pub use histogram::{HistogramError, SizeHistogram};
pub use key::{KeyDistribution, KeySampler};
pub use key_text::ParseKeyDistributionError;
pub use permutation::Permutation;
pub use size::{SizeDistribution, ZipfianSizes};
pub use size_text::ParseSizeDistributionError;
pub use ycsb_scrambled::YcsbScrambled;
pub use zipfian::Zipfian;
