//! The report of a run: one HTML file that needs nothing else, and a summary for the terminal.

mod answer;
#[cfg(test)]
mod browser;
mod cells;
mod charts;
mod claims;
mod data;
mod document;
mod drawing;
mod figure;
mod findings;
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

/// Seven significant digits, more than anybody sees; `None` where there is no number.
fn short(number: f64) -> Option<f64> {
    format!("{number:.6e}").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Each item once, in the order of its first appearance.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}
