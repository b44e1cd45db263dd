//! Searches for the highest rate that keeps a promise: doubling and halving until it lies between two
//! rates, then halving the distance between them.

/// The promise was kept at every rate below, and broken at every rate above, as far as was probed.
#[derive(Clone, Debug)]
pub struct Search {
    kept: Option<f64>,
    broken: Option<f64>,
    next: f64,
    lowest: f64,
    /// Kept and broken are near enough when their ratio is below this.
    resolution: f64,
}

impl Search {
    /// Begins at `first`; gives up below `lowest`. Ends when the rate is known up to `resolution`, as in 1.05.
    #[must_use]
    pub fn new(first: f64, lowest: f64, resolution: f64) -> Self {
        Self { kept: None, broken: None, next: first, lowest, resolution }
    }

    /// The rate to probe; `None` when the search is over.
    #[must_use]
    pub fn probe(&self) -> Option<f64> {
        let near = |(kept, broken): (f64, f64)| broken / kept <= self.resolution;
        let done = self.kept.zip(self.broken).is_some_and(near);
        (!done && self.next >= self.lowest).then_some(self.next)
    }

    /// Records whether the probe kept the bound.
    pub fn tell(&mut self, is_kept: bool) {
        if is_kept {
            self.kept = Some(self.kept.unwrap_or(0.0).max(self.next));
        } else {
            self.broken = Some(self.broken.unwrap_or(f64::INFINITY).min(self.next));
        }
        self.next = match (self.kept, self.broken) {
            (Some(kept), Some(broken)) => (kept * broken).sqrt(),
            (Some(kept), None) => kept * 2.0,
            (None, Some(broken)) => broken / 2.0,
            (None, None) => self.next,
        };
    }

    /// The highest rate at which the promise was kept.
    #[must_use]
    pub fn highest(&self) -> Option<f64> {
        self.kept
    }

    /// The rate found did not stand a second look: it counts as broken.
    pub fn withdraw(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.broken = Some(kept);
            self.next = kept / self.resolution;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(limit: f64, first: f64) -> (Option<f64>, usize) {
        let mut search = Search::new(first, 1000.0, 1.05);
        let mut probes = 0;
        while let Some(rate) = search.probe() {
            search.tell(rate <= limit);
            probes += 1;
        }
        (search.highest(), probes)
    }

    #[test]
    fn the_highest_rate_is_found_from_below_and_from_above() {
        for first in [2_000.0, 123_456.0, 9e6] {
            let (found, probes) = find(1_000_000.0, first);
            let found = found.unwrap();
            assert!((952_000.0..=1_000_000.0).contains(&found), "{found} from {first}");
            assert!(probes <= 20, "{probes} probes from {first}");
        }
    }

    #[test]
    fn a_promise_that_is_never_kept_ends_the_search() {
        let (found, probes) = find(10.0, 1e6);
        assert_eq!(found, None);
        assert!(probes <= 12);
    }

    #[test]
    fn a_rate_that_does_not_stand_a_second_look_is_given_up() {
        let mut search = Search::new(1000.0, 1.0, 1.1);
        search.tell(true);
        search.withdraw();
        assert_eq!(search.highest(), None);
        assert!(search.probe().unwrap() < 1000.0);
    }
}
