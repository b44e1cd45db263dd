//! Timestamps of writes and of snapshots (paper, section 3.2.1 and algorithm 2).
//!
//! A write draws a timestamp and stands in the *active set* from then until its version is
//! inserted. A snapshot at time *t* must contain all versions up to *t*, so it chooses a time below
//! all active writes, forbids that time to writes that have drawn it but do not stand in the set
//! yet, and waits for those that came into the set before they could be forbidden.
//!
//! The set is one slot per session. It is read slot by slot, not at one moment; the search in
//! `tests::states` says that this is enough.
//!
//! Two faults of the printed algorithm are not here ([`Printed`] puts them back): the wait must
//! include the snapshot's own time (`<=`, not `<`), and the time must be bound before the wait.

use kit::padded::Padded;

use crate::mutant::{Mutant, mutated};
use crate::printed::Printed;
use crate::sync::{AtomicU64, Ordering, Wait, between_store_and_load};

/// Stands in an empty slot. No write has this timestamp.
const NONE: u64 = 0;

/// Where timestamps come from.
#[derive(Debug)]
pub(crate) struct Clock {
    /// The newest timestamp drawn.
    time: Padded<AtomicU64>,
    /// The largest snapshot time chosen so far: writes may not have it, nor any below.
    forbidden: Padded<AtomicU64>,
    /// The timestamp of each session's write in progress.
    active: Box<[Padded<AtomicU64>]>,
    /// Slots that were ever used: no other need be looked at.
    used: Padded<AtomicU64>,
    printed: Printed,
}

impl Clock {
    /// A clock whose next timestamp is `time + 1`, with a slot for each of `sessions`.
    pub(crate) fn new(time: u64, sessions: usize, printed: Printed) -> Self {
        Self {
            time: Padded(AtomicU64::new(time)),
            forbidden: Padded(AtomicU64::new(time)),
            active: (0..sessions).map(|_| Padded(AtomicU64::new(NONE))).collect(),
            used: Padded(AtomicU64::new(0)),
            printed,
        }
    }

    /// Says that `slot` will be used. Before its first [`draw`](Self::draw).
    pub(crate) fn use_slot(&self, slot: usize) {
        // A snapshot that misses the slot reads the time before the session draws: sequentially
        // consistent as all that follows.
        self.used.fetch_max(slot as u64 + 1, Ordering::SeqCst);
    }

    /// The newest timestamp drawn.
    pub(crate) fn now(&self) -> u64 {
        self.time.load(Ordering::SeqCst)
    }

    /// A timestamp that no snapshot contains yet. It is active until [`retire`](Self::retire).
    /// Each turn of the loop means that a snapshot was taken.
    #[inline]
    pub(crate) fn draw(&self, slot: usize) -> u64 {
        loop {
            let timestamp = self.take();
            if self.enlist(slot, timestamp) {
                return timestamp;
            }
        }
    }

    #[inline]
    pub(crate) fn take(&self) -> u64 {
        self.time.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Makes a timestamp active; `false` if a snapshot has it already.
    #[inline]
    pub(crate) fn enlist(&self, slot: usize, timestamp: u64) -> bool {
        // Store, then load; a snapshot stores `forbidden` and then loads the slot. In the one order
        // of all four, either we see its time or it sees our timestamp.
        self.active[slot].store(timestamp, Ordering::SeqCst);
        between_store_and_load();
        if mutated(Mutant::ForbiddenUnread) || timestamp > self.forbidden.load(Ordering::SeqCst) {
            return true;
        }
        self.retire(slot);
        false
    }

    /// Ends a write: its version is inserted, or never will be.
    #[inline]
    pub(crate) fn retire(&self, slot: usize) {
        // RETIRE, from: whoever finds the slot empty finds the version inserted.
        self.active[slot].store(NONE, Ordering::Release);
    }

    /// The oldest active timestamp.
    pub(crate) fn oldest(&self) -> Option<u64> {
        let used = self.used.load(Ordering::SeqCst) as usize;
        // RETIRE, to: as above, and sequentially consistent for `enlist`.
        let active = self.active[..used].iter().map(|slot| slot.load(Ordering::SeqCst));
        active.filter(|&timestamp| timestamp != NONE).min()
    }

    /// The time of a new snapshot: all versions up to it are inserted, and none will be later.
    ///
    /// Without `linearizable` it may lie before writes that are complete, even the caller's; with
    /// it, it contains all that were complete before the call, and waits for those in progress.
    ///
    /// Times never decrease from one call to a later one.
    pub(crate) fn snapshot(&self, linearizable: bool) -> u64 {
        let bound = self.forbid(self.candidate(linearizable));
        let mut wait = Wait::default();
        while !self.is_inserted(bound) {
            wait.turn();
        }
        self.chosen(bound)
    }

    /// A time for a snapshot: now, or just before the oldest write in progress.
    pub(crate) fn candidate(&self, linearizable: bool) -> u64 {
        let now = self.now();
        if linearizable {
            return now;
        }
        self.oldest().map_or(now, |oldest| oldest - 1)
    }

    /// Forbids writes that time, and what was forbidden already. Answers the larger.
    pub(crate) fn forbid(&self, time: u64) -> u64 {
        let before = self.forbidden.fetch_max(time, Ordering::SeqCst);
        between_store_and_load();
        before.max(time)
    }

    /// Whether no write up to this time is in progress.
    pub(crate) fn is_inserted(&self, bound: u64) -> bool {
        let bound =
            if self.printed.reads_late() { self.forbidden.load(Ordering::SeqCst) } else { bound };
        let waits_below = self.printed.waits_below() || mutated(Mutant::WaitsBelow);
        match self.oldest() {
            None => true,
            Some(oldest) if waits_below => oldest >= bound,
            Some(oldest) => oldest > bound,
        }
    }

    /// The time of the snapshot that has waited for `bound`.
    pub(crate) fn chosen(&self, bound: u64) -> u64 {
        if self.printed.reads_late() || mutated(Mutant::ReadsLate) {
            return self.forbidden.load(Ordering::SeqCst);
        }
        bound
    }
}
