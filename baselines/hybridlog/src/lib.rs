//! A hybrid log after FASTER: updates in place near the tail, copies to the tail elsewhere.
//!
//! A reimplemented rival, after B. Chandramouli, G. Prasaad, D. Kossmann, J. Levandoski, J. Hunter
//! and M. Barnett, *FASTER: A Concurrent Key-Value Store with In-Place Updates* (SIGMOD 2018).
//! `README.md` says what is implemented and what is left out.
//!
//! ```text
//! index: buckets of 7 entries            log: a ring of memory
//!  tag │ address ───────────────────────► record ──► record ──► below the begin
//!  tag │ address ──► …                    (newest)    (same bucket and tag)
//! ```
//!
//! A GET hashes its key, finds the entry of its tag, and follows the chain to its key's record. A
//! PUT overwrites that record if it lies in the mutable region and has the room; else it appends a
//! record and exchanges the entry. When the ring is full, what lives in its oldest page goes to the
//! tail.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings, and the sizes derived from them |
//! | `address` | logical addresses, and the ring |
//! | `record`, `guard` | a record's layout, lock and version |
//! | `log` | regions, reservation, walks |
//! | `hash`, `bucket`, `index` | entries, and how they change without latches |
//! | `epoch` | who is inside an operation |
//! | `store`, `operations`, `session` | GET, PUT and DELETE; batches |
//! | `compaction`, `worker` | how the oldest page is emptied, and by whom |
//! | `counters`, `report`, `check` | counts, census and settings; the invariants |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_hybridlog;

mod address;
mod bucket;
mod check;
mod compaction;
mod config;
mod counters;
mod epoch;
mod guard;
mod hash;
mod index;
mod log;
mod operations;
mod record;
mod report;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use engine::{
    EngineTraits, FullMeaning, KvEngine, MemoryBound, MemoryCensus, OpenError, OpenStore, Options,
    Presence, SessionError, Setting, Setup, Statistic,
};
use platform::mapping::HUGE_PAGE_BYTES;

pub use config::Config;
pub use session::HybridLogSession;
use store::Shared;
use worker::Worker;

/// How long [`KvEngine::settle`] waits for the worker.
const SETTLE_MAX: Duration = Duration::from_secs(5);

/// The store; see the crate's documentation.
#[derive(Debug)]
pub struct HybridLog {
    shared: Arc<Shared>,
    worker: Option<Worker>,
}

impl HybridLog {
    /// An empty store.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if a setting is out of range (see [`Config`]);
    /// [`OpenError::OutOfMemory`] if the system has no address space for it;
    /// [`OpenError::Missing`] if it cannot start another thread.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let shared = Arc::new(Shared::open(config)?);
        let worker = (config.compaction_workers > 0).then(|| Worker::start(&shared)).transpose()?;
        Ok(Self { shared, worker })
    }
}

impl KvEngine for HybridLog {
    const TRAITS: EngineTraits = EngineTraits {
        name: "hybridlog",
        description: "hash index over a log, updates in place near its tail, after FASTER",
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Hard,
        value_bytes_max: guard::VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        batches: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = HybridLogSession<'engine>;

    fn session(&self) -> Result<HybridLogSession<'_>, SessionError> {
        HybridLogSession::open(&self.shared)
    }

    fn presence(&self) -> Presence {
        let threads = usize::from(self.worker.is_some());
        Presence { page_bytes: report::page_bytes(&self.shared), threads, servers: 0 }
    }

    /// Waits until the worker, if there is one, has the room it keeps. Without one nothing is
    /// pending: sessions compact when they need room.
    fn settle(&self) {
        if self.worker.is_some() {
            if self.shared.is_scarce() {
                self.shared.signal.want();
            }
            self.shared.signal.wait_until_idle(SETTLE_MAX);
        }
    }

    fn memory(&self) -> MemoryCensus {
        report::memory(&self.shared)
    }

    fn statistics(&self) -> Vec<Statistic> {
        report::statistics(&self.shared)
    }

    fn settings(&self) -> Vec<Setting> {
        report::settings(&self.shared)
    }

    /// Walks the log, every bucket and every chain. No session may operate meanwhile.
    fn check(&self) -> Result<(), String> {
        check::check(&self.shared)
    }
}

impl OpenStore for HybridLog {
    type Config = Config;

    fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        Config::read(setup, options)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(config)
    }
}
