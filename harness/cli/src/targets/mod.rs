//! Performance targets: expectations (crate `expect`) with the cells that are measured for them.
//!
//! ```text
//! suites/targets.toml ─ file ─► expectations ─ target ─► sides ─ cells ─► cells ─ runner ─► rows
//!     rows, calibrations ─ rows ─► summary rows ─ expect::evaluate ─► answers ─ line ─► lines ─ print
//! ```
//!
//! | file | what |
//! |---|---|
//! | `file` | what the TOML says beside its expectations: scales, yardsticks, sizes |
//! | `target` | which sides a question compares |
//! | `sizes` | scales, and sizes by hand |
//! | `cells` | what to run |
//! | `rows` | summary rows of what was run, and of yardsticks |
//! | `line` | from an answer to a line |
//! | `mean` | the lines of one expectation together |
//! | `print` | the table, as text and as JSON |

mod cells;
mod file;
mod line;
mod mean;
mod print;
#[cfg(test)]
mod recorded;
mod rows;
mod sizes;
mod target;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use cells::{cells, round_of};
pub(crate) use file::File;
pub(crate) use line::{Estimate, Line, judge, means};
pub(crate) use print::{Printer, Record};
pub(crate) use sizes::Sizes;
pub(crate) use target::{Kind, Target, select};

/// The table that comes with the program.
pub(crate) const BUILT_IN: (&str, &str) =
    ("targets.toml", include_str!("../../../suites/targets.toml"));
