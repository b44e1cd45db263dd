//! Statistics of key-value traces, compared with hand counts and with brute force.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::seed::{Rng, Seed};
use crate::trace::{Operation, OperationKind};

use OperationKind::{Delete, Get, Put};

fn operation((kind, key, value_bytes): (OperationKind, u64, u32)) -> Operation {
    Operation { time_ns: 0, kind, key, value_bytes, key_bytes: 0 }
}

fn statistics(operations: &[Operation], options: StatisticsOptions) -> TraceStatistics {
    let mut statistics = Statistics::new(options);
    for operation in operations {
        statistics.add(operation);
    }
    statistics.finish()
}

fn of(trace: &[(OperationKind, u64, u32)]) -> TraceStatistics {
    let operations: Vec<Operation> = trace.iter().copied().map(operation).collect();
    statistics(&operations, StatisticsOptions::default())
}

/// Operations on random keys, in which low keys are more frequent.
fn random(count: usize, keys: u64, rng: &mut Rng) -> Vec<Operation> {
    let mut time_ns = 0;
    let mut one = || {
        time_ns += rng.below(3);
        let skewed = rng.below(keys) * rng.below(keys) / keys;
        let kind = OperationKind::ALL[rng.below(3) as usize];
        let value_bytes = if kind == Delete { 0 } else { rng.below(2000) as u32 };
        Operation { time_ns, kind, key: crate::key_of(skewed), value_bytes, key_bytes: 0 }
    };
    (0..count).map(|_| one()).collect()
}

#[test]
fn a_trace_by_hand() {
    let whole = of(&[
        (Get, 1, 0),
        (Put, 1, 100),
        (Put, 2, 50),
        (Get, 1, 0),
        (Put, 1, 300),
        (Delete, 2, 0),
        (Delete, 2, 0),
        (Put, 2, 10),
        (Get, 2, 0),
        (Delete, 1, 0),
        (Delete, 3, 0),
    ]);
    let effects =
        Effects { get_hit: 2, get_miss: 1, insert: 3, overwrite: 1, delete: 2, delete_miss: 2 };
    assert_eq!((whole.effects, whole.operations), (effects, 11));
    assert_eq!((whole.objects, whole.objects_stored), (3, 2), "2 came twice, 3 was never stored");
    assert_eq!(whole.bytes_written, 460);
    let bytes = [0, 100, 150, 150, 350, 300, 300, 310, 310, 10, 10];
    let live = Live {
        bytes_max: 350,
        bytes_max_at: 5,
        objects_max: 2,
        objects_max_at: 3,
        bytes_mean: bytes.iter().sum::<u64>() / 11,
        bytes_end: 10,
        objects_end: 1,
    };
    assert_eq!(whole.live, live);
    assert_eq!(whole.timeline.step, 1);
    let points: Vec<u64> = whole.timeline.points.iter().map(|point| point.live_bytes).collect();
    assert_eq!(points, bytes);
    let phases = whole.phases.unwrap();
    assert_eq!(phases.creation.effects.total(), 5);
    assert_eq!(phases.creation.live_bytes_mean, 750 / 5);
    let steady = Effects { insert: 1, delete: 1, delete_miss: 1, ..Effects::default() };
    assert_eq!((phases.steady.effects, phases.steady.live_objects_end), (steady, 2));
    let deletion = Effects { get_hit: 1, delete: 1, delete_miss: 1, ..Effects::default() };
    assert_eq!(phases.deletion.effects, deletion);
    assert_eq!(whole.accesses.max, 5);
    let distances: Vec<(u64, u64)> =
        whole.reuse.distances.buckets.iter().map(|bucket| (bucket.up_to, bucket.count)).collect();
    assert_eq!(distances, [(0, 5), (1, 3)]);
    assert_eq!((whole.reuse.cold, whole.reuse.reuses, whole.reuse.sampled_one_in), (3, 8, 1));
    let ratios = [0, 1, 2].map(|objects| whole.reuse.lru_hit_ratio(objects).unwrap());
    assert_eq!(ratios.map(|ratio| (ratio * 11.0).round()), [0.0, 5.0, 8.0]);
}

#[test]
fn traces_of_one_kind() {
    let none = of(&[]);
    assert_eq!((none.operations, none.objects, none.duration_ns), (0, 0, 0));
    assert_eq!((none.phases, none.operations_per_object()), (None, None));
    assert!(none.timeline.points.is_empty() && none.reuse.lru_hit_ratio(5).is_none());
    assert!(none.effects.share(Effect::Insert).is_none());
    // A trace of a cache: there are no PUTs, so sizes come from GETs, one of which has no size.
    let cache = of(&[(Get, 1, 500), (Get, 1, 0), (Get, 2, 700)]);
    assert_eq!((cache.effects.get_miss, cache.objects, cache.objects_stored), (3, 2, 0));
    assert_eq!((cache.value_bytes().min, cache.value_bytes().max), (500, 700));
    assert_eq!((cache.value_bytes().count, cache.live.bytes_max), (2, 0));
    // Objects are created, then deleted: there is no steady phase.
    let emptied = of(&[(Put, 1, 8), (Put, 2, 8), (Get, 1, 0), (Delete, 1, 0), (Delete, 2, 0)]);
    let phases = emptied.phases.unwrap();
    let totals = [phases.creation, phases.steady, phases.deletion].map(|one| one.effects.total());
    assert_eq!(totals, [3, 0, 2]);
    assert_eq!((emptied.live.bytes_end, emptied.live.objects_end), (0, 0));
    // An empty value is still a value.
    assert_eq!(of(&[(Put, 1, 0), (Get, 1, 0)]).effects.get_hit, 1);
}

/// Checks everything that a map and a list can compute about a trace.
fn check(operations: &[Operation], whole: &TraceStatistics) {
    let (mut live, mut named): (BTreeMap<u64, u64>, BTreeMap<u64, u64>) = Default::default();
    let (mut effects, mut maxima, mut ends) = (Effects::default(), (0, 0), Vec::new());
    for operation in operations {
        let is_live = live.contains_key(&operation.key);
        effects.count(Effect::of(operation.kind, is_live));
        match operation.kind {
            Put => drop(live.insert(operation.key, operation.value_bytes.into())),
            Delete => drop(live.remove(&operation.key)),
            Get => {}
        }
        *named.entry(operation.key).or_default() += 1;
        ends.push((live.values().sum::<u64>(), live.len() as u64));
        let (bytes, objects) = ends[ends.len() - 1];
        maxima = (bytes.max(maxima.0), objects.max(maxima.1));
    }
    assert_eq!(whole.effects, effects);
    assert_eq!(whole.objects, named.len() as u64);
    assert_eq!((whole.live.bytes_max, whole.live.objects_max), maxima);
    if maxima.0 > 0 {
        let at = |at: u64| ends[at as usize - 1];
        assert_eq!(at(whole.live.bytes_max_at).0, maxima.0);
        assert_eq!(at(whole.live.objects_max_at).1, maxima.1);
    }
    let mut seen = Effects::default();
    for (place, point) in whole.timeline.points.iter().enumerate() {
        let end = ((place as u64 + 1) * whole.timeline.step).min(whole.operations);
        assert_eq!(point.at, end);
        assert_eq!((point.live_bytes, point.live_objects), ends[end as usize - 1]);
        seen += point.counts;
    }
    assert_eq!(seen, effects);
    if let Some(Phases { creation, steady, deletion }) = whole.phases {
        let mut sum = creation.effects;
        sum += steady.effects;
        sum += deletion.effects;
        assert_eq!(sum, effects);
        assert_eq!(creation.effects.delete + deletion.effects.insert, 0);
    } else {
        assert_eq!(effects.delete, 0);
    }
    for bucket in &whole.accesses.buckets {
        let here = named.values().filter(|&&accesses| {
            accesses <= bucket.up_to
                && whole
                    .accesses
                    .buckets
                    .iter()
                    .all(|other| other.up_to >= bucket.up_to || accesses > other.up_to)
        });
        assert_eq!(here.clone().count() as u64, bucket.objects);
        assert_eq!(here.sum::<u64>(), bucket.operations);
    }
    let objects: u64 = whole.accesses.buckets.iter().map(|bucket| bucket.objects).sum();
    assert_eq!(objects, whole.objects);
    let p80 = whole.accesses.by_operations.p80;
    let on = |most: u64| named.values().filter(|&&one| one <= most).sum::<u64>();
    assert!(10 * on(p80) >= 8 * whole.operations);
    assert!(p80 == 0 || 10 * on(p80 - 1) < 8 * whole.operations);
    assert_eq!(whole.reuse.cold + whole.reuse.reuses, whole.operations);
    assert_eq!(whole.reuse.cold, whole.objects);
}

/// Distances by brute force: every operation in between is examined.
fn distances(operations: &[Operation]) -> Distribution {
    let mut histogram = distribution::Histogram::default();
    for (place, operation) in operations.iter().enumerate() {
        let before = &operations[..place];
        if let Some(last) = before.iter().rposition(|other| other.key == operation.key) {
            let between: BTreeSet<u64> = before[last + 1..].iter().map(|one| one.key).collect();
            histogram.add(between.len() as u64, 1);
        }
    }
    histogram.finish()
}

#[test]
fn random_traces_agree_with_brute_force() {
    for seed in 0..60 {
        let mut rng = Seed(seed).rng();
        let (count, keys) = (rng.below(600) as usize, 1 + rng.below(200));
        let operations = random(count, keys, &mut rng);
        let points = 1 + rng.below(40) as usize;
        let whole =
            statistics(&operations, StatisticsOptions { points, ..StatisticsOptions::default() });
        check(&operations, &whole);
        assert_eq!(whole.reuse.distances, distances(&operations), "seed {seed}");
        assert!(count < points || (points..2 * points).contains(&whole.timeline.points.len()));
        let times = operations.first().zip(operations.last());
        assert_eq!(whole.duration_ns, times.map_or(0, |(one, other)| other.time_ns - one.time_ns));
    }
}

#[test]
fn distances_stay_exact_while_slots_are_given_anew() {
    // Several times as many operations as slots, over few and over many keys.
    for keys in [30, 1500] {
        let mut rng = Seed(keys).rng();
        let operations = random(12_000, keys, &mut rng);
        let whole = statistics(&operations, StatisticsOptions::default());
        assert_eq!(whole.reuse.distances, distances(&operations));
    }
}

#[test]
fn a_sample_keeps_to_its_bound_and_estimates_the_distances() {
    let mut rng = Seed(5).rng();
    let operations = random(400_000, 40_000, &mut rng);
    let exact = statistics(&operations, StatisticsOptions::default());
    let options = StatisticsOptions { exact_keys: 4096, ..StatisticsOptions::default() };
    let sampled = statistics(&operations, options);
    assert_eq!(exact.reuse.sampled_one_in, 1);
    assert_eq!(exact.reuse.distances.count, exact.reuse.reuses);
    assert!(sampled.reuse.sampled_one_in >= 4 && sampled.reuse.keys_sampled <= 4096);
    assert_eq!((sampled.reuse.cold, sampled.reuse.reuses), (exact.reuse.cold, exact.reuse.reuses));
    for objects in [100, 1000, 5000, 10_000, 20_000] {
        let [exact, sampled] =
            [&exact, &sampled].map(|one| one.reuse.lru_hit_ratio(objects).unwrap());
        assert!((exact - sampled).abs() < 0.03, "{objects}: {exact} and {sampled}");
    }
    let same = |one: TraceStatistics| TraceStatistics { reuse: exact.reuse.clone(), ..one };
    assert_eq!(same(sampled), exact, "nothing else is sampled");
}

#[test]
fn the_least_bounds_are_borne() {
    let mut rng = Seed(9).rng();
    let operations = random(5000, 3000, &mut rng);
    let whole = statistics(&operations, StatisticsOptions { points: 0, exact_keys: 0 });
    check(&operations, &whole);
    assert_eq!(whole.timeline.points.len(), 1);
    assert!(whole.reuse.keys_sampled <= 1 && whole.reuse.sampled_one_in > 256);
}
