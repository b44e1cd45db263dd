//! The report of a run: one HTML file that needs nothing else, and a summary for the terminal.

#[cfg(test)]
mod browser;
mod cells;
mod claims;
mod document;
mod drawing;
mod figure;
mod glossary;
mod links;
mod opening;
mod outcomes;
mod summary;
mod systems;
mod table;
#[cfg(test)]
pub(crate) mod tests;

pub use claims::{ClaimDetail, ClaimLine};
pub use document::write;
pub use glossary::{Term, glossary};
pub use opening::machine_line;
pub use summary::aligned;
pub use summary::matrices_of;
pub use summary::summary;
