//! How eagerly to compact. Pure.

use crate::constants::WORTH_DIVISOR;

/// What the state of the pool asks of the workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Enough is free.
    Rest,
    /// Little is free: compact segments with at least this fraction dead, best benefit first.
    Steady {
        /// Between 1/[`WORTH_DIVISOR`] and nine tenths; less the less is free.
        dead_least: f64,
    },
    /// Nothing is free, or a PUT waits: compact whatever is worth it, emptiest first.
    Pressed,
}

impl Pace {
    /// From free blocks (beyond the reserve), the trigger, and the number of waiting PUTs.
    ///
    /// Far from exhaustion it pays to wait: a segment that is left alone becomes emptier, and
    /// costs less to compact. So the demand on a victim falls with what is free.
    pub(crate) fn of(available: u64, low: u64, waiters: usize) -> Self {
        if waiters > 0 {
            Self::Pressed
        } else if available >= low {
            Self::Rest
        } else if available == 0 {
            Self::Pressed
        } else {
            let dead_least = 0.9 * available as f64 / low as f64;
            Self::Steady { dead_least: dead_least.max(1.0 / WORTH_DIVISOR as f64) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demand_falls_with_what_is_free() {
        assert_eq!(Pace::of(20, 20, 0), Pace::Rest);
        assert_eq!(Pace::of(10, 20, 0), Pace::Steady { dead_least: 0.45 });
        assert_eq!(Pace::of(1, 2000, 0), Pace::Steady { dead_least: 1.0 / 64.0 });
        assert_eq!(Pace::of(0, 20, 0), Pace::Pressed);
        assert_eq!(Pace::of(20, 20, 1), Pace::Pressed, "a waiting PUT overrides the trigger");
    }
}
