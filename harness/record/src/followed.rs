//! How soon a sampled statistic of a store follows the phases of a cell, in operations.

use std::collections::BTreeMap;

use crate::{KeyValue, Second};

/// The part of a phase, at its end, in which the statistic is taken to be as it stays.
const SETTLED_SHARE: f64 = 0.1;

/// An interval within its phase: operations from the phase's start to the interval's end, and the
/// statistic then.
type Place = (u64, f64);

/// `operations_per_change`: the operations of all threads from a change of phase until the statistic is
/// first within the range of the last tenth of the phase. `operations_per_quiet_phase`: those of a phase
/// without PUTs until the statistic is 0 for good, or all of the cell's where it never is. Of several
/// phases, the most. Empty where a phase was too short for a sample.
#[must_use]
pub fn followed(work: &KeyValue, seconds: &[Second]) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    let Some(phases) = &work.phases else { return all };
    let places = places(work, seconds);
    if places.iter().any(Vec::is_empty) {
        return all;
    }
    let cell: u64 = seconds.iter().map(|second| second.operations).sum();
    let quiet = places.iter().zip(phases.put_percents()).filter(|(_, puts)| **puts == 0);
    let quiet = quiet.map(|(places, _)| until_zero(places).unwrap_or(cell)).max();
    let changed = places[1..].iter().map(|places| until_settled(places)).max();
    let numbers = [("operations_per_change", changed), ("operations_per_quiet_phase", quiet)];
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number?)));
    all.extend(numbers.map(|(name, number)| (name.to_owned(), number as f64)));
    all
}

/// The sampled intervals of each phase. Threads begin a phase together, so the operations of all of them
/// tell in which an interval ends.
fn places(work: &KeyValue, seconds: &[Second]) -> Vec<Vec<Place>> {
    let ends = work.phase_ends();
    let mut places = vec![Vec::new(); ends.len()];
    let mut operations = 0;
    for second in seconds {
        operations += second.operations;
        let phase = phase_of(&ends, operations);
        let begin = phase.checked_sub(1).map_or(0, |before| ends[before]);
        if let Some(sampled) = second.sampled {
            places[phase].push((operations - begin, sampled));
        }
    }
    places
}

/// The phase of the `operations`-th operation, where phases end as in `ends`.
#[must_use]
pub fn phase_of(ends: &[u64], operations: u64) -> usize {
    let over = ends.iter().take_while(|&&end| end < operations).count();
    over.min(ends.len().saturating_sub(1))
}

fn until_settled(places: &[Place]) -> u64 {
    let last = places[places.len() - 1].0;
    let settled_from = (last as f64 * (1.0 - SETTLED_SHARE)) as u64;
    let settled =
        || places.iter().filter(move |place| place.0 >= settled_from).map(|place| place.1);
    let (low, high) = (settled().fold(f64::MAX, f64::min), settled().fold(f64::MIN, f64::max));
    let first = places.iter().find(|place| (low..=high).contains(&place.1));
    first.map_or(last, |place| place.0)
}

fn until_zero(places: &[Place]) -> Option<u64> {
    let awake = places.iter().rposition(|place| place.1 > 0.0);
    places.get(awake.map_or(0, |last| last + 1)).map(|place| place.0)
}

#[cfg(test)]
mod tests {
    use workloads::requests::Workload;

    use super::*;

    /// What follows of a cell of 2 × 2000 operations in four phases, whose intervals have 100 each.
    fn of(phases: &str, sampled: impl Fn(usize) -> Option<f64>) -> BTreeMap<String, f64> {
        let mut work = KeyValue::plain(Workload::by_name("get-50").unwrap(), 64 << 20);
        (work.operations_per_thread, work.threads) = (2000, 2);
        work.set_phases(phases.parse().unwrap());
        let second = |at: usize| Second {
            from_s: at as f64 / 10.0,
            interval_s: 0.1,
            operations: 100,
            p50_ns: 1,
            p99_ns: 1,
            p999_ns: 1,
            max_ns: 1,
            sampled: sampled(at),
        };
        followed(&work, &(0..40).map(second).collect::<Vec<_>>())
    }

    #[test]
    fn the_slowest_change_counts_and_a_phase_without_puts_ends_at_zero() {
        // The second phase settles in its third interval, the third in its fourth, and it is quiet from
        // its sixth on.
        let sampled = |at| match at {
            12..20 | 24 => 2.0,
            20..=22 | 30.. => 1.0,
            _ => 0.0,
        };
        let all = of("2-50-0-2", |at| Some(sampled(at)));
        assert_eq!(all["operations_per_change"], 400.0, "{all:?}");
        assert_eq!(all["operations_per_quiet_phase"], 600.0, "{all:?}");
    }

    #[test]
    fn what_never_rests_counts_in_full() {
        let all = of("2-0-2-15", |at| Some(if at == 19 { 1.0 } else { 0.0 }));
        assert_eq!(all["operations_per_quiet_phase"], 4000.0);
        let all = of("2-15-2-50", |at| Some(at as f64));
        assert!(!all.contains_key("operations_per_quiet_phase"), "{all:?}");
        assert_eq!(all["operations_per_change"], 900.0, "it rises to the end");
    }

    #[test]
    fn a_phase_without_a_sample_tells_nothing() {
        assert!(of("2-15-2-50", |at| (at < 30).then_some(1.0)).is_empty());
    }
}
