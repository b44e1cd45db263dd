//! Sizes: what the recurrences give, what is measured, and what the text says.

use super::common::{build, keys, verify};
use crate::{Coding, Params, bits_per_key, entropy_per_key, sparse_bits_per_key};

fn near(measured: f64, wanted: f64, share: f64) -> bool {
    (measured / wanted - 1.0).abs() <= share
}

/// §3.1.4 says that merging saves 0.4 bits per key, figure 3.3 that tables up to 64 come close to
/// the entropy. The values are exact expectations, to two digits.
#[test]
fn expected_sizes_are_those_of_the_analysis() {
    for (huffman_max, separate, merged) in
        [(8, 2.92, 2.48), (16, 2.87, 2.43), (32, 2.84, 2.40), (64, 2.82, 2.38)]
    {
        let bits = |merged| bits_per_key(Coding { huffman_max, merged }, 256);
        assert!((bits(false) - separate).abs() < 0.006, "{huffman_max}: {}", bits(false));
        assert!((bits(true) - merged).abs() < 0.006, "{huffman_max}: {}", bits(true));
    }
    for (keys, wanted) in [(2, 1.00), (8, 1.93), (64, 2.30), (256, 2.38)] {
        let bits = bits_per_key(Coding::default(), keys);
        assert!((bits - wanted).abs() < 0.006, "{keys} keys: {bits}");
    }
    let entropies = [entropy_per_key(false, 256), entropy_per_key(true, 256)];
    assert!((entropies[0] - 2.75).abs() < 0.006, "{entropies:?}");
    assert!((entropies[1] - 2.31).abs() < 0.006, "{entropies:?}");
}

/// One trie of 256 keys by items per block (figure 3.6, simulated anew for the digest).
#[test]
fn sparse_sizes_are_as_expected() {
    for (per_block, wanted) in [(1, 2.38), (2, 2.01), (4, 1.58), (8, 1.13), (16, 0.76)] {
        let expected = sparse_bits_per_key(Coding::default(), 256, per_block as usize);
        assert!(near(expected, wanted, 0.02), "expected with {per_block}: {expected}");
        let tries = 200;
        let measured = (0..tries)
            .map(|seed| {
                let keys = keys(256, 100 + seed);
                let index = build(Params { per_block, ..Params::new(12) }, &keys);
                index.trie_bits_per_key()
            })
            .sum::<f64>()
            / tries as f64;
        println!(
            "{per_block} items in a block: {measured:.3} bits per key, expected {expected:.3}"
        );
        assert!(near(measured, wanted, 0.02), "{per_block} items in a block: {measured}");
    }
}

fn all_included(count: usize) -> f64 {
    let keys = keys(count, 1);
    let index = build(Params::new(12), &keys);
    println!(
        "{count} keys, {} buckets: {:.4} bits per key, tries {:.4}",
        index.buckets(),
        index.bits_per_key(),
        index.trie_bits_per_key()
    );
    verify(&index, &keys);
    index.bits_per_key()
}

/// 2.51 bits per key (§3.3.3), with the index of buckets.
#[test]
fn an_index_takes_two_and_a_half_bits_per_key() {
    let bits = all_included(1 << 17);
    assert!((2.50..=2.53).contains(&bits), "{bits}");
}

#[test]
#[ignore = "builds and looks up 16 Mi keys; cargo test -p ect --release -- --ignored --nocapture"]
fn a_large_index_takes_two_and_a_half_bits_per_key() {
    let bits = all_included(1 << 24);
    assert!((2.50..=2.53).contains(&bits), "{bits}");
}
