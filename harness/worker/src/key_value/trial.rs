//! A trial: which of several ways to do the same takes the least time, found by votes while the work is done.

/// How often each way is tried. A vote has one turn of each, so that a turn which pays for something else,
/// such as compaction, decides one vote at most.
pub(super) const VOTES: u32 = 100;

/// A trial of up to `WAYS` ways, numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Trial<const WAYS: usize> {
    /// How many are tried: the first ones.
    tried_ways: usize,
    votes: [u32; WAYS],
    /// Turns so far.
    turns: usize,
    /// Nanoseconds per operation in the vote that is being taken.
    spent_ns: [f64; WAYS],
    chosen: Option<usize>,
}

impl<const WAYS: usize> Trial<WAYS> {
    /// Of the first `ways`.
    pub(super) fn of(ways: usize) -> Self {
        assert!((1..=WAYS).contains(&ways), "{ways} of {WAYS} ways");
        Self { tried_ways: ways, votes: [0; WAYS], turns: 0, spent_ns: [0.0; WAYS], chosen: None }
    }

    /// The way that was the fastest most often, once that is known.
    #[inline(always)]
    pub(super) fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    /// The way whose turn it is. Votes begin with each way by turns: the first turn of a vote may be
    /// slower than the others.
    pub(super) fn next(&self) -> usize {
        let (vote, place) = (self.turns / self.tried_ways, self.turns % self.tried_ways);
        (vote + place) % self.tried_ways
    }

    /// Notes what an operation took in a turn of `way`, which is [`Self::next`].
    pub(super) fn note(&mut self, way: usize, per_operation_ns: f64) {
        self.spent_ns[way] = per_operation_ns;
        self.turns += 1;
        if !self.turns.is_multiple_of(self.tried_ways) {
            return;
        }
        let by_time = |a: &usize, b: &usize| self.spent_ns[*a].total_cmp(&self.spent_ns[*b]);
        let fastest = (0..self.tried_ways).min_by(by_time).expect("there is a way");
        self.votes[fastest] += 1;
        if self.votes.iter().sum::<u32>() == VOTES {
            self.chosen = (0..self.tried_ways).max_by_key(|way| self.votes[*way]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries until a way is chosen, where each turn takes what `spent_ns` says of its number and way.
    fn found(ways: usize, spent_ns: impl Fn(usize, usize) -> f64) -> (usize, usize) {
        let mut trial = Trial::<3>::of(ways);
        for turn in 0.. {
            if let Some(chosen) = trial.chosen() {
                return (chosen, turn);
            }
            let way = trial.next();
            trial.note(way, spent_ns(turn, way));
        }
        unreachable!("a trial ends")
    }

    #[test]
    fn the_way_that_is_fastest_most_often_is_chosen_after_as_many_turns_of_each() {
        for fastest in 0..3 {
            // Every seventh turn pays for something else.
            let spent_ns = |turn: usize, way| {
                let own = if way == fastest { 100.0 } else { 110.0 };
                if turn.is_multiple_of(7) { own * 50.0 } else { own }
            };
            assert_eq!(found(3, spent_ns), (fastest, 3 * VOTES as usize));
        }
    }

    #[test]
    fn ways_beyond_those_that_are_tried_never_have_a_turn() {
        let spent_ns = |_: usize, way: usize| {
            assert!(way < 2, "the third is not tried");
            if way == 0 { 2.0 } else { 3.0 }
        };
        assert_eq!(found(2, spent_ns), (0, 2 * VOTES as usize));
    }

    #[test]
    fn no_place_in_a_vote_is_of_one_way_only() {
        // The first turn of each vote is ten times slower, whichever it is.
        let spent_ns = |turn: usize, way| {
            let own = if way == 0 { 100.0 } else { 120.0 };
            if turn.is_multiple_of(3) { own * 10.0 } else { own }
        };
        assert_eq!(found(3, spent_ns).0, 0);
    }

    #[test]
    #[should_panic(expected = "4 of 3 ways")]
    fn a_trial_of_ways_that_it_does_not_have_is_refused() {
        let _ = Trial::<3>::of(4);
    }
}
