//! From measurements to verdicts: whether B is slower, faster or larger than A, or whether that
//! cannot be told here and now. Pure functions of numbers; nothing here measures, and nothing
//! knows a store.
//!
//! | module | what |
//! |---|---|
//! | [`Line`], [`Series`] | what one run measured of one cell: a line of a history, of a baseline, of an import |
//! | [`median`], [`estimate`](fn@estimate), [`median_ratio`], [`median_ratio_at`] | medians with intervals |
//! | [`Blocks`], [`judge`](fn@judge) | verdicts on sides measured in the same blocks, against an A/A control |
//! | [`Apart`], [`judge_apart`] | verdicts on sides measured each at its own time |
//! | [`first_look`], [`suspects`], [`second_look`] | two looks: fresh blocks confirm what is suspicious |
//! | [`Recorded`], [`trials`], [`Tally`] | how often comparisons of recorded blocks say what |
//! | [`Judged`], [`Verdict`], [`Comparison`] | one of three verdicts for each cell and metric, and all of them together |
//! | [`render`] | a comparison as text, as a pull request's comment, as JSON, as JUnit XML |

mod apart;
mod blocks;
mod bootstrap;
mod centre;
mod comparison;
mod estimate;
mod judge;
mod judged;
mod line;
pub mod render;
mod power;
mod series;
#[cfg(test)]
mod simulation;
mod staged;
mod summary;
mod tally;

pub use apart::{Apart, judge_apart};
pub use blocks::Blocks;
pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio, median_ratio_at};
pub use comparison::{COMPARISON_SCHEMA, Comparison, How, Instructions, Overall, Side};
pub use estimate::{Estimate, estimate};
pub use judge::judge;
pub use judged::{Judged, Unknown, Verdict};
pub use line::{LINE_SCHEMA, Line};
pub use power::{NoTrials, Options, Recorded, RecordedCell, trials};
pub use series::{Better, Series};
pub use staged::{first_look, second_look, suspects};
pub use summary::{Spread, median, spread};
pub use tally::{CellTally, Tally};
