//! The cleaner: threads that move live entries together and free the segments they came from.
//!
//! | file | what it holds |
//! |---|---|
//! | `pressure` | when to clean: what sleeping cleaners and waiting sessions tell each other |
//! | `select` | which segments: cost-benefit, tombstones that died |
//! | `pass` | one pass: gather, sort by age, relocate, free |
//! | `threads` | the threads |
//! | `figures` | what was cleaned |

mod figures;
mod pass;
mod pressure;
mod select;
mod threads;

pub(crate) use figures::CleanerFigures;
pub(crate) use pressure::{Need, Pressure, Waited};
pub(crate) use select::Selection;
pub(crate) use threads::Cleaners;
