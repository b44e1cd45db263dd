//! A log-structured merge tree under two schemes of synchronisation, on the same parts.
//!
//! One is cLSM's, after G. Golan-Gueta, E. Bortnikov, E. Hillel and I. Keidar, *Scaling Concurrent
//! Log-Structured Data Stores* (EuroSys 2015). The other is the one that it replaced: LevelDB's.
//! `README.md` says what is implemented, and where it differs.
//!
//! ```text
//! PUT ─► memory component ──full──► merging component ──► tables of level 0 ──► … ──► level 6
//!          │ its order of                                         (merges, one thread)
//!          ▼ reservation
//!         log
//! GET ◄── the first of memory, merging, level 0, 1, … that knows the key
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `files` | every call to files |
//! | `memtable` | the memory component: a skip list of versions |
//! | `frame`, `names`, `log` | the log, whose queue the memtable is |
//! | `table`, `cache` | sorted files, and blocks of them in memory |
//! | `version`, `manifest` | which tables count |
//! | `cursor`, `view` | components merged; components of one moment |
//! | `clock`, `exclusion`, `snapshots` | timestamps, the shared-exclusive lock, what merges must keep |
//! | `schemes`, `clsm_writes`, `global_writes` | the two schemes |
//! | `parts`, `merges`, `threads`, `work` | swaps of components, merges, and who does them |
//! | `recover` | opening a folder |
//! | `store`, `session` | the store on byte strings |
//! | `config`, `contract`, `report` | settings; the store of the harness; counts |
//! | `printed`, `mutant` | faults of the printed algorithms, and others, put back for tests |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_lsm;

mod cache;
mod clock;
mod clsm_writes;
mod config;
mod contract;
mod cursor;
mod error;
mod exclusion;
pub mod files;
mod frame;
mod global_writes;
mod log;
mod manifest;
mod memtable;
mod merges;
#[cfg(all(test, loom))]
mod models;
mod mutant;
mod names;
mod parts;
mod printed;
mod recover;
mod report;
mod schemes;
mod session;
mod snapshots;
mod store;
mod sync;
mod table;
#[cfg(test)]
mod tests;
mod threads;
mod version;
mod view;
mod work;

pub use config::{
    Config, LogMode, ReadModifyWrite, SESSIONS_MAX, Scheme, SnapshotOrder, VALUE_BYTES_MAX,
};
pub use contract::{Clsm, Lsm, LsmPartitioned, LsmSession};
pub use error::Error;
#[cfg(feature = "instrumented")]
pub use mutant::mutants;
pub use session::{Decide, Decision, Session, Write};
pub use snapshots::Snapshot;
pub use store::Store;
