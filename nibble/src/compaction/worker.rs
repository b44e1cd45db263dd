//! A compaction worker: its private candidates and its round.

use std::sync::Mutex;
use std::time::Duration;

use super::pace::Pace;
use super::reclaim::Limbo;
use super::relocate::{Output, Step, Victim};
use super::select::{Candidate, choose};
use crate::address::SegmentId;
use crate::constants::WORTH_DIVISOR;
use crate::epoch::clock;
use crate::store::Shared;
use crate::sync::{AtomicU64, CachePadded, Ordering, lock};

/// Naps while something is due but has to wait for a grace period.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(4));
/// How often a worker looks at its candidates while memory is low and nothing is worth it.
const POLL: Duration = Duration::from_millis(100);

/// All workers of a store, as others see them.
#[derive(Debug)]
pub(crate) struct Crew {
    /// A worker's lock is held during its rounds; `check` takes them all.
    pub(crate) workers: Box<[Mutex<Worker>]>,
    progress: Box<[CachePadded<AtomicU64>]>,
    /// Blocks in reclamation queues.
    pub(crate) limbo_blocks: AtomicU64,
    freed: AtomicU64,
    copied: AtomicU64,
    compacted: AtomicU64,
    rounds: AtomicU64,
}

// Every counter here is relaxed: progress is compared with itself, the rest are statistics.
impl Crew {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            workers: (0..workers).map(|number| Mutex::new(Worker::new(number))).collect(),
            progress: (0..workers).map(|_| CachePadded::default()).collect(),
            limbo_blocks: AtomicU64::new(0),
            freed: AtomicU64::new(0),
            copied: AtomicU64::new(0),
            compacted: AtomicU64::new(0),
            rounds: AtomicU64::new(0),
        }
    }

    /// Rounds in which each worker found nothing it could do.
    pub(crate) fn quiet_rounds(&self) -> impl Iterator<Item = u64> {
        self.progress.iter().map(|quiet| quiet.load(Ordering::Relaxed))
    }

    /// Blocks given back so far.
    pub(crate) fn freed(&self) -> u64 {
        self.freed.load(Ordering::Relaxed)
    }

    /// Bytes copied, segments emptied, rounds with something to do.
    pub(crate) fn totals(&self) -> (u64, u64, u64) {
        let [copied, compacted, rounds] = [&self.copied, &self.compacted, &self.rounds]
            .map(|counter| counter.load(Ordering::Relaxed));
        (copied, compacted, rounds)
    }
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// Something was done; there may be more.
    Worked,
    /// Something is due, once readers and writers have moved on.
    Waiting,
    /// Nothing can be done.
    Quiet,
}

/// One worker's own things.
#[derive(Debug)]
pub(crate) struct Worker {
    number: usize,
    pub(crate) candidates: Vec<SegmentId>,
    pub(crate) victim: Option<Victim>,
    pub(crate) output: Output,
    pub(crate) limbo: Limbo,
    /// What this worker's share of [`Crew::limbo_blocks`] is.
    limbo_counted: u64,
}

impl Worker {
    fn new(number: usize) -> Self {
        Self {
            number,
            candidates: Vec::new(),
            victim: None,
            output: Output::default(),
            limbo: Limbo::default(),
            limbo_counted: 0,
        }
    }

    fn round(&mut self, shared: &Shared) -> Round {
        let (log, crew) = (&shared.log, &shared.crew);
        self.candidates.extend(log.take_rolled(self.number));
        let pace = Pace::of(log.pool.available(), log.low_blocks(), log.signals.waiters());
        if pace == Pace::Rest && self.victim.is_none() && self.limbo.is_empty() {
            return Round::Quiet;
        }
        let minimum = shared.epochs.minimum();
        self.reclaim(shared, minimum);
        let mut young = false;
        if self.victim.is_none() {
            let chosen = self.choose(shared, pace, minimum, &mut young);
            self.victim = chosen.map(|id| Victim::pick(id, log));
        }
        let Some(victim) = &mut self.victim else {
            let rolled = pace == Pace::Pressed && self.close_dead_heads(shared);
            return if rolled || young || !self.limbo.is_empty() {
                Round::Waiting
            } else {
                Round::Quiet
            };
        };
        let copied = self.output.copied;
        let step = victim.empty(log, &shared.index, &mut self.output, &mut self.limbo);
        self.output.trim(log);
        self.candidates.append(&mut self.output.closed);
        crew.copied.fetch_add(self.output.copied - copied, Ordering::Relaxed);
        crew.rounds.fetch_add(1, Ordering::Relaxed);
        self.count_limbo(shared);
        match step {
            Step::Finished => {
                self.victim = None;
                crew.compacted.fetch_add(1, Ordering::Relaxed);
                Round::Worked
            }
            Step::Suspended { .. } if !self.limbo.is_empty() => Round::Waiting,
            Step::Suspended { .. } => Round::Quiet,
        }
    }

    fn choose(
        &mut self,
        shared: &Shared,
        pace: Pace,
        minimum: u64,
        young: &mut bool,
    ) -> Option<SegmentId> {
        let now = clock::ticks();
        let candidates = self.candidates.iter().map(|&id| {
            let info = &shared.log.segments[id];
            let age = now.saturating_sub(info.closed_ticks());
            let candidate = Candidate { live: info.live().bytes(), used: info.used(), age };
            // CLOSE, to: every operation that reserved room in the segment has left, so all its
            // objects are written and published, or never will be.
            if shared.epochs.clock.has_passed(info.closed(), minimum) {
                return Some(candidate);
            }
            *young |= candidate.score(pace).is_some();
            None
        });
        let position = choose(candidates, pace)?;
        Some(self.candidates.swap_remove(position))
    }

    /// Under pressure even open segments are worth a look. Answers whether there is a new
    /// candidate.
    fn close_dead_heads(&mut self, shared: &Shared) -> bool {
        let before = self.candidates.len();
        for head in shared.log.heads() {
            let closed = head
                .try_lock()
                .and_then(|mut state| state.close_if_dead(&shared.log, WORTH_DIVISOR));
            self.candidates.extend(closed);
        }
        if self.output.is_worth_compacting(&shared.log, WORTH_DIVISOR) {
            self.output.close(&shared.log);
            self.candidates.append(&mut self.output.closed);
        }
        self.candidates.len() > before
    }

    fn reclaim(&mut self, shared: &Shared, minimum: u64) {
        let freed = self.limbo.reclaim(&shared.log, minimum);
        if freed > 0 {
            self.count_limbo(shared);
            shared.crew.freed.fetch_add(freed, Ordering::Relaxed);
            shared.log.signals.space();
        }
    }

    fn count_limbo(&mut self, shared: &Shared) {
        let now = self.limbo.runs().map(|run| u64::from(run.blocks)).sum::<u64>();
        // The counter is a sum over workers: each adds its own difference, modulo 2^64.
        let difference = now.wrapping_sub(self.limbo_counted);
        shared.crew.limbo_blocks.fetch_add(difference, Ordering::Relaxed);
        self.limbo_counted = now;
    }
}

/// The life of worker `number`.
pub(crate) fn run(shared: &Shared, number: usize) {
    let signals = &shared.log.signals;
    let mut nap = NAP.0;
    while !signals.stopped() {
        let rings = signals.rings();
        let round = lock(&shared.crew.workers[number]).round(shared);
        match round {
            Round::Worked => nap = NAP.0,
            Round::Waiting => {
                std::thread::sleep(nap);
                nap = NAP.1.min(nap * 2);
            }
            Round::Quiet => {
                nap = NAP.0;
                shared.crew.progress[number].fetch_add(1, Ordering::Relaxed);
                signals.space();
                let low = shared.log.pool.available() < shared.log.low_blocks();
                signals.sleep(rings, low.then_some(POLL));
            }
        }
    }
}
