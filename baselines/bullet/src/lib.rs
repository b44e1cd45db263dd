//! A persistent store by cross-referencing logs after Bullet, and the ladder that leads to it.
//!
//! A reimplemented rival, after Y. Huang, M. Pavlovic, V. Marathe, M. Seltzer, T. Harris and S. Byan,
//! *Closing the Performance Gap Between Volatile and Persistent Key-Value Stores Using
//! Cross-Referencing Logs* (USENIX ATC 2018). Sections in comments are that paper's. `README.md` says
//! what is emulated, and what differs.
//!
//! ```text
//! DRAM               front table ──names──► newest record
//!                    put │                        │ refers to the one before, in any log
//! persistent memory      └─► logs of records ─gleaners─► back table
//! ```
//!
//! A put appends a record to its session's log, makes it durable, then its log's tail, and shows the
//! value in the front table. Gleaners bring records to the back table, by transactions. Gets read the
//! front.
//!
//! | file | contents |
//! |---|---|
//! | `rung`, `config` | the ladder; settings, and sizes |
//! | `layout`, `record`, `logs` | persistent memory, records and their references, logs |
//! | `cells`, `heap`, `tx` | words, blocks and transactions |
//! | `locks`, `digest` | spin locks with generations; checksums and hashes |
//! | `front`, `back` | the two tables |
//! | `store`, `session` | what threads share; one client's use of it |
//! | `append`, `promote`, `alone` | puts through a log; gets that miss; rungs of one table |
//! | `glean`, `roles`, `threads` | from logs to the back table, by whom and when |
//! | `recovery` | after a crash |
//! | `faults` | the published text's faults, in tests only |
//! | `counts`, `report`, `check` | counts, census and settings; the invariants |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_bullet;

mod alone;
mod append;
mod back;
mod cells;
mod check;
mod config;
mod counts;
mod digest;
mod faults;
mod front;
mod glean;
mod heap;
mod layout;
mod locks;
mod logs;
mod promote;
mod record;
mod recovery;
mod report;
mod roles;
mod rung;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod threads;
mod tx;
mod warm;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Durability, EngineTraits, FullMeaning, KvEngine, MemoryBound, MemoryCensus, OpenError,
    OpenStore, Options, Presence, SessionError, Setting, Setup, Statistic, Storage,
};
use platform::mapping::HUGE_PAGE_BYTES;
use platform::persist::{Latency, Medium};

pub use config::Config;
pub use recovery::RecoverError;
pub use rung::Rung;
pub use session::BulletSession;
use store::Shared;
use threads::Threads;

/// How long [`KvEngine::settle`] gleans.
const SETTLE_MAX: Duration = Duration::from_secs(5);

/// The store; see the crate's documentation.
#[derive(Debug)]
pub struct Bullet {
    /// Ended before the rest is dropped.
    threads: Option<Threads>,
    shared: Arc<Shared>,
    epoch_us: u64,
}

impl Bullet {
    /// An empty store. A file must not exist yet.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if a setting is out of range or a log is too small for one record
    /// (see [`Config`]); [`OpenError::OutOfMemory`] if the system has no address space for it;
    /// [`OpenError::Missing`] if the processor lacks an instruction, or no thread can be started;
    /// [`OpenError::Unusable`] if the system refuses the file.
    pub fn open(config: &Config) -> Result<Self, OpenError> {
        Self::start(Shared::open(config)?, config.epoch_us)
    }

    /// The store that a crash, or a drop, has left in a file. All that was acknowledged is there;
    /// gleaning goes on. How long it took is among the [statistics](KvEngine::statistics).
    ///
    /// # Errors
    /// [`RecoverError`] says what is wrong with the file, which is left as it was.
    pub fn recover(file: &Path, medium: Medium, latency: Latency) -> Result<Self, RecoverError> {
        let shared = warm::recover(file, medium, latency)?;
        let epoch_us = Config::new(shared.rung, 0, 0).epoch_us;
        Self::start(shared, epoch_us)
            .map_err(|error| RecoverError::File(std::io::Error::other(error.to_string())))
    }

    fn start(shared: Shared, epoch_us: u64) -> Result<Self, OpenError> {
        let shared = Arc::new(shared);
        let start = || Threads::start(&shared, Duration::from_micros(epoch_us));
        let threads = shared.rung.has_logs().then(start).transpose()?;
        Ok(Self { threads, shared, epoch_us })
    }
}

impl KvEngine for Bullet {
    const TRAITS: EngineTraits = EngineTraits {
        name: "bullet",
        description: "tables in DRAM and persistent memory, joined by logs, after Bullet",
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Soft,
        value_bytes_max: config::VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        background_threads: true,
        storage: Storage::EmulatedPersistentMemory,
        durability: Durability::Acknowledged,
        ..EngineTraits::BASE
    };

    type Session<'engine> = BulletSession<'engine>;

    fn session(&self) -> Result<BulletSession<'_>, SessionError> {
        BulletSession::open(&self.shared)
    }

    fn storage(&self) -> Storage {
        match self.shared.rung.has_back() {
            true => Storage::EmulatedPersistentMemory,
            false => Storage::Memory,
        }
    }

    /// In emulated persistent memory, where answers come after the barrier; what is emulated ends with the
    /// machine.
    fn durability(&self) -> Durability {
        match self.shared.rung.is_kept() {
            true => Durability::Acknowledged,
            false => Durability::None,
        }
    }

    fn presence(&self) -> Presence {
        let threads = self.threads.as_ref().map_or(0, Threads::count);
        Presence { page_bytes: self.shared.page_bytes(), threads, servers: 0 }
    }

    /// Gleans until the logs are empty.
    fn settle(&self) {
        let shared = &*self.shared;
        let until = Instant::now() + SETTLE_MAX;
        while !shared.is_drained() && Instant::now() < until {
            let gleaned = glean::all(shared, &mut shared.helper(), 0);
            if !glean::advance(shared, true) && gleaned == 0 {
                std::thread::yield_now();
            }
        }
    }

    fn memory(&self) -> MemoryCensus {
        report::memory(&self.shared)
    }

    fn statistics(&self) -> Vec<Statistic> {
        report::statistics(&self.shared)
    }

    fn settings(&self) -> Vec<Setting> {
        report::settings(&self.shared, self.epoch_us)
    }

    /// Walks both tables. No session may operate meanwhile.
    fn check(&self) -> Result<(), String> {
        check::check(&self.shared)
    }
}

impl OpenStore for Bullet {
    type Config = Config;

    fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        Config::read(setup, options)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(&config)
    }
}
