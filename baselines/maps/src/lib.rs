//! Concurrent maps that people use, with values on any heap.
//!
//! One store, [`MapStore`], over five maps: [`Dashmap`], [`Papaya`], [`Scc`], [`Skiplist`],
//! [`Striped`]. A map goes from keys to rows; a row is one block of the heap under test and is
//! never written again: every put allocates a row and frees, sooner or later, the old one. What
//! the map itself allocates (tables, entries, nodes) comes from the program's global allocator:
//! the crates leave no choice.
//!
//! Maps that hash all use one hasher, see `hash`; none is handicapped by the default of `std`.
//!
//! | file | what it holds |
//! |---|---|
//! | `config` | settings, and what is wrong with them |
//! | `store`, `session` | the store and one thread's use of it |
//! | `map` | what the store asks of a map, and the row it offers one |
//! | `kinds/` | the maps, a file each |
//! | `raw/` | rows on the heap, cells of the skip list: the only unsafe code |
//! | `bound` | the bound on live bytes |
//! | `ledger` | counts of rows |
//! | `hash` | the hasher |
//! | `thread_index` | a small number for each thread |
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_maps;

mod bound;
mod config;
mod hash;
mod kinds;
mod ledger;
mod map;
#[expect(unsafe_code, reason = "blocks of a heap are addresses; nothing outside sees one")]
mod raw;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod thread_index;

pub use config::Config;
pub use kinds::{Dashmap, Papaya, Scc, Skiplist, Striped};
pub use session::MapSession;
pub use store::MapStore;
