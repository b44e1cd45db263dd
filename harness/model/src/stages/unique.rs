//! Distinct keys among requests, requests for a number of distinct keys, and the size of merged tables
//! (Theorem 4.1, Lemma 4.2, Theorem 4.3).

use super::popularity::Popularity;

/// Newton steps until a root is given up as infinite; a few dozen are needed close to the last key.
const STEPS: u32 = 400;

/// Expected number of distinct keys among `requests`, from 0 to all keys at infinity. O(groups).
#[must_use]
pub fn unique(popularity: &Popularity, requests: f64) -> f64 {
    popularity.groups().iter().map(|group| -group.keys * (-requests * group.rate).exp_m1()).sum()
}

/// The number of requests of which `unique` expects `items` distinct keys; infinite for all keys.
#[must_use]
pub fn unique_inverse(popularity: &Popularity, items: f64) -> f64 {
    root_from_below(popularity, items, |requests| {
        popularity.groups().iter().fold((0.0, 0.0), |(sum, slope), group| {
            let absent = -(-requests * group.rate).exp_m1();
            (sum + group.keys * absent, slope + group.keys * group.rate * (1.0 - absent))
        })
    })
}

/// Expected size of the table that merging two tables of `one` and `other` items gives.
#[must_use]
pub fn merge(popularity: &Popularity, one: f64, other: f64) -> f64 {
    unique(popularity, unique_inverse(popularity, one) + unique_inverse(popularity, other))
}

/// Where a concave, increasing function from 0 with the supremum `keys` reaches `target`. `function`
/// returns a value and a slope.
///
/// A tangent of a concave function lies above it, so a Newton step from below never passes the root:
/// every iterate is a lower bound, and the way there needs no other bracket.
pub(super) fn root_from_below(
    popularity: &Popularity,
    target: f64,
    function: impl Fn(f64) -> (f64, f64),
) -> f64 {
    if target <= 0.0 {
        return 0.0;
    }
    if target >= popularity.keys() {
        return f64::INFINITY;
    }
    let mut requests = 0.0;
    for _ in 0..STEPS {
        let (value, slope) = function(requests);
        let step = (target - value) / slope;
        // Rounding ends the approach: what is missing is below the precision of the sum.
        if step <= requests * 1e-14 {
            return requests;
        }
        requests += step;
        if !requests.is_finite() {
            break;
        }
    }
    f64::INFINITY
}
