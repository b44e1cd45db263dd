//! Sums of powers: the total weight of all ranks.

use super::power::{exp_m1_ratio, ln, power};

const DIRECT: u64 = 1000;

/// `1/1^theta + … + 1/terms^theta`, for any `theta`, negative ones included.
///
/// The first thousand terms are added. The Euler–Maclaurin formula gives the rest; its first
/// omitted term is below 1e-14 of that rest.
pub(super) fn zeta(terms: u64, theta: f64) -> f64 {
    let direct = zeta_directly(terms.min(DIRECT), theta);
    if terms <= DIRECT {
        return direct;
    }
    let (from, to) = (DIRECT as f64, terms as f64);
    let integral = if theta < 1.0 {
        (power(to, 1.0 - theta) - power(from, 1.0 - theta)) / (1.0 - theta)
    } else {
        integral(to, theta) - integral(from, theta)
    };
    let ends = (power(to, -theta) - power(from, -theta)) / 2.0;
    let slopes = -theta * (power(to, -theta - 1.0) - power(from, -theta - 1.0)) / 12.0;
    direct + (integral + ends + slopes)
}

pub(super) fn zeta_directly(terms: u64, theta: f64) -> f64 {
    // Smallest terms first, so that the sum does not swallow them.
    (1..=terms).rev().map(|term| power(term as f64, -theta)).sum()
}

/// The integral of `1/t^theta` from 1 to `x`: `(x^(1-theta) - 1) / (1 - theta)`, or `ln x` for
/// theta = 1. It is continuous in theta.
#[inline]
pub(super) fn integral(x: f64, theta: f64) -> f64 {
    let ln_x = ln(x);
    exp_m1_ratio((1.0 - theta) * ln_x) * ln_x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_plain_sum() {
        for theta in [-1.0, -0.5, 0.2, 0.5, 0.9, 0.99, 0.999, 1.0, 1.000_001, 1.5, 2.0, 10.0] {
            for terms in [1, 2, 1000, 1001, 50_000, 1_000_000] {
                let (fast, plain) = (zeta(terms, theta), zeta_directly(terms, theta));
                assert!((fast / plain - 1.0).abs() < 1e-12, "zeta({terms}, {theta}) = {plain}");
            }
        }
    }
}
