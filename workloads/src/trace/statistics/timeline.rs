//! What is live, and what is done, over the length of a trace.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// What is live, over the length of the trace. Bytes are those of values, or as asked of an
/// allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Live {
    /// The most bytes that were live at once.
    pub bytes_max: u64,
    /// Operations done when that was first so.
    pub bytes_max_at: u64,
    /// The most objects that were live at once.
    pub objects_max: u64,
    /// Operations done when that was first so.
    pub objects_max_at: u64,
    /// Live bytes in the mean over all operations, each counted after it was done; rounded down.
    pub bytes_mean: u64,
    /// Bytes live at the end.
    pub bytes_end: u64,
    /// Objects live at the end.
    pub objects_end: u64,
}

/// Points at equal steps of operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Timeline<C> {
    /// Operations to a step; the last step may have fewer.
    pub step: u64,
    /// The steps, in order.
    pub points: Vec<TimelinePoint<C>>,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TimelinePoint<C> {
    /// Operations from the begin of the trace to the step's end.
    pub at: u64,
    /// Bytes live at the step's end.
    pub live_bytes: u64,
    /// Objects live at the step's end.
    pub live_objects: u64,
    /// Operations within the step, by effect or kind.
    pub counts: C,
}

/// Follows what is live and collects points. The length is not known ahead: where twice the
/// wanted number of points is there, neighbours become one and the step doubles.
#[derive(Clone, Debug)]
pub(super) struct Recorder<C> {
    points_wanted: usize,
    whole: Timeline<C>,
    /// The step that is under way.
    counts: C,
    /// Operations until it ends.
    left: u64,
    at: u64,
    /// Broken traces may ask for more than memory can have.
    bytes: u128,
    objects: u64,
    bytes_sum: u128,
    live: Live,
}

impl<C: AddAssign + Copy + Default> Recorder<C> {
    /// From `points` to `2 * points` points, fewer only of fewer operations.
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

    /// Objects of so many bytes come to life.
    #[inline]
    pub(super) fn born(&mut self, bytes: u64) {
        self.bytes += u128::from(bytes);
        self.objects += 1;
    }

    /// An object of so many bytes goes.
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

    /// One operation is done; `count` counts it.
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

    /// Operations done.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Objects live now.
    pub(super) fn objects(&self) -> u64 {
        self.objects
    }

    /// Bytes live now.
    #[inline]
    fn bytes(&self) -> u64 {
        u64::try_from(self.bytes).unwrap_or(u64::MAX)
    }

    /// Live bytes, summed up over all operations done.
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
            // A mean of numbers of 64 bits is one.
            bytes_mean: (self.bytes_sum / operations) as u64,
            bytes_end: self.bytes(),
            objects_end: self.objects,
            ..self.live
        };
        (self.whole, live)
    }
}
