//! redb by its crate: a copy-on-write B-tree with one writer, its pages on the heap or in a file on a disk.
//!
//! `README.md` says what is implemented, and what is left out.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings |
//! | `backend` | where pages are, and what a commit waits for |
//! | `store` | the store: opening, commits, what it counts |
//! | `contract` | the store as the harness knows it |
//! | `session` | operations: a transaction each |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_redb;

mod backend;
mod config;
mod contract;
mod session;
mod store;
#[cfg(test)]
mod tests;

pub use config::RedbConfig;
pub use session::RedbSession;
pub use store::Redb;
