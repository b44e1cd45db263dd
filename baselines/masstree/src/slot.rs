//! The slot of a session: who holds it, and what the session keeps there.
//!
//! Its owner **pins** it for one operation at a time, and leaves it idle in between. Anyone else may
//! **seize** it while it is idle. The owner stores its pin and then looks whether the slot is
//! marked; who wants to seize it marks it and then looks whether it is pinned. Between store and
//! look both pass a barrier, so at least one sees the other, and gives way: a pin that meets a mark
//! is taken back. The owner's side of the barrier is the light one: an operation begins without a
//! locked instruction.
//!
//! So one thread at a time uses what is kept in a slot, and none of it needs its own atomics.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::credit::Credit;
use kit::spin::Spin;
use platform::Barrier;

use crate::counters::Counters;
use crate::limbo::Limbo;

/// What the owner does with its slot, as a word.
///
/// ```text
///  63                              1     0
/// ┌──────────────────────────────────┬───────┐
/// │ epoch, when pinned               │ pinned│
/// └──────────────────────────────────┴───────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Idle,
    Pinned { epoch: u64 },
}

impl Hold {
    const fn bits(self) -> u64 {
        match self {
            Self::Idle => 0,
            Self::Pinned { epoch } => epoch << 1 | 1,
        }
    }

    const fn from_bits(bits: u64) -> Self {
        if bits & 1 == 0 { Self::Idle } else { Self::Pinned { epoch: bits >> 1 } }
    }
}

const _: () = {
    assert!(matches!(Hold::from_bits(Hold::Idle.bits()), Hold::Idle));
    let pinned = Hold::Pinned { epoch: 7 };
    assert!(matches!(Hold::from_bits(pinned.bits()), Hold::Pinned { epoch: 7 }));
};

/// What a session keeps for itself.
#[derive(Debug, Default)]
pub(crate) struct Local {
    pub(crate) limbo: RefCell<Limbo>,
    pub(crate) credit: Credit,
    pub(crate) counters: Counters,
}

/// More than two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Slot {
    /// Stored by the owner alone.
    hold: AtomicU64,
    /// Whether someone other than the owner has the slot, or asks whether it is idle.
    marked: AtomicBool,
    local: Local,
}

// SAFETY: `local` is reached through `Pinned` and `Seized` only. They exclude each other by mark and
// pin, as described above; a slot has one owner, and one mark at a time. Each acquires what the one
// before released.
unsafe impl Sync for Slot {}

impl Slot {
    /// Pins the slot for an operation of its owner; `None` if it is seized, or about to be.
    ///
    /// # Safety
    /// The caller is the slot's only owner, and has not pinned it yet.
    #[inline]
    pub(crate) unsafe fn pin(&self, epoch: u64, barrier: Barrier) -> Option<Pinned<'_>> {
        debug_assert_eq!(self.hold.load(Ordering::Relaxed), Hold::Idle.bits());
        // Release: pairs with the acquire in `hold`, for who sees this pin and not the end of the
        // operation before.
        self.hold.store(Hold::Pinned { epoch }.bits(), Ordering::Release);
        let pinned = Pinned(self);
        // MASSTREE-PIN, from: the mark, and all that the operation reads, is read after the pin can
        // be seen.
        barrier.light();
        // Acquire: pairs with the release in the drop of `Mark`.
        if self.marked.load(Ordering::Acquire) { None } else { Some(pinned) }
    }

    /// Waits until the slot is not marked.
    #[cold]
    pub(crate) fn wait_for_mark(&self) {
        let mut spin = Spin::default();
        // Relaxed: the next pin acquires.
        while self.marked.load(Ordering::Relaxed) {
            spin.wait();
        }
    }

    /// What the owner does with it now.
    pub(crate) fn hold(&self) -> Hold {
        // Acquire: pairs with the releases in `pin` and in the drop of `Pinned`. What was read in
        // operations that have ended was read before what follows.
        Hold::from_bits(self.hold.load(Ordering::Acquire))
    }
}

/// A slot held by its owner, for one operation.
#[derive(Debug)]
pub(crate) struct Pinned<'d>(&'d Slot);

impl Pinned<'_> {
    #[inline]
    pub(crate) fn local(&self) -> &Local {
        &self.0.local
    }
}

impl Drop for Pinned<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release: pairs with the acquire in `hold`.
        self.0.hold.store(Hold::Idle.bits(), Ordering::Release);
    }
}

/// A slot that its owner pins no more, once it is not pinned now.
#[derive(Debug)]
struct Mark<'d>(&'d Slot);

impl<'d> Mark<'d> {
    /// Marks a slot that is not marked.
    fn try_on(slot: &'d Slot) -> Option<Self> {
        // Acquire: pairs with the release in `drop`. Relaxed on failure: nothing follows.
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        let marked = slot.marked.compare_exchange(false, true, success, failure).is_ok();
        marked.then(|| Self(slot))
    }

    /// Marks a slot as soon as nobody else has marked it.
    fn on(slot: &'d Slot) -> Self {
        let mut spin = Spin::default();
        loop {
            if let Some(mark) = Self::try_on(slot) {
                return mark;
            }
            spin.wait();
        }
    }

    fn is_idle(&self) -> bool {
        self.0.hold() == Hold::Idle
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // Release: pairs with the acquires in `try_on` and in `Slot::pin`.
        self.0.marked.store(false, Ordering::Release);
    }
}

/// A slot held by someone other than its owner, between two operations.
#[derive(Debug)]
pub(crate) struct Seized<'d>(Mark<'d>);

impl Seized<'_> {
    pub(crate) fn local(&self) -> &Local {
        &self.0.0.local
    }
}

/// Seizes those of some slots that are idle, and that nobody else seizes.
pub(crate) fn seize_idle(slots: &[Slot], barrier: Barrier) -> Vec<Seized<'_>> {
    let marks: Vec<_> = slots.iter().filter_map(Mark::try_on).collect();
    // MASSTREE-PIN, to: an owner whose pin is not seen below sees the mark.
    barrier.heavy();
    marks.into_iter().filter(Mark::is_idle).map(Seized).collect()
}

/// Seizes slots as soon as all are idle and nobody else has any.
pub(crate) fn seize_all(slots: &[Slot], barrier: Barrier) -> Vec<Seized<'_>> {
    let marks: Vec<_> = slots.iter().map(Mark::on).collect();
    // MASSTREE-PIN, to: as above.
    barrier.heavy();
    for mark in &marks {
        let mut spin = Spin::default();
        while !mark.is_idle() {
            spin.wait();
        }
    }
    marks.into_iter().map(Seized).collect()
}

#[cfg(test)]
mod tests {
    use std::slice;
    use std::thread;

    use super::*;
    use crate::counters::Counter;

    fn barriers() -> [Barrier; 2] {
        [Barrier::lightest(), Barrier::of_fences()]
    }

    #[test]
    fn a_pin_and_a_mark_exclude_each_other() {
        for barrier in barriers() {
            let slot = Slot::default();
            let slots = slice::from_ref(&slot);
            // SAFETY: this thread is the owner, and holds no other pin.
            let pin = || unsafe { slot.pin(3, barrier) };
            let pinned = pin();
            assert_eq!((pinned.is_some(), slot.hold()), (true, Hold::Pinned { epoch: 3 }));
            assert_eq!(seize_idle(slots, barrier).len(), 0);
            drop(pinned);
            assert_eq!(slot.hold(), Hold::Idle);
            let seized = seize_idle(slots, barrier);
            assert_eq!((seized.len(), seize_idle(slots, barrier).len()), (1, 0));
            assert!(pin().is_none());
            assert_eq!(slot.hold(), Hold::Idle, "the pin was taken back");
            drop(seized);
            assert!(pin().is_some());
            assert_eq!(seize_all(slots, barrier).len(), 1);
        }
    }

    /// What both count in two steps is lost if they ever hold the slot at once.
    #[test]
    fn an_owner_and_another_take_turns() {
        const PINS: u64 = 200_000;
        for barrier in barriers() {
            let slot = Slot::default();
            let slots = slice::from_ref(&slot);
            let running = AtomicBool::new(true);
            let count = |local: &Local| local.counters.add(Counter::Removals, 1);
            let times = thread::scope(|scope| {
                let other = scope.spawn(|| {
                    let mut times = 0;
                    while running.load(Ordering::Relaxed) {
                        for seized in seize_idle(slots, barrier) {
                            count(seized.local());
                            times += 1;
                        }
                    }
                    times
                });
                let mut pins = 0;
                while pins < PINS {
                    // SAFETY: this thread is the owner, and holds no other pin.
                    match unsafe { slot.pin(0, barrier) } {
                        Some(pinned) => {
                            count(pinned.local());
                            pins += 1;
                        }
                        None => slot.wait_for_mark(),
                    }
                }
                running.store(false, Ordering::Relaxed);
                other.join().unwrap()
            });
            let seized = seize_all(slots, barrier);
            assert_eq!(seized[0].local().counters.get(Counter::Removals), PINS + times);
        }
    }
}
