//! From rows to numbers: pure functions.

mod bootstrap;
mod estimate;
mod summary;

pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio};
pub use estimate::{Estimate, estimate};
pub use summary::{Spread, median, spread};
