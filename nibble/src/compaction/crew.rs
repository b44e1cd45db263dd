//! All workers of a node, as seen by other threads.

use super::worker::Worker;
use crate::sync::{AtomicU64, CachePadded, Mutex, Ordering};

/// What a worker reports without its lock.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Number of rounds in which it found nothing to do.
    quiet: AtomicU64,
    /// Blocks in its reclamation queue, and when the oldest was queued.
    limbo_blocks: AtomicU64,
    limbo_since_ns: AtomicU64,
    freed: AtomicU64,
    copied: AtomicU64,
    compacted: AtomicU64,
    rounds: AtomicU64,
}

/// The workers of a node. A worker's lock is held during its rounds; `check` takes all of these
/// locks.
#[derive(Debug)]
pub(crate) struct Crew {
    pub(crate) workers: Box<[Mutex<Worker>]>,
    progress: Box<[CachePadded<Progress>]>,
    /// How much of the last victim was dead, in thousandths.
    yield_permille: AtomicU64,
}

/// Sums over workers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) copied_bytes: u64,
    pub(crate) segments: u64,
    pub(crate) rounds: u64,
    pub(crate) quiet_rounds: u64,
    pub(crate) freed_blocks: u64,
    pub(crate) limbo_blocks: u64,
    /// From the monotonic clock; 0 if nothing waits.
    pub(crate) limbo_since_ns: u64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.copied_bytes += other.copied_bytes;
        self.segments += other.segments;
        self.rounds += other.rounds;
        self.quiet_rounds += other.quiet_rounds;
        self.freed_blocks += other.freed_blocks;
        self.limbo_blocks += other.limbo_blocks;
        let waiting = [self.limbo_since_ns, other.limbo_since_ns];
        self.limbo_since_ns = waiting.into_iter().filter(|&since| since > 0).min().unwrap_or(0);
    }
}

// Every access here is relaxed: progress is compared only with itself, and the rest are statistics.
// Only the holder of the worker's lock writes its counters.
impl Progress {
    fn totals(&self) -> Totals {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Totals {
            copied_bytes: load(&self.copied),
            segments: load(&self.compacted),
            rounds: load(&self.rounds),
            quiet_rounds: load(&self.quiet),
            freed_blocks: load(&self.freed),
            limbo_blocks: load(&self.limbo_blocks),
            limbo_since_ns: load(&self.limbo_since_ns),
        }
    }

    fn add(counter: &AtomicU64, amount: u64) {
        counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
    }

    pub(crate) fn count_quiet(&self) {
        // Relaxed: see above. A quiet round may be counted without the lock, so this is an
        // addition.
        self.quiet.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_freed(&self, blocks: u64) {
        Self::add(&self.freed, blocks);
    }

    pub(crate) fn count_step(&self, copied: u64, segments: u64) {
        Self::add(&self.copied, copied);
        Self::add(&self.compacted, segments);
        Self::add(&self.rounds, 1);
    }

    pub(crate) fn set_limbo(&self, blocks: u64, since_ns: u64) {
        self.limbo_blocks.store(blocks, Ordering::Relaxed);
        self.limbo_since_ns.store(since_ns, Ordering::Relaxed);
    }
}

impl Crew {
    /// The workers of node `node`.
    pub(crate) fn new(node: usize, workers: usize) -> Self {
        Self {
            workers: (0..workers).map(|number| Mutex::new(Worker::new(node, number))).collect(),
            progress: (0..workers).map(|_| CachePadded::default()).collect(),
            yield_permille: AtomicU64::new(1000),
        }
    }

    pub(crate) fn progress(&self, worker: usize) -> &Progress {
        &self.progress[worker]
    }

    /// For each worker, the number of rounds in which it found nothing to do.
    pub(crate) fn quiet_rounds(&self) -> impl Iterator<Item = u64> {
        self.progress.iter().map(|progress| progress.quiet.load(Ordering::Relaxed))
    }

    /// What compaction last gained on this node: the dead part of a victim, in thousandths.
    pub(crate) fn yield_permille(&self) -> u64 {
        self.yield_permille.load(Ordering::Relaxed)
    }

    pub(crate) fn note_victim(&self, dead: u64, used: u64) {
        self.yield_permille.store(1000 * dead / used.max(1), Ordering::Relaxed);
    }

    pub(crate) fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        self.progress.iter().for_each(|progress| sum.add(&progress.totals()));
        sum
    }
}
