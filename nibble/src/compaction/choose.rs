//! A worker's candidates and the choice among them, cheap enough for the path of a PUT: a worker
//! keeps a list of the best, and each choice examines only a part of the others.

use super::pace::Pace;
use super::select::Candidate;
use crate::address::SegmentId;
use crate::epoch::Stamp;
use crate::knobs::Selection;
use crate::segment::SegmentTable;
use crate::sync::edge::{self, Edge};

/// How many candidates are examined when all should be: for the first choice, and under pressure.
const WINDOW: usize = 1024;
/// After this many choices all candidates have been examined again.
const SLICES: usize = 8;
/// Shortlist length: at most this many, and at most a part of the candidates.
const RANKED_MAX: usize = 16;
const RANKED_PART: usize = 32;

/// The result of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// This segment, which is no longer a candidate.
    Victim(SegmentId),
    /// Some candidates are worth compacting, once the operations that write there have ended, the
    /// appending ones and those that write into holes.
    Young,
    /// No candidate is worth compacting.
    Nothing,
}

/// The closed segments that one worker watches.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    all: Vec<SegmentId>,
    /// The shortlist: the best of those examined recently, best last. Scores are from the time of
    /// examination; all scores rise with time.
    ranked: Vec<(f64, SegmentId)>,
    /// Where the next examination begins.
    next: usize,
}

impl Candidates {
    pub(crate) fn ids(&self) -> &[SegmentId] {
        &self.all
    }

    /// For adding candidates.
    pub(crate) fn all_mut(&mut self) -> &mut Vec<SegmentId> {
        &mut self.all
    }

    /// Takes this worker's best candidate, given the start of the oldest operation in progress.
    pub(crate) fn choose(
        &mut self,
        segments: &SegmentTable,
        pace: Pace,
        selection: Selection,
        settled: impl Fn(Stamp) -> bool,
    ) -> Choice {
        if !matches!(pace, Pace::Steady { .. }) {
            self.ranked.clear();
        }
        let now = platform::clock::ticks();
        let score = |id: SegmentId| {
            let info = &segments[id];
            let age = now.saturating_sub(info.since());
            let live = info.live().bytes();
            let used = info.used().saturating_sub(info.start());
            Candidate { live, used, age }.score(pace, selection)
        };
        // CLOSE, to: every operation that reserved room in the segment has ended, so all its
        // objects are written and published, or never will be.
        let settled = |id: SegmentId| {
            let info = &segments[id];
            edge::is_over(Edge::Close, settled(info.closed())) && !info.is_leased()
        };
        let mut young = false;
        let mut slice = (self.all.len() / SLICES).clamp(1, WINDOW);
        for _ in 0..=self.all.len() / WINDOW {
            if self.ranked.is_empty() {
                slice = WINDOW;
            }
            young |= self.rank(slice, score, settled);
            while let Some((_, id)) = self.ranked.pop() {
                let Some(position) = self.all.iter().position(|&other| other == id) else {
                    continue;
                };
                // What was worth compacting then is so now, unless the threshold has risen.
                if score(id).is_some() {
                    self.all.swap_remove(position);
                    return Choice::Victim(id);
                }
            }
        }
        if young { Choice::Young } else { Choice::Nothing }
    }

    /// Examines the next `slice` candidates; returns whether one of them would be wanted but is too
    /// young.
    fn rank(
        &mut self,
        slice: usize,
        score: impl Fn(SegmentId) -> Option<f64>,
        settled: impl Fn(SegmentId) -> bool,
    ) -> bool {
        let count = self.all.len();
        let kept = (count / RANKED_PART).clamp(1, RANKED_MAX);
        let looked_at = count.min(slice);
        let mut young = false;
        for step in 0..looked_at {
            let id = self.all[(self.next + step) % count];
            let Some(score) = score(id) else { continue };
            if self.ranked.len() >= kept && self.ranked[0].0 >= score {
                continue;
            }
            if !settled(id) {
                young = true;
                continue;
            }
            self.ranked.retain(|&(_, other)| other != id);
            let place = self.ranked.partition_point(|&(other, _)| other < score);
            self.ranked.insert(place, (score, id));
            if self.ranked.len() > kept {
                self.ranked.remove(0);
            }
        }
        self.next = (self.next + looked_at) % count.max(1);
        young
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::BlockId;
    use crate::segment::SegmentState;

    const STEADY: Pace = Pace::Steady { dead_least: 1.0 / 64.0 };

    /// Segments of 1000 bytes, with these numbers of dead bytes.
    fn table(dead: &[u64]) -> (SegmentTable, Candidates) {
        let segments = SegmentTable::new(dead.len());
        let mut candidates = Candidates::default();
        for (number, &dead) in dead.iter().enumerate() {
            let id = SegmentId(number as u16);
            segments[id].open(BlockId(0));
            segments[id].set_used(1000);
            segments[id].gain(1000 - dead);
            segments[id].set_closed(Stamp::from_word(100), 100);
            segments[id].become_state(SegmentState::Closed);
            candidates.all_mut().push(id);
        }
        (segments, candidates)
    }

    #[test]
    fn the_emptiest_go_first_and_the_full_stay() {
        let dead: Vec<u64> = (0..500).map(|number| number * 7 % 500).collect();
        let (segments, mut candidates) = table(&dead);
        let mut order = Vec::new();
        while let Choice::Victim(id) =
            candidates.choose(&segments, STEADY, Selection::Greedy, |_| true)
        {
            order.push(dead[id.index()]);
        }
        // Not quite in order, because each choice examines only a part.
        let mut left: Vec<u64> = (16..500).collect();
        for (turn, &dead) in order.iter().enumerate() {
            let better = left.iter().filter(|&&other| other > dead).count();
            assert!(better <= if turn < 100 { 0 } else { RANKED_MAX }, "{better} beat {dead}");
            left.retain(|&other| other != dead);
        }
        assert_eq!(*order.last().unwrap(), 16, "1 of 64");
        assert_eq!(candidates.ids().len(), 16);
    }

    #[test]
    fn the_young_wait_for_their_writers() {
        let (segments, mut candidates) = table(&[500]);
        let choose = |candidates: &mut Candidates, settled: fn(Stamp) -> bool| {
            candidates.choose(&segments, STEADY, Selection::CostBenefit, settled)
        };
        assert_eq!(choose(&mut candidates, |closed| closed < Stamp::from_word(100)), Choice::Young);
        assert_eq!(choose(&mut candidates, |_| true), Choice::Victim(SegmentId(0)));
    }

    #[test]
    fn more_than_a_window_is_looked_through_in_turn() {
        let mut dead = vec![0; 3 * WINDOW];
        dead[2 * WINDOW + 7] = 900;
        let (segments, mut candidates) = table(&dead);
        let found = candidates.choose(&segments, STEADY, Selection::CostBenefit, |_| true);
        assert_eq!(found, Choice::Victim(SegmentId(2 * WINDOW as u16 + 7)));
        let found = candidates.choose(&segments, STEADY, Selection::CostBenefit, |_| true);
        assert_eq!(found, Choice::Nothing);
    }
}
