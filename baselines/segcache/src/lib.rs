//! Segcache, by the crate of its authors' successors: a cache in segments of a log, which evicts.
//!
//! The crate is shared by all sessions as it is: its own protocol lets threads read and write side
//! by side. A key is its 8 bytes.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings, and the sizes that follow from them |
//! | `eviction` | what is dropped when there is no room, by name |
//! | `store` | the cache, and what is known about it |
//! | `session` | one thread's operations |
//! | `counters` | what sessions have done |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_segcache;

mod config;
mod counters;
mod eviction;
mod session;
mod store;
#[cfg(test)]
mod tests;

pub use config::Config;
pub use eviction::Eviction;
pub use session::SegcacheSession;
pub use store::Segcache;
