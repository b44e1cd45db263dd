//! Compaction: empties segments with dead objects and frees their blocks, in threads of the store
//! or in its writers.

pub(crate) mod choose;
pub(crate) mod crew;
pub(crate) mod inline;
pub(crate) mod pace;
pub(crate) mod patience;
pub(crate) mod reclaim;
pub(crate) mod relocate;
mod room;
pub(crate) mod select;
pub(crate) mod signal;
pub(crate) mod survivors;
pub(crate) mod worker;

pub(crate) use crew::Crew;
pub(crate) use inline::Debt;
pub(crate) use signal::{Signals, SpaceBell};
pub(crate) use worker::Worker;
