//! The turn word of one partner.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Death, Partners};
use crate::futex::Futex;
use crate::mutant::{Mutant, mutated};

const WAITING: u32 = 0;
const SET: u32 = 1;
/// How long a partner that watches others waits before it looks at them again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The word, in a cache line of its own.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Turn {
    futex: Futex,
}

impl Turn {
    /// Gives the turn to the partner whose word this is, and wakes it if it sleeps.
    #[inline]
    pub fn give(&self) {
        if mutated(Mutant::WokenBeforeSet) {
            self.futex.wake(1);
            return self.set();
        }
        self.set();
        self.futex.wake(1);
    }

    /// Gives the turn without waking anybody; for partners that never sleep.
    #[inline]
    pub fn set(&self) {
        let ordering =
            if mutated(Mutant::ReleaseDropped) { Ordering::Relaxed } else { Ordering::Release };
        // TURN, from: what this partner wrote is visible to the next one.
        self.futex.word().store(SET, ordering);
    }

    /// Takes the turn if it was given.
    #[inline]
    pub fn take(&self) -> bool {
        // Relaxed: a look that takes nothing; the exchange below orders.
        // TURN, to: what the partner before wrote is visible.
        self.futex.word().load(Ordering::Relaxed) == SET
            && self.futex.word().swap(WAITING, Ordering::Acquire) == SET
    }

    /// Waits for the turn and takes it.
    #[inline]
    pub fn wait(&self) {
        while !self.take() {
            self.futex.wait(WAITING, None);
        }
    }

    /// Waits for the turn for so long at most, and takes it; returns whether it did.
    pub fn wait_for(&self, most: Duration) -> bool {
        let until = Instant::now() + most;
        while !self.take() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.futex.wait(WAITING, Some(left));
        }
        true
    }

    /// Waits for the turn, and looks at the other processes of the relay meanwhile.
    ///
    /// # Errors
    /// The first partner found dead.
    pub fn wait_among(&self, partners: &mut Partners) -> Result<(), Death> {
        self.wait_looking(|| partners.look())
    }

    /// Waits for the turn, and calls `look` about ten times a second meanwhile.
    ///
    /// # Errors
    /// What `look` returned. The turn may be given afterwards all the same.
    pub fn wait_looking<E>(&self, mut look: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        while !self.take() {
            self.futex.wait(WAITING, Some(LOOK_EVERY));
            if self.take() {
                break;
            }
            look()?;
        }
        Ok(())
    }
}
