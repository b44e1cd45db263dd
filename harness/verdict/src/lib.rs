//! From measurements to verdicts: whether B is slower, faster or larger than A, or whether that
//! cannot be told here and now. Pure functions of numbers; nothing here measures, and nothing
//! knows a store.
//!
//! | module | what |
//! |---|---|
//! | [`Line`], [`Series`] | what one run measured of one cell: a line of a history, of a baseline, of an import |
//! | [`median`], [`estimate`](fn@estimate), [`median_ratio`] | medians with intervals |
//! | [`Judged`], [`Verdict`], [`Comparison`] | one of three verdicts for each cell and metric, and all of them together |
//! | [`imports`] | results of hyperfine, criterion, YCSB and memtier as lines |

mod bootstrap;
mod comparison;
mod estimate;
pub mod imports;
mod judged;
mod line;
mod series;
mod summary;

pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio};
pub use comparison::{COMPARISON_SCHEMA, Comparison, How, Instructions, Overall, Side};
pub use estimate::{Estimate, estimate};
pub use judged::{Judged, Unknown, Verdict};
pub use line::{LINE_SCHEMA, Line};
pub use series::{Better, Series};
pub use summary::{Spread, median, spread};
