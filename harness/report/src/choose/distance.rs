//! How far what was measured is from what is wanted, by dimension and in words. The sizes of the gaps add
//! up to the distance by which works are put in order:
//!
//! | dimension | a gap of 1 |
//! |---|---|
//! | mean value size | twice or half the size |
//! | range of sizes | one mean wider or narrower: what fits a hole depends on it |
//! | GETs | 25 percentage points |
//! | skew | a theta of 1, or uniform keys in place of `zipfian:1` |
//! | threads | twice or half as many |
//! | live set | 256 times as large or as small |
//! | memory | 1.41 times the budget, where nobody tried to fill the store further |
//! | ageing | measured as loaded, which costs a log nothing yet |
//! | live set within the cache | half of a gap |
//! | no queue counted in the latency | a quarter of a gap |

use record::dimensions::in_bytes;
use record::{Driver, KeyValue};
use serde::Serialize;
use workloads::{KeyDistribution, SizeDistribution};

use super::Wanted;
use super::words::{amount, digits};

/// What a percentage point of GETs weighs.
const OF_A_POINT: f64 = 1.0 / 25.0;
/// What a doubling of the live set weighs.
const OF_LIVE_SETS: f64 = 1.0 / 8.0;
/// What a doubling of the memory beyond the budget weighs, where the store was not filled further.
const OF_ROOM: f64 = 2.0;
/// Ratios closer to 1 are no gap.
const ALIKE: f64 = 1.02;

/// One way in which a measurement differs from the description.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Gap {
    pub dimension: &'static str,
    /// The difference, as a reader would say it.
    pub words: String,
    /// Its part of the distance.
    pub size: f64,
}

impl Gap {
    fn new(dimension: &'static str, size: f64, words: String) -> Self {
        Self { dimension, words, size }
    }
}

/// The distance of all gaps together.
pub(super) fn sum(gaps: &[Gap]) -> f64 {
    gaps.iter().map(|gap| gap.size).sum()
}

/// The gaps that all stores have which answered the requests of `work`.
pub(super) fn of_requests(work: &KeyValue, wanted: &Wanted) -> Vec<Gap> {
    let gaps = [
        sizes(&work.workload.value_bytes, &wanted.value_bytes),
        gets(work.get_percent(), wanted.get_percent),
        skew(work.workload.keys, wanted.skew),
        threads(work.threads, wanted.threads),
        work.ageing.is_none().then(|| {
            Gap::new("ageing", 1.0, "measured as loaded, without rewrites before".to_owned())
        }),
        (wanted.p999_ns.is_some() && matches!(work.driver, Driver::Closed { .. })).then(|| {
            Gap::new(
                "loop",
                0.25,
                "latency of a closed loop, in which no request queues".to_owned(),
            )
        }),
    ];
    gaps.into_iter().flatten().collect()
}

/// The gaps of a live set of `live_bytes`; `cached` where it fits the last-level cache.
pub(super) fn of_live_set(live_bytes: u64, cached: bool, wanted: &Wanted) -> Vec<Gap> {
    let ratio = wanted.live_bytes.map(|asked| live_bytes as f64 / asked as f64);
    let size = ratio.filter(|&ratio| !alike(ratio)).map(|ratio| {
        let asked = amount(wanted.live_bytes.unwrap_or_default() as f64);
        let words = format!("{} live instead of {asked}", amount(live_bytes as f64));
        Gap::new("live-set", ratio.log2().abs() * OF_LIVE_SETS, words)
    });
    let larger = wanted.live_bytes.is_none_or(|asked| asked > live_bytes);
    let cached = (cached && larger)
        .then(|| Gap::new("cache", 0.5, "the live set fits the last-level cache".to_owned()));
    size.into_iter().chain(cached).collect()
}

/// The gap of a store that was never filled as far as the budget asks, and never refused.
pub(super) fn of_room(least_ratio: f64, wanted: &Wanted) -> Option<Gap> {
    let beyond = least_ratio / wanted.memory_ratio()?;
    (beyond > 1.0).then(|| {
        let words = format!(
            "not measured fuller than {} bytes of memory for each live byte",
            digits(least_ratio)
        );
        Gap::new("memory", beyond.log2() * OF_ROOM, words)
    })
}

fn alike(ratio: f64) -> bool {
    (1.0 / ALIKE..=ALIKE).contains(&ratio)
}

fn sizes(measured: &SizeDistribution, wanted: &SizeDistribution) -> Option<Gap> {
    if measured == wanted {
        return None;
    }
    let width = |sizes: &SizeDistribution| (sizes.max() - sizes.min()) as f64 / sizes.mean();
    let ratio = measured.mean() / wanted.mean();
    let size = ratio.log2().abs() + (width(measured) - width(wanted)).abs();
    let [is, asked] = [measured, wanted].map(|sizes| in_bytes(&sizes.to_string()));
    let mean = if alike(ratio) {
        "the same mean".to_owned()
    } else {
        format!("{} times the mean", digits(ratio))
    };
    Some(Gap::new("value-bytes", size, format!("values of {is} instead of {asked}, {mean}")))
}

fn gets(measured: f64, wanted: f64) -> Option<Gap> {
    let points = measured - wanted;
    (points.abs() >= 0.05).then(|| {
        let more = if points > 0.0 { "more" } else { "fewer" };
        let words = format!(
            "{} points {more} GETs ({measured} instead of {wanted} %)",
            digits(points.abs())
        );
        Gap::new("get", points.abs() * OF_A_POINT, words)
    })
}

fn skew(measured: KeyDistribution, wanted: KeyDistribution) -> Option<Gap> {
    (measured != wanted).then(|| {
        // Other kinds of the same skew still differ in which keys are popular.
        let size = (theta(measured) - theta(wanted)).abs().max(0.1);
        Gap::new("skew", size, format!("{measured} keys instead of {wanted}"))
    })
}

/// How skewed keys are, as the theta of a zipfian distribution, about.
fn theta(keys: KeyDistribution) -> f64 {
    match keys {
        KeyDistribution::Uniform | KeyDistribution::Sequential => 0.0,
        KeyDistribution::Zipfian { theta, .. } | KeyDistribution::Latest { theta } => theta,
        // A zipfian of ten billion items, folded onto the records.
        KeyDistribution::YcsbScrambled => 0.6,
        KeyDistribution::Hotspot { set, operations } => (operations - set).max(0.0),
    }
}

fn threads(measured: usize, wanted: usize) -> Option<Gap> {
    (measured != wanted).then(|| {
        let noun = if measured == 1 { "thread" } else { "threads" };
        let size = (measured as f64 / wanted as f64).log2().abs();
        Gap::new("threads", size, format!("{measured} {noun} instead of {wanted}"))
    })
}
