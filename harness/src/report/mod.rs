//! The report of a run: one HTML file that needs nothing else, and a summary for the terminal.

mod figure;
mod html;
mod outcomes;
mod page;
mod reference;
mod summary;
mod systems;
#[cfg(test)]
pub(crate) mod tests;

pub use page::write;
pub(crate) use page::machine_line;
pub(crate) use summary::{aligned, matrices_of};
pub use summary::summary;
