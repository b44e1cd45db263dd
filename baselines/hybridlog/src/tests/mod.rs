//! Tests of the crate as a whole, through what it shows to others.

mod batches;
mod chains;
mod common;
mod compaction;
mod conformance;
mod regions;
mod sessions;
mod settings;
mod storm;
