//! How full a level is along the key space when tables leave it in turn, and how long a turn takes
//! (Theorem 4.4, Lemma 4.5).

use super::popularity::{Group, Popularity};
use super::unique::{root_from_below, unique};

/// Probability that a level of `items` items holds a key at `distance` behind the last compacted one, as
/// a share of the key space from 0 to 1.
#[must_use]
pub fn density(popularity: &Popularity, items: f64, distance: f64) -> f64 {
    let interval = density_interval(popularity, items);
    unique(popularity, interval * distance) / popularity.keys()
}

/// Requests between two compactions of the same key in a level of `items` items.
///
/// A level's size is the sum of its densities. Over a key space this large the sum is an integral, which
/// for a key of probability f and an interval D is 1 − (1 − (1 − f)^D) ÷ (−D ln(1 − f)).
#[must_use]
pub fn density_interval(popularity: &Popularity, items: f64) -> f64 {
    root_from_below(popularity, items, |interval| {
        popularity.groups().iter().fold((0.0, 0.0), |(sum, slope), group| {
            let (present, rise) = present(group, interval);
            (sum + group.keys * present, slope + group.keys * rise)
        })
    })
}

/// Mean over a turn of the probability that a key is present, and its derivative by the interval.
fn present(group: &Group, interval: f64) -> (f64, f64) {
    let x = interval * group.rate;
    // Below this the exact forms lose more digits than the series leaves out.
    if x < 1e-3 {
        let value = x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0)));
        let slope = 0.5 - x * (1.0 / 3.0 - x * (1.0 / 8.0 - x / 30.0));
        return (value, slope * group.rate);
    }
    let arrived = -(-x).exp_m1();
    let mean = arrived / x;
    (1.0 - mean, (mean - (1.0 - arrived)) / x * group.rate)
}
