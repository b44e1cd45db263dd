//! What is asked of stores and allocators.
//!
//! Everything here is a pure function of a seed: the same seed asks for the same things, of every
//! engine, on every machine, for ever. Nothing reads a clock, starts a thread, calls a mathematical
//! library whose last bit may change, or knows any engine.
//!
//! | module | gives |
//! |---|---|
//! | [`Seed`], [`Rng`] | streams of random numbers, independent per purpose and per thread |
//! | [`distribution`] | which record ([`KeyDistribution`]), how many bytes ([`SizeDistribution`]) |
//! | [`key_of`] | the key of a record |
//! | [`value`] | values that prove themselves when read back |
//! | [`requests`] | mixes of GETs, UPDATEs, INSERTs, DELETEs, SCANs for a store, and the built-in ones |
//! | [`ycsb`] | YCSB's workload files, read into such a mix |
//! | [`fragmentation`] | objects whose size changes: the patterns of the two papers, and your own |
//! | [`tablefs`] | files as rows of a store: the operations that file systems on stores ask for |
//! | [`postmark`] | PostMark: its parameters, its script, its algorithm as a generator of a trace |
//! | [`trace`] | what programs really asked: the format of traces, readers of public ones, their statistics |
//! | [`bytes`] | sizes as people write them |
//!
//! Words: a *record* is a number in `0..records`; its *key* is what a store sees; an *object* is
//! what an allocator is asked for. Sizes are in bytes unless the name says otherwise.
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
pub mod tablefs;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod value;
pub mod ycsb;

pub use distribution::{KeyDistribution, KeySampler, SizeDistribution};
pub use keys::{index_of, key_of};
pub use seed::{Rng, Seed};
