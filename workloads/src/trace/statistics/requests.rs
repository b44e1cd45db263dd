//! Statistics of a key-value trace, computed in one pass.

use serde::{Deserialize, Serialize};

use super::super::{Operation, OperationKind};
use super::accesses::Accesses;
use super::distribution::{Distribution, Histogram};
use super::effect::{Effect, Effects};
use super::keys::Keys;
use super::phases::{Mark, Phases};
use super::reuse::{Follower, Reuse};
use super::timeline::{Live, Recorder, Timeline};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatisticsOptions {
    /// Points over the course of the trace: between this many and twice as many; at least 1.
    pub points: usize,
    /// Reuse distances are exact up to this many keys, and those of a sample beyond; at least 1.
    pub exact_keys: u32,
}

impl Default for StatisticsOptions {
    fn default() -> Self {
        Self { points: 256, exact_keys: 1 << 25 }
    }
}

/// Statistics of a key-value trace. An object is a key: a key that is inserted again after its
/// DELETE is the same object, and a key that is only read is an object too. Whether a key is live
/// follows from the trace alone, which begins with an empty store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TraceStatistics {
    pub operations: u64,
    /// Number of distinct keys.
    pub objects: u64,
    /// Number of distinct keys that were stored at least once.
    pub objects_stored: u64,
    /// Time from the first operation to the last, in ns.
    pub duration_ns: u64,
    pub effects: Effects,
    /// Value bytes of all PUTs.
    pub bytes_written: u64,
    /// Value sizes in bytes, one per PUT.
    pub put_bytes: Distribution,
    /// Value sizes in bytes, one per GET for which the trace gives a size.
    pub get_bytes: Distribution,
    /// Summary of what is live.
    pub live: Live,
    /// What is live and what is done over the course of the trace.
    pub timeline: Timeline<Effects>,
    /// How often objects are accessed.
    pub accesses: Accesses,
    /// How soon they are accessed again.
    pub reuse: Reuse,
    /// The phases; `None` if no object is ever deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
}

impl TraceStatistics {
    /// Value sizes: those of PUTs, or of GETs if there are no PUTs, as in traces of caches.
    #[must_use]
    pub fn value_bytes(&self) -> &Distribution {
        if self.put_bytes.count > 0 { &self.put_bytes } else { &self.get_bytes }
    }

    /// Mean number of operations per object; `None` if there are no objects.
    #[must_use]
    pub fn operations_per_object(&self) -> Option<f64> {
        (self.objects > 0).then(|| self.operations as f64 / self.objects as f64)
    }
}

/// Computes [`TraceStatistics`] operation by operation.
///
/// Memory is proportional to the number of distinct keys: 29 to 57 bytes each in the table, and
/// three bits for each key whose reuse is tracked. Each operation costs one table look-up and three
/// walks through a tree that stays in the cache.
///
/// ```
/// use workloads::trace::{Operation, OperationKind};
/// use workloads::trace::statistics::{Statistics, StatisticsOptions};
///
/// let mut statistics = Statistics::new(StatisticsOptions::default());
/// let put = OperationKind::Put;
/// for (time_ns, key) in [(0, 7), (10, 8), (20, 7)] {
///     statistics.add(&Operation { time_ns, kind: put, key, value_bytes: 100, key_bytes: 0 });
/// }
/// let whole = statistics.finish();
/// assert_eq!((whole.effects.insert, whole.effects.overwrite), (2, 1));
/// assert_eq!((whole.live.bytes_max, whole.duration_ns), (200, 20));
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    keys: Keys,
    follower: Follower,
    recorder: Recorder<Effects>,
    effects: Effects,
    objects_stored: u64,
    begin_ns: Option<u64>,
    end_ns: u64,
    put_bytes: Histogram,
    get_bytes: Histogram,
    first_delete: Option<Mark>,
    last_insert: Mark,
}

impl Statistics {
    /// An empty accumulator.
    #[must_use]
    pub fn new(options: StatisticsOptions) -> Self {
        Self {
            keys: Keys::new(),
            follower: Follower::new(options.exact_keys),
            recorder: Recorder::new(options.points),
            effects: Effects::default(),
            objects_stored: 0,
            begin_ns: None,
            end_ns: 0,
            put_bytes: Histogram::default(),
            get_bytes: Histogram::default(),
            first_delete: None,
            last_insert: Mark::default(),
        }
    }

    /// Adds the next operation of the trace.
    pub fn add(&mut self, operation: &Operation) {
        self.begin_ns.get_or_insert(operation.time_ns);
        self.end_ns = self.end_ns.max(operation.time_ns);
        self.follower.make_room(&mut self.keys);
        let key = self.keys.of(operation.key);
        self.follower.access(operation.key, key);
        key.accesses = key.accesses.saturating_add(1);
        let effect = Effect::of(operation.kind, key.is_live);
        let bytes = operation.object_bytes().min(u64::from(u32::MAX));
        let before = u64::from(key.object_bytes);
        let value_bytes = u64::from(operation.value_bytes);
        if effect == Effect::Delete && self.first_delete.is_none() {
            self.first_delete = Some(mark(&self.effects, &self.recorder));
        }
        match effect {
            Effect::Insert => {
                self.objects_stored += u64::from(!key.was_stored);
                (key.is_live, key.was_stored) = (true, true);
                key.object_bytes = bytes as u32;
                self.recorder.born(bytes);
            }
            Effect::Overwrite => {
                key.object_bytes = bytes as u32;
                self.recorder.resized(before, bytes);
            }
            Effect::Delete => {
                key.is_live = false;
                self.recorder.gone(before);
            }
            Effect::GetHit | Effect::GetMiss | Effect::DeleteMiss => {}
        }
        match operation.kind {
            OperationKind::Put => self.put_bytes.add(value_bytes, 1),
            OperationKind::Get if value_bytes > 0 => self.get_bytes.add(value_bytes, 1),
            OperationKind::Get | OperationKind::Delete => {}
        }
        self.effects.count(effect);
        self.recorder.step(|effects| effects.count(effect));
        if effect == Effect::Insert {
            self.last_insert = mark(&self.effects, &self.recorder);
        }
    }

    /// The statistics of the operations added.
    #[must_use]
    pub fn finish(self) -> TraceStatistics {
        let end = mark(&self.effects, &self.recorder);
        let (operations, objects) = (self.recorder.at(), self.keys.count());
        let first_delete = self.first_delete;
        let put_bytes = self.put_bytes.finish();
        let (timeline, live) = self.recorder.finish();
        TraceStatistics {
            operations,
            objects,
            objects_stored: self.objects_stored,
            duration_ns: self.end_ns - self.begin_ns.unwrap_or(self.end_ns).min(self.end_ns),
            effects: self.effects,
            bytes_written: put_bytes.sum,
            put_bytes,
            get_bytes: self.get_bytes.finish(),
            live,
            timeline,
            accesses: Accesses::of(self.keys.iter().map(|key| u64::from(key.accesses))),
            reuse: self.follower.finish(operations, objects),
            phases: first_delete.map(|first| Phases::between(&first, &self.last_insert, &end)),
        }
    }
}

/// Marks what has been done so far.
fn mark(effects: &Effects, recorder: &Recorder<Effects>) -> Mark {
    Mark { effects: *effects, bytes_sum: recorder.bytes_sum(), objects: recorder.objects() }
}
