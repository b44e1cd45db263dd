//! What was answered in each interval of a run, and how intervals of several connections merge.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::latency::Latency;

/// What ended in one interval. A request counts where its answer or its error came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Interval {
    /// From 0, the interval that begins at the start.
    pub index: u64,
    pub reads: u64,
    pub writes: u64,
    /// By their kind.
    pub errors: BTreeMap<String, u64>,
    pub shards: Vec<ShardInterval>,
    /// From when a request was due to its answer.
    pub latency: Latency,
}

/// What one shard answered in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShardInterval {
    pub answered: u64,
    pub errors: u64,
    /// When the first and the last answer came, from the start; 0 where none did.
    pub first_ns: u64,
    pub last_ns: u64,
}

impl Interval {
    #[must_use]
    pub fn new(index: u64, shards: usize) -> Self {
        Self {
            index,
            reads: 0,
            writes: 0,
            errors: BTreeMap::new(),
            shards: vec![ShardInterval::default(); shards],
            latency: Latency::of_interval(),
        }
    }

    /// Requests that were answered.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.reads + self.writes
    }

    #[must_use]
    pub fn errors(&self) -> u64 {
        self.errors.values().sum()
    }

    pub(crate) fn add_answer(&mut self, shard: usize, (due_ns, ended_ns): (u64, u64), reads: bool) {
        *if reads { &mut self.reads } else { &mut self.writes } += 1;
        self.latency.record(ended_ns.saturating_sub(due_ns));
        let one = ShardInterval { answered: 1, errors: 0, first_ns: ended_ns, last_ns: ended_ns };
        self.shards[shard].add(one);
    }

    pub(crate) fn add_error(&mut self, shard: usize, kind: &str) {
        *self.errors.entry(kind.to_owned()).or_default() += 1;
        self.shards[shard].errors += 1;
    }

    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        for (kind, count) in &other.errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
        for (shard, of_other) in self.shards.iter_mut().zip(&other.shards) {
            shard.add(*of_other);
        }
        self.latency.add(&other.latency);
    }
}

impl ShardInterval {
    fn add(&mut self, other: Self) {
        if other.answered > 0 {
            let is_first = self.answered == 0 || other.first_ns < self.first_ns;
            self.first_ns = if is_first { other.first_ns } else { self.first_ns };
            self.last_ns = self.last_ns.max(other.last_ns);
        }
        self.answered += other.answered;
        self.errors += other.errors;
    }
}

/// The intervals of several connections or clients, one for each index, without holes.
#[must_use]
pub(crate) fn merge(all: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    let mut merged: BTreeMap<u64, Interval> = BTreeMap::new();
    let mut shards = 0;
    for interval in all {
        shards = shards.max(interval.shards.len());
        match merged.get_mut(&interval.index) {
            Some(known) => known.add(&interval),
            None => _ = merged.insert(interval.index, interval),
        }
    }
    let count = merged.last_key_value().map_or(0, |(last, _)| last + 1);
    (0..count)
        .map(|index| merged.remove(&index).unwrap_or_else(|| Interval::new(index, shards)))
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn intervals_merge_by_their_index_and_none_is_missing() {
        let mut one = Interval::new(0, 2);
        one.add_answer(0, (5, 40), true);
        one.add_error(1, "timeout");
        let mut two = Interval::new(0, 2);
        two.add_answer(0, (7, 20), false);
        two.add_answer(1, (7, 30), false);
        let mut late = Interval::new(3, 2);
        late.add_error(1, "connection");
        let merged = merge([one, late, two]);
        assert_eq!(merged.len(), 4);
        assert_eq!((merged[0].reads, merged[0].writes, merged[0].errors()), (1, 2, 1));
        let first = ShardInterval { answered: 2, errors: 0, first_ns: 20, last_ns: 40 };
        let second = ShardInterval { answered: 1, errors: 1, first_ns: 30, last_ns: 30 };
        assert_eq!(merged[0].shards, [first, second]);
        assert_eq!((merged[0].latency.count(), merged[1].answered()), (3, 0));
        assert_eq!((merged[1].shards.len(), merged[3].errors["connection"]), (2, 1));
    }

    #[test]
    fn as_a_line_it_is_the_same() {
        let mut interval = Interval::new(7, 1);
        interval.add_answer(0, (0, 1_234_567), true);
        let line = serde_json::to_string(&interval).unwrap();
        assert_eq!(serde_json::from_str::<Interval>(&line).unwrap(), interval);
    }
}
