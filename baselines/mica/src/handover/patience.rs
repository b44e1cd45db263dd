//! How long a thread looks before it sleeps: spin shortly, then park.
//!
//! Who sleeps costs whoever wakes it a call to the system, and itself a pass through the scheduler:
//! some microseconds. Looking for about as long is at most twice as dear as the better choice. With
//! fewer cores than threads looking is in vain, because what is waited for cannot run meanwhile.
//! So each thread learns for itself: the limit halves when looking was in vain and grows when it
//! was not, and now and then the whole limit is tried, because cores may have become free.

use std::hint::spin_loop;

/// Most looks before a thread sleeps: some microseconds, what sleeping and waking costs.
pub(super) const SPINS_MAX: u32 = 256;
/// Looks where they have been in vain.
const SPINS_MIN: u32 = 8;
/// Of so many waits one may take [`SPINS_MAX`].
const PROBE_EVERY: u32 = 32;

/// The patience of one thread.
#[derive(Debug)]
pub(super) struct Patience {
    limit: u32,
    /// Looks of the wait under way.
    spent: u32,
    /// Waits in vain.
    in_vain: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { limit: SPINS_MAX, spent: 0, in_vain: 0 }
    }
}

impl Patience {
    /// Whether to look again, after a pause; `false` ends the wait, and the thread sleeps.
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

    /// What was waited for is there.
    #[inline]
    pub(super) fn met(&mut self) {
        self.limit = self.limit.max((2 * self.spent).min(SPINS_MAX));
        self.spent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks of a wait in vain.
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
