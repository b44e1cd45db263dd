//! The contract between the harness and everything it measures.
//!
//! Two families stand behind it:
//!
//! * **stores** implement [`KvEngine`], the shared store, and [`KvSession`], one thread's use of
//!   it. The timed loop is generic over the session, so nothing is dispatched dynamically there;
//! * **heaps** (allocators) implement [`Heap`] and are reached through `&'static dyn Heap`, one
//!   table of functions each, so that heap-backed stores do not multiply with allocators at
//!   compile time. What the table costs is shown by the null heap.
//!
//! A store is opened with a [`Setup`]: what the workload will ask of it, and its settings, read
//! strictly through [`Options`]. Stores that can do so themselves implement [`OpenStore`].
//!
//! Both state what they are as constant data ([`EngineTraits`], [`HeapTraits`]); plans consult
//! that data and nothing matches on a name. [`conformance`] holds the tests every store passes
//! before a number of it may be published.
//!
//! The crate depends on nothing: a contract with a dependency is an opinion.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as engine;

mod census;
pub mod conformance;
mod error;
mod heap;
mod operation;
mod options;
mod setup;
mod store;
#[cfg(test)]
mod tests;
mod thread_use;
mod traits;

pub use census::{MemoryCensus, Statistic};
pub use error::{GetError, OpenError, PutError, SessionError};
pub use heap::DEFAULT_VARIANT;
pub use heap::{Heap, HeapStatistics, HeapTraits, HeapVariant, Setting, reallocate_elsewhere};
pub use operation::{Op, Outcome, ValueBuffers};
pub use options::{Choice, Options};
pub use setup::{OpenStore, Setup};
pub use store::{KvEngine, KvSession, PutOutcome, ScanEntry};
pub use thread_use::ThreadUse;
pub use traits::{
    AllocatorChoice, EngineTraits, Environment, FullMeaning, Hashing, MemoryBound, Presence,
    Sharing, Transport,
};
