//! Statistics of an allocation trace, computed in one pass.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::{Allocation, AllocationKind};
use super::StatisticsOptions;
use super::distribution::{Distribution, Histogram};
use super::keys::WordMap;
use super::timeline::{Live, Recorder, Timeline};

/// Events by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AllocationEvents {
    pub allocations: u64,
    /// Objects resized.
    pub reallocations: u64,
    pub frees: u64,
    /// Events that contradict earlier ones: on an object that is not live, or an allocation of one
    /// that is. They change nothing and are counted nowhere else.
    pub unknown: u64,
}

impl AllocationEvents {
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.allocations + self.reallocations + self.frees + self.unknown
    }
}

impl AddAssign for AllocationEvents {
    fn add_assign(&mut self, other: Self) {
        self.allocations += other.allocations;
        self.reallocations += other.reallocations;
        self.frees += other.frees;
        self.unknown += other.unknown;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AllocationStatistics {
    /// Events by kind; each allocation is an object.
    pub events: AllocationEvents,
    /// Number of distinct threads.
    pub threads: u64,
    /// Bytes requested by allocations and reallocations, at most `u64::MAX`.
    pub bytes_asked: u64,
    /// Sizes in bytes, one per allocation and reallocation.
    pub sizes: Distribution,
    /// Allocations that requested an alignment.
    pub aligned: u64,
    /// Summary of what is live.
    pub live: Live,
    /// What is live and what is done over the course of the trace.
    pub timeline: Timeline<AllocationEvents>,
    /// The number of events between an object's allocation and its free; 0 if adjacent. Objects
    /// never freed are not included; `live` counts them at the end.
    pub lifetimes: Distribution,
    /// Objects freed by a thread other than the one that allocated them.
    pub freed_across_threads: u64,
}

impl AllocationStatistics {
    /// The share of freed objects that another thread freed, from 0 to 1; `None` if none was freed.
    #[must_use]
    pub fn freed_across_share(&self) -> Option<f64> {
        let frees = self.events.frees;
        (frees > 0).then(|| self.freed_across_threads as f64 / frees as f64)
    }
}

#[derive(Clone, Copy, Debug)]
struct Object {
    bytes: u64,
    born_at: u64,
    thread: u32,
}

/// Computes [`AllocationStatistics`] event by event.
///
/// Memory is proportional to the peak number of live objects: 38 to 75 bytes each, twice that while
/// the table grows.
#[derive(Clone, Debug)]
pub struct AllocationAccumulator {
    objects: WordMap<Object>,
    threads: BTreeSet<u32>,
    thread: Option<u32>,
    recorder: Recorder<AllocationEvents>,
    events: AllocationEvents,
    sizes: Histogram,
    lifetimes: Histogram,
    aligned: u64,
    freed_across_threads: u64,
}

impl AllocationAccumulator {
    /// An empty accumulator. Of the options, only the number of points matters.
    #[must_use]
    pub fn new(options: StatisticsOptions) -> Self {
        Self {
            objects: WordMap::default(),
            threads: BTreeSet::new(),
            thread: None,
            recorder: Recorder::new(options.points),
            events: AllocationEvents::default(),
            sizes: Histogram::default(),
            lifetimes: Histogram::default(),
            aligned: 0,
            freed_across_threads: 0,
        }
    }

    /// Adds the next event of the trace.
    pub fn add(&mut self, event: &Allocation) {
        // Events of one thread mostly come in long runs.
        if self.thread.replace(event.thread) != Some(event.thread) {
            self.threads.insert(event.thread);
        }
        let counted = self.apply(event);
        self.events += counted;
        self.recorder.step(|events| *events += counted);
    }

    /// Applies the event and returns what it counts as.
    fn apply(&mut self, event: &Allocation) -> AllocationEvents {
        let none = AllocationEvents::default();
        let unknown = AllocationEvents { unknown: 1, ..none };
        match event.kind {
            AllocationKind::Allocate { bytes, alignment } => {
                if self.objects.contains_key(&event.object) {
                    return unknown;
                }
                let (born_at, thread) = (self.recorder.at(), event.thread);
                self.objects.insert(event.object, Object { bytes, born_at, thread });
                self.recorder.born(bytes);
                self.sizes.add(bytes, 1);
                self.aligned += u64::from(alignment > 0);
                AllocationEvents { allocations: 1, ..none }
            }
            AllocationKind::Reallocate { bytes } => {
                let Some(object) = self.objects.get_mut(&event.object) else { return unknown };
                self.recorder.resized(object.bytes, bytes);
                object.bytes = bytes;
                self.sizes.add(bytes, 1);
                AllocationEvents { reallocations: 1, ..none }
            }
            AllocationKind::Free => {
                let Some(object) = self.objects.remove(&event.object) else { return unknown };
                self.recorder.gone(object.bytes);
                self.lifetimes.add(self.recorder.at() - object.born_at - 1, 1);
                self.freed_across_threads += u64::from(object.thread != event.thread);
                AllocationEvents { frees: 1, ..none }
            }
        }
    }

    /// The statistics of the events added.
    #[must_use]
    pub fn finish(self) -> AllocationStatistics {
        let sizes = self.sizes.finish();
        let (timeline, live) = self.recorder.finish();
        AllocationStatistics {
            events: self.events,
            threads: self.threads.len() as u64,
            bytes_asked: sizes.sum,
            sizes,
            aligned: self.aligned,
            live,
            timeline,
            lifetimes: self.lifetimes.finish(),
            freed_across_threads: self.freed_across_threads,
        }
    }
}
