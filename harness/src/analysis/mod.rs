//! From rows to numbers: pure functions. Medians and intervals are those of every comparison.

mod refill;

pub use refill::{MemoryReturn, RATIO_MAX, Verdict, returns_memory};
pub use verdict::{
    Estimate, Interval, RatioEstimate, Spread, estimate, median, median_interval, median_ratio,
    spread,
};
