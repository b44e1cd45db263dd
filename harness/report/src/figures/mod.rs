//! From rows to drawings: each figure has a table, which is computed here, and a gnuplot script
//! (`plots/`), which draws it and computes nothing.
//!
//! ```text
//! rows ─ repetitions ─► cells that count ─ medians and spread ─► NAME.tsv ─ NAME.gp ─► svg, pdf, png
//! ```
//!
//! `styles` says how each store looks everywhere, `seven` how many stand in a panel, and `sheet` lays out
//! panels and legends, which the scripts draw.
//!
//! A repetition counts where each of its steps ended as it should; all others are reported and
//! never drawn. A figure is declared in the file of its suite (`list/`): what it says, which builder
//! makes its table and which script draws it. A new builder selects cells: of fragmentation cells in
//! `selections.rs` (of cycles: `refill.rs`; of allocation traces: `allocations.rs`), of key-value
//! cells in `key_value/`, where a selection is a function from a cell to spots (`samples.rs`) and the
//! table is the same for all (`panels.rs`). Figures of traces (`traces/`) are drawn from the accounts
//! in the run's folder. Predictions (`model/`) stand apart, and every one of them says that it was
//! not measured.

mod allocations;
mod axes;
mod closed_loop;
mod convergence;
mod curves;
mod data;
mod draw;
mod engine;
#[cfg(test)]
pub(crate) mod fixture;
mod fragmentation;
mod key_value;
mod list;
mod memory_and_time;
pub mod memory_return;
mod model;
mod over_label;
mod panels;
mod per_object;
mod protocols;
mod refill;
mod samples;
mod selections;
mod seven;
mod sheet;
pub mod styles;
pub mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_drawings;
#[cfg(test)]
mod tests_requests;
mod text;
mod traces;
mod united;
pub(crate) mod unlike;
mod variants;
mod versions;

pub(crate) use fragmentation::BESIDE;

pub use draw::{Drawings, Drawn, draw, draw_table, gnuplot_available};
pub use list::{Figure, all, by_name, of_run, parse};
pub use table::Table;
pub use traces::draw_accounts;
pub use united::{UNITED, unite};

use record::{KeyValue, Repetition, Row, repetitions};

/// The cells of `rows` that `suite` asks for.
fn asked_by<'a>(suite: &str, rows: &'a [Row]) -> Vec<Repetition<'a>> {
    let mut all = repetitions(rows);
    all.retain(|one| one.asked_by(suite));
    all
}

/// What a key-value cell asks.
fn requests<'a>(one: &Repetition<'a>) -> Option<&'a KeyValue> {
    one.requests()
}
