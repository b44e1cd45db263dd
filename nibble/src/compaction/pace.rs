//! How eagerly to compact, and how much at a time. Pure functions.

use crate::constants::WORTH_DIVISOR;
use crate::instrument::{Mutant, mutated};

/// The least dead fraction that is worth compacting while nobody waits.
const WORTH: f64 = 1.0 / WORTH_DIVISOR as f64;

/// What the state of the pool demands of the workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Enough is free: only completely dead segments are worth compacting, and only on request.
    Rest,
    /// Little is free: compact segments with at least this dead fraction, best benefit first.
    Steady {
        /// Between 1/[`WORTH_DIVISOR`] and nine tenths.
        dead_least: f64,
    },
    /// Nothing is free, or a PUT waits: compact the emptiest segments first.
    Pressed {
        /// 1/[`WORTH_DIVISOR`], or 0 (anything dead at all) if a PUT waits.
        dead_least: f64,
    },
}

impl Pace {
    /// The pace for a number of free blocks (beyond the reserve), a trigger and a number of waiting
    /// PUTs. `inline` says whether writers compact.
    ///
    /// Far from exhaustion it pays to wait: a segment left alone becomes emptier and cheaper to
    /// compact. Threads begin early, so that PUTs need not wait for them, and their demand on a
    /// victim falls with the free memory. Writers begin late, when all the slack is dead objects in
    /// closed segments already, and then compact what there is.
    pub(crate) fn of(available: u64, low: u64, waiters: usize, inline: bool) -> Self {
        if waiters > 0 && !mutated(Mutant::WaitingUnheard) {
            Self::Pressed { dead_least: 0.0 }
        } else if available >= low {
            Self::Rest
        } else if available == 0 && !inline {
            Self::Pressed { dead_least: WORTH }
        } else if inline {
            Self::Steady { dead_least: WORTH }
        } else {
            let dead_least = 0.9 * available as f64 / low as f64;
            Self::Steady { dead_least: dead_least.max(WORTH) }
        }
    }
}

/// How much a step may do. It ends when enough is gained or too much was copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Dead bytes still to gain.
    pub(crate) gain: i64,
    /// Live bytes that may still be copied.
    pub(crate) copy: i64,
}

impl Budget {
    pub(crate) fn new(gain: u64, copy: u64) -> Self {
        Self { gain: gain as i64, copy: copy as i64 }
    }

    /// A whole victim, unless it is very large, so that the worker's lock is not held for too long.
    pub(crate) fn round() -> Self {
        Self::new(16 << 20, 16 << 20)
    }

    pub(crate) fn spend(&mut self, gained: u64, copied: u64) {
        self.gain -= gained as i64;
        self.copy -= copied as i64;
    }

    pub(crate) fn is_spent(self) -> bool {
        self.gain <= 0 || self.copy <= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demand_of_threads_falls_with_what_is_free() {
        assert_eq!(Pace::of(20, 20, 0, false), Pace::Rest);
        assert_eq!(Pace::of(10, 20, 0, false), Pace::Steady { dead_least: 0.45 });
        assert_eq!(Pace::of(1, 2000, 0, false), Pace::Steady { dead_least: WORTH });
        assert_eq!(Pace::of(0, 20, 0, false), Pace::Pressed { dead_least: WORTH });
        let waited_for = Pace::Pressed { dead_least: 0.0 };
        assert_eq!(Pace::of(20, 20, 1, false), waited_for, "a PUT overrides the trigger");
    }

    #[test]
    fn writers_take_what_there_is() {
        assert_eq!(Pace::of(20, 20, 0, true), Pace::Rest);
        assert_eq!(Pace::of(19, 20, 0, true), Pace::Steady { dead_least: WORTH });
        assert_eq!(Pace::of(0, 20, 0, true), Pace::Steady { dead_least: WORTH });
        assert_eq!(Pace::of(0, 20, 1, true), Pace::Pressed { dead_least: 0.0 });
    }

    #[test]
    fn a_budget_ends_on_either_side() {
        let mut budget = Budget::new(10, 100);
        budget.spend(9, 99);
        assert!(!budget.is_spent());
        let mut copied = budget;
        copied.spend(0, 1);
        budget.spend(1, 0);
        assert!(budget.is_spent() && copied.is_spent());
    }
}
