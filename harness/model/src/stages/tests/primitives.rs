//! Unique keys, their inverse, merges and densities.

use super::{HUNDRED_MILLION, assert_near, popularity};
use crate::stages::{density, density_interval, merge, unique, unique_inverse};

/// Distinct keys by the definition, rank by rank.
fn unique_by_rank(keys: u64, skew: f64, requests: f64) -> f64 {
    let weights: Vec<f64> = (1..=keys).map(|rank| (rank as f64).powf(-skew)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| -(requests * (-weight / total).ln_1p()).exp_m1()).sum()
}

#[test]
fn worked_values_are_met() {
    for (skew, distinct, merged, turn, filled) in [
        (0.0, [995_017.0, 9_516_258.0, 63_212_056.0], 9.10e7, 22_579_162.0, 11_077_247.0),
        (0.99, [441_411.0, 3_159_587.0, 18_891_431.0], 90_337_776.0, 9.585e7, 4.503e7),
    ] {
        let keys = popularity(HUNDRED_MILLION, skew);
        for (requests, expected) in [1e6, 1e7, 1e8].into_iter().zip(distinct) {
            assert_near(unique(&keys, requests), expected);
        }
        assert_near(merge(&keys, 1e7, 9e7), merged);
        let items = 10.0 * 1024.0 * 1024.0;
        assert_near(density_interval(&keys, items), turn);
        assert_near(unique_inverse(&keys, items), filled);
    }
}

#[test]
fn grouping_errs_upwards_and_within_its_bound() {
    for (keys, skew) in
        [(100_000, 0.5), (100_000, 0.99), (100_000, 1.0), (30_000, 2.0), (300, 0.99)]
    {
        let grouped = popularity(keys, skew);
        let bound = grouped.grouping_error();
        assert!(bound < 4e-5 * (1.0 + skew * skew), "{bound}");
        let mut largest: f64 = 0.0;
        for requests in [1.0, 3e3, 1e5, 3e6, 1e8] {
            let error = unique(&grouped, requests) / unique_by_rank(keys, skew, requests) - 1.0;
            assert!(error > -1e-9 && error <= bound + 1e-9, "{keys} {skew} {requests}: {error}");
            largest = largest.max(error);
        }
        assert!(
            keys < 1000 || largest > bound / 100.0,
            "the bound says nothing: {largest} {bound}"
        );
    }
}

#[test]
fn the_inverse_undoes_up_to_the_last_key() {
    for skew in [0.0, 0.99, 1.4] {
        let keys = popularity(1_000_000, skew);
        for items in [1e-3, 1.0, 5e3, 9e5, 999_999.0, 999_999.999] {
            assert!((unique(&keys, unique_inverse(&keys, items)) / items - 1.0).abs() < 1e-9);
        }
        assert_eq!(unique_inverse(&keys, 0.0), 0.0);
        assert_eq!(unique_inverse(&keys, 1e6), f64::INFINITY);
        assert_eq!(density_interval(&keys, 1e6), f64::INFINITY);
        assert!((unique(&keys, f64::INFINITY) / 1e6 - 1.0).abs() < 1e-12);
        assert!((merge(&keys, 5.0, 1e6) / 1e6 - 1.0).abs() < 1e-12);
        assert!((merge(&keys, 5e3, 0.0) / 5e3 - 1.0).abs() < 1e-9);
        let (left, right) = (merge(&keys, 2e3, 7e5), merge(&keys, 7e5, 2e3));
        assert!((left / right - 1.0).abs() < 1e-9 && left > 7e5 && left < 7.02e5);
    }
}

#[test]
fn densities_rise_from_nothing_and_sum_to_the_level() {
    for skew in [0.0, 0.99] {
        let keys = popularity(1_000_000, skew);
        for items in [1_000.0, 100_000.0, 900_000.0] {
            let strips = 2_000;
            let at = |strip: i32| density(&keys, items, f64::from(strip) / f64::from(strips));
            let inner: f64 = (1..strips).map(at).sum();
            let sum = (inner + at(strips) / 2.0) / f64::from(strips);
            assert_eq!(at(0), 0.0);
            assert!(at(strips) > at(strips / 2) && at(strips) < 1.0);
            // The error of 2000 straight strips is largest where the density bends most.
            assert!((sum * 1e6 / items - 1.0).abs() < 1e-3, "{skew} {items}: {sum}");
        }
    }
}
