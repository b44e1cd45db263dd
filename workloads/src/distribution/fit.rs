//! Goodness of fit: draws follow the stated law, and the test rejects a different law.

use super::{KeyDistribution, KeySampler, Permutation, SizeDistribution, Zipfian};
use crate::Seed;
use crate::chi_square::Fit;

const RECORDS: u64 = 1000;
const DRAWS: usize = 400_000;

fn counts(text: &str) -> Vec<u64> {
    let distribution: KeyDistribution = text.parse().unwrap();
    let mut sampler = KeySampler::new(distribution, RECORDS, Seed(42).rng());
    let mut counts = vec![0; RECORDS as usize];
    for _ in 0..DRAWS {
        counts[sampler.next_record() as usize] += 1;
    }
    counts
}

fn zipfian_fit(counts: &[u64], theta: f64) -> Fit {
    let law = Zipfian::new(RECORDS, theta);
    Fit::new(counts, (0..RECORDS).map(|rank| law.probability(rank)))
}

#[test]
fn uniform_is_uniform() {
    let fit = Fit::uniform(&counts("uniform"));
    assert!(fit.is_good(), "{fit:?}");
}

#[test]
fn zipfian_has_the_requested_theta_and_no_other() {
    for theta in [0.2, 0.5, 0.9, 0.99, 1.0, 1.001, 1.2, 1.5, 2.5] {
        let counts = counts(&format!("zipfian-unscrambled:{theta}"));
        let fit = zipfian_fit(&counts, theta);
        assert!(fit.is_good(), "theta {theta}: {fit:?}");
        for wrong in [theta - 0.1, theta - 0.03, theta + 0.03] {
            let fit = zipfian_fit(&counts, wrong);
            assert!(!fit.is_good(), "theta {theta} taken for {wrong}: {fit:?}");
        }
        assert!(!Fit::uniform(&counts).is_good());
    }
}

#[test]
fn scrambling_keeps_the_law_over_distinct_records() {
    let scrambled = counts("zipfian:0.99");
    assert!(!zipfian_fit(&scrambled, 0.99).is_good(), "popular records are not the first ones");
    let permutation = Permutation::new(RECORDS);
    let by_rank: Vec<u64> =
        (0..RECORDS).map(|rank| scrambled[permutation.apply(rank) as usize]).collect();
    assert_eq!(by_rank, counts("zipfian-unscrambled:0.99"));
    assert!(scrambled.iter().all(|&count| count > 0), "every record is asked for");
}

#[test]
fn latest_is_zipfian_from_the_end() {
    for theta in [0.99, 1.2] {
        let mut by_age = counts(&format!("latest:{theta}"));
        by_age.reverse();
        assert!(zipfian_fit(&by_age, theta).is_good());
        assert!(!zipfian_fit(&by_age, theta + 0.03).is_good());
    }
}

/// Fits a law in which the first `hot` records take `share` of the draws.
fn hotspot_fit(counts: &[u64], hot: u64, share: f64) -> Fit {
    let cold = RECORDS - hot;
    let of_record = |record| {
        if record < hot { share / hot as f64 } else { (1.0 - share) / cold as f64 }
    };
    Fit::new(counts, (0..RECORDS).map(of_record))
}

#[test]
fn a_hotspot_has_the_requested_set_and_share() {
    let counts = counts("hotspot:0.2:0.8");
    let fit = hotspot_fit(&counts, 200, 0.8);
    assert!(fit.is_good(), "{fit:?}");
    for (hot, share) in [(190, 0.8), (200, 0.79), (200, 0.81)] {
        assert!(!hotspot_fit(&counts, hot, share).is_good(), "{hot} {share}");
    }
}

#[test]
fn a_walk_touches_every_record_equally_often() {
    assert_eq!(counts("sequential"), vec![DRAWS as u64 / RECORDS; RECORDS as usize]);
}

#[test]
fn all_threads_share_the_popular_records() {
    let distribution = "zipfian:0.99".parse().unwrap();
    let most_popular = |seed: Seed| {
        let mut sampler = KeySampler::new(distribution, RECORDS, seed.rng());
        let mut counts = vec![0; RECORDS as usize];
        (0..10_000).for_each(|_| counts[sampler.next_record() as usize] += 1);
        (0..RECORDS).max_by_key(|&record| counts[record as usize])
    };
    assert_eq!(most_popular(Seed(1)), most_popular(Seed(2)));
}

#[test]
fn a_large_zipfian_has_the_right_head_and_tail() {
    // With 100 million records, each bin is the stretch between two powers of ten.
    let records = 100_000_000;
    for theta in [0.99, 1.0, 1.2] {
        let law = Zipfian::new(records, theta);
        let mut rng = Seed(42).rng();
        let mut counts = [0; 9];
        for _ in 0..DRAWS {
            counts[law.draw(&mut rng).checked_ilog10().map_or(0, |power| power as usize + 1)] += 1;
        }
        let stretches = (0..9).map(|bin| match bin {
            0 => law.probability(0),
            _ => law.probability_between(10u64.pow(bin - 1), 10u64.pow(bin)),
        });
        let fit = Fit::new(&counts, stretches);
        assert!(fit.is_good(), "{theta}: {fit:?}");
    }
}

/// Draws sizes of 50 to 150 bytes.
fn size_counts(text: &str) -> [u64; 101] {
    let sizes: SizeDistribution = text.parse().unwrap();
    let mut rng = Seed(42).rng();
    let mut counts = [0; 101];
    for _ in 0..DRAWS {
        counts[sizes.sample(&mut rng) - 50] += 1;
    }
    counts
}

#[test]
fn sizes_are_uniform() {
    let fit = Fit::uniform(&size_counts("50-150"));
    assert!(fit.is_good(), "{fit:?}");
}

#[test]
fn sizes_are_zipfian_from_the_smallest() {
    for theta in [0.5, 0.99, 1.5] {
        let counts = size_counts(&format!("zipfian:50-150:{theta}"));
        let fit = |theta| {
            let law = Zipfian::new(101, theta);
            Fit::new(&counts, (0..101).map(|rank| law.probability(rank)))
        };
        assert!(fit(theta).is_good(), "{:?}", fit(theta));
        assert!(!fit(theta + 0.03).is_good() && !fit(theta - 0.03).is_good(), "{theta}");
    }
}

#[test]
fn a_histogram_is_followed_bin_by_bin() {
    let weights = [(50, 1u64), (51, 70), (77, 20), (150, 9)];
    let text: Vec<String> =
        weights.iter().map(|(bytes, weight)| format!("{bytes}={weight}")).collect();
    let drawn = size_counts(&format!("histogram:{}", text.join(",")));
    let counts = weights.map(|(bytes, _)| drawn[bytes - 50]);
    assert_eq!(counts.iter().sum::<u64>(), DRAWS as u64, "no other size occurs");
    let fit = |weights: [u64; 4]| Fit::new(&counts, weights.map(|weight| weight as f64 / 100.0));
    assert!(fit([1, 70, 20, 9]).is_good());
    assert!(!fit([1, 69, 21, 9]).is_good() && !fit([2, 70, 20, 8]).is_good());
}
