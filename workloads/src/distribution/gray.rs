//! Zipfian ranks by the formula of Gray et al., which YCSB uses.

use super::power::power;
use super::zeta::{zeta, zeta_directly};
use crate::Rng;

/// Draws ranks `0..records`; rank 0 is the most popular, with weight 1 / (rank + 1)^theta.
///
/// J. Gray, P. Sundaresan, S. Englert, K. Baclawski, P. Weinberger: *Quickly Generating
/// Billion-Record Synthetic Databases*, SIGMOD 1994. For a uniform `u` in 0..1 and `zeta(n) =
/// 1/1^theta + … + 1/n^theta`:
///
/// ```text
/// rank = 0                                       if u zeta(n) < 1
///        1                                       if u zeta(n) < 1 + 1/2^theta
///        floor(n (eta u - eta + 1)^alpha)        otherwise
/// alpha = 1 / (1 - theta)
/// eta   = (1 - (2/n)^(1-theta)) / (1 - zeta(2)/zeta(n))
/// ```
///
/// Ranks 0 and 1 are exact. An integral replaces the rest of the sum: rank 2 is about a sixth too
/// popular, and the error of later ranks shrinks as 1/rank. Every published YCSB number contains
/// this error. [`Gray::probability`] gives the probabilities actually drawn,
/// [`Gray::probability_exact`] those of Zipf's law.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gray {
    records: u64,
    theta: f64,
    zeta: f64,
    /// `1 + 1/2^theta`.
    zeta_of_two: f64,
    alpha: f64,
    eta: f64,
}

impl Gray {
    /// `theta` must lie strictly between 0 and 1: the formula divides by 1 − theta.
    pub(super) fn new(records: u64, theta: f64) -> Self {
        Self::with_zeta(records, theta, zeta(records, theta))
    }

    /// The formula with a `zeta(records)` that is known already.
    pub(super) fn with_zeta(records: u64, theta: f64, zeta: f64) -> Self {
        debug_assert!(records > 0 && theta > 0.0 && theta < 1.0);
        let zeta_of_two = zeta_directly(2, theta);
        let tail = 1.0 - power(2.0 / records as f64, 1.0 - theta);
        let eta = tail / (1.0 - zeta_of_two / zeta);
        Self { records, theta, zeta, zeta_of_two, alpha: 1.0 / (1.0 - theta), eta }
    }

    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        let unit = rng.unit_f64();
        let scaled = unit * self.zeta;
        // With one or two records these branches take every draw. Rounding may exceed the last
        // record; `min` catches that.
        let last = self.records - 1;
        if scaled < 1.0 {
            0
        } else if scaled < self.zeta_of_two {
            last.min(1)
        } else {
            let fraction = power(self.eta * unit - self.eta + 1.0, self.alpha);
            last.min((self.records as f64 * fraction) as u64)
        }
    }

    /// The probability with which [`Gray::draw`] returns `rank`.
    pub(super) fn probability(&self, rank: u64) -> f64 {
        if rank < 2 {
            self.probability_exact(rank)
        } else {
            self.probability_below(rank + 1) - self.probability_below(rank)
        }
    }

    /// The probability of `rank` under Zipf's law.
    pub(super) fn probability_exact(&self, rank: u64) -> f64 {
        debug_assert!(rank < self.records);
        power(rank as f64 + 1.0, -self.theta) / self.zeta
    }

    /// The probability that [`Gray::draw`] returns a rank below `rank`.
    pub(super) fn probability_below(&self, rank: u64) -> f64 {
        debug_assert!(rank <= self.records);
        match rank {
            0 => 0.0,
            1 => self.probability_exact(0),
            // The formula above, solved for `u`.
            _ => {
                1.0 - (1.0 - power(rank as f64 / self.records as f64, 1.0 - self.theta)) / self.eta
            }
        }
    }

    /// The mean of the ranks actually drawn.
    pub(super) fn mean_rank(&self) -> f64 {
        if self.records < 3 {
            return (1..self.records).map(|rank| self.probability(rank)).sum();
        }
        // With F = probability_below: the sum over r F(r+1) - r F(r) from 2 on telescopes to
        // (n-1) F(n) - 2 F(2) - F(3) - … - F(n-1), and F is linear in the powers of the ranks.
        let records = self.records as f64;
        let terms = (self.records - 3) as f64;
        let powers = zeta(self.records - 1, self.theta - 1.0) - zeta(2, self.theta - 1.0);
        let scaled = powers / power(records, 1.0 - self.theta);
        let below = terms - (terms - scaled) / self.eta;
        self.probability(1) + (records - 1.0) - 2.0 * self.probability_below(2) - below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up() {
        for records in [1, 2, 3, 10, 1000] {
            let zipfian = Gray::new(records, 0.99);
            for law in [Gray::probability, Gray::probability_exact] {
                let sum: f64 = (0..records).map(|rank| law(&zipfian, rank)).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{records}: {sum}");
            }
        }
    }

    #[test]
    fn the_formula_departs_from_the_law_as_documented() {
        let zipfian = Gray::new(100_000, 0.99);
        let excess = |rank| zipfian.probability(rank) / zipfian.probability_exact(rank) - 1.0;
        assert_eq!(excess(0), 0.0);
        assert_eq!(excess(1), 0.0);
        assert!((0.15..0.20).contains(&excess(2)), "{}", excess(2));
        assert!(excess(10).abs() < 0.05 && excess(100).abs() < 0.03);
        let distance: f64 = (0..100_000)
            .map(|rank| (zipfian.probability(rank) - zipfian.probability_exact(rank)).abs())
            .sum::<f64>()
            / 2.0;
        assert!(distance < 0.02, "{distance} of the draws go to another rank");
    }

    #[test]
    fn the_mean_is_that_of_what_is_drawn() {
        for theta in [0.2, 0.99] {
            for records in [1, 2, 3, 4, 10, 5000] {
                let gray = Gray::new(records, theta);
                let mean: f64 = (0..records).map(|rank| rank as f64 * gray.probability(rank)).sum();
                assert!((mean - gray.mean_rank()).abs() < 1e-9 * (1.0 + mean), "{records}: {mean}");
            }
        }
    }

    #[test]
    fn few_records_stay_inside() {
        let mut rng = crate::Seed(1).rng();
        for records in 1..=5 {
            let zipfian = Gray::new(records, 0.99);
            assert!((0..10_000).all(|_| zipfian.draw(&mut rng) < records));
        }
    }
}
