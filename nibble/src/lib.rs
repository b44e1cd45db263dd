//! A concurrent log-structured key-value store in memory, after *Nibble* (PVLDB 11(4), 2017).
//!
//! ```
//! use nibble::{Config, Put, Store};
//!
//! let store = Store::open(Config::best(16 << 20))?;
//! let session = store.session()?;
//! assert_eq!(session.put(7, b"seven"), Ok(Put::Inserted));
//!
//! let mut buffer = [0; 64];
//! let length = session.get(7, &mut buffer)?.expect("just stored");
//! assert_eq!(&buffer[..length], b"seven");
//! assert_eq!(session.delete(7), Ok(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Usage
//! Open one [`Store`], and one [`Session`] per thread. Keys are any `u64`, or byte strings in a store that
//! is opened for them ([`Store::open_for_byte_keys`]). Values are bytes, from none to nearly a segment
//! ([`Store::value_limit`]); they are copied in and out.
//!
//! [`Session::execute`] executes many operations at once and overlaps their cache misses.
//! [`Config`] has every knob of the papers, and two presets to start from.
//!
//! # Consistency
//! Every operation on a key is linearisable. There are no multi-key operations and no key order,
//! and nothing survives the process.
//!
//! # Memory
//! Object memory is fixed when the store opens. A PUT that finds no room even after compaction
//! returns [`PutError::Full`] and changes nothing; PUTs succeed again once keys are deleted. A full
//! store still takes a value that is no longer than the one it replaces. If another session keeps
//! memory from being freed, the answer is [`PutError::Stalled`]. The index comes on top and grows
//! with the number of keys. [`Store::census`] shows how the memory is used; [`Store::trim`] returns
//! free pages to the system.
//!
//! If compaction panics, which only a bug makes it do, the store closes: GETs go on, PUTs and
//! DELETEs return [`PutError::Closed`], and [`Store::check`] says so.
//!
//! # Performance
//! A PUT appends to the head of the core it runs on and changes one bucket, or overwrites the value
//! in place ([`Update::InPlace`], Nibble-2). A GET takes no lock. When little memory is free
//! ([`Config::free_low_percent`]), segments with dead objects are compacted, either by the writers
//! in proportion to what they append or by threads of the store ([`Config::compaction`]). The
//! fuller a store is with live data, the more is copied per byte written
//! ([`Statistics::write_amplification`]).
//!
//! The design is described in `DESIGN.md`.
#![warn(missing_docs)]

mod address;
mod batch;
mod check;
mod compaction;
mod config;
mod constants;
mod epoch;
mod error;
// Uses threads and megabytes, too much for an interpreter.
#[cfg(all(test, not(miri)))]
mod fence;
#[cfg(all(test, not(miri)))]
mod hazards;
mod holes;
mod index;
#[cfg(not(feature = "instrumented"))]
mod instrument;
#[cfg(feature = "instrumented")]
pub mod instrument;
mod knobs;
mod log;
#[cfg(all(loom, test))]
mod models;
mod name;
mod overwriting;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod pieces;
mod raw;
mod segment;
mod session;
mod statistics;
mod store;
mod sync;

pub use batch::{Answer, Buffers, Operation};
pub use check::CheckReport;
pub use config::Config;
pub mod limits {
    //! The least and the most that a [`Config`](crate::Config) may ask for.

    pub use crate::constants::{
        BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, FREE_LOW_PERCENT_MAX, HEADS_MAX, NODES_MAX,
        PARTITIONS_MAX, RESERVE_PERCENT_MAX, SEGMENT_BYTES_MAX, SEGMENTS_MAX, SEGMENTS_MIN,
        SESSIONS_MAX, WORKERS_MAX,
    };
    pub use crate::name::KEY_BYTES_MAX;
}
pub use error::{BufferTooShort, KeyTooLong, KeyedError, OpenError, PutError, TooManySessions};
pub use knobs::{
    Compaction, CopyRoutine, CoreSource, EpochClock, HeadChoice, HoleUse, IndexLayout, Placement,
    Selection, Survivors, UnknownChoice, Update,
};
pub use session::{Put, Session};
pub use statistics::{SegmentCounts, Statistics};
pub use store::{Census, Store};
