//! SILT: a store on flash with less than a byte of memory a key, and about one read a GET.
//!
//! A rebuilt rival, after chapter 2 of H. Lim, *Resource-Efficient Data-Intensive System Designs
//! for High Performance and Capacity* (CMU-CS-15-132, 2015), with chapter 3's index. `README.md`
//! says what is implemented, the formats, and what differs.
//!
//! ```text
//! PUT ──► LogStore ──(full: converted)──► HashStore … HashStore ──(enough: merged)──► SortedStore
//!         cuckoo table, 6 B a slot        filters, 2 B a slot                      2.5 bits a key
//! GET asks them from left to right, and is answered by the first that knows the key.
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `key`, `record`, `params` | keys and their parts; records and where they lie; parameters |
//! | `cuckoo`, `filter` | the partial-key cuckoo table, and its tags alone |
//! | `files`, `buffer`, `image`, `stream` | direct I/O; small files; records in sequence |
//! | `log_store`, `hash_store`, `sorted_store` | the three stores |
//! | `convert`, `merge`, `pace` | from one to the next |
//! | `instance`, `shared`, `work`, `threads`, `signal`, `step` | how stores are exchanged |
//! | `manifest`, `recover`, `check` | what there is; opening; reading everything |
//! | `store`, `scratch`, `counters`, `error` | operations, and what they tell |
//! | `equations` | what the text expects |
//! | `config`, `silt` | the contract of the suite |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_silt;

mod buffer;
mod check;
mod config;
mod convert;
mod counters;
mod cuckoo;
pub mod equations;
mod error;
mod files;
mod filter;
mod hash_store;
mod image;
mod instance;
mod key;
mod log_store;
mod manifest;
mod merge;
mod pace;
mod params;
mod record;
mod recover;
mod scratch;
mod shared;
mod signal;
mod silt;
mod sorted_store;
mod step;
mod store;
mod stream;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub use config::Config;
pub use counters::Counter;
pub use error::Error;
pub use files::{Direct, Files, Pages};
pub use key::{KEY_BYTES, Key, of_word};
pub use params::{Acknowledge, Params};
pub use record::HEADER_BYTES;
pub use scratch::Scratch;
pub use silt::{Silt, SiltSession};
pub use step::{Step, Steps};
pub use store::Store;
