//! How often objects are accessed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::distribution::{bucket_of, last_of, lowest_of};

/// Access counts up to this have one bucket each.
const SINGLE: u64 = 64;
/// Access counts below this are tallied in an array.
const FEW: usize = 1 << 12;

/// Objects by the number of operations on them, of all kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Accesses {
    /// The most operations on one object.
    pub max: u64,
    /// Quantiles over objects; exact.
    pub by_objects: AccessQuantiles,
    /// Quantiles over operations; exact. The paper quotes the 80 % one: this share of all
    /// operations goes to objects with at most that many accesses.
    pub by_operations: AccessQuantiles,
    /// The nonempty buckets, ascending: one per access count up to 64, eight per power of two
    /// above. Their sums are exact.
    pub buckets: Vec<AccessBucket>,
}

/// The smallest access count that covers a share; 0 if there are no objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AccessQuantiles {
    pub p50: u64,
    pub p80: u64,
    pub p90: u64,
    pub p99: u64,
}

/// Objects with at most `up_to` accesses and more than the previous bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AccessBucket {
    /// The largest access count in this bucket.
    pub up_to: u64,
    pub objects: u64,
    /// Number of operations on them.
    pub operations: u64,
}

impl AccessBucket {
    /// The smallest access count in this bucket.
    #[must_use]
    pub const fn lowest(&self) -> u64 {
        if self.up_to <= SINGLE { self.up_to } else { lowest_of(bucket_of(self.up_to)) }
    }
}

impl Accesses {
    /// Builds the statistics from the access counts of all objects.
    pub(super) fn of(accesses: impl Iterator<Item = u64>) -> Self {
        let objects = count(accesses);
        let mut buckets: Vec<AccessBucket> = Vec::new();
        for (&accesses, &objects) in &objects {
            let single = accesses <= SINGLE;
            let up_to = if single { accesses } else { last_of(bucket_of(accesses)) };
            if buckets.last().is_none_or(|last| last.up_to != up_to) {
                buckets.push(AccessBucket { up_to, objects: 0, operations: 0 });
            }
            if let Some(last) = buckets.last_mut() {
                last.objects += objects;
                last.operations += objects * accesses;
            }
        }
        let max = objects.keys().next_back().copied().unwrap_or(0);
        Self {
            max,
            by_objects: quantiles(&objects, |_, objects| objects),
            by_operations: quantiles(&objects, |accesses, objects| accesses * objects),
            buckets,
        }
    }
}

/// Number of objects for each access count.
fn count(accesses: impl Iterator<Item = u64>) -> BTreeMap<u64, u64> {
    let (mut few, mut many) = (vec![0; FEW], BTreeMap::new());
    for accesses in accesses {
        match few.get_mut(accesses as usize) {
            Some(objects) => *objects += 1,
            None => *many.entry(accesses).or_default() += 1,
        }
    }
    let few = few.into_iter().enumerate().map(|(accesses, objects)| (accesses as u64, objects));
    many.extend(few.filter(|(_, objects)| *objects > 0));
    many
}

fn quantiles(objects: &BTreeMap<u64, u64>, weight: fn(u64, u64) -> u64) -> AccessQuantiles {
    let weights = || objects.iter().map(|(&accesses, &objects)| weight(accesses, objects));
    let total = u128::from(weights().sum::<u64>());
    let at = |percent: u128| {
        let mut seen = 0;
        let found = objects.keys().zip(weights()).find(|(_, weight)| {
            seen += u128::from(*weight);
            100 * seen >= percent * total
        });
        found.map_or(0, |(&accesses, _)| accesses)
    };
    AccessQuantiles { p50: at(50), p80: at(80), p90: at(90), p99: at(99) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_objects_and_of_operations_are_told_apart() {
        // Eight objects accessed once, one ten times, one 82 times: 100 operations.
        let accesses = Accesses::of([1, 1, 1, 1, 1, 1, 1, 1, 10, 82].into_iter());
        let objects = AccessQuantiles { p50: 1, p80: 1, p90: 10, p99: 82 };
        let operations = AccessQuantiles { p50: 82, p80: 82, p90: 82, p99: 82 };
        assert_eq!((accesses.by_objects, accesses.by_operations), (objects, operations));
        assert_eq!(accesses.max, 82);
        let found: Vec<[u64; 3]> =
            accesses.buckets.iter().map(|one| [one.up_to, one.objects, one.operations]).collect();
        assert_eq!(found, [[1, 8, 8], [10, 1, 10], [88, 1, 82]]);
        let lowest: Vec<u64> = accesses.buckets.iter().map(AccessBucket::lowest).collect();
        assert_eq!(lowest, [1, 10, 81]);
    }

    #[test]
    fn the_share_is_reached_at_exactly_that_number() {
        // 80 operations on objects with 18 accesses or fewer, 20 on one with 20.
        let mut accesses = vec![18, 18, 18, 18, 8, 20];
        assert_eq!(Accesses::of(accesses.iter().copied()).by_operations.p80, 18);
        accesses[4] = 7;
        assert_eq!(Accesses::of(accesses.into_iter()).by_operations.p80, 20);
    }

    #[test]
    fn numbers_above_the_array_are_counted_too() {
        let accesses = Accesses::of([5000, 5000, 1 << 31, 3].into_iter());
        assert_eq!(accesses.buckets.iter().map(|one| one.objects).collect::<Vec<_>>(), [1, 2, 1]);
        assert_eq!((accesses.max, accesses.by_objects.p50), (1 << 31, 5000));
        let none = Accesses::of(std::iter::empty());
        assert_eq!(
            (none.max, none.by_objects, none.buckets.len()),
            (0, AccessQuantiles::default(), 0)
        );
    }
}
