//! Compares draws with those of YCSB's own generator.

use super::*;
use crate::Seed;
use crate::chi_square::Fit;
use crate::distribution::zeta::zeta;

/// Written by `scripts/ycsb-check`, using YCSB's own classes.
const TABLE: &str = include_str!("../../../data/ycsb-scrambled.tsv");
const RECORDS: u64 = 31_092;
const YCSB_DRAWS: u64 = 1_000_000_000;
/// With this many ranks, the error from the others, 1e-7 per record, is far below that of a billion
/// draws.
const HASHED: u64 = 1 << 22;

/// One of YCSB's hottest records.
struct Hot {
    record: u64,
    first_rank: u64,
    drawn: u64,
    probability: f64,
}

/// Sorted, hottest first.
fn hottest_of_ycsb() -> Vec<Hot> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let hottest: Vec<Hot> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let whole = |at: usize| fields[at].parse().expect("a whole number");
            Hot {
                record: whole(0),
                first_rank: whole(1),
                drawn: whole(2),
                probability: fields[3].parse().expect("a probability"),
            }
        })
        .collect();
    assert_eq!(hottest.len(), 100);
    hottest
}

/// How often each of `hottest` was drawn, followed by the count of all other records.
fn with_rest(hottest: &[Hot], draws: u64, count: impl Fn(&Hot) -> u64) -> Vec<u64> {
    let mut counts: Vec<u64> = hottest.iter().map(count).collect();
    counts.push(draws - counts.iter().sum::<u64>());
    counts
}

/// The probability of each of `hottest`, followed by that of all other records.
fn share_with_rest(hottest: &[Hot], probability: impl Fn(&Hot) -> f64) -> Vec<f64> {
    let mut shares: Vec<f64> = hottest.iter().map(probability).collect();
    shares.push(1.0 - shares.iter().sum::<f64>());
    shares
}

#[test]
fn the_hottest_hundred_records_are_ycsbs() {
    let law = YcsbScrambled::new(RECORDS);
    let probabilities = law.probabilities(HASHED);
    let mut by_heat: Vec<u64> = (0..RECORDS).collect();
    by_heat.sort_by(|&a, &b| probabilities[b as usize].total_cmp(&probabilities[a as usize]));
    let hottest = hottest_of_ycsb();
    let mut of_ycsb: Vec<u64> = hottest.iter().map(|hot| hot.record).collect();
    of_ycsb.sort_unstable();
    by_heat.truncate(100);
    by_heat.sort_unstable();
    assert_eq!(by_heat, of_ycsb);
    for hot in &hottest {
        let first = (0..).find(|&rank| law.record_of(rank) == hot.record);
        assert_eq!(first, Some(hot.first_rank), "record {}", hot.record);
        let here = probabilities[hot.record as usize];
        assert!((here - hot.probability).abs() < 1e-6, "{}: {here}", hot.record);
    }
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(probabilities.iter().all(|&probability| probability > 0.0));
}

#[test]
fn a_billion_draws_of_ycsb_follow_the_law() {
    let hottest = hottest_of_ycsb();
    let drawn = with_rest(&hottest, YCSB_DRAWS, |hot| hot.drawn);
    let fit = |law: &YcsbScrambled| {
        let probabilities = law.probabilities(HASHED);
        Fit::new(&drawn, share_with_rest(&hottest, |hot| probabilities[hot.record as usize]))
    };
    let law = YcsbScrambled::new(RECORDS);
    assert!(fit(&law).is_good(), "{:?}", fit(&law));
    // Different numbers of ranks, and different skews.
    for ranks in [
        Gray::new(YcsbScrambled::RANKS / 2, YcsbScrambled::THETA),
        Gray::new(YcsbScrambled::RANKS, YcsbScrambled::THETA - 0.001),
    ] {
        let other = YcsbScrambled { ranks, records: RECORDS };
        assert!(!fit(&other).is_good(), "{:?}", fit(&other));
    }
}

#[test]
fn draws_are_as_frequent_as_ycsbs() {
    const DRAWS: u64 = 4_000_000;
    let hottest = hottest_of_ycsb();
    let of_ycsb = share_with_rest(&hottest, |hot| hot.drawn as f64 / YCSB_DRAWS as f64);
    let fit = |draw: &dyn Fn(&mut Rng) -> u64| {
        let mut rng = Seed(42).rng();
        let mut counts = vec![0; RECORDS as usize];
        (0..DRAWS).for_each(|_| counts[draw(&mut rng) as usize] += 1);
        let counts = with_rest(&hottest, DRAWS, |hot| counts[hot.record as usize]);
        Fit::new(&counts, of_ycsb.iter().copied())
    };
    let law = YcsbScrambled::new(RECORDS);
    let found = fit(&|rng| law.draw(rng));
    assert!(found.is_good(), "{found:?}");
    // The same hash over ranks of the records only, as in `zipfian:0.99`.
    let ranks = Gray::new(RECORDS, YcsbScrambled::THETA);
    let found = fit(&|rng| law.record_of(ranks.draw(rng)));
    assert!(!found.is_good(), "{found:?}");
}

#[test]
fn the_hottest_record_gets_a_share_of_ten_billion_ranks() {
    let scrambled = hottest_of_ycsb()[0].probability;
    let permuted = crate::distribution::Zipfian::new(RECORDS, YcsbScrambled::THETA).probability(0);
    assert!((scrambled - 0.038).abs() < 0.0005, "{scrambled}");
    assert!((permuted - 0.087).abs() < 0.0005, "{permuted}");
}

#[test]
fn ycsbs_constant_is_the_weight_of_ten_billion_ranks() {
    let exact = zeta(YcsbScrambled::RANKS - 1, YcsbScrambled::THETA);
    assert!((YcsbScrambled::ZETA - exact).abs() < 1e-9, "{exact}");
}

/// From `site.ycsb.Utils.fnvhash64`.
#[test]
fn the_hash_is_ycsbs() {
    for (value, hash) in HASHES {
        assert_eq!(fnv_hash(value), hash, "{value}");
    }
}

const HASHES: [(u64, u64); 8] = [
    (0, 6_284_781_860_667_377_211),
    (1, 8_517_097_267_634_966_620),
    (2, 1_820_151_046_732_198_393),
    (255, 8_064_062_821_143_829_734),
    (256, 2_056_600_594_528_442_646),
    (31_091, 8_780_450_573_207_905_063),
    (9_999_999_999, 3_605_131_173_811_637_474),
    (10_000_000_000, 1_201_321_332_300_452_516),
];

#[test]
fn any_number_of_records_can_be_drawn_from() {
    let mut rng = Seed(1).rng();
    // One, few, as many as there are ranks, more, and as many as a request can name.
    let most = crate::requests::Request::RECORD_MAX;
    let ranks = YcsbScrambled::RANKS;
    for records in [1, 2, 3, 5, 1000, 1 << 31, ranks - 1, ranks, ranks + 1, most] {
        let law = YcsbScrambled::new(records);
        assert!((0..10_000).all(|_| law.draw(&mut rng) < records), "{records}");
    }
    let law = YcsbScrambled::new(3);
    let mut counts = [0u64; 3];
    (0..100_000).for_each(|_| counts[law.draw(&mut rng) as usize] += 1);
    assert!(Fit::new(&counts, law.probabilities(HASHED)).is_good(), "{counts:?}");
}

#[test]
#[should_panic(expected = "records = 0: there is nothing to draw")]
fn no_records_are_refused() {
    let _ = YcsbScrambled::new(0);
}
