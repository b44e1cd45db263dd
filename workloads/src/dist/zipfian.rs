//! Zipfian ranks by the formula of Gray et al., the one YCSB uses.

use super::power::power;
use crate::Rng;

/// Draws ranks `0..records`; rank 0 is the most popular, with weight 1 / (rank + 1)^theta.
///
/// J. Gray, P. Sundaresan, S. Englert, K. Baclawski, P. Weinberger: *Quickly Generating
/// Billion-Record Synthetic Databases*, SIGMOD 1994. With a uniform `u` in 0..1 and
/// `zeta(n) = 1/1^theta + … + 1/n^theta`:
///
/// ```text
/// rank = 0                                       if u zeta(n) < 1
///        1                                       if u zeta(n) < 1 + 1/2^theta
///        floor(n (eta u - eta + 1)^alpha)        otherwise
/// alpha = 1 / (1 - theta)
/// eta   = (1 - (2/n)^(1-theta)) / (1 - zeta(2)/zeta(n))
/// ```
///
/// Ranks 0 and 1 are exact. The rest replaces the sum by an integral, which makes rank 2 about a
/// sixth too popular and the errors of later ranks shrink as 1/rank. Every published YCSB number
/// contains this; [`Zipfian::probability`] gives the probabilities that are really drawn, and
/// [`Zipfian::probability_exact`] the law itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Zipfian {
    records: u64,
    theta: f64,
    zeta: f64,
    /// `1 + 1/2^theta`.
    zeta_of_two: f64,
    alpha: f64,
    eta: f64,
}

impl Zipfian {
    /// Sums zeta once, in microseconds even for billions of records.
    ///
    /// # Panics
    ///
    /// If `records` is zero, or `theta` is not between 0 and 1, both excluded: the formula divides
    /// by 1 − theta, and theta = 0 is the uniform distribution.
    pub fn new(records: u64, theta: f64) -> Self {
        assert!(records > 0, "records = 0: there is nothing to draw");
        assert!(theta > 0.0 && theta < 1.0, "theta = {theta}: must be between 0 and 1");
        let zeta = zeta(records, theta);
        let zeta_of_two = zeta_directly(2, theta);
        let tail = 1.0 - power(2.0 / records as f64, 1.0 - theta);
        let eta = tail / (1.0 - zeta_of_two / zeta);
        Self { records, theta, zeta, zeta_of_two, alpha: 1.0 / (1.0 - theta), eta }
    }

    /// The next rank.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        let unit = rng.unit_f64();
        let scaled = unit * self.zeta;
        // With one or two records these branches take every draw, but for rounding; `min` takes it.
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

    /// How often [`Zipfian::draw`] answers `rank`.
    pub fn probability(&self, rank: u64) -> f64 {
        if rank < 2 {
            self.probability_exact(rank)
        } else {
            self.probability_between(rank, rank + 1)
        }
    }

    /// How often `rank` should be drawn by Zipf's law.
    pub fn probability_exact(&self, rank: u64) -> f64 {
        debug_assert!(rank < self.records);
        power(rank as f64 + 1.0, -self.theta) / self.zeta
    }

    /// How often [`Zipfian::draw`] answers a rank in `from..to`, where `from` is 2 or more.
    pub fn probability_between(&self, from: u64, to: u64) -> f64 {
        debug_assert!(2 <= from && from <= to && to <= self.records);
        self.probability_below(to) - self.probability_below(from)
    }

    /// From rank 2 on: the formula above, solved for `u`.
    fn probability_below(&self, rank: u64) -> f64 {
        1.0 - (1.0 - power(rank as f64 / self.records as f64, 1.0 - self.theta)) / self.eta
    }
}

/// `1/1^theta + … + 1/records^theta`.
///
/// The first thousand terms are added up, the rest follows from the Euler–Maclaurin formula, whose
/// next term is below 1e-14 from there on.
fn zeta(records: u64, theta: f64) -> f64 {
    const DIRECT: u64 = 1000;
    let direct = zeta_directly(records.min(DIRECT), theta);
    if records <= DIRECT {
        return direct;
    }
    let (from, to) = (DIRECT as f64, records as f64);
    let integral = (power(to, 1.0 - theta) - power(from, 1.0 - theta)) / (1.0 - theta);
    let ends = (power(to, -theta) - power(from, -theta)) / 2.0;
    let slopes = -theta * (power(to, -theta - 1.0) - power(from, -theta - 1.0)) / 12.0;
    direct + (integral + ends + slopes)
}

fn zeta_directly(terms: u64, theta: f64) -> f64 {
    // Smallest first, so that they are not lost in the sum.
    (1..=terms).rev().map(|term| power(term as f64, -theta)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeta_agrees_with_the_plain_sum() {
        for theta in [0.2, 0.5, 0.9, 0.99, 0.999] {
            for records in [1, 2, 1000, 1001, 50_000, 1_000_000] {
                let (fast, plain) = (zeta(records, theta), zeta_directly(records, theta));
                assert!((fast / plain - 1.0).abs() < 1e-12, "zeta({records}, {theta}) = {plain}");
            }
        }
    }

    #[test]
    fn probabilities_add_up() {
        for records in [1, 2, 3, 10, 1000] {
            let zipfian = Zipfian::new(records, 0.99);
            for law in [Zipfian::probability, Zipfian::probability_exact] {
                let sum: f64 = (0..records).map(|rank| law(&zipfian, rank)).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{records}: {sum}");
            }
        }
    }

    #[test]
    fn the_formula_departs_from_the_law_as_documented() {
        let zipfian = Zipfian::new(100_000, 0.99);
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
    fn few_records_stay_inside() {
        let mut rng = crate::Seed(1).rng();
        for records in 1..=5 {
            let zipfian = Zipfian::new(records, 0.99);
            assert!((0..10_000).all(|_| zipfian.draw(&mut rng) < records));
        }
    }
}
