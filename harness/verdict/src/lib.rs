//! From measurements to verdicts: whether B is slower, faster or larger than A, or whether that
//! cannot be told here and now. Pure functions of numbers, and files of lines; nothing here measures,
//! and nothing knows a store.
//!
//! | module | what |
//! |---|---|
//! | [`Line`], [`Series`] | what one run measured of one cell: a line of a history, of a baseline, of an import |
//! | [`read_lines`], [`append_lines`] | files of them |
//! | [`runs`](fn@runs) | what is known of each cell, run by run |
//! | [`change_points`](fn@change_points) | where the level of a history changed |
//! | [`baseline`](fn@baseline) | what the next run is compared with: the runs since then |
//! | [`history`](fn@history), [`history_text`], [`history_table`](fn@history_table) | all runs with their levels, as text and for `plots/history.gp` |
//! | [`median`], [`estimate`](fn@estimate), [`median_ratio`] | medians with intervals |
//! | [`Judged`], [`Verdict`], [`Comparison`] | one of three verdicts for each cell and metric, and all of them together |

mod baseline;
mod bootstrap;
mod change_points;
mod comparison;
mod estimate;
mod history;
mod history_table;
mod judged;
mod line;
mod lines;
mod runs;
mod series;
mod summary;

pub use baseline::{BaselineSeries, Since, Watched, baseline};
pub use bootstrap::{Interval, RatioEstimate, median_interval, median_ratio};
pub use change_points::{ChangePoint, ChangeSettings, Segment, Segmentation, change_points};
pub use comparison::{COMPARISON_SCHEMA, Comparison, How, Instructions, Overall, Side};
pub use estimate::{Estimate, estimate};
pub use history::{CellHistory, HistoryRow, history, history_text};
pub use history_table::history_table;
pub use judged::{Judged, Unknown, Verdict};
pub use line::{LINE_SCHEMA, Line};
pub use lines::{Incomplete, Lines, LinesError, append_lines, read_lines};
pub use runs::{CellKey, CellRuns, RunValues, runs};
pub use series::{Better, Series};
pub use summary::{Spread, median, spread};
