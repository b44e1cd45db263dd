//! From measurements to verdicts: whether B is slower, faster or larger than A, or whether that
//! cannot be told here and now. Pure functions of numbers, and files of lines; nothing here measures,
//! and nothing knows a store.
//!
//! | module | what |
//! |---|---|
//! | [`Line`], [`Series`] | what one run measured of one cell: a line of a history, of a baseline, of an import |
//! | [`median`], [`estimate`](fn@estimate), [`median_ratio`], [`median_ratio_at`] | medians with intervals |
//! | [`student`] | Student's quantiles |
//! | [`Blocks`], [`judge`](fn@judge) | verdicts on sides measured in the same blocks, against an A/A control |
//! | [`Apart`], [`judge_apart`] | verdicts on sides measured each at its own time |
//! | [`first_look`], [`suspects`], [`second_look`] | two looks: fresh blocks confirm what is suspicious |
//! | [`Recorded`], [`trials`], [`Tally`] | how often comparisons of recorded blocks say what |
//! | [`read_lines`], [`append_lines`] | files of them |
//! | [`runs`](fn@runs) | what is known of each cell, run by run |
//! | [`change_points`](fn@change_points) | where the level of a history changed |
//! | [`baseline`](fn@baseline) | what the next run is compared with: the runs since then |
//! | [`history`](fn@history), [`history_text`], [`history_table`](fn@history_table) | all runs with their levels, as text and for `plots/history.gp` |
//! | [`Judged`], [`Verdict`], [`Comparison`] | one of three verdicts for each cell and metric, and all of them together |
//! | [`render`] | a comparison as text, as a pull request's comment, as JSON, as JUnit XML |
//! | [`imports`] | results of hyperfine, criterion, YCSB and memtier as lines |

mod apart;
mod baseline;
mod blocks;
mod bootstrap;
mod centre;
mod change_points;
mod comparison;
mod estimate;
mod history;
mod history_table;
pub mod imports;
mod judge;
mod judged;
mod line;
mod lines;
mod power;
pub mod render;
mod runs;
mod series;
#[cfg(test)]
mod simulation;
mod staged;
mod summary;
mod tally;

pub use apart::{Apart, judge_apart};
pub use baseline::{BaselineSeries, Since, Watched, baseline};
pub use blocks::Blocks;
pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio, median_ratio_at};
pub use centre::student;
pub use change_points::{ChangePoint, ChangeSettings, Segment, Segmentation, change_points};
pub use comparison::{COMPARISON_SCHEMA, Comparison, How, Instructions, Overall, Side};
pub use estimate::{Estimate, estimate};
pub use history::{CellHistory, HistoryRow, history, history_text};
pub use history_table::history_table;
pub use judge::judge;
pub use judged::{Judged, Unknown, Verdict};
pub use line::{LINE_SCHEMA, Line};
pub use lines::{Incomplete, Lines, LinesError, append_lines, read_lines};
pub use power::{NoTrials, Options, Recorded, RecordedCell, trials};
pub use runs::{CellKey, CellRuns, RunValues, runs};
pub use series::{Better, Series};
pub use staged::{first_look, second_look, suspects};
pub use summary::{Spread, median, spread};
pub use tally::{CellTally, Tally};
