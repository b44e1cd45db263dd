//! The epoch table: one cache line per thread.
//!
//! # Why reclamation is safe
//! A worker unlinks every object of a segment, *then* takes the stamp `T`, *then* scans the
//! table, and frees the segment once the scan's minimum lies above `T`. For a reader's slot the
//! scan finds one of three things.
//!
//! 1. **0.** By the barrier between scan and announcement (below), the reader's searches see all that
//!    was unlinked (edge PIN). This covers the window between reading the clock and announcing: such a
//!    reader may announce a time before `T` afterwards, and that only delays later reclamation.
//! 2. **At most `T` (plus skew).** Not freed.
//! 3. **Above `T` (plus skew).** The reader read its clock after `T` was stamped. With a counter,
//!    its load reads from the stamp or later, and sees the unlinking (edge STAMP). With
//!    time-stamp counters its announcement is an exchange, a full barrier that depends on that
//!    clock reading, so its searches run after it; the worker's stamp is taken behind a barrier
//!    that made the unlinking visible (`ticks_ordered`). So the reader cannot find the segment.
//!
//! # The barrier
//! An announcement is a store, a search a load behind it, and the store must not be overtaken.
//!
//! * By counters, where the system has the means ([`platform::barrier`]): the announcement is a plain
//!   store, and who scans first makes every running thread pass a fence. Of a reader, either the
//!   announcement comes before that fence, and the scan finds it, or all of its searches come after.
//!   A locked instruction here would keep the operations of a thread from overlapping.
//! * Otherwise the announcement is an exchange and the scan a read-modify-write, so both are ordered.
//!   If the announcement comes second, it reads from the scan's release sequence. Time-stamp counters
//!   need this, because a search may overtake the reading of the counter.
//!
//! A slot announces one operation at a time. A session is not `Sync`, and inside an operation it
//! runs no code of its user, so the operations of a session do not nest.
//!
//! When a reader leaves, its reads of the segment happen before the worker's next scan of its slot
//! (edge UNPIN), and so before the memory is reused.
//!
//! | edge  | from                        | to                    | guarantees                         |
//! |-------|-----------------------------|-----------------------|------------------------------------|
//! | PIN   | `EpochTable::scan`, RMW or barrier | `Slot::enter`, RMW or barrier | who enters later sees the unlinking |
//! | UNPIN | `Slot::leave`, Release      | `EpochTable::scan`    | who left has finished reading, and published what it appended (CLOSE) |

use std::sync::Arc;

use super::clock::{Clock, Stamp};
use super::pin::Pin;
use crate::constants::SESSIONS_MAX;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::knobs::EpochClock;
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, CachePadded, Ordering};

const OUTSIDE: u64 = 0;

/// One thread's cache line.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// When the operation in progress began, or [`OUTSIDE`].
    epoch: AtomicU64,
    taken: AtomicBool,
    /// The slot's number in the table.
    number: usize,
}

impl Slot {
    /// Announces an operation that begins now on the store's clock.
    #[inline(always)]
    pub(crate) fn enter(&self, clock: &Clock) -> Pin<'_> {
        let Some(light) = clock.free.filter(|_| !mutated(Mutant::EpochFenceMissing)) else {
            return self.enter_at(clock);
        };
        debug_assert!(!self.is_active(), "operations of one session do not nest");
        let now = clock.count();
        reach(Point::EpochRead);
        // Relaxed: the barrier orders it. PIN, to.
        self.epoch.store(now, Ordering::Relaxed);
        light.pass();
        Pin::new(self)
    }

    /// Like [`Self::enter`], for every kind of clock.
    #[inline(never)]
    fn enter_at(&self, clock: &Clock) -> Pin<'_> {
        let now = clock.now();
        reach(Point::EpochRead);
        debug_assert!(!self.is_active(), "operations of one session do not nest");
        let unfenced = mutated(Mutant::EpochFenceMissing);
        if clock.barrier.is_asymmetric() || unfenced {
            // Relaxed: the barrier orders it.
            self.epoch.store(now, Ordering::Relaxed);
            if !unfenced {
                // PIN, to.
                clock.barrier.light();
            }
        } else {
            // PIN, to: `SeqCst` because the exchange is also the store-load barrier that keeps the
            // searches of this operation behind its announcement.
            self.epoch.swap(now, edge::to(Edge::Pin, Ordering::SeqCst));
        }
        Pin::new(self)
    }

    #[inline]
    pub(super) fn leave(&self) {
        // UNPIN, from: everything this operation read or published comes before.
        self.epoch.store(OUTSIDE, edge::from(Edge::Unpin, Ordering::Release));
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Releases the slot.
    pub(crate) fn release(&self) {
        debug_assert!(!self.is_active());
        // Release: pairs with the Acquire in `claim`, so slots change hands in order.
        self.taken.store(false, Ordering::Release);
    }

    fn is_active(&self) -> bool {
        // Relaxed: for assertions and tests.
        self.epoch.load(Ordering::Relaxed) != OUTSIDE
    }
}

#[derive(Debug)]
pub(crate) struct EpochTable {
    pub(crate) clock: Arc<Clock>,
    slots: Box<[CachePadded<Slot>]>,
    /// Slots from here on have never been taken and are not scanned.
    used: CachePadded<AtomicUsize>,
}

impl EpochTable {
    pub(crate) fn new(kind: EpochClock) -> Self {
        let slot = |number| CachePadded(Slot { number, ..Slot::default() });
        let slots = (0..SESSIONS_MAX).map(slot).collect();
        Self { clock: Arc::new(Clock::new(kind)), slots, used: CachePadded::default() }
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.slots) as u64
    }

    /// Takes a slot for a session.
    pub(crate) fn claim(&self) -> Option<&Slot> {
        let number = self.slots.iter().position(|slot| {
            // Acquire: pairs with the Release in `release`. Relaxed on failure: nothing follows.
            slot.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        })?;
        // PIN, to: a session that takes a slot that a scan has skipped sees what was unlinked
        // before the scan, as if the scan had found the slot empty.
        if !mutated(Mutant::SlotNotScanned) {
            self.used.fetch_max(number + 1, Ordering::AcqRel);
        }
        Some(&self.slots[number].0)
    }

    /// A claimed slot.
    #[cfg(all(loom, test))]
    pub(crate) fn slot(&self, number: usize) -> &Slot {
        &self.slots[number]
    }

    /// The operations in progress: the epoch of each, and the number of its slot.
    fn scan(&self) -> impl Iterator<Item = (u64, usize)> {
        if self.clock.barrier.is_asymmetric() && !mutated(Mutant::ScanBarrierMissing) {
            // PIN, from.
            self.clock.barrier.heavy();
        }
        // PIN, from: a read-modify-write, so that a later `claim` of more slots reads from it.
        let used = self.used.fetch_add(0, Ordering::AcqRel);
        let announced = self.slots[..used].iter().map(|slot| {
            // PIN, from: a read-modify-write, so that a later `enter` reads from it.
            // UNPIN, to: acquires what a thread did before it left.
            let ordering = edge::to(Edge::Unpin, Ordering::AcqRel);
            (slot.epoch.fetch_add(0, edge::from(Edge::Pin, ordering)), slot.number)
        });
        announced.filter(|&(epoch, _)| epoch != OUTSIDE)
    }

    /// When the oldest operation in progress began; `u64::MAX` if there is none.
    pub(crate) fn minimum(&self) -> u64 {
        self.scan().map(|(epoch, _)| epoch).min().unwrap_or(u64::MAX)
    }

    /// The number of the slot that has been inside one operation for longest, if that operation was
    /// in progress at `stamp`.
    pub(crate) fn inside_since(&self, stamp: Stamp) -> Option<usize> {
        let (epoch, number) = self.scan().min()?;
        (!self.clock.has_passed(stamp, epoch)).then_some(number)
    }

    /// Like [`Self::minimum`], but without a statement about operations that begin after this scan.
    /// Whoever has left by then has left for good, so the result may be used later.
    pub(crate) fn horizon(&self) -> u64 {
        let present = self.clock.stamp().word();
        self.minimum().min(present)
    }

    /// Number of operations in progress.
    pub(crate) fn active(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_active()).count()
    }

    /// Number of slots held by sessions.
    #[cfg(test)]
    fn taken(&self) -> usize {
        // Relaxed: tests only.
        self.slots.iter().filter(|slot| slot.taken.load(Ordering::Relaxed)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_the_oldest_pin_and_nobody_is_no_limit() {
        for &kind in EpochClock::ALL {
            let table = EpochTable::new(kind);
            assert_eq!(table.minimum(), u64::MAX);
            let (first, second) = (table.claim().unwrap(), table.claim().unwrap());
            let older = first.enter(&table.clock);
            let between = table.clock.stamp();
            let younger = second.enter(&table.clock);
            let has_passed = || table.clock.has_passed(between, table.minimum());
            assert!(!has_passed(), "{kind}: a pinned reader blocks later stamps");
            assert_eq!(table.inside_since(between), Some(0), "{kind}: the older one");
            drop(older);
            // Two readings of the processor's counter may be closer together than the skew.
            assert!(kind == EpochClock::ThreadTicks || has_passed(), "{kind}");
            let inside = table.inside_since(between);
            assert!(kind == EpochClock::ThreadTicks || inside.is_none(), "{kind}");
            drop(younger);
            assert_eq!((table.minimum(), table.active()), (u64::MAX, 0));
        }
    }

    #[test]
    fn a_panic_leaves_the_epoch() {
        let table = EpochTable::new(EpochClock::ThreadCounter);
        let slot = table.claim().unwrap();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _pin = slot.enter(&table.clock);
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(result.is_err());
        assert_eq!(table.minimum(), u64::MAX);
    }

    #[test]
    fn slots_run_out_and_come_back() {
        let table = EpochTable::new(EpochClock::ThreadTicks);
        let slots: Vec<_> = std::iter::from_fn(|| table.claim()).collect();
        assert_eq!((slots.len(), table.taken()), (SESSIONS_MAX, SESSIONS_MAX));
        slots[17].release();
        assert!(std::ptr::eq(table.claim().unwrap(), slots[17]));
    }
}
