//! Frequencies of the ranks of a zipfian distribution.

/// Ranks whose weights are summed individually; an integral stands for the others.
const SUMMED: u64 = 4096;

/// Ranks from 1 to `count` with weights `rank^-theta`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    count: u64,
    theta: f64,
    total: f64,
}

impl Zipf {
    /// A distribution over `count` ranks; `theta` 0 is uniform.
    ///
    /// # Panics
    /// Without ranks.
    #[must_use]
    pub fn new(count: u64, theta: f64) -> Self {
        assert!(count > 0, "a distribution over no places");
        Self { count, theta, total: weights(count, theta) }
    }

    /// Number of ranks.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Share of the visits that go to `rank`, from 1.
    #[must_use]
    pub fn share(&self, rank: u64) -> f64 {
        (rank as f64).powf(-self.theta) / self.total
    }

    /// Share of the visits that go to the first `ranks` ranks.
    #[must_use]
    pub fn share_of_first(&self, ranks: u64) -> f64 {
        weights(ranks.min(self.count), self.theta) / self.total
    }
}

/// The sum of the weights of the first `count` ranks; the tail by the midpoint rule, whose error is
/// below a millionth here.
fn weights(count: u64, theta: f64) -> f64 {
    let head: f64 = (1..=count.min(SUMMED)).map(|rank| (rank as f64).powf(-theta)).sum();
    if count <= SUMMED {
        return head;
    }
    let (from, to) = (SUMMED as f64 + 0.5, count as f64 + 0.5);
    let tail = match 1.0 - theta {
        power if power.abs() < 1e-9 => (to / from).ln(),
        power => (to.powf(power) - from.powf(power)) / power,
    };
    head + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_to_one() {
        for (count, theta) in [(1, 0.99), (100, 0.0), (20_000, 0.99), (20_000, 1.0), (9_000, 1.2)] {
            let zipf = Zipf::new(count, theta);
            let sum: f64 = (1..=count).map(|rank| zipf.share(rank)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{count} {theta}: {sum}");
            assert!((zipf.share_of_first(count) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn skew_prefers_the_first() {
        let [even, skewed] = [0.0, 0.99].map(|theta| Zipf::new(10_000, theta));
        assert!((even.share(1) - 1e-4).abs() < 1e-12);
        assert!(skewed.share(1) > 0.09 && skewed.share_of_first(1000) > 0.7);
        assert!(skewed.share(2) < skewed.share(1));
    }
}
