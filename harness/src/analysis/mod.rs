//! From rows to numbers: pure functions.

mod bootstrap;
mod estimate;
mod refill;
mod summary;

pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio};
pub use estimate::{Estimate, estimate};
pub use refill::{MemoryReturn, RATIO_MAX, Verdict, returns_memory};
pub use summary::{Spread, median, spread};
