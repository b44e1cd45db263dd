//! Comparisons and histories: whether a candidate is slower, faster or larger than its baseline, or
//! whether the measurement does not tell. The crate has functions of numbers and files of lines; it measures
//! nothing and knows no store. The statistics are those of the crate `stats`.
//!
//! | module | what |
//! |---|---|
//! | [`Line`], [`Series`] | what one run measured of one cell: a line of a history, of a baseline, of an import |
//! | [`Blocks`], [`judge`](fn@judge) | judges sides measured in the same blocks, against an A/A control |
//! | [`Apart`], [`judge_apart`] | judges sides measured each at its own time |
//! | [`places`] | in which order the processes of blocks follow one another |
//! | [`first_look`], [`suspects`], [`second_look`] | two looks: fresh blocks confirm what is suspicious |
//! | [`Recorded`], [`trials`], [`Tally`] | how often comparisons of recorded blocks say what |
//! | [`read_lines`], [`append_lines`] | files of lines |
//! | [`runs`](fn@runs) | what is known of each cell, run by run |
//! | [`baseline`](fn@baseline) | what the next run is compared with: the runs since the last change |
//! | [`history`](fn@history), [`history_text`], [`history_table`](fn@history_table) | all runs with their levels, as text and for `plots/history.gp` |
//! | [`Judged`], [`Values`], [`Finding`], [`Comparison`] | unchanged, changed or unknown, for each cell and metric, and all of them together |
//! | [`render`] | a comparison as text, as a pull request's comment, as JSON, as JUnit XML |
//! | [`imports`] | results of hyperfine, criterion, YCSB and memtier as lines |

mod apart;
mod baseline;
mod blocks;
mod comparison;
mod finding;
mod history;
mod history_table;
pub mod imports;
mod judge;
mod judged;
mod line;
mod lines;
mod power;
pub mod render;
mod rounds;
mod runs;
mod series;
#[cfg(test)]
mod simulation;
mod staged;
mod tally;
#[cfg(test)]
mod tests;
mod values;
mod written_ratio;

pub use apart::{Apart, judge_apart};
pub use baseline::{BaselineSeries, Since, Watched, baseline};
pub use blocks::Blocks;
pub use comparison::{COMPARISON_SCHEMA, Comparison, How, Instructions, Overall, Side};
pub use finding::{Finding, Unknown};
pub use history::{CellHistory, HistoryRow, history, history_text};
pub use history_table::history_table;
pub use judge::judge;
pub use judged::Judged;
pub use line::{LINE_SCHEMA, Line};
pub use lines::{Incomplete, Lines, LinesError, append_lines, read_lines};
pub use power::{NoTrials, Options, Recorded, RecordedCell, trials};
pub use rounds::{LETTERS, Order, Place, places};
pub use runs::{CellKey, CellRuns, RunValues, runs};
pub use series::Series;
pub use staged::{first_look, second_look, suspects};
pub use tally::{CellTally, Tally};
pub use values::Values;
