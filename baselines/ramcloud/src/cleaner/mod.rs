//! The cleaner: threads that move live entries together and free the segments they came from.
//!
//! | file | contents |
//! |---|---|
//! | `pressure` | when to clean: signals between sleeping cleaners and waiting sessions |
//! | `select` | which segments to clean: cost-benefit, dead tombstones |
//! | `pass` | one pass: gather, sort by age, relocate, free |
//! | `threads` | the threads |
//! | `figures` | counters of what was cleaned |

mod figures;
mod pass;
mod pressure;
mod select;
mod threads;

pub(crate) use figures::CleanerFigures;
pub(crate) use pressure::{Need, Pressure, Waited};
pub(crate) use select::Selection;
pub(crate) use threads::Cleaners;
