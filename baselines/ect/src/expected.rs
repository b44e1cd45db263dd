//! Bits that tries of hashed keys are expected to take, by recurrence: what measured sizes are
//! compared with. The number of keys at the top is not counted (as in figure 3.3).

use crate::coder::{Coder, Coding};

/// Expected bits per key of a dense trie of `keys` hashed keys. Quadratic in `keys`.
#[must_use]
pub fn bits_per_key(coding: Coding, keys: usize) -> f64 {
    let coder = Coder::new(coding);
    recur(keys, |all, left| f64::from(coder.length(left, all)))
}

/// The entropy of such a trie when *all left* and *all right* are one, in bits per key: no code
/// takes less.
#[must_use]
pub fn entropy_per_key(merged: bool, keys: usize) -> f64 {
    recur(keys, |all, left| {
        let shared = if merged && (left == 0 || left == all) { 2.0 } else { 1.0 };
        -(shared * probabilities(all)[left]).log2()
    })
}

/// Expected bits per key of a sparse trie of `keys` keys that begin a block of `per_block` items.
/// Quadratic in `keys`, times `per_block`.
#[must_use]
pub fn sparse_bits_per_key(coding: Coding, keys: usize, per_block: usize) -> f64 {
    let coder = Coder::new(coding);
    // By keys, and by where in its block the first of them lies.
    let mut sizes = vec![vec![0.0; per_block]; keys + 1];
    for all in 2..=keys {
        let chances = probabilities(all);
        let codes: f64 =
            (0..=all).map(|left| chances[left] * f64::from(coder.length(left, all))).sum();
        for first in (0..per_block).filter(|first| first + all > per_block) {
            let below: f64 = (1..all)
                .map(|left| {
                    let right = sizes[all - left][(first + left) % per_block];
                    chances[left] * (sizes[left][first] + right)
                })
                .sum();
            sizes[all][first] = (codes + below) / (1.0 - 2.0 * chances[0]);
        }
    }
    sizes[keys][0] / keys as f64
}

/// With probability `2 · 2^−all` the keys stay together, and it begins anew.
fn recur(keys: usize, cost: impl Fn(usize, usize) -> f64) -> f64 {
    let mut sizes = vec![0.0; keys + 1];
    for all in 2..=keys {
        let chances = probabilities(all);
        let here: f64 = (0..=all)
            .filter(|&left| chances[left] > 0.0)
            .map(|left| chances[left] * cost(all, left))
            .sum();
        let below: f64 =
            (1..all).map(|left| chances[left] * (sizes[left] + sizes[all - left])).sum();
        sizes[all] = (here + below) / (1.0 - 2.0 * chances[0]);
    }
    sizes[keys] / keys as f64
}

/// Chances of each number of `all` keys to go left.
fn probabilities(all: usize) -> Vec<f64> {
    // In logarithms: 2^−all is no number for many keys.
    let mut logarithm = -(all as f64);
    (0..=all)
        .map(|left| {
            let chance = logarithm.exp2();
            logarithm += ((all - left) as f64 / (left + 1) as f64).log2();
            chance
        })
        .collect()
}
