//! How often a comparison may be judged, as more processes measure it, and at which level each time.

use stats::{Prior, student};

use crate::{Expectation, Method};

/// One judgement of the first processes that measured a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many processes of each side are judged, at most.
    pub processes: usize,
    /// The share of intervals that may miss the true value, in percent.
    pub misses_percent: u32,
    /// Whether a ratio is that of processes which measured both sides in the same repetition, one after
    /// the other: what the machine does to both of them then cancels.
    pub is_paired: bool,
    /// Whether the spread of rates and times is moderated by what is known of it beforehand.
    pub is_moderated: bool,
}

impl Look {
    /// The share of intervals that hold the true value.
    #[must_use]
    pub fn level(&self) -> f64 {
        1.0 - f64::from(self.misses_percent) / 100.0
    }
}

/// All processes at once.
pub const ONE_LOOK: &[Look] =
    &[Look { processes: usize::MAX, misses_percent: 5, is_paired: false, is_moderated: false }];

/// How far processes that measure the same rate or time differ. Fitted to 869 cells of two to six processes
/// (Smyth's moments) it is 0.098, with 1.7 degrees of freedom; rounded up until comparisons of cells that
/// vary most are decided wrongly in no more than 5 % of cases, too.
pub(crate) const SPREAD_OF_RATES: Prior = Prior { deviation: 0.12, freedom: 2.0 };

/// How far processes that hold the same objects differ in memory. Of 113 cells of two to four processes
/// together the deviation is 0.0064; that of half of them is below 0.0002, of nine in ten below 0.0063, of the
/// worst 0.035. Rounded up as the other.
pub(crate) const SPREAD_OF_MEMORY: Prior = Prior { deviation: 0.01, freedom: 2.0 };

/// What is undecided is measured by more processes and judged again; what is decided stays so. Together
/// the looks miss no more than [`ONE_LOOK`], whatever made somebody look again (Bonferroni). Two pairs say
/// little, so the first look takes its processes as independent.
pub const REPEATED_LOOKS: &[Look] =
    &[look(2, false), look(4, true), look(8, true), look(13, true), look(20, true)];

/// Memory repeats, so that one process may decide what lies far from a bound.
pub(crate) const REPEATED_LOOKS_AT_MEMORY: &[Look] =
    &[look(1, false), look(2, false), look(4, false), look(8, false), look(13, false)];

/// One of five that share 5 %.
const fn look(processes: usize, is_paired: bool) -> Look {
    Look { processes, misses_percent: 1, is_paired, is_moderated: true }
}

/// The same questions, for a run that measured undecided ones again.
#[must_use]
pub fn in_repeated_looks(mut expectations: Vec<Expectation>) -> Vec<Expectation> {
    let questions = expectations.iter_mut().flat_map(|one| &mut one.questions);
    for question in questions.filter(|question| matches!(question.method, Method::Welch { .. })) {
        let looks = match question.metric.is_memory() {
            true => REPEATED_LOOKS_AT_MEMORY,
            false => REPEATED_LOOKS,
        };
        question.method = Method::Welch { looks };
    }
    expectations
}

/// The first look that sees more than `count` processes, in processes.
#[must_use]
pub fn next_look(count: usize) -> Option<usize> {
    REPEATED_LOOKS.iter().map(|look| look.processes).find(|processes| *processes > count)
}

/// The width of the interval of the look at `later` processes ÷ that of the look which sees `count` processes
/// on each of `sides`, if the processes vary alike. What pairing gains is not known before.
pub(crate) fn width_left((count, later): (usize, usize), sides: usize) -> f64 {
    let width = |count: usize| {
        let last = &REPEATED_LOOKS[REPEATED_LOOKS.len() - 1];
        let look = REPEATED_LOOKS.iter().find(|look| look.processes >= count).unwrap_or(last);
        let samples = if look.is_paired { 1 } else { sides };
        let freedom = (count.max(2) - 1) as f64 + SPREAD_OF_RATES.freedom;
        student(look.level(), freedom * samples as f64) / (count.max(1) as f64).sqrt()
    };
    width(later) / width(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_looks_together_miss_no_more_than_one() {
        for looks in [REPEATED_LOOKS, REPEATED_LOOKS_AT_MEMORY] {
            let misses: u32 = looks.iter().map(|look| look.misses_percent).sum();
            assert_eq!(misses, ONE_LOOK[0].misses_percent);
            assert!(looks.is_sorted_by(|one, next| one.processes < next.processes));
        }
        assert!((ONE_LOOK[0].level() - 0.95).abs() < 1e-12);
    }

    #[test]
    fn further_processes_narrow_an_interval() {
        // Student's t at 99 %: 3.707 of 6 degrees of freedom, 3.250 of 9, 2.831 of 21.
        for (count, now) in [(2, 3.707), (8, 3.250)] {
            let expected = 2.831 / now * (count as f64 / 20.0).sqrt();
            let found = width_left((count, 20), 2);
            assert!((found / expected - 1.0).abs() < 1e-3, "{count}: {found}");
        }
        assert!((width_left((20, 20), 2) - 1.0).abs() < 1e-12);
        assert!(width_left((4, 8), 2) > width_left((4, 13), 2));
    }

    #[test]
    fn the_next_look_sees_more_than_the_processes_there_are() {
        let next: Vec<_> = [0, 1, 2, 3, 4, 19, 20].map(next_look).to_vec();
        let expected = [Some(2), Some(2), Some(4), Some(4), Some(8), Some(20), None];
        assert_eq!(next, expected);
    }
}
