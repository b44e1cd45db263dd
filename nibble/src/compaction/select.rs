//! Which segment to compact next. Pure.

use super::pace::Pace;
use crate::constants::WORTH_DIVISOR;

/// What is known of a closed segment without touching its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Live bytes.
    pub(crate) live: u64,
    /// Appended bytes.
    pub(crate) used: u64,
    /// Ticks since it closed.
    pub(crate) age: u64,
}

impl Candidate {
    fn dead(self) -> f64 {
        self.used.saturating_sub(self.live) as f64 / self.used as f64
    }

    /// `(1 - u) * age / (1 + u)`: the space gained, for as long as it will stay gained, per byte
    /// read and written. Recomputed from the present age every time.
    fn benefit(self) -> f64 {
        let utilisation = 1.0 - self.dead();
        (1.0 - utilisation) * self.age as f64 / (1.0 + utilisation)
    }

    /// How much this pace wants it; `None` for not at all.
    pub(crate) fn score(self, pace: Pace) -> Option<f64> {
        let (least, score) = match pace {
            Pace::Rest => return None,
            Pace::Steady { dead_least } => (dead_least, self.benefit()),
            Pace::Pressed => (1.0 / WORTH_DIVISOR as f64, self.dead()),
        };
        (self.used > 0 && self.dead() > 0.0 && self.dead() >= least).then_some(score)
    }
}

/// The position of the candidate with the highest score.
pub(crate) fn choose(
    candidates: impl Iterator<Item = Option<Candidate>>,
    pace: Pace,
) -> Option<usize> {
    candidates
        .enumerate()
        .filter_map(|(position, candidate)| Some((position, candidate?.score(pace)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(position, _)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(live: u64, age: u64) -> Option<Candidate> {
        Some(Candidate { live, used: 100, age })
    }

    #[test]
    fn benefit_weighs_age_and_pressure_does_not() {
        let all = [candidate(50, 1000), candidate(20, 10), candidate(0, 1)];
        let steady = Pace::Steady { dead_least: 0.1 };
        assert_eq!(choose(all.into_iter(), steady), Some(0));
        assert_eq!(choose(all.into_iter(), Pace::Pressed), Some(2));
        assert_eq!(choose(all.into_iter(), Pace::Rest), None);
    }

    #[test]
    fn age_is_real() {
        let young = candidate(50, 10).unwrap();
        let old = candidate(50, 1000).unwrap();
        assert!(old.benefit() > young.benefit() * 99.0, "same live bytes, more age, more benefit");
    }

    #[test]
    fn what_holds_only_live_data_is_left_alone() {
        let all = [candidate(100, 1 << 40), candidate(99, 1 << 40), None];
        assert_eq!(choose(all.into_iter(), Pace::Pressed), None, "1 of 100 is not 1 of 64");
        assert!(candidate(98, 1).unwrap().score(Pace::Pressed).is_some());
    }
}
