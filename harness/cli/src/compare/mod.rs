//! Comparisons: blocks of fresh processes in mirrored order, what is measured in them, what may be
//! compared with what; two runs of the same cells; searches.
//!
//! The verdicts themselves, and every interval, are the crate `verdict`'s.

mod abba;
mod agreement;
mod alike;
mod measured;
mod metrics;
mod search;
mod tolerance;
mod verdicts;

pub use ::compare::{LETTERS, Order, Place, places};
pub use abba::{blocks_of, cells};
pub use agreement::{Agreement, Compared, agreement};
pub use alike::{LeftOut, Shared, differences, shared};
pub use measured::{Measured, id};
pub use metrics::{add, asks, blank_line, lines};
pub use search::Search;
pub use tolerance::Tolerances;
#[cfg(test)]
pub(crate) use verdicts::tests::answers as made_up_answers;
pub use verdicts::{Decided, SameVerdicts, same_verdicts};
