//! Pearson's goodness-of-fit test, for tests of distributions.

/// Result of comparing counts with expected probabilities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) statistic: f64,
    pub(crate) critical: f64,
}

impl Fit {
    /// Compares counts with the probabilities of their bins, which must add up to one.
    ///
    /// Neighbouring bins are joined until each expects at least 10 counts. Chance exceeds the
    /// critical value once in 30 000 (Wilson and Hilferty's approximation, four standard
    /// deviations). Seeds are fixed, so a test that passes always passes.
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
            // The remaining bins must also expect 10 counts; otherwise they stay in this one.
            if expected >= 10.0 && (1.0 - mass) * total >= 10.0 {
                statistic += (found - expected).powi(2) / expected;
                bins += 1.0;
                (found, expected) = (0.0, 0.0);
            }
        }
        assert!((mass - 1.0).abs() < 1e-9, "the probabilities add up to {mass}");
        statistic += (found - expected).powi(2) / expected;
        // Degrees of freedom: the number of bins minus one. The remainder is a bin too.
        let freedom: f64 = bins;
        let spread = 2.0 / (9.0 * freedom);
        let critical = freedom * (1.0 - spread + 4.0 * spread.sqrt()).powi(3);
        Self { statistic, critical }
    }

    /// Compares counts that should all be equal.
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
