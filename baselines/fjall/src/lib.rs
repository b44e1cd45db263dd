//! fjall by its crate: a log-structured merge tree, its files on a tmpfs or on a disk.
//!
//! `README.md` says what is implemented, and what is left out.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings |
//! | `keys` | byte strings as fjall takes them |
//! | `tree` | the tree: reads, writes, moments |
//! | `store` | the store as the harness knows it |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_fjall;

mod config;
mod keys;
mod store;
#[cfg(test)]
mod tests;
mod tree;

pub use config::FjallConfig;
pub use keys::KEY_BYTES_MAX;
pub use store::Fjall;
pub use tree::Tree;
