//! The parts that both schemes share, and how components are swapped.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use kit::padded::Padded;

use crate::cache::Cache;
use crate::config::{Config, LogMode};
use crate::error::Error;
use crate::files::Files;
use crate::log::{Component, Log, Until};
use crate::manifest::Manifest;
use crate::memtable::Memtable;
use crate::mutant::{Mutant, mutated};
use crate::printed::Printed;
use crate::schemes::Sync;
use crate::snapshots::Snapshots;
use crate::sync::lock;
use crate::table::{Graveyard, Shape};
use crate::view::View;
use crate::work::Work;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tables of level 0 that make writes wait, as a multiple of those that make it due.
const LEVEL0_STOP: usize = 3;
/// How long one waits at most before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// All that a store is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) config: Config,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) graveyard: Arc<Graveyard>,
    pub(crate) snapshots: Arc<Snapshots>,
    pub(crate) view: ArcSwap<View>,
    pub(crate) sync: Sync,
    /// The number of the next file.
    pub(crate) next_number: AtomicU64,
    /// Only the store's thread appends.
    pub(crate) manifest: Mutex<Manifest>,
    /// One rotates at a time.
    rotation: Mutex<()>,
    /// A log for the next component, made ahead by the store's thread.
    spare: Mutex<Option<Log>>,
    pub(crate) stripes: Box<[Padded<Mutex<()>>]>,
    pub(crate) work: Work,
    pub(crate) counters: Counters,
}

/// What a store counts.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) rotations: AtomicU64,
    pub(crate) stall_ns: AtomicU64,
    pub(crate) merges: AtomicU64,
    pub(crate) merged_bytes: AtomicU64,
    pub(crate) flushed_bytes: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    pub(crate) log_bytes: AtomicU64,
    pub(crate) failures: AtomicU64,
}

impl Counters {
    /// Adds to a count. Relaxed: they are counts.
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }
}

/// What a store begins with.
#[derive(Debug)]
pub(crate) struct Begin {
    pub(crate) config: Config,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) graveyard: Arc<Graveyard>,
    pub(crate) view: View,
    pub(crate) sync: Sync,
    pub(crate) next_number: u64,
    pub(crate) manifest: Manifest,
}

impl Parts {
    pub(crate) fn new(begin: Begin) -> Self {
        let Begin { config, files, cache, graveyard, view, sync, next_number, manifest } = begin;
        Self {
            snapshots: Arc::new(Snapshots::new(config.snapshot_retention)),
            stripes: (0..config.stripes).map(|_| Padded::default()).collect(),
            config,
            files,
            cache,
            graveyard,
            view: ArcSwap::from_pointee(view),
            sync,
            next_number: AtomicU64::new(next_number),
            manifest: Mutex::new(manifest),
            rotation: Mutex::default(),
            spare: Mutex::default(),
            work: Work::default(),
            counters: Counters::default(),
        }
    }

    /// A number for a file.
    pub(crate) fn number(&self) -> u64 {
        // Relaxed: only distinct numbers are asked for.
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape {
            block_bytes: self.config.block_bytes,
            bloom_bits_per_key: self.config.bloom_bits_per_key,
        }
    }

    /// Publishes a view made from the present one, while no write is in progress.
    pub(crate) fn swap(&self, next: impl FnOnce(&View) -> View) {
        self.sync.exclude(|| {
            let present = self.view.load_full();
            self.view.store(Arc::new(next(&present)));
        });
    }

    /// Takes the place of a full memory component by one with room for a record of `words`. Waits
    /// until the component before is merged, and level 0 is not too full.
    ///
    /// # Errors
    /// [`Error::Storage`] if no log can be created, or what is waited for fails.
    pub(crate) fn rotate(&self, full: &Arc<Component>, words: u64) -> Result<(), Error> {
        let _turn = lock(&self.rotation);
        if !self.wait_for_room(full)? {
            return Ok(());
        }
        let spare = lock(&self.spare).take();
        // Logs are replayed in the order of their numbers.
        let log = match spare.filter(|log| log.number() > full.log.number()) {
            Some(log) => log,
            None => Log::create(&*self.files, self.number())?,
        };
        let memtable = Memtable::new(self.config.write_buffer_bytes, words, Printed::default());
        let memtable = match memtable {
            Ok(memtable) => memtable,
            Err(error) => {
                *lock(&self.spare) = Some(log);
                return Err(Error::storage("map", "a memtable", &error));
            }
        };
        let memory = Arc::new(Component::new(memtable, log, Some(Arc::clone(full))));
        self.swap(|view| view.rotated(memory));
        Counters::add(&self.counters.rotations, 1);
        self.work.change(|state| state.is_due = true);
        Ok(())
    }

    /// Waits until `full` may be swapped; `false` if somebody else has.
    fn wait_for_room(&self, full: &Arc<Component>) -> Result<bool, Error> {
        let mut since = None;
        let may_swap = loop {
            let state = self.work.state();
            let view = self.view.load();
            if !Arc::ptr_eq(&view.memory, full) {
                break Ok(false);
            }
            let level0_max = LEVEL0_STOP * self.config.level0_tables;
            if view.merging.is_none() && view.disk.levels[0].len() < level0_max {
                break Ok(true);
            }
            if let Some(failure) = &state.failure {
                break Err(failure.clone());
            }
            since.get_or_insert_with(Instant::now);
            drop(view);
            self.work.wait(state, LOOK_AGAIN);
        };
        if let Some(since) = since {
            Counters::add(&self.counters.stall_ns, since.elapsed().as_nanos() as u64);
        }
        may_swap
    }

    /// Makes a log for the next component, if there is none.
    ///
    /// # Errors
    /// [`Error::Storage`] if it cannot be created.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        if lock(&self.spare).is_none() {
            let log = Log::create(&*self.files, self.number())?;
            *lock(&self.spare) = Some(log);
        }
        Ok(())
    }

    /// Waits for a record as the log's mode asks.
    ///
    /// # Errors
    /// [`Error::Storage`] if the log cannot be written.
    pub(crate) fn acknowledge(&self, component: &Component, end: u64) -> Result<(), Error> {
        match self.config.log {
            LogMode::Queued => Ok(()),
            LogMode::Written if mutated(Mutant::WrittenUnwritten) => Ok(()),
            LogMode::Written => component.advance(Until::Written(end)),
            LogMode::Acknowledged => component.advance(Until::Synced(end)),
        }
    }

    /// Makes everything durable that was written before.
    ///
    /// # Errors
    /// [`Error::Storage`] if the log cannot be written.
    pub(crate) fn flush_log(&self) -> Result<(), Error> {
        let view = self.view.load_full();
        view.memory.advance(Until::Synced(view.memory.memtable.queue_end()))
    }
}
