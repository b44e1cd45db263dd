//! Compaction: worker threads that empty segments with dead objects and give their blocks back.

pub(crate) mod pace;
pub(crate) mod patience;
pub(crate) mod reclaim;
pub(crate) mod relocate;
pub(crate) mod select;
pub(crate) mod signal;
pub(crate) mod worker;

pub(crate) use signal::Signals;
pub(crate) use worker::{Crew, Worker};
