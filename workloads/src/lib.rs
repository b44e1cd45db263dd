//! Workloads: what the suite asks of stores and allocators.
//!
//! Everything here is a pure function of a seed: the same seed gives the same requests for every
//! engine, on every machine, for ever. Nothing here reads a clock, starts a thread, calls a
//! mathematical library whose last bit may change, or knows any engine.
//!
//! | module | gives |
//! |---|---|
//! | [`Seed`], [`Rng`] | streams of random numbers, independent per purpose and per thread |
//! | [`distribution`] | which record ([`KeyDistribution`]), how many bytes ([`SizeDistribution`]) |
//! | [`key_of`] | the key of a record |
//! | [`Spelling`] | the key of a record as a byte string |
//! | [`value`] | values that can be verified when read back |
//! | [`requests`] | mixes of GETs, UPDATEs, INSERTs, DELETEs and SCANs for a store; the built-in workloads |
//! | [`ycsb`] | a reader of YCSB's workload files |
//! | [`fragmentation`] | objects whose sizes change: the patterns of the two papers, and your own |
//! | [`tablefs`] | files as rows of a store: the operations of a file system built on a store |
//! | [`postmark`] | PostMark: its parameters, its script, and a trace generator that follows its algorithm |
//! | [`trace`] | what programs really requested: the trace format, readers of public formats, statistics |
//! | [`updates`] | HPCC RandomAccess on a table in windows: sets of updates, and their verification |
//! | [`bytes`] | sizes as people write them |
//!
//! Terms: a *record* is a number in `0..records`; its *key* is what a store sees; an *object* is
//! what an allocator allocates. Sizes are in bytes unless the name says otherwise.
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as workloads;

pub mod bytes;
#[cfg(test)]
mod chi_square;
pub mod distribution;
pub mod fragmentation;
mod keys;
mod mix;
mod near;
pub mod postmark;
pub mod requests;
mod seed;
mod spelling;
pub mod tablefs;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod updates;
pub mod value;
pub mod ycsb;

pub use distribution::{KeyDistribution, KeySampler, SizeDistribution};
pub use keys::{index_of, key_of};
pub use seed::{Rng, Seed};
pub use spelling::{KEY_BYTES_MAX, Spelling};
