//! Throughput and latency over time: intervals of a second or a tenth, each with a count and a histogram.

use hdrhistogram::{CreationError, Histogram};

use super::sampled::EVERY_NS;
use record::Second;

/// Capacity in intervals. When full, neighbours are merged and the interval length doubles.
const INTERVALS: usize = 128;
/// The same where intervals begin as short as samples.
const SHORT_INTERVALS: usize = 1024;
const SECOND_NS: u64 = 1_000_000_000;
const LONGEST_NS: u64 = 60_000_000_000;

/// One thread's intervals, resident before the clock starts.
#[derive(Clone, Debug)]
pub(super) struct Seconds {
    intervals: Vec<Interval>,
    shortest_ns: u64,
    interval_ns: u64,
    started_ns: u64,
}

#[derive(Clone, Debug)]
struct Interval {
    operations: u64,
    latency: Histogram<u32>,
}

impl Seconds {
    /// Of a second.
    pub(super) fn new() -> Result<Self, CreationError> {
        Self::of(SECOND_NS, INTERVALS)
    }

    /// As long as from one sample of a statistic to the next.
    pub(super) fn short() -> Result<Self, CreationError> {
        Self::of(EVERY_NS, SHORT_INTERVALS)
    }

    fn of(interval_ns: u64, count: usize) -> Result<Self, CreationError> {
        // Two significant digits suffice here; the row's percentiles have three.
        let mut empty = Histogram::new_with_bounds(1, LONGEST_NS, 2)?;
        empty.reset();
        let interval = Interval { operations: 0, latency: empty };
        let intervals = vec![interval; count];
        Ok(Self { intervals, shortest_ns: interval_ns, interval_ns, started_ns: 0 })
    }

    /// Discards everything recorded.
    pub(super) fn reset(&mut self) {
        self.interval_ns = self.shortest_ns;
        for interval in &mut self.intervals {
            interval.operations = 0;
            interval.latency.reset();
        }
    }

    /// Starts the first interval at `now_ns`.
    pub(super) fn start(&mut self, now_ns: u64) {
        self.started_ns = now_ns;
    }

    /// Adds `operations` that ended by `now_ns`; the last one took `latency_ns`.
    #[inline]
    pub(super) fn add(&mut self, now_ns: u64, operations: u64, latency_ns: u64) {
        let since_ns = now_ns.saturating_sub(self.started_ns);
        while since_ns / self.interval_ns >= self.intervals.len() as u64 {
            self.coarsen();
        }
        let interval = &mut self.intervals[(since_ns / self.interval_ns) as usize];
        interval.operations += operations;
        interval.latency.saturating_record(latency_ns);
    }

    #[cold]
    fn coarsen(&mut self) {
        for at in 0..self.intervals.len() {
            let (operations, latency) = if at < self.intervals.len() / 2 {
                let pair = [&self.intervals[2 * at], &self.intervals[2 * at + 1]];
                let mut latency = pair[0].latency.clone();
                latency.add(&pair[1].latency).expect("histograms of equal bounds");
                (pair[0].operations + pair[1].operations, latency)
            } else {
                let mut latency = self.intervals[at].latency.clone();
                latency.reset();
                (0, latency)
            };
            self.intervals[at] = Interval { operations, latency };
        }
        self.interval_ns *= 2;
    }

    /// The intervals of all threads, up to the last one with a completed operation.
    pub(super) fn merged<'a>(all: impl Iterator<Item = &'a Self>) -> Vec<Second> {
        let mut all: Vec<Self> = all.cloned().collect();
        let coarsest = all.iter().map(|one| one.interval_ns).max().unwrap_or(SECOND_NS);
        for one in &mut all {
            while one.interval_ns < coarsest {
                one.coarsen();
            }
        }
        let Some((first, others)) = all.split_first_mut() else { return Vec::new() };
        for other in others {
            for (into, from) in first.intervals.iter_mut().zip(&other.intervals) {
                into.operations += from.operations;
                into.latency.add(&from.latency).expect("histograms of equal bounds");
            }
        }
        let used = first.intervals.iter().rposition(|one| one.operations > 0);
        let used = used.map_or(&[][..], |last| &first.intervals[..=last]);
        let seconds = used.iter().enumerate().map(|(at, one)| Second {
            from_s: (at as u64 * coarsest) as f64 / 1e9,
            interval_s: coarsest as f64 / 1e9,
            operations: one.operations,
            p50_ns: one.latency.value_at_percentile(50.0),
            p99_ns: one.latency.value_at_percentile(99.0),
            p999_ns: one.latency.value_at_percentile(99.9),
            max_ns: one.latency.max(),
            sampled: None,
        });
        seconds.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_fall_into_their_second_and_threads_add_up() {
        let mut threads = [Seconds::new().unwrap(), Seconds::new().unwrap()];
        for thread in &mut threads {
            thread.start(5);
            thread.add(5 + SECOND_NS / 2, 64, 100);
            thread.add(5 + 2 * SECOND_NS, 32, 9_000);
        }
        let merged = Seconds::merged(threads.iter());
        let counts: Vec<u64> = merged.iter().map(|second| second.operations).collect();
        assert_eq!(counts, [128, 0, 64]);
        assert_eq!((merged[0].p50_ns, merged[2].from_s), (100, 2.0));
        assert!(merged[2].max_ns >= 9_000);
    }

    #[test]
    fn a_long_run_has_longer_intervals_and_loses_nothing() {
        let mut seconds = Seconds::new().unwrap();
        for second in 0..1000 {
            seconds.add(second * SECOND_NS, 1, 50);
        }
        let merged = Seconds::merged([&seconds].into_iter());
        assert_eq!(merged.iter().map(|second| second.operations).sum::<u64>(), 1000);
        assert_eq!((merged.len(), merged[0].interval_s), (125, 8.0));
    }

    #[test]
    fn short_intervals_begin_with_a_tenth_of_a_second_again() {
        let mut seconds = Seconds::short().unwrap();
        for _ in 0..2 {
            (0..1024).for_each(|tenth| seconds.add(tenth * EVERY_NS, 1, 50));
            let merged = Seconds::merged([&seconds].into_iter());
            assert_eq!((merged.len(), merged[3].from_s, merged[3].interval_s), (1024, 0.3, 0.1));
            seconds.add(1024 * EVERY_NS, 1, 50);
            let merged = Seconds::merged([&seconds].into_iter());
            assert_eq!((merged.len(), merged[3].from_s), (513, 0.6));
            seconds.reset();
        }
    }
}
