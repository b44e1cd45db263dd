//! Pearson's goodness-of-fit test, for tests of distributions.

/// Whether counts and expected probabilities agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) statistic: f64,
    pub(crate) critical: f64,
}

impl Fit {
    /// Compares counts with the probabilities of their bins, which must add up to one.
    ///
    /// Neighbouring bins are joined until each expects 10 counts. The critical value is exceeded by
    /// chance once in 30 000 (Wilson and Hilferty's approximation, four standard deviations); seeds
    /// are fixed, so a test that passes always passes.
    pub(crate) fn new(counts: &[u64], probabilities: impl IntoIterator<Item = f64>) -> Self {
        let total = counts.iter().sum::<u64>() as f64;
        let mut statistic = 0.0;
        let mut bins = 0.0;
        let mut mass = 0.0;
        let (mut found, mut expected) = (0.0, 0.0);
        for (&count, probability) in counts.iter().zip(probabilities) {
            found += count as f64;
            expected += probability * total;
            mass += probability;
            // The last bins stay in one piece: what is left must expect 10 too.
            if expected >= 10.0 && (1.0 - mass) * total >= 10.0 {
                statistic += (found - expected).powi(2) / expected;
                bins += 1.0;
                (found, expected) = (0.0, 0.0);
            }
        }
        assert!((mass - 1.0).abs() < 1e-9, "the probabilities add up to {mass}");
        statistic += (found - expected).powi(2) / expected;
        // Bins minus one, and the remainder is a bin.
        let freedom: f64 = bins;
        let spread = 2.0 / (9.0 * freedom);
        let critical = freedom * (1.0 - spread + 4.0 * spread.sqrt()).powi(3);
        Self { statistic, critical }
    }

    /// Counts that should all be equal.
    pub(crate) fn uniform(counts: &[u64]) -> Self {
        Self::new(counts, vec![1.0 / counts.len() as f64; counts.len()])
    }

    pub(crate) fn is_good(self) -> bool {
        self.statistic < self.critical
    }
}

#[test]
fn tells_a_fair_die_from_a_loaded_one() {
    assert!(Fit::uniform(&[1010, 985, 1002, 1040, 970, 993]).is_good());
    assert!(!Fit::uniform(&[1010, 985, 1002, 1180, 900, 923]).is_good());
}
