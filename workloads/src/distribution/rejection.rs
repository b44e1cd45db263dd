//! Zipfian ranks by rejection-inversion, for skews outside the range of Gray's formula.

use super::power::{exp, ln, ln_1p_ratio, power};
use super::zeta::{integral, zeta};
use crate::Rng;

/// Draws ranks `0..records` that follow Zipf's law exactly.
///
/// W. Hörmann, G. Derflinger: *Rejection-Inversion to Generate Variates from Monotone Discrete
/// Distributions*, ACM TOMACS 6(3), 1996. With `h(x) = 1/x^theta` and its integral `H(x) =
/// (x^(1-theta) - 1) / (1 - theta)` (`ln x` for theta = 1), for `k` = 1, 2, …:
///
/// ```text
/// u = uniform between H(1.5) - 1 and H(records + 0.5)
/// k = the whole number nearest to H^-1(u)
/// take k if k - H^-1(u) <= s, or if u >= H(k + 0.5) - h(k); otherwise draw again
/// s = 2 - H^-1(H(2.5) - h(2))
/// ```
///
/// `h` is convex, so the stretch `k - 0.5 .. k + 0.5` below `H` has at least the area `h(k)`. Draws
/// in the excess are rejected: fewer than two in a hundred.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RejectionInversion {
    records: u64,
    theta: f64,
    zeta: f64,
    /// `H(records + 0.5)`.
    last: f64,
    /// `H(1.5) - 1 - last`.
    span: f64,
    /// `s`.
    shortcut: f64,
    /// `ln(records + 0.5)`: an upper bound of `H^-1`.
    ln_end: f64,
}

impl RejectionInversion {
    pub(super) fn new(records: u64, theta: f64) -> Self {
        let end = records as f64 + 0.5;
        let last = integral(end, theta);
        let mut law = Self {
            records,
            theta,
            zeta: zeta(records, theta),
            last,
            span: integral(1.5, theta) - 1.0 - last,
            shortcut: 0.0,
            ln_end: ln(end.max(2.5)),
        };
        law.shortcut = 2.0 - law.inverse(integral(2.5, theta) - power(2.0, -theta));
        law
    }

    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.last + rng.unit_f64() * self.span;
            let x = self.inverse(u);
            // The clamp corrects rounding errors.
            let k = ((x + 0.5) as u64).clamp(1, self.records);
            let near = k as f64;
            if near - x <= self.shortcut
                || u >= integral(near + 0.5, self.theta) - power(near, -self.theta)
            {
                return k - 1;
            }
        }
    }

    /// `H^-1(u)`.
    #[inline]
    fn inverse(&self, u: f64) -> f64 {
        // −1 stands for infinity; rounding may reach −1.
        const ABOVE_MINUS_ONE: f64 = -1.0 + f64::EPSILON;
        let t = (u * (1.0 - self.theta)).max(ABOVE_MINUS_ONE);
        exp((ln_1p_ratio(t) * u).min(self.ln_end))
    }

    pub(super) fn probability(&self, rank: u64) -> f64 {
        debug_assert!(rank < self.records);
        power(rank as f64 + 1.0, -self.theta) / self.zeta
    }

    pub(super) fn probability_below(&self, rank: u64) -> f64 {
        debug_assert!(rank <= self.records);
        zeta(rank, self.theta) / self.zeta
    }

    pub(super) fn mean_rank(&self) -> f64 {
        zeta(self.records, self.theta - 1.0) / self.zeta - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_give_the_mean() {
        for theta in [1.0, 1.2, 2.5, 20.0] {
            for records in [1, 2, 3, 10, 5000] {
                let law = RejectionInversion::new(records, theta);
                let sum: f64 = (0..records).map(|rank| law.probability(rank)).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{records}: {sum}");
                let mean: f64 = (0..records).map(|rank| rank as f64 * law.probability(rank)).sum();
                assert!((mean - law.mean_rank()).abs() < 1e-9 * (1.0 + mean), "{records}: {mean}");
            }
        }
    }

    #[test]
    fn few_draws_are_rejected() {
        for theta in [1.0, 1.2, 2.5, 3.0, 5.0, 20.0] {
            for records in [2, 3, 10, 1_000_000] {
                let law = RejectionInversion::new(records, theta);
                let taken = law.zeta / -law.span;
                assert!((0.98..1.0).contains(&taken), "{theta}, {records}: {taken}");
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_integral() {
        for theta in [1.0, 1.000_000_1, 1.5, 2.5] {
            let law = RejectionInversion::new(1_000_000, theta);
            for x in [0.6, 1.0, 1.5, 2.5, 1000.0] {
                let back = law.inverse(integral(x, theta));
                assert!((back / x - 1.0).abs() < 1e-9, "{theta}: {x} becomes {back}");
            }
        }
    }

    #[test]
    fn extreme_skews_end_and_stay_inside() {
        let mut rng = crate::Seed(1).rng();
        for theta in [1.0, 5.0, 100.0, 1000.0, 1e6] {
            for records in [1, 2, 3, 1000, 1 << 37] {
                let law = RejectionInversion::new(records, theta);
                assert!((0..1000).all(|_| law.draw(&mut rng) < records), "{theta} {records}");
            }
        }
    }
}
