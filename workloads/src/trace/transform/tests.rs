//! Tests every option alone, combined, and with invalid values.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use super::*;
use crate::trace::OperationKind;
use crate::trace::formats::{self, Format};
use crate::{Rng, Seed};

/// Operations on 1000 keys, a microsecond apart, starting at 5 s.
fn trace(count: u64) -> Vec<Operation> {
    let mut rng = Rng::new(Seed(11));
    let operation = |number| Operation {
        time_ns: 5_000_000_000 + number * 1000,
        kind: OperationKind::ALL[rng.below(3) as usize],
        key: rng.below(1000),
        value_bytes: rng.below(2000) as u32,
        key_bytes: 30,
    };
    let mut operations: Vec<_> = (0..count).map(operation).collect();
    for operation in &mut operations {
        if operation.kind == OperationKind::Delete {
            operation.value_bytes = 0;
        }
    }
    operations
}

fn apply(transform: Transform, operations: &[Operation]) -> Vec<Operation> {
    let operations = operations.iter().copied().map(Ok::<_, Infallible>);
    transform.apply(operations).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_default_changes_nothing_but_the_origin() {
    let operations = trace(1000);
    let expected: Vec<_> = operations
        .iter()
        .map(|operation| Operation { time_ns: operation.time_ns - 5_000_000_000, ..*operation })
        .collect();
    assert_eq!(apply(Transform::default(), &operations), expected);
    assert_eq!(apply(Transform::default(), &[]), []);
    let late = Operation { time_ns: u64::MAX, ..operations[0] };
    let times = apply(Transform::default(), &[Operation { time_ns: 1, ..late }, late]);
    assert_eq!(times[1].time_ns, u64::MAX - 1);
}

#[test]
fn sizes_are_scaled_then_clamped_and_unknown_ones_stay_unknown() {
    let transform =
        Transform { size_factor: 0.5, size_max: Some(700), size_min: 10, ..Transform::default() };
    let operations = trace(3000);
    let mut clamped = [0, 0];
    for (before, after) in operations.iter().zip(apply(transform, &operations)) {
        let half = before.value_bytes.div_ceil(2);
        let expected = match (before.kind, before.value_bytes) {
            (OperationKind::Delete, _) | (OperationKind::Get, 0) => 0,
            _ => half.clamp(10, 700),
        };
        assert_eq!(after.value_bytes, expected);
        clamped[0] += u32::from(half < 10 && expected == 10);
        clamped[1] += u32::from(half > 700 && expected == 700);
    }
    assert!(clamped.into_iter().all(|count| count > 0), "{clamped:?}");
    let empty = Operation { value_bytes: 0, kind: OperationKind::Put, ..operations[0] };
    assert_eq!(apply(transform, &[empty])[0].value_bytes, 10);
    let untold = Operation { kind: OperationKind::Get, ..empty };
    assert_eq!(apply(transform, &[untold])[0].value_bytes, 0);
}

#[test]
fn a_sample_keeps_whole_keys_and_smaller_samples_are_inside_larger_ones() {
    let operations = trace(20_000);
    let sample = |one_in| {
        let keys = KeyScaling::Sample { one_in };
        apply(Transform { keys, ..Transform::default() }, &operations)
    };
    let per_key = |operations: &[Operation]| {
        let mut counts = BTreeMap::new();
        operations.iter().for_each(|operation| *counts.entry(operation.key).or_insert(0) += 1);
        counts
    };
    let all = per_key(&operations);
    assert_eq!(per_key(&sample(1)), all);
    let (tenth, hundredth) = (per_key(&sample(10)), per_key(&sample(100)));
    // Of 1000 keys, 100 and 10 are expected, with standard deviations of 9.5 and 3.2.
    assert!((60..140).contains(&tenth.len()), "{}", tenth.len());
    assert!((1..25).contains(&hundredth.len()), "{}", hundredth.len());
    assert!(tenth.iter().all(|(key, count)| all[key] == *count));
    assert!(hundredth.iter().all(|(key, count)| tenth[key] == *count));
    assert_eq!(sample(10)[0].time_ns, 0);
}

#[test]
fn copies_are_traces_of_their_own() {
    let operations = trace(500);
    let keys = KeyScaling::Replicate { copies: 3 };
    let copies = apply(Transform { keys, ..Transform::default() }, &operations);
    let plain = apply(Transform::default(), &operations);
    assert_eq!(copies.len(), 1500);
    let mut of_copy: [BTreeMap<u64, u64>; 3] = Default::default();
    for (original, copies) in plain.iter().zip(copies.chunks(3)) {
        assert_eq!(copies[0], *original);
        for (copy, keys) in copies.iter().zip(&mut of_copy) {
            assert_eq!(Operation { key: original.key, ..*copy }, *original);
            assert_eq!(*keys.entry(original.key).or_insert(copy.key), copy.key);
        }
    }
    let distinct: BTreeSet<u64> = of_copy.iter().flat_map(BTreeMap::values).copied().collect();
    assert_eq!(distinct.len(), 3 * of_copy[0].len());
    let one = Transform { keys: KeyScaling::Replicate { copies: 1 }, ..Transform::default() };
    assert_eq!(apply(one, &operations), plain);
}

#[test]
fn time_is_warped_and_never_runs_backwards() {
    let operations = trace(100);
    let times = |time_factor| -> Vec<u64> {
        let transform = Transform { time_factor, ..Transform::default() };
        apply(transform, &operations).iter().map(|operation| operation.time_ns).collect()
    };
    assert_eq!(times(2.0), (0..100).map(|number| number * 500).collect::<Vec<_>>());
    assert_eq!(times(0.25), (0..100).map(|number| number * 4000).collect::<Vec<_>>());
    for factor in [3.7, 1e-300, 1e300] {
        assert!(times(factor).is_sorted());
    }
}

#[test]
fn skip_and_take_count_operations_of_the_trace() {
    let operations = trace(100);
    let window = Transform { skip: 10, take: Some(20), ..Transform::default() };
    let expected = apply(Transform::default(), &operations[10..30]);
    assert_eq!(apply(window, &operations), expected);
    let copied = Transform { keys: KeyScaling::Replicate { copies: 2 }, ..window };
    assert_eq!(apply(copied, &operations).len(), 40);
    assert_eq!(apply(Transform { skip: 1000, ..window }, &operations), []);
    let rest = Transform { skip: u64::MAX, take: Some(u64::MAX), ..window };
    assert_eq!(apply(rest, &operations), []);
    // Nothing after the last operation to take is read.
    let mut asked = 0;
    let counted = operations.iter().inspect(|_| asked += 1).map(|&good| Ok::<_, Infallible>(good));
    assert_eq!(window.apply(counted).unwrap().count(), 20);
    assert_eq!(asked, 30);
}

#[test]
fn any_transform_keeps_its_promises() {
    let mut rng = Rng::new(Seed(13));
    let operations = trace(300);
    for _ in 0..1000 {
        let size_max = 1 + rng.below(3000) as u32;
        let number = 1 + rng.below(5);
        let transform = Transform {
            size_factor: 0.01 + rng.unit_f64() * 100.0,
            size_max: Some(size_max),
            size_min: rng.below(u64::from(size_max)) as u32,
            keys: match rng.below(3) {
                0 => KeyScaling::Keep,
                1 => KeyScaling::Sample { one_in: number },
                _ => KeyScaling::Replicate { copies: number as u32 },
            },
            time_factor: 0.01 + rng.unit_f64() * 100.0,
            skip: rng.below(400),
            take: rng.chance(0.5).then(|| 1 + rng.below(400)),
        };
        let looked_at = 300u64.saturating_sub(transform.skip).min(transform.take.unwrap_or(300));
        let changed = apply(transform, &operations);
        let count = changed.len() as u64;
        match transform.keys {
            KeyScaling::Keep => assert_eq!(count, looked_at),
            KeyScaling::Sample { .. } => assert!(count <= looked_at),
            KeyScaling::Replicate { copies } => assert_eq!(count, looked_at * u64::from(copies)),
        }
        assert!(changed.is_sorted_by_key(|operation| operation.time_ns));
        assert_eq!(changed.first().map_or(0, |operation| operation.time_ns), 0);
        for operation in changed {
            let stored = operation.kind == OperationKind::Put;
            let bytes_min = if stored { transform.size_min } else { 0 };
            assert!((bytes_min..=size_max).contains(&operation.value_bytes), "{transform:?}");
        }
    }
}

#[test]
fn values_that_stay_too_large_are_errors_of_their_operation() {
    let text = "1,a,1,10,1,set,0\n2,b,1,16777216,1,get,0\n3,c,1,5000000000,1,set,0\n";
    let open = || formats::open(Format::Twitter, text.as_bytes(), "large.csv").unwrap();

    let refused = open().nth(1).unwrap().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "large.csv, line 2 (byte 17): a value of 16777216 bytes is above 16777215: clamp values \
         with the transform's size_max"
    );

    let mut kept = Transform::default().read(open()).unwrap().skip(1);
    assert_eq!(
        kept.next().unwrap().unwrap_err().to_string(),
        "operation 1: a value of 16777216 bytes is above 16777215: set size_max to clamp it or \
         lower size_factor"
    );
    assert_eq!(kept.next(), None);

    let halved = Transform { size_factor: 0.5, ..Transform::default() };
    let results: Vec<_> = halved.read(open()).unwrap().collect();
    assert_eq!(results[1].as_ref().unwrap().value_bytes, 1 << 23);
    let error = results[2].as_ref().unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("above 4294967295"), "{error}");

    let clamped = Transform { size_max: Some(1 << 20), ..Transform::default() };
    let mut transformed = clamped.read(open()).unwrap();
    let sizes: Vec<_> = transformed.by_ref().map(|result| result.unwrap().value_bytes).collect();
    assert_eq!(sizes, [10, 1 << 20, 1 << 20]);
    assert_eq!(transformed.source().saturated_values(), 1);
}

#[test]
fn impossible_transforms_name_value_and_remedy() {
    let none = Transform::default();
    for (transform, text) in [
        (
            Transform { size_factor: 0.0, ..none },
            "size_factor 0: must be a number above 0; 1 changes nothing",
        ),
        (
            Transform { time_factor: f64::NAN, ..none },
            "time_factor NaN: must be a number above 0; 1 changes nothing",
        ),
        (
            Transform { time_factor: f64::INFINITY, ..none },
            "time_factor inf: must be a number above 0; 1 changes nothing",
        ),
        (
            Transform { size_max: Some(1 << 24), ..none },
            "size_max 16777216: must be at most 16777215 bytes",
        ),
        (
            Transform { size_max: Some(9), size_min: 10, ..none },
            "size_min 10: must be at most the largest size, 9 bytes",
        ),
        (
            Transform { size_min: 1 << 24, ..none },
            "size_min 16777216: must be at most the largest size, 16777215 bytes",
        ),
        (
            Transform { keys: KeyScaling::Sample { one_in: 0 }, ..none },
            "a sample of one key in 0: write at least 1, which keeps all",
        ),
        (
            Transform { keys: KeyScaling::Replicate { copies: 0 }, ..none },
            "0 copies: write at least 1, which changes nothing",
        ),
        (
            Transform { take: Some(0), ..none },
            "take 0: write at least 1, or leave it out to take everything",
        ),
    ] {
        let operations = std::iter::empty::<Result<Operation, Infallible>>();
        assert_eq!(transform.apply(operations).unwrap_err().to_string(), text);
    }
}
