//! Level sizes of least write amplification (§4.6). The last size stays that of all keys; the write
//! buffer, level 0 and the number of levels stay too, and with them the cost of lookups.

use serde::Serialize;

use super::error::ParameterError;
use super::leveldb;
use super::parameters::{LevelDb, Workload};
use super::popularity::Popularity;
use super::simplex;
use super::step::total;
use super::unique::{unique, unique_inverse};

/// From a point of the search to sizes of levels.
type ToItems<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

/// Values of a simplex agree to this share where a search ends; sizes then agree to its square root.
const TOLERANCE: f64 = 1e-13;

/// Sizes found, beside what they improve on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Optimised {
    /// Items of each level from 1 on, the last with all keys.
    pub level_items: Vec<f64>,
    pub write_amplification: f64,
    /// Of the sizes that the search began with.
    pub before: f64,
    /// Times that write amplification was computed.
    pub evaluations: u32,
}

/// The sizes of least write amplification of as many levels as `store` has, from its sizes on.
///
/// Searches once over the logarithms of sizes and once over those of the requests that fill them, and
/// keeps the better, as the thesis does. Sizes may not fall from one level to the next: without that a
/// large write buffer leads to levels larger than the next.
///
/// # Errors
/// A parameter is out of range.
pub fn optimal_sizes(workload: &Workload, store: &LevelDb) -> Result<Optimised, ParameterError> {
    let popularity = Popularity::new(workload)?;
    let keys = popularity.keys();
    let start = store.level_items(keys)?;
    let mut evaluations = 0;
    let mut cost = |level_items: &[f64]| {
        let rising = level_items.windows(2).all(|pair| pair[0] <= pair[1]);
        if !rising || level_items[0] < 1.0 {
            return f64::INFINITY;
        }
        evaluations += 1;
        total(&leveldb::steps(&popularity, store, level_items))
    };
    let before = cost(&start);
    let mut best = (start.clone(), before);
    let inner = &start[..start.len() - 1];

    let all = |sizes: Vec<f64>| sizes.into_iter().chain([keys]).collect::<Vec<f64>>();
    let from_size = |x: &[f64]| all(x.iter().map(|x| x.exp()).collect());
    let from_requests = |x: &[f64]| all(x.iter().map(|x| unique(&popularity, x.exp())).collect());
    let sizes: Vec<f64> = inner.iter().map(|size| size.ln()).collect();
    let requests: Vec<f64> =
        inner.iter().map(|&size| unique_inverse(&popularity, size).ln()).collect();

    let to_items: [ToItems<'_>; 2] = [&from_size, &from_requests];
    for (begin, items) in [sizes, requests].into_iter().zip(to_items) {
        // A second walk from the first one's end frees a simplex that collapsed on the way.
        let mut value = |x: &[f64]| cost(&items(x));
        let first = simplex::least(&begin, 0.5, TOLERANCE.sqrt(), &mut value).0;
        let (x, at) = simplex::least(&first, 0.05, TOLERANCE, &mut value);
        if at < best.1 {
            best = (items(&x), at);
        }
    }
    Ok(Optimised { level_items: best.0, write_amplification: best.1, before, evaluations })
}
