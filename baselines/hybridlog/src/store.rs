//! What the sessions of a store share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::OpenError;
use kit::credit::Pool;
use platform::Pages;
use platform::racy::WORD_BYTES;

use crate::address::Address;
use crate::bucket::BUCKET_WORDS;
use crate::compaction::Compaction;
use crate::config::{Config, Sizes};
use crate::counters::Registry;
use crate::epoch::Epochs;
use crate::hash::KeyHash;
use crate::index::{Found, Index};
use crate::log::Log;
use crate::record::Record;
use crate::worker::Signal;

/// A session fetches at most one in so many of the bytes that are left.
const PORTIONS: usize = 32;
/// How far compaction goes for one session that finds no room, in lengths of the ring. One suffices
/// unless others take what it gains.
const LAPS_MAX: u64 = 2;

/// A key and its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) key: u64,
    pub(crate) hash: KeyHash,
}

impl Target {
    #[inline]
    pub(crate) fn of(key: u64) -> Self {
        Self { key, hash: KeyHash::of(key) }
    }
}

/// The chain that a key belongs to, as it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain<'store> {
    pub(crate) found: Found<'store>,
    /// Where it ended.
    pub(crate) begin: Address,
    /// The newest record of the key.
    pub(crate) newest: Option<(Address, Record<'store>)>,
}

/// The store without its threads.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) sizes: Sizes,
    pub(crate) log: Log,
    pub(crate) index: Index,
    pub(crate) epochs: Epochs,
    /// What live records may still take.
    pub(crate) pool: Pool,
    pub(crate) counters: Registry,
    pub(crate) signal: Signal,
    compaction: Mutex<Compaction>,
}

impl Shared {
    pub(crate) fn open(config: Config) -> Result<Self, OpenError> {
        let sizes = Sizes::of(&config)?;
        let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
        let refused = |words: u64| OpenError::OutOfMemory {
            wanted_bytes: words.saturating_mul(WORD_BYTES as u64),
        };
        let Sizes { main_buckets, overflow_buckets, ring_words, .. } = sizes;
        let index = Index::map(main_buckets, overflow_buckets, pages, config.resident)
            .map_err(|_| refused(((main_buckets + overflow_buckets) * BUCKET_WORDS) as u64))?;
        let log = Log::map(&sizes, pages, config.resident).map_err(|_| refused(ring_words))?;
        let bound_bytes = sizes.bound_words * WORD_BYTES as u64;
        Ok(Self {
            epochs: Epochs::new(),
            pool: Pool::new(Some(bound_bytes), PORTIONS),
            counters: Registry::default(),
            signal: Signal::default(),
            compaction: Mutex::new(Compaction::new(log.begin())),
            config,
            sizes,
            log,
            index,
        })
    }

    /// The chain of a key; `None` if its tag has no entry. The caller is inside an operation.
    #[inline]
    pub(crate) fn chain(&self, target: Target) -> Option<Chain<'_>> {
        // In this order: see `Log::begin`.
        let begin = self.log.begin();
        let found = self.index.find(target.hash)?;
        let newest = self.log.search(found.entry.address(), target.key, begin);
        Some(Chain { found, begin, newest })
    }

    /// Prefetches the first lines of the record that a key's entry leads to; returns its address.
    /// The record may be another key's, or gone by then.
    #[inline]
    pub(crate) fn prefetch_newest(&self, target: Target) -> Option<Address> {
        let at = self.index.find(target.hash)?.entry.address();
        self.log.prefetch(at);
        Some(at)
    }

    /// The right to compact. The caller is outside of operations, because whoever has it may wait
    /// for all.
    pub(crate) fn compaction(&self) -> MutexGuard<'_, Compaction> {
        // Compaction that panicked has stopped between two records: begin and entries agree.
        self.compaction.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compacts until a session may append `words` words; `false` if that gains too little. What
    /// others compact and use up meanwhile does not count. The caller is outside of operations.
    #[cold]
    pub(crate) fn make_room(&self, words: u64) -> bool {
        let position = || self.log.ring().position(self.log.begin());
        let most_words = LAPS_MAX * self.sizes.ring_words;
        let mut emptied_words = 0;
        loop {
            // Taken for one turn at a time, so that others go on with what it gains.
            let mut compaction = self.compaction();
            if self.log.has_room(words) {
                return true;
            }
            let begin = position();
            if emptied_words >= most_words || !compaction.turn(self) {
                return false;
            }
            emptied_words += position() - begin;
        }
    }

    /// Called when the tail has come to another page: wakes the worker if room becomes scarce.
    #[cold]
    pub(crate) fn page_turned(&self) {
        if self.config.compaction_workers > 0 && self.is_scarce() {
            self.signal.want();
        }
    }

    /// Whether there is less room than a worker keeps.
    pub(crate) fn is_scarce(&self) -> bool {
        self.log.room_words() < self.sizes.mark_words
    }
}
