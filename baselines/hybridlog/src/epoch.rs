//! Epochs: who is inside an operation, and since when.
//!
//! A session announces every operation in its slot and is outside in between, so an idle session
//! holds nobody up. The original's sessions stay inside, refresh their epoch every 256 operations
//! and must not fall idle. The contract lets sessions sit idle as long as they like: nothing tells
//! a session that its next operation is far away.
//!
//! To announce costs two plain stores and a load, because the barrier between the announcement and
//! what the operation reads is the reclaimer's ([`platform::barrier`]). Without the system's help
//! it is a fence in every operation.
//!
//! # Why reclamation is safe
//! A reclaimer moves the log's begin, *then* steps the epoch, *then* passes the barrier, and
//! *then* looks at every slot until it shows one of these:
//!
//! 1. **Outside.** Either the session's last operation has ended: its reads came before
//!    (HLOG-LEAVE). Or its next announcement is not seen yet: then, by the barrier, all that the
//!    operation reads comes after the begin was moved.
//! 2. **The new epoch or a later one.** The session read the epoch after it was stepped, so it
//!    sees the begin moved (HLOG-EPOCH).
//!
//! So afterwards nobody reads below the begin, and the memory can be used again. The same wait
//! shows that everything reserved before it is written: who reserved it has left.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | HLOG-EPOCH | `Epochs::wait_for_all`, RMW | `Claim::enter`, Acquire | an operation of the new epoch sees what came before the wait |
//! | HLOG-LEAVE | `Pin::drop`, Release | `Slot::is_before`, Acquire | who has left has finished reading and writing |

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::SessionError;
use kit::padded::Padded;
use kit::spin::Spin;
use platform::barrier::Barrier;

/// The largest number of sessions at a time.
pub(crate) const SESSIONS_MAX: usize = 256;

const OUTSIDE: u64 = 0;

/// A session's place in the table.
#[derive(Debug, Default)]
struct Slot {
    /// The epoch in which the operation in progress began, or [`OUTSIDE`].
    epoch: AtomicU64,
    taken: AtomicBool,
}

impl Slot {
    /// Whether an operation is in progress that began before an epoch.
    fn is_before(&self, epoch: u64) -> bool {
        // HLOG-LEAVE, to: what the operation did comes before what follows.
        let since = self.epoch.load(Ordering::Acquire);
        since != OUTSIDE && since < epoch
    }
}

/// The current epoch, and all sessions.
#[derive(Debug)]
pub(crate) struct Epochs {
    current: Padded<AtomicU64>,
    slots: Box<[Padded<Slot>]>,
    barrier: Barrier,
}

impl Epochs {
    pub(crate) fn new() -> Self {
        Self {
            current: Padded(AtomicU64::new(OUTSIDE + 1)),
            slots: (0..SESSIONS_MAX).map(|_| Padded::default()).collect(),
            barrier: Barrier::lightest(),
        }
    }

    /// Size of the table.
    pub(crate) fn table_bytes(&self) -> u64 {
        size_of_val(&*self.slots) as u64
    }

    /// Whether announcements need no fence.
    pub(crate) fn is_asymmetric(&self) -> bool {
        self.barrier.is_asymmetric()
    }

    /// Takes a slot for a session.
    pub(crate) fn claim(&self) -> Result<Claim<'_>, SessionError> {
        let free = self.slots.iter().find(|slot| {
            // Acquire: pairs with the release of the last owner's drop. Relaxed on failure: nothing
            // follows.
            slot.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        });
        let slot = free.ok_or(SessionError::TooManySessions { limit: SESSIONS_MAX })?;
        Ok(Claim { epochs: self, slot: &slot.0 })
    }

    /// Waits until every operation has ended that was in progress. The caller must not be inside
    /// one, nor hold anything that one waits for.
    pub(crate) fn wait_for_all(&self) {
        // HLOG-EPOCH, from: what the caller did before.
        let epoch = self.current.fetch_add(1, Ordering::AcqRel) + 1;
        self.barrier.heavy();
        for slot in &self.slots {
            let mut spin = Spin::default();
            while slot.is_before(epoch) {
                spin.wait();
            }
        }
    }
}

/// A session's slot, until dropped.
#[derive(Debug)]
pub(crate) struct Claim<'epochs> {
    epochs: &'epochs Epochs,
    slot: &'epochs Slot,
}

impl Claim<'_> {
    /// Begins an operation, which lasts until the pin is dropped. Operations of one session do not
    /// nest.
    #[inline]
    pub(crate) fn enter(&self) -> Pin<'_> {
        // HLOG-EPOCH, to: see the module. An older epoch only makes a reclaimer wait.
        let epoch = self.epochs.current.load(Ordering::Acquire);
        // Relaxed: the barrier orders it before what the operation reads.
        self.slot.epoch.store(epoch, Ordering::Relaxed);
        self.epochs.barrier.light();
        Pin { slot: self.slot }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // Release: pairs with the acquire of the next owner's claim.
        self.slot.taken.store(false, Ordering::Release);
    }
}

/// An operation in progress: until this is dropped, every record at or behind the log's begin stays
/// what it is.
#[must_use = "dropping it ends the operation"]
#[derive(Debug)]
pub(crate) struct Pin<'epochs> {
    slot: &'epochs Slot,
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        // HLOG-LEAVE, from: everything that the operation read and wrote.
        self.slot.epoch.store(OUTSIDE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn sessions_that_are_idle_or_begin_later_hold_nobody_up() {
        let epochs = Epochs::new();
        let (idle, busy) = (epochs.claim().unwrap(), epochs.claim().unwrap());
        epochs.wait_for_all();
        drop(idle.enter());
        epochs.wait_for_all();
        let pin = busy.enter();
        assert!(!busy.slot.is_before(epochs.current.load(Ordering::Relaxed)));
        drop(pin);
        epochs.wait_for_all();
    }

    #[test]
    fn an_operation_in_progress_is_waited_for() {
        let epochs = Epochs::new();
        let session = epochs.claim().unwrap();
        let waited = AtomicBool::new(false);
        thread::scope(|scope| {
            let pin = session.enter();
            scope.spawn(|| {
                epochs.wait_for_all();
                waited.store(true, Ordering::Relaxed);
            });
            while !session.slot.is_before(epochs.current.load(Ordering::Relaxed)) {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(10));
            assert!(!waited.load(Ordering::Relaxed));
            drop(pin);
        });
        assert!(waited.load(Ordering::Relaxed));
    }

    #[test]
    fn slots_run_out_and_come_back() {
        let epochs = Epochs::new();
        let mut claims: Vec<_> = (0..SESSIONS_MAX).map(|_| epochs.claim().unwrap()).collect();
        let refused = epochs.claim().map(|_| ());
        assert_eq!(refused, Err(SessionError::TooManySessions { limit: SESSIONS_MAX }));
        drop(claims.pop());
        assert!(epochs.claim().is_ok());
    }

    /// If a wait misses an operation, the operation sees what was done before the wait.
    #[test]
    fn who_is_missed_sees_what_was_done_before() {
        const ROUNDS: u64 = 20_000;
        let epochs = Epochs::new();
        let session = epochs.claim().unwrap();
        // Numbers up to `unlinked` can no longer be found; those up to `freed` are gone.
        let (unlinked, freed) = (Padded(AtomicU64::new(0)), Padded(AtomicU64::new(0)));
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1..=ROUNDS {
                    unlinked.store(number, Ordering::Release);
                    epochs.wait_for_all();
                    freed.store(number, Ordering::Release);
                }
            });
            while freed.load(Ordering::Relaxed) < ROUNDS {
                let pin = session.enter();
                let seen = unlinked.load(Ordering::Acquire);
                for _ in 0..20 {
                    assert!(freed.load(Ordering::Acquire) <= seen, "it could still be found");
                    std::hint::spin_loop();
                }
                drop(pin);
            }
        });
    }
}
