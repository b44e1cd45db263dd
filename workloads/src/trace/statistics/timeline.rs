//! What is live and what is done over the course of a trace.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// What is live over the course of the trace. Bytes are those of values, or those requested from an
/// allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Live {
    /// The most bytes live at once.
    pub bytes_max: u64,
    /// Number of operations when that was first reached.
    pub bytes_max_at: u64,
    /// The most objects live at once.
    pub objects_max: u64,
    /// Number of operations when that was first reached.
    pub objects_max_at: u64,
    /// Mean of the live bytes after each operation; rounded down.
    pub bytes_mean: u64,
    pub bytes_end: u64,
    pub objects_end: u64,
}

/// Points at equal intervals of operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Timeline<C> {
    /// Operations per step; the last step may have fewer.
    pub step: u64,
    pub points: Vec<TimelinePoint<C>>,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TimelinePoint<C> {
    /// Operations from the start of the trace to the end of the step.
    pub at: u64,
    /// Bytes live at the end of the step.
    pub live_bytes: u64,
    /// Objects live at the end of the step.
    pub live_objects: u64,
    /// Operations within the step, by effect or kind.
    pub counts: C,
}

/// Tracks what is live and collects points. The length is not known in advance: whenever there are
/// twice as many points as wanted, neighbours are merged and the step doubles.
#[derive(Clone, Debug)]
pub(super) struct Recorder<C> {
    points_wanted: usize,
    whole: Timeline<C>,
    /// Counts of the current step.
    counts: C,
    /// Operations left in the current step.
    left: u64,
    at: u64,
    /// Wide, because broken traces may request more than memory can hold.
    bytes: u128,
    objects: u64,
    bytes_sum: u128,
    live: Live,
}

impl<C: AddAssign + Copy + Default> Recorder<C> {
    /// Collects between `points` and `2 * points` points, fewer if there are fewer operations.
    pub(super) fn new(points: usize) -> Self {
        Self {
            points_wanted: points.max(1),
            whole: Timeline { step: 1, points: Vec::new() },
            counts: C::default(),
            left: 1,
            at: 0,
            bytes: 0,
            objects: 0,
            bytes_sum: 0,
            live: Live::default(),
        }
    }

    /// An object of this size is created.
    #[inline]
    pub(super) fn born(&mut self, bytes: u64) {
        self.bytes += u128::from(bytes);
        self.objects += 1;
    }

    /// An object of this size is gone.
    #[inline]
    pub(super) fn gone(&mut self, bytes: u64) {
        self.bytes -= u128::from(bytes);
        self.objects -= 1;
    }

    /// A live object changes its size.
    #[inline]
    pub(super) fn resized(&mut self, from: u64, to: u64) {
        self.bytes = self.bytes - u128::from(from) + u128::from(to);
    }

    /// Completes one operation; `count` counts it.
    #[inline]
    pub(super) fn step(&mut self, count: impl FnOnce(&mut C)) {
        count(&mut self.counts);
        self.at += 1;
        let bytes = self.bytes();
        self.bytes_sum += u128::from(bytes);
        if bytes > self.live.bytes_max {
            (self.live.bytes_max, self.live.bytes_max_at) = (bytes, self.at);
        }
        if self.objects > self.live.objects_max {
            (self.live.objects_max, self.live.objects_max_at) = (self.objects, self.at);
        }
        self.left -= 1;
        if self.left == 0 {
            self.end_step();
        }
    }

    /// Number of operations done.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn objects(&self) -> u64 {
        self.objects
    }

    #[inline]
    fn bytes(&self) -> u64 {
        u64::try_from(self.bytes).unwrap_or(u64::MAX)
    }

    /// Live bytes summed over all operations so far.
    pub(super) fn bytes_sum(&self) -> u128 {
        self.bytes_sum
    }

    fn end_step(&mut self) {
        self.whole.points.push(TimelinePoint {
            at: self.at,
            live_bytes: self.bytes(),
            live_objects: self.objects,
            counts: std::mem::take(&mut self.counts),
        });
        if self.whole.points.len() == 2 * self.points_wanted {
            let join = |pair: &[TimelinePoint<C>]| {
                let mut joined = pair[1];
                joined.counts += pair[0].counts;
                joined
            };
            self.whole.points = self.whole.points.chunks_exact(2).map(join).collect();
            self.whole.step *= 2;
        }
        self.left = self.whole.step;
    }

    pub(super) fn finish(mut self) -> (Timeline<C>, Live) {
        if self.left != self.whole.step {
            self.end_step();
        }
        let operations = u128::from(self.at.max(1));
        let live = Live {
            // The mean of 64-bit numbers fits into 64 bits.
            bytes_mean: (self.bytes_sum / operations) as u64,
            bytes_end: self.bytes(),
            objects_end: self.objects,
            ..self.live
        };
        (self.whole, live)
    }
}
