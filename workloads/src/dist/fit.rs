//! Goodness of fit: what is drawn follows the stated law, and the test would notice another one.

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
    for theta in [0.2, 0.5, 0.9, 0.99] {
        let counts = counts(&format!("zipfian-unscrambled:{theta}"));
        let fit = zipfian_fit(&counts, theta);
        assert!(fit.is_good(), "theta {theta}: {fit:?}");
        for wrong in [theta - 0.03, theta - 0.1] {
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
    // 100 million records: the bins are stretches between powers of ten.
    let records = 100_000_000;
    let law = Zipfian::new(records, 0.99);
    let mut rng = Seed(42).rng();
    let mut counts = [0; 9];
    for _ in 0..DRAWS {
        counts[law.draw(&mut rng).checked_ilog10().map_or(0, |power| power as usize + 1)] += 1;
    }
    let stretches = (0..9).map(|bin| match bin {
        0 => law.probability(0),
        1 => (1..10).map(|rank| law.probability(rank)).sum(),
        _ => law.probability_between(10u64.pow(bin - 1), 10u64.pow(bin)),
    });
    let fit = Fit::new(&counts, stretches);
    assert!(fit.is_good(), "{fit:?}");
}

#[test]
fn sizes_are_uniform() {
    let sizes = SizeDistribution::Uniform { from: 50, to: 150 };
    let mut rng = Seed(42).rng();
    let mut counts = [0; 101];
    for _ in 0..DRAWS {
        counts[sizes.sample(&mut rng) - 50] += 1;
    }
    let fit = Fit::uniform(&counts);
    assert!(fit.is_good(), "{fit:?}");
}
