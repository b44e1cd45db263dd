//! Distributions of sizes, distances and lifetimes: exact up to 16, then eight buckets per power of
//! two. Buckets end at round numbers, because programs ask for round numbers.

use serde::{Deserialize, Serialize};

/// Buckets per power of two, as a shift.
const PARTS_SHIFT: u32 = 3;
const PARTS: usize = 1 << PARTS_SHIFT;
/// Number of buckets for all 64-bit values.
const BUCKETS: usize = (64 - PARTS_SHIFT as usize) * PARTS + PARTS + 1;

/// The bucket of `value`: the value itself up to 16, then eight per power of two.
#[inline]
pub(super) const fn bucket_of(value: u64) -> usize {
    if value <= PARTS as u64 {
        return value as usize;
    }
    // An upper bound belongs to the bucket it ends.
    let below = value - 1;
    let shift = below.ilog2() - PARTS_SHIFT;
    (shift as usize) * PARTS + (below >> shift) as usize + 1
}

/// The highest value of a bucket.
pub(super) const fn last_of(bucket: usize) -> u64 {
    if bucket <= 2 * PARTS {
        return bucket as u64;
    }
    let shift = (bucket - 1) / PARTS - 1;
    let part = ((bucket - 1) % PARTS + PARTS) as u64;
    // The last bucket would end at 2^64.
    ((part << shift) + ((1 << shift) - 1)).saturating_add(1)
}

/// The lowest value of a bucket.
pub(super) const fn lowest_of(bucket: usize) -> u64 {
    if bucket == 0 { 0 } else { last_of(bucket - 1) + 1 }
}

const _: () = assert!(bucket_of(u64::MAX) == BUCKETS - 1);
const _: () = assert!(last_of(BUCKETS - 1) == u64::MAX);

/// Values up to `up_to` and above the previous bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bucket {
    /// The highest value in this bucket.
    pub up_to: u64,
    pub count: u64,
}

impl Bucket {
    /// The lowest value in this bucket.
    #[must_use]
    pub const fn lowest(&self) -> u64 {
        lowest_of(bucket_of(self.up_to))
    }
}

/// A distribution of values. If it is empty, all numbers are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Distribution {
    pub count: u64,
    /// Sum of the values, at most `u64::MAX`.
    pub sum: u64,
    pub min: u64,
    pub max: u64,
    /// The median, rounded up to the end of its bucket: at most an eighth too high.
    pub p50: u64,
    /// The 99th percentile, rounded up likewise.
    pub p99: u64,
    /// The nonempty buckets, ascending: one per value up to 16, eight per power of two above.
    pub buckets: Vec<Bucket>,
}

impl Distribution {
    /// The mean; `None` if there are no values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// How many values are at most `value`. Exact at bucket ends; otherwise a lower bound.
    #[must_use]
    pub fn at_most(&self, value: u64) -> u64 {
        if value >= self.max {
            return self.count;
        }
        let below = self.buckets.iter().take_while(|bucket| bucket.up_to <= value);
        below.map(|bucket| bucket.count).sum()
    }

    /// The lowest bucket end that at least `share` (0 to 1) of the values do not exceed.
    fn quantile(&self, share: f64) -> u64 {
        let wanted = ((self.count as f64 * share).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let found = self.buckets.iter().find(|bucket| {
            seen += bucket.count;
            seen >= wanted
        });
        found.map_or(0, |bucket| bucket.up_to.min(self.max))
    }
}

/// Counts values for a [`Distribution`].
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    counts: Box<[u64; BUCKETS]>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: Box::new([0; BUCKETS]), count: 0, sum: 0, min: u64::MAX, max: 0 }
    }
}

impl Histogram {
    /// Counts `value` `weight` times.
    #[inline]
    pub(super) fn add(&mut self, value: u64, weight: u64) {
        self.counts[bucket_of(value)] += weight;
        self.count += weight;
        self.sum += u128::from(value) * u128::from(weight);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn finish(&self) -> Distribution {
        if self.is_empty() {
            return Distribution::default();
        }
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let buckets = filled.map(|(bucket, &count)| Bucket { up_to: last_of(bucket), count });
        let mut whole = Distribution {
            count: self.count,
            sum: u64::try_from(self.sum).unwrap_or(u64::MAX),
            min: self.min,
            max: self.max,
            buckets: buckets.collect(),
            ..Distribution::default()
        };
        (whole.p50, whole.p99) = (whole.quantile(0.5), whole.quantile(0.99));
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another_without_a_gap() {
        for bucket in 0..BUCKETS - 1 {
            let last = last_of(bucket);
            assert_eq!((bucket_of(last), bucket_of(last + 1)), (bucket, bucket + 1), "{last}");
        }
        for value in [0, 7, 8, 9, 15, 16, 17, 18, 1023, 1024, 1025, 1152, u64::MAX / 3] {
            let bucket = bucket_of(value);
            assert!((lowest_of(bucket)..=last_of(bucket)).contains(&value));
            assert!(last_of(bucket) - value <= value / 8, "{value}");
        }
        for round in [1, 16, 64, 96, 4096, 5120, 1 << 40] {
            assert_eq!(last_of(bucket_of(round)), round);
        }
    }

    #[test]
    fn a_distribution_says_what_was_counted() {
        let mut histogram = Histogram::default();
        for value in 1..=1000 {
            histogram.add(value, 1);
        }
        let whole = histogram.finish();
        assert_eq!((whole.count, whole.sum, whole.min, whole.max), (1000, 500_500, 1, 1000));
        assert_eq!(whole.mean(), Some(500.5));
        assert!((500..=512).contains(&whole.p50) && (990..=1000).contains(&whole.p99));
        assert_eq!(
            [0, 5, 16, 512, 1000, 5000].map(|to| whole.at_most(to)),
            [0, 5, 16, 512, 1000, 1000]
        );
        assert_eq!(whole.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 1000);
        assert_eq!(Histogram::default().finish(), Distribution::default());
        assert_eq!(Distribution::default().mean(), None);
    }

    #[test]
    fn one_value_is_every_quantile_and_sums_do_not_wrap() {
        let mut histogram = Histogram::default();
        histogram.add(1000, 3);
        let whole = histogram.finish();
        assert_eq!((whole.p50, whole.p99, whole.at_most(999)), (1000, 1000, 0));
        histogram.add(u64::MAX, 2);
        assert_eq!(histogram.finish().sum, u64::MAX);
    }
}
