//! How long a thread spins before it sleeps.
//!
//! A sleeping thread costs its waker a system call, and itself a pass through the scheduler: some
//! microseconds. Spinning for about as long is at most twice as expensive as the better choice.
//! With fewer cores than threads, spinning is in vain, because the other thread cannot run
//! meanwhile. So each thread adapts its limit: it halves when spinning was in vain and grows when
//! it was not. Now and then the full limit is tried, because cores may have become free.

use std::hint::spin_loop;

/// The most spins before a thread sleeps: some microseconds, as much as sleeping and waking cost.
pub(super) const SPINS_MAX: u32 = 256;
/// The limit where spinning has been in vain.
const SPINS_MIN: u32 = 8;
/// One wait in this many may use [`SPINS_MAX`].
const PROBE_EVERY: u32 = 32;

/// The patience of one thread.
#[derive(Debug)]
pub(super) struct Patience {
    limit: u32,
    /// Spins of the current wait.
    spent: u32,
    /// Number of waits in vain.
    in_vain: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { limit: SPINS_MAX, spent: 0, in_vain: 0 }
    }
}

impl Patience {
    /// Returns `true`, after a pause, to try again. `false` ends the spinning, and the thread
    /// sleeps.
    #[inline]
    pub(super) fn spin(&mut self) -> bool {
        let is_probe = self.in_vain % PROBE_EVERY == PROBE_EVERY - 1;
        if self.spent < if is_probe { SPINS_MAX } else { self.limit } {
            self.spent += 1;
            spin_loop();
            return true;
        }
        self.limit = (self.limit / 2).max(SPINS_MIN);
        self.in_vain = self.in_vain.wrapping_add(1);
        self.spent = 0;
        false
    }

    /// Records that the event happened while spinning.
    #[inline]
    pub(super) fn met(&mut self) {
        self.limit = self.limit.max((2 * self.spent).min(SPINS_MAX));
        self.spent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spins of a wait in vain.
    fn looks(patience: &mut Patience) -> u32 {
        (0..).take_while(|_| patience.spin()).count() as u32
    }

    #[test]
    fn waits_in_vain_become_short_but_for_probes() {
        let mut patience = Patience::default();
        let waits: Vec<_> = (0..2 * PROBE_EVERY).map(|_| looks(&mut patience)).collect();
        assert_eq!(waits[..4], [256, 128, 64, 32]);
        let long = waits.iter().skip(4).filter(|&&looks| looks == SPINS_MAX).count();
        assert_eq!(long, 2, "{waits:?}");
        assert_eq!(waits.iter().min(), Some(&SPINS_MIN));
    }

    #[test]
    fn a_wait_that_is_met_allows_twice_its_looks() {
        let mut patience = Patience::default();
        assert_eq!((0..20).map(|_| looks(&mut patience)).last(), Some(SPINS_MIN));
        (0..SPINS_MIN).for_each(|_| assert!(patience.spin()));
        patience.met();
        assert_eq!(looks(&mut patience), 2 * SPINS_MIN);
        patience.met();
        assert_eq!(looks(&mut patience), SPINS_MIN, "nothing was looked for: nothing is learnt");
    }
}
