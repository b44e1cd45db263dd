//! What a trace asks for, in numbers: gathered in one pass, by [`Statistics`] of key-value traces
//! and by [`AllocationAccumulator`] of allocation traces.
//!
//! | question | answer |
//! |---|---|
//! | what is done | [`Effects`]: GETs that hit or miss, inserts, overwrites, DELETEs |
//! | to objects of what size | [`Distribution`] |
//! | how many are live, and when | [`Live`], [`Timeline`] |
//! | how often is an object used | [`Accesses`] |
//! | how soon again | [`Reuse`], and the hit ratio of an LRU cache from it |
//! | does that change | [`Phases`] |
//!
//! All results are whole numbers, so what is written to a file is read back the same.

mod accesses;
mod allocations;
mod distribution;
mod effect;
mod keys;
mod phases;
mod recency;
mod requests;
mod reuse;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_allocations;
mod timeline;

pub use accesses::{AccessBucket, AccessQuantiles, Accesses};
pub use allocations::{AllocationAccumulator, AllocationEvents, AllocationStatistics};
pub use distribution::{Bucket, Distribution};
pub use effect::{Effect, Effects};
pub use phases::{Phase, Phases};
pub use requests::{Statistics, StatisticsOptions, TraceStatistics};
pub use reuse::Reuse;
pub use timeline::{Live, Timeline, TimelinePoint};
