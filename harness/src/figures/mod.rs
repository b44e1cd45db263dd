//! From rows to drawings: each figure has a table, which is computed here, and a gnuplot script
//! (`plots/NAME.gp`), which draws it and computes nothing.
//!
//! ```text
//! rows ─ repetitions ─► cells that count ─ medians and spread ─► NAME.tsv ─ NAME.gp ─► svg, pdf, png
//! ```
//!
//! A repetition counts where each of its steps ended as it should; all others are reported and
//! never drawn. To add a figure: a script, an entry in the list below, and its selection of
//! cells in `selections.rs`.

mod closed_loop;
mod curves;
mod data;
mod draw;
mod engine;
#[cfg(test)]
pub(crate) mod fixture;
mod fragmentation;
mod list;
mod membership;
mod repetitions;
mod selections;
pub mod table;
#[cfg(test)]
mod tests;

pub use draw::{Drawings, Drawn, draw, gnuplot_available};
pub use list::{Figure, all, by_name};
pub(crate) use repetitions::is_sound;
pub use table::Table;
