//! From rows to figures, answers and pages. This crate reads what a run kept and knows no engine.

pub mod choose;
pub mod export;
pub mod figures;
pub mod flames;
pub mod page;
pub mod splice;
pub mod suites;
pub mod summaries;
#[cfg(test)]
mod tests;

#[cfg(test)]
extern crate self as report;
