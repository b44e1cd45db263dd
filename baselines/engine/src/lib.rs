//! The contract between the harness and everything it measures.
//!
//! It covers three families:
//!
//! * **Stores** implement [`KvEngine`], the shared store, and [`KvSession`], one thread's use of
//!   it. The timed loop is generic over the session, so it contains no dynamic dispatch.
//! * **Heaps** (allocators) implement [`Heap`] and are reached through `&'static dyn Heap`, one
//!   table of functions each. So heap-backed stores need not be compiled once per allocator. The
//!   null heap shows what the table costs.
//! * **Windows** are ways to reach the parts of a table one at a time ([`Windows`]). A call applies
//!   many sets of updates, so the timed loop contains no dynamic dispatch either.
//!
//! Keys are words, `u64`. Stores that take keys of any length implement [`KvBytesEngine`] besides, whose
//! sessions take byte strings ([`BytesSession`]); [`Words`] makes a session of words of one.
//!
//! A store is opened with a [`Setup`]: what the workload will require, and the store's settings,
//! which are read strictly through [`Options`]. Stores that open themselves implement
//! [`OpenStore`].
//!
//! Both describe themselves with constant data ([`EngineTraits`], [`HeapTraits`]). Plans consult
//! that data; nothing matches on a name. [`conformance`] holds the tests that every store passes
//! before any of its numbers is published.
//!
//! The crate has no dependencies, so that the contract prescribes none.
#![deny(unsafe_code)]
#![warn(missing_docs)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as engine;

mod bytes;
mod census;
pub mod conformance;
mod durability;
mod error;
mod expiry;
mod heap;
mod modify;
mod moment;
mod operation;
mod options;
mod rule;
mod setup;
mod store;
#[cfg(test)]
mod tests;
mod thread_use;
mod traits;
mod windows;
mod words;

pub use bytes::{BytesSession, KvBytesEngine, get_then_put_bytes};
pub use census::{MemoryCensus, Statistic};
pub use durability::Durability;
pub use error::{BytesError, GetError, KeyTooLong, OpenError, PutError, SessionError};
pub use expiry::Expiry;
pub use heap::DEFAULT_VARIANT;
pub use heap::{Heap, HeapStatistics, HeapTraits, HeapVariant, Setting, reallocate_elsewhere};
pub use modify::{Decide, Decision, get_then_put, read_and_decide};
pub use moment::{
    BytesSnapshotRead, SnapshotRead, Snapshots, WithBytesSnapshot, WithSnapshot, Write,
};
pub use operation::{Op, Outcome, ValueBuffers};
pub use options::Options;
pub use rule::{Rule, Whole};
pub use setup::{OpenStore, Setup};
pub use store::{DeleteOutcome, KvEngine, KvSession, PutOutcome, ScanOrder, ScanRange};
pub use thread_use::ThreadUse;
pub use traits::{
    AllocatorChoice, EngineTraits, Environment, FullMeaning, Hashing, Keys, MemoryBound, Presence,
    Rmw, Scans, Sharing, Storage, Transport, Writes,
};
pub use windows::{
    Applied, Limits, UPDATES_PER_SET_MAX, WINDOWS_MAX, Windows, WindowsError, WindowsSetup,
    WindowsShape, update,
};
pub use words::{Words, word_of};
