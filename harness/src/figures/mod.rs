//! From rows to drawings: each figure has a table, which is computed here, and a gnuplot script
//! (`plots/NAME.gp`), which draws it and computes nothing.
//!
//! ```text
//! rows ─ repetitions ─► cells that count ─ medians and spread ─► NAME.tsv ─ NAME.gp ─► svg, pdf, png
//! ```
//!
//! A repetition counts where each of its steps ended as it should; all others are reported and
//! never drawn. To add a figure: a script, an entry in `list/`, and its selection of cells: of
//! fragmentation cells in `selections.rs` (of cycles: `refill.rs`; of allocation traces:
//! `allocations.rs`), of key-value cells in `key_value/`, where a selection is a function from a cell
//! to spots (`samples.rs`) and the table is the same for all (`panels.rs`). Figures of traces
//! (`traces/`) are drawn from the accounts in the run's folder. Predictions (`model/`) stand apart,
//! and every one of them says that it was not measured.

mod allocations;
mod axes;
mod closed_loop;
mod curves;
mod data;
mod draw;
mod engine;
#[cfg(test)]
pub(crate) mod fixture;
mod fragmentation;
mod key_value;
mod list;
mod membership;
mod model;
mod panels;
mod refill;
mod repetitions;
mod samples;
mod selections;
pub mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_requests;
mod traces;
mod united;
mod unlike;

pub use draw::{Drawings, Drawn, draw, draw_table, gnuplot_available};
pub use list::{Figure, all, by_name};
pub(crate) use membership::without_repetition;
pub(crate) use repetitions::{Repetition, is_sound, repetitions};
pub use table::Table;
pub use traces::draw_accounts;
pub use united::{UNITED, unite};
