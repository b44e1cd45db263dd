//! Popular concurrent maps, with values on any heap.
//!
//! One store, [`MapStore`], over eight maps: [`Congee`], [`Dashmap`], [`Flurry`], [`OneTbb`],
//! [`Papaya`], [`Scc`], [`Skiplist`], [`Striped`]. A map leads from keys to rows. A row is one block of the
//! heap under test and is immutable: every put allocates a row and, sooner or later, frees the old
//! one. The map's own memory (tables, entries, nodes) comes from the program's global allocator,
//! because the crates offer no choice.
//!
//! Maps that hash all use the same hasher, `kit::hash`; none is handicapped by the default of `std`.
//!
//! All maps but the radix tree [`Congee`] take any keys. Over byte strings, each is compiled a second time:
//! `Dashmap<Bytes>` beside `Dashmap`. Every put of the crates' maps then copies its key, because these puts take
//! keys that the map may own; oneTBB copies the keys of new entries alone.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings, and which of them are invalid |
//! | `store`, `session` | the store and one thread's use of it |
//! | `map` | what the store requires of a map, and the row it offers |
//! | `kinds/` | the maps, one file each |
//! | `raw/` | rows on the heap, the list's cells, the tree's words, oneTBB's calls: the crate's only unsafe code |
//! | `gate` | keeps operations away from walks that tolerate none |
//! | `bound` | the bound on live bytes |
//! | `ledger` | counts of rows |
//! | `thread_index` | a small number for each thread |
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_maps;

mod bound;
mod change;
mod config;
#[cfg(onetbb)]
mod gate;
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

pub use kit::key::Bytes;

pub use config::{Config, SHARDS_MAX};
pub use kinds::{Congee, Dashmap, Flurry, OneTbb, OneTbbKey, Papaya, Scc, Skiplist, Striped};
pub use session::MapSession;
pub use store::MapStore;
