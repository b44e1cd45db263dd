//! Which segment to compact next. Pure functions.

use super::pace::Pace;
use crate::instrument::{Mutant, mutated};
use crate::knobs::Selection;

/// What is known about a closed segment without touching its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
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

    /// The benefit of emptying it, relative to the cost.
    fn benefit(self, selection: Selection) -> f64 {
        // At least one tick, or two segments that closed just now could not be distinguished.
        let age = if mutated(Mutant::StaleAge) { 1 } else { self.age.max(1) };
        let (dead, age) = (self.dead(), age as f64);
        let utilisation = 1.0 - dead;
        match selection {
            // The space gained, weighted by how long it will stay free, per byte read and written.
            Selection::CostBenefit => dead * age / (1.0 + utilisation),
            // The same per byte copied: freeing memory does not require reading it. An empty
            // segment costs nothing.
            Selection::RamCloud => dead * age / utilisation,
            Selection::Greedy => dead,
        }
    }

    /// How much this pace wants the candidate; `None` for not at all.
    pub(crate) fn score(self, pace: Pace, selection: Selection) -> Option<f64> {
        let (least, selection) = match pace {
            // A completely dead segment costs nothing.
            Pace::Rest => (1.0, Selection::Greedy),
            Pace::Steady { dead_least } => (dead_least, selection),
            Pace::Pressed { dead_least } => (dead_least, Selection::Greedy),
        };
        let gains = self.used > self.live || mutated(Mutant::AllLiveCompacted);
        let wanted = gains && self.dead() >= least;
        wanted.then(|| self.benefit(selection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEADY: Pace = Pace::Steady { dead_least: 0.1 };
    const PRESSED: Pace = Pace::Pressed { dead_least: 1.0 / 64.0 };

    fn candidate(live: u64, age: u64) -> Candidate {
        Candidate { live, used: 100, age }
    }

    fn best(all: &[Candidate], pace: Pace, selection: Selection) -> Option<usize> {
        let score = |&position: &usize| all[position].score(pace, selection);
        let wanted = (0..all.len()).filter(|position| score(position).is_some());
        wanted.max_by(|a, b| score(a).partial_cmp(&score(b)).unwrap())
    }

    #[test]
    fn each_selection_has_its_favourite() {
        let all = [candidate(50, 1000), candidate(20, 400), candidate(0, 1)];
        assert_eq!(best(&all, STEADY, Selection::CostBenefit), Some(0));
        assert_eq!(best(&all[..2], STEADY, Selection::RamCloud), Some(1));
        assert_eq!(best(&all, STEADY, Selection::RamCloud), Some(2), "an empty one is for free");
        assert_eq!(best(&all, STEADY, Selection::Greedy), Some(2));
        assert_eq!(best(&all, PRESSED, Selection::CostBenefit), Some(2), "pressure is greedy");
        assert_eq!(best(&all, Pace::Rest, Selection::CostBenefit), Some(2), "at no cost");
        assert_eq!(best(&all[..2], Pace::Rest, Selection::Greedy), None);
    }

    #[test]
    fn age_is_real() {
        for selection in [Selection::CostBenefit, Selection::RamCloud] {
            let (young, old) = (candidate(50, 10), candidate(50, 1000));
            assert!(old.benefit(selection) > young.benefit(selection) * 99.0);
        }
    }

    #[test]
    fn what_holds_only_live_data_is_left_alone() {
        let all = [candidate(100, 1 << 40), candidate(99, 1 << 40)];
        let waited_for = Pace::Pressed { dead_least: 0.0 };
        for &selection in Selection::ALL {
            assert_eq!(best(&all, PRESSED, selection), None, "1 of 100 is not 1 of 64");
            assert_eq!(best(&all, waited_for, selection), Some(1), "1 of 100 is something");
            assert_eq!(best(&all[..1], waited_for, selection), None);
        }
        assert!(candidate(98, 1).score(PRESSED, Selection::Greedy).is_some());
    }
}
