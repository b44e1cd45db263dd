//! RAMCloud's log-structured memory: one head, tombstones, a cost-benefit cleaner.
//!
//! A reimplementation after Rumble, Kejriwal and Ousterhout, *Log-structured Memory for DRAM-based
//! Storage* (FAST '14), limited to the class `ObjectManager`. An instance consists of a log with
//! one append lock, a hash table of cache-line buckets with a lock each, and cleaner threads:
//!
//! ```text
//! hash table            log: segments of seglets             pool
//! bucket ── 8 words     [obj|tomb|obj|obj|…] sealed          free seglets
//!   tag + reference ──► [obj|obj|tomb|…]     sealed            ▲     │
//!   last word: chain    [obj|…               the head  ◄───────┼─────┘
//!                        cleaner: live entries of some segments,
//!                        sorted by age, to new segments; the old ones freed
//! ```
//!
//! A put appends the object and a tombstone for the one it replaces; a delete appends a tombstone.
//! A tombstone names the segment of the dead object and is dropped once that segment is gone.
//!
//! | file | contents |
//! |---|---|
//! | `manager` | one instance: the operations, and which lock protects what |
//! | `head`, `writer` | the append lock; appending to segments |
//! | `log`, `entry` | references and what they lead to; layouts |
//! | `segments`, `seglets` | states and counters of segments; the pool |
//! | `table`, `word`, `hash` | the hash table |
//! | `cleaner/` | when, what and how to clean |
//! | `report`, `check` | census and counters; the invariants |
//! | `raw` | memory: the only unsafe code |
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_ramcloud;

mod check;
mod cleaner;
mod config;
mod entry;
mod hash;
mod head;
mod log;
mod manager;
#[expect(unsafe_code, reason = "log and hash table are mapped memory; nothing outside sees one")]
mod raw;
mod report;
mod seglets;
mod segments;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod word;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cleaner::{Cleaners, Need, Waited};
pub use config::Config;
use engine::{
    EngineTraits, FullMeaning, KvEngine, MemoryBound, MemoryCensus, OpenError, Presence,
    SessionError, Setting, Statistic,
};
use hash::Hash;
use manager::ObjectManager;
use platform::Pages;
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
pub use session::RamCloudSession;

/// How long [`KvEngine::settle`] and [`KvEngine::trim`] wait for the cleaners.
const SETTLE_MAX: Duration = Duration::from_secs(5);

/// The store: one or more instances, each responsible for the keys whose hashes select it.
#[derive(Debug)]
pub struct RamCloud {
    config: Config,
    managers: Box<[Arc<ObjectManager>]>,
    cleaners: Cleaners,
}

impl RamCloud {
    /// An empty store.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if a setting is out of range (see [`Config`]);
    /// [`OpenError::OutOfMemory`] if the system has no address space for it; [`OpenError::Missing`]
    /// if it cannot start another thread.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let geometry = config.geometry()?;
        let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
        let map = |_| ObjectManager::map(geometry, pages, config.resident).map(Arc::new);
        let managers: Result<Box<[_]>, _> = (0..config.instances).map(map).collect();
        let managers = managers.map_err(|_: std::io::Error| OpenError::OutOfMemory {
            wanted_bytes: config.object_memory_bytes,
        })?;
        let cleaners = Cleaners::start(&managers)?;
        Ok(Self { config, managers, cleaners })
    }

    #[inline]
    fn manager(&self, hash: Hash) -> &ObjectManager {
        match &*self.managers {
            [only] => only,
            all => &all[hash.instance(all.len())],
        }
    }
}

impl KvEngine for RamCloud {
    const TRAITS: EngineTraits = EngineTraits {
        name: "ramcloud",
        description: "log-structured, one head, bucket locks, tombstones, cost-benefit cleaner",
        full: FullMeaning::Refuse,
        // Chains of the hash table and the cleaners' lists come on top of the configured memory.
        memory_bound: MemoryBound::Soft,
        value_bytes_max: config::VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        background_threads: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = RamCloudSession<'engine>;

    fn session(&self) -> Result<RamCloudSession<'_>, SessionError> {
        Ok(RamCloudSession::new(self))
    }

    fn presence(&self) -> Presence {
        let page_bytes = if self.config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        Presence { page_bytes, threads: self.cleaners.count(), servers: 0 }
    }

    /// Cleans until each pool is above its mark, or nothing is worth cleaning.
    fn settle(&self) {
        let deadline = Instant::now() + SETTLE_MAX;
        for manager in &self.managers {
            let is_due = || manager.log.seglets.free() < manager.pressure.mark();
            clean(manager, Need::Mark, deadline, is_due);
            drop(manager.pressure.pause());
        }
    }

    /// Cleans whatever is worth cleaning, so that the pools have all the memory that can be gained.
    /// The memory stays mapped and resident, as in the original.
    fn trim(&self) {
        let deadline = Instant::now() + SETTLE_MAX;
        for manager in &self.managers {
            manager.head.seal(&manager.log);
            clean(manager, Need::All, deadline, || true);
        }
    }

    fn memory(&self) -> MemoryCensus {
        report::memory(&self.managers)
    }

    fn statistics(&self) -> Vec<Statistic> {
        report::statistics(&self.managers)
    }

    fn settings(&self) -> Vec<Setting> {
        report::settings(&self.config, &self.managers[0].geometry)
    }

    /// Walks log and hash table of each instance. No session may operate meanwhile.
    fn check(&self) -> Result<(), String> {
        for (instance, manager) in self.managers.iter().enumerate() {
            let pause = manager.pressure.pause();
            check::check(manager)
                .map_err(|violation| format!("instance {instance}: {violation}"))?;
            drop(pause);
        }
        Ok(())
    }
}

/// Runs rounds while they are due and free something.
fn clean(manager: &ObjectManager, need: Need, deadline: Instant, is_due: impl Fn() -> bool) {
    loop {
        let seen = manager.pressure.rounds();
        if !is_due() || manager.pressure.wait(need, seen, deadline) != Waited::Freed {
            return;
        }
    }
}
