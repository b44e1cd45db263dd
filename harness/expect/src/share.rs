//! What many sub-cases say of a claim together. A sentence of a paper is about what is typical, so one
//! sub-case that fails by a hair does not refute it, and one that fails by far does.

use stats::Interval;

use crate::Verdict;
use crate::bounds::Bounds;

/// Percentage of the sub-cases that have to hold, and whose complement may fail.
pub const LEAST_HOLDING_PERCENT: usize = 90;

/// How far beyond its bound one sub-case decides against the whole, as a share of the bound. A step of
/// `monotone` may go the other way by as much.
pub const FAR_BEYOND: f64 = 0.1;

/// Whether the whole interval lies beyond a bound by more than [`FAR_BEYOND`].
pub(crate) fn is_far_beyond(bounds: &Bounds, interval: &Interval) -> bool {
    let wide = Bounds {
        at_least: bounds.at_least.map(|bound| bound * (1.0 - FAR_BEYOND)),
        at_most: bounds.at_most.map(|bound| bound * (1.0 + FAR_BEYOND)),
        ..*bounds
    };
    wide.judge(interval) == Verdict::Fails
}

/// The verdict on all sub-cases: each with its own, and whether it is far beyond its bound.
///
/// *Holds* if none fails and enough hold. *Fails* if too many fail, or one fails by far.
pub(crate) fn together(cases: &[(Verdict, bool)]) -> Verdict {
    let count = |verdict| cases.iter().filter(|(one, _)| *one == verdict).count();
    let (holding, failing) = (count(Verdict::Holds), count(Verdict::Fails));
    let far = cases.iter().any(|(verdict, far)| *verdict == Verdict::Fails && *far);
    if cases.is_empty() {
        Verdict::NotTestable
    } else if far || failing * 100 > cases.len() * (100 - LEAST_HOLDING_PERCENT) {
        Verdict::Fails
    } else if failing == 0 && holding * 100 >= cases.len() * LEAST_HOLDING_PERCENT {
        Verdict::Holds
    } else {
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Fails, Holds, NotTestable, Undecided};

    fn of(holding: usize, undecided: usize, failing: usize, far: bool) -> Verdict {
        let mut cases = vec![(Holds, false); holding];
        cases.extend(vec![(Undecided, false); undecided]);
        cases.extend(vec![(Fails, far); failing]);
        together(&cases)
    }

    #[test]
    fn one_case_alone_decides() {
        assert_eq!(
            [of(1, 0, 0, false), of(0, 1, 0, false), of(0, 0, 1, false)],
            [Holds, Undecided, Fails]
        );
        assert_eq!(of(0, 0, 0, false), NotTestable);
    }

    #[test]
    fn of_many_nine_in_ten_have_to_hold_and_none_may_fail() {
        assert_eq!(of(24, 0, 0, false), Holds);
        assert_eq!(of(9, 1, 0, false), Holds);
        assert_eq!(of(8, 1, 0, false), Undecided, "8 of 9 are less than nine in ten");
        assert_eq!(of(23, 0, 1, false), Undecided, "one certain failure, by a hair");
        assert_eq!(of(9, 0, 1, false), Undecided, "exactly a tenth fails");
    }

    #[test]
    fn more_than_a_tenth_or_one_by_far_fails() {
        assert_eq!(of(8, 0, 1, false), Fails);
        assert_eq!(of(21, 0, 3, false), Fails);
        assert_eq!(of(23, 0, 1, true), Fails);
    }

    #[test]
    fn far_is_the_near_end_of_the_interval_a_tenth_beyond() {
        let interval = |low: f64, high: f64| Interval { low, high, ..Interval::exact(low, 3) };
        let most = Bounds::at_most(2.0);
        assert!(is_far_beyond(&most, &interval(2.3, 2.6)));
        assert!(!is_far_beyond(&most, &interval(2.1, 2.6)), "by its low end it is a twentieth");
        let least = Bounds::at_least(2.0);
        assert!(is_far_beyond(&least, &interval(1.0, 1.7)));
        assert!(!is_far_beyond(&least, &interval(1.0, 1.9)));
    }
}
