//! The store: one log, one index, one epoch table, and the workers.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::check::{self, CheckReport};
use crate::compaction::{crew::Totals, inline, patience::quiet_rounds, worker};
use crate::config::Config;
use crate::constants::{HEADER_BYTES, SESSIONS_MAX};
use crate::epoch::EpochTable;
use crate::error::{OpenError, TooManySessions};
use crate::holes;
use crate::index::Index;
use crate::knobs::{Compaction, Selection, Survivors, Update};
use crate::log::Log;
use crate::name::LENGTH_BYTES;
use crate::overwriting::Overwriting;
use crate::session::Session;
use crate::statistics::{SegmentCounts, Statistics};
use crate::sync::{AtomicBool, AtomicU64, CachePadded, Ordering, lock};

/// The longest time that [`Store::settle`] waits.
const SETTLE_LIMIT: Duration = Duration::from_secs(5);

/// What clients and workers share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) log: Log,
    pub(crate) index: Index,
    pub(crate) epochs: EpochTable,
    pub(crate) selection: Selection,
    pub(crate) survivors: Survivors,
    /// Whether writers compact; then there are no threads.
    pub(crate) inline: bool,
    pub(crate) value_limit: usize,
    pub(crate) full_wait: Duration,
    pub(crate) put_waits: AtomicU64,
    pub(crate) update: Update,
    /// How many rooms of dead objects a session keeps for new ones; `None` if it keeps none.
    pub(crate) holes: Option<holes::Limits>,
    /// Value bytes written there.
    pub(crate) reused_bytes: AtomicU64,
    pub(crate) overwriting: Overwriting,
    pub(crate) put_wait_ns: AtomicU64,
    /// Whether keys are byte strings, which are in the rooms of their objects.
    pub(crate) byte_keys: bool,
    /// Length of all those that have a value. On a line of its own: operations read what is around.
    pub(crate) key_bytes: CachePadded<AtomicU64>,
    /// Whether compaction has panicked; see [`Shared::close`].
    pub(crate) closed: AtomicBool,
}

impl Shared {
    /// Whether compaction has panicked. Then there are GETs only.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: the lock of the worker that panicked orders this for whoever takes it next.
        // Nothing else depends on when it is seen.
        self.closed.load(Ordering::Relaxed)
    }

    /// Ends PUTs, DELETEs and compaction, for good, and wakes those who wait for room.
    #[cold]
    pub(crate) fn close(&self) {
        // Relaxed: see `is_closed`.
        self.closed.store(true, Ordering::Relaxed);
        self.log.nodes.iter().for_each(|node| node.signals.stop());
        self.log.space.ring();
    }
}

/// A concurrent log-structured key-value store in memory. See the crate documentation.
///
/// `K` is what its keys are: words, or `[u8]`, byte strings of any length up to
/// [`KEY_BYTES_MAX`](crate::limits::KEY_BYTES_MAX).
///
/// Dropping it stops its threads and frees its memory.
pub struct Store<K: ?Sized = u64> {
    pub(crate) shared: Arc<Shared>,
    config: Config,
    threads: Vec<JoinHandle<()>>,
    keys: PhantomData<fn(&K)>,
}

/// How a store's memory is used. While nobody writes, `live_object_bytes + dead_object_bytes +
/// free_object_bytes == object_memory_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Number of keys that have a value.
    pub live_objects: u64,
    /// Size of their values.
    pub live_value_bytes: u64,
    /// Size of their objects: header, key and value.
    pub live_object_bytes: u64,
    /// The part of the blocks in use that no live object occupies.
    pub dead_object_bytes: u64,
    /// Size of free blocks, including the reserve.
    pub free_object_bytes: u64,
    /// Size of all blocks.
    pub object_memory_bytes: u64,
    /// Size of the index buckets in use.
    pub index_bytes: u64,
    /// Size of the tables: blocks, segments, partitions, epochs, heads.
    pub table_bytes: u64,
}

impl Store {
    /// Opens an empty store.
    ///
    /// # Errors
    /// [`OpenError`] if the configuration is invalid or the system refuses memory.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        Self::open_any(config, false)
    }

    /// Opens a session, for one thread at a time.
    ///
    /// # Errors
    /// [`TooManySessions`] if 256 are in use.
    pub fn session(&self) -> Result<Session<'_>, TooManySessions> {
        self.any_session()
    }
}

impl Store<[u8]> {
    /// Opens an empty store whose keys are byte strings.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn open_for_byte_keys(config: Config) -> Result<Self, OpenError> {
        Self::open_any(config, true)
    }

    /// Opens a session, for one thread at a time.
    ///
    /// # Errors
    /// [`TooManySessions`] if 256 are in use.
    pub fn session(&self) -> Result<Session<'_, [u8]>, TooManySessions> {
        self.any_session()
    }
}

impl<K: ?Sized> Store<K> {
    fn any_session(&self) -> Result<Session<'_, K>, TooManySessions> {
        let slot = self.shared.epochs.claim().ok_or(TooManySessions { limit: SESSIONS_MAX })?;
        Ok(Session::new(&self.shared, slot))
    }

    fn open_any(config: Config, byte_keys: bool) -> Result<Self, OpenError> {
        let geometry = config.geometry()?;
        let config = config.resolved(&geometry);
        let epochs = EpochTable::new(config.epoch);
        let log = Log::new(&config, &geometry, Arc::clone(&epochs.clock))?;
        let index = Index::new(&geometry.index, &log.memory)?;
        let shared = Arc::new(Shared {
            log,
            index,
            epochs,
            selection: config.selection,
            survivors: config.survivors,
            inline: config.compaction == Compaction::Inline,
            value_limit: (geometry.object_bytes - HEADER_BYTES) as usize,
            full_wait: Duration::from_millis(config.full_wait_ms),
            put_waits: AtomicU64::new(0),
            put_wait_ns: AtomicU64::new(0),
            update: config.update,
            holes: config.holes(geometry.nodes.len()),
            reused_bytes: AtomicU64::new(0),
            overwriting: Overwriting::new(config.update),
            byte_keys,
            key_bytes: CachePadded::default(),
            closed: AtomicBool::new(false),
        });
        let compaction = config.compaction;
        let mut store = Self { shared, config, threads: Vec::new(), keys: PhantomData };
        if compaction == Compaction::Background {
            for (node, number) in (0..geometry.nodes.len())
                .flat_map(|node| (0..geometry.workers).map(move |number| (node, number)))
            {
                let shared = Arc::clone(&store.shared);
                let thread = thread::Builder::new().name(format!("nibble-{node}-{number}"));
                // On failure `store` is dropped, which ends the workers started so far.
                store.threads.push(thread.spawn(move || worker::run(&shared, node, number))?);
            }
        }
        Ok(store)
    }

    /// The configuration in use, with the values chosen for scaled fields.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Length of the largest value, in bytes. The key of a byte string and two bytes more take part of it.
    #[must_use]
    pub fn value_limit(&self) -> usize {
        self.shared.value_limit
    }

    /// Waits until the workers have nothing to do and nothing waits to be freed, at most five
    /// seconds; returns whether that was reached. In a closed store it never is.
    pub fn settle(&self) -> bool {
        let deadline = Instant::now() + SETTLE_LIMIT;
        let shared = &*self.shared;
        let before: Vec<u64> = quiet_rounds(shared).collect();
        while !shared.is_closed() {
            // Two quiet rounds: the second began after this call.
            let quiet = quiet_rounds(shared).zip(&before).all(|(now, then)| now >= then + 2);
            if quiet && shared.log.nothing_rolled() {
                return true;
            }
            if Instant::now() >= deadline {
                break;
            }
            if shared.inline {
                inline::drive(shared, 0);
            } else {
                shared.log.nodes.iter().for_each(|node| node.signals.kick());
                thread::sleep(Duration::from_micros(200));
            }
        }
        false
    }

    /// Returns the pages of free blocks to the system. They become resident again when needed.
    pub fn trim(&self) {
        let Log { nodes, memory, .. } = &self.shared.log;
        for node in nodes {
            node.pool.for_each_run(|run| memory.region.discard(run));
        }
    }

    /// How the memory is used; exact while nobody writes. Waits for the workers' current rounds.
    #[must_use]
    pub fn census(&self) -> Census {
        let Shared { log, index, epochs, byte_keys, key_bytes, .. } = &*self.shared;
        let beside_bytes = HEADER_BYTES + if *byte_keys { LENGTH_BYTES as u64 } else { 0 };
        // Relaxed: exact while nobody writes, as the rest.
        let key_bytes = key_bytes.load(Ordering::Relaxed);
        // Locked, so that no object is counted both where it was and where it moves to.
        let workers = log.nodes.iter().flat_map(|node| &node.crew.workers);
        let _workers: Vec<_> = workers.map(lock).collect();
        let (mut live_object_bytes, mut live_objects) = (0, 0);
        for (_, info) in log.segments.iter() {
            live_object_bytes += info.live().bytes();
            live_objects += info.live().objects();
        }
        let object_memory_bytes = log.memory.region.bytes();
        let free_object_bytes = log.free_blocks() * log.memory.region.block_bytes();
        Census {
            live_objects,
            live_value_bytes: live_object_bytes
                .saturating_sub(live_objects * beside_bytes + key_bytes),
            live_object_bytes,
            dead_object_bytes: object_memory_bytes
                .saturating_sub(free_object_bytes + live_object_bytes),
            free_object_bytes,
            object_memory_bytes,
            index_bytes: index.bytes(),
            table_bytes: log.table_bytes() + index.table_bytes() + epochs.bytes(),
        }
    }

    /// How much object memory is on 2 MiB pages now; `None` if the system does not tell. For this
    /// the system walks all page tables, so do not call it often.
    #[must_use]
    pub fn huge_page_bytes(&self) -> Option<u64> {
        self.shared.log.memory.region.huge_bytes().ok()
    }

    /// What has been done so far, and the current state. Waits for nobody, so the parts may be from
    /// slightly different moments.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let Shared { log, index, put_waits, put_wait_ns, .. } = &*self.shared;
        let mut totals = Totals::default();
        log.nodes.iter().for_each(|node| totals.add(&node.crew.totals()));
        let heads = log.nodes.iter().flat_map(|node| node.heads());
        let now_ns = platform::clock::monotonic_ns();
        let waiting = totals.limbo_since_ns > 0;
        let mut segments = SegmentCounts::default();
        let (mut live_object_bytes, mut live_objects) = (0, 0);
        for (_, info) in log.segments.iter() {
            segments.count(info.state());
            live_object_bytes += info.live().bytes();
            live_objects += info.live().objects();
        }
        let block_bytes = log.memory.region.block_bytes();
        Statistics {
            nodes: log.nodes.len() as u64,
            live_object_bytes,
            free_object_bytes: log.free_blocks() * block_bytes,
            object_memory_bytes: log.memory.region.bytes(),
            segments,
            appended_bytes: heads.map(|head| head.lock().appended()).sum(),
            copied_bytes: totals.copied_bytes,
            segments_compacted: totals.segments,
            compaction_rounds: totals.rounds,
            blocks_reclaimed: totals.freed_blocks,
            quiet_rounds: totals.quiet_rounds,
            reclamation_bytes: totals.limbo_blocks * block_bytes,
            reclamation_age_ns: if waiting {
                now_ns.saturating_sub(totals.limbo_since_ns)
            } else {
                0
            },
            index_bytes: index.bytes(),
            index_slots: index.slots(),
            index_growth_buckets: index.growth(),
            live_objects,
            // Relaxed: a statistic.
            put_waits: put_waits.load(Ordering::Relaxed),
            // Relaxed: a statistic.
            put_wait_ns: put_wait_ns.load(Ordering::Relaxed),
            put_overwrites: self.shared.overwriting.counted(),
            // Relaxed: a statistic.
            reused_bytes: self.shared.reused_bytes.load(Ordering::Relaxed),
        }
    }

    /// Walks everything and checks the invariants of `DESIGN.md`. Nobody may write meanwhile.
    ///
    /// # Errors
    /// A description of the first contradiction found. A closed store is one without a walk.
    pub fn check(&self) -> Result<CheckReport, String> {
        check::check(&self.shared)
    }
}

/// Prints little: everything in a store would be megabytes.
impl<K: ?Sized> fmt::Debug for Store<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Store").field("census", &self.census()).finish_non_exhaustive()
    }
}

impl<K: ?Sized> Drop for Store<K> {
    fn drop(&mut self) {
        self.shared.log.nodes.iter().for_each(|node| node.signals.stop());
        for thread in self.threads.drain(..) {
            // A worker that panicked has reported that already; there is nothing to add.
            let _ = thread.join();
        }
    }
}
