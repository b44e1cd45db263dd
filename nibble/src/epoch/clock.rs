//! The clock of epochs: the processor's time-stamp counter.

use crate::constants::CLOCK_SKEW_TICKS;

/// Now, for announcing an operation. Never 0, which means *outside*.
#[inline]
pub(crate) fn now() -> u64 {
    platform::clock::ticks().max(1)
}

/// Now, read after everything the calling thread has done so far is visible to all.
pub(crate) fn now_after_all() -> u64 {
    platform::clock::ticks_ordered().max(1)
}

/// Whether everyone who was inside an operation at `stamp` has left it, given the smallest epoch
/// announced since then. Clocks of different cores may differ a little.
pub(crate) fn has_passed(stamp: u64, minimum: u64) -> bool {
    stamp.saturating_add(CLOCK_SKEW_TICKS) < minimum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_and_equal_stamps_have_not_passed() {
        let stamp = now_after_all();
        assert!(!has_passed(stamp, stamp));
        assert!(!has_passed(stamp, stamp + CLOCK_SKEW_TICKS));
        assert!(has_passed(stamp, stamp + CLOCK_SKEW_TICKS + 1));
        assert!(has_passed(stamp, u64::MAX));
        assert!(now() >= stamp);
    }
}
