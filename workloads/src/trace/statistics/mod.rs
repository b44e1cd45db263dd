//! Statistics of traces, computed in one pass: [`Statistics`] for key-value traces,
//! [`AllocationAccumulator`] for allocation traces.
//!
//! | question | answer |
//! |---|---|
//! | what is requested | [`Effects`]: GETs that hit or miss, inserts, overwrites, DELETEs |
//! | for objects of what size | [`Distribution`] |
//! | how many objects are live, and when | [`Live`], [`Timeline`] |
//! | how often is an object accessed | [`Accesses`] |
//! | how soon is it accessed again | [`Reuse`], and from it the hit ratio of an LRU cache |
//! | does that change over time | [`Phases`] |
//!
//! All results are whole numbers, so a file read back gives the values written.

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
