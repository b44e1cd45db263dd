//! The clock of epochs (N17 section 3.3): what operations announce, and what workers stamp on what
//! they have unlinked.

use platform::barrier::{Barrier, Light};

use crate::constants::CLOCK_SKEW_TICKS;
use crate::instrument::{Mutant, mutated};
use crate::knobs::EpochClock;
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU64, CachePadded, Ordering};

/// A moment on the store's clock; see [`Clock::stamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// The stamp as a word, for a table.
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// The stamp with this word.
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }
}

/// | edge  | from                  | to                       | guarantees                          |
/// |-------|-----------------------|--------------------------|-------------------------------------|
/// | STAMP | `Clock::stamp`, RMW   | `Clock::now`, Acquire    | a later epoch sees the unlinking    |
///
/// For time-stamp counters there is no edge of the memory model here; the argument is in
/// `table.rs`.
#[derive(Debug)]
pub(crate) struct Clock {
    kind: EpochClock,
    /// Between announcements and scans; see `table.rs`.
    pub(super) barrier: Barrier,
    /// The barrier of an operation that reads the counter and stores what it read: the common case, which
    /// an operation asks for once.
    pub(super) free: Option<Light>,
    counter: CachePadded<AtomicU64>,
}

impl Clock {
    pub(crate) fn new(kind: EpochClock) -> Self {
        let barrier = match kind {
            EpochClock::ThreadTicks => Barrier::of_fences(),
            EpochClock::ThreadCounter | EpochClock::GlobalCounter => Barrier::lightest(),
        };
        let free = barrier.free().filter(|_| kind == EpochClock::ThreadCounter);
        Self { kind, barrier, free, counter: CachePadded(AtomicU64::new(1)) }
    }

    /// Whether loads of an operation wait for its announcement.
    #[inline(always)]
    pub(crate) fn takes_a_barrier(&self) -> bool {
        self.free.is_none() && !self.barrier.is_asymmetric()
    }

    /// The counter.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        // STAMP, to: an epoch above a stamp read the counter after it was stamped.
        self.counter.load(edge::to(Edge::Stamp, Ordering::Acquire))
    }

    /// The current time, for announcing an operation. Never 0, which means *outside*.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        match self.kind {
            EpochClock::ThreadTicks => ticks(),
            EpochClock::ThreadCounter => self.count(),
            // STAMP, to: as in `count`.
            EpochClock::GlobalCounter => {
                self.counter.fetch_add(1, edge::to(Edge::Stamp, Ordering::AcqRel))
            }
        }
    }

    /// The current time, after everything the calling thread has done so far is visible to all who
    /// announce a later epoch.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp(match self.kind {
            EpochClock::ThreadTicks => platform::clock::ticks_ordered().max(1),
            // STAMP, from: the unlinking comes before.
            _ => self.counter.fetch_add(1, edge::from(Edge::Stamp, Ordering::AcqRel)),
        })
    }

    /// Whether everyone who was inside an operation at `stamp` has left it. `minimum` is the
    /// smallest epoch announced since then. Time-stamp counters of different cores may differ a
    /// little.
    pub(crate) fn has_passed(&self, stamp: Stamp, minimum: u64) -> bool {
        let last = match self.kind {
            EpochClock::ThreadTicks => stamp.0.saturating_add(CLOCK_SKEW_TICKS),
            _ => stamp.0,
        };
        last < minimum || (mutated(Mutant::FreeAtEqual) && last == minimum)
    }
}

/// The time-stamp counter. It is the clock of segment ages, whatever the clock of epochs.
#[inline]
pub(crate) fn ticks() -> u64 {
    platform::clock::ticks().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_after_a_stamp_is_later_and_one_before_is_not() {
        for &kind in EpochClock::ALL {
            let clock = Clock::new(kind);
            let before = clock.now();
            let stamp = clock.stamp();
            assert!(!clock.has_passed(stamp, before), "{kind}");
            assert!(!clock.has_passed(stamp, stamp.0), "{kind}: equal is not later");
            assert!(clock.has_passed(stamp, u64::MAX), "{kind}: nobody is inside");
            if kind == EpochClock::ThreadTicks {
                assert!(!clock.has_passed(stamp, stamp.0 + CLOCK_SKEW_TICKS));
                assert!(clock.has_passed(stamp, stamp.0 + CLOCK_SKEW_TICKS + 1));
            } else {
                assert!(clock.has_passed(stamp, clock.now()), "{kind}");
            }
        }
    }
}
