//! A counter of the store over time: a thread reads it ten times a second while the clock runs.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use platform::clock::monotonic_ns;
use record::Second;

use crate::watched::Watched;

/// Time between two samples.
pub(super) const EVERY_NS: u64 = 100_000_000;

/// A counter's value at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Since the clock started.
    at_ns: u64,
    value: f64,
}

/// What is sampled, and until when.
pub(super) struct Sampler<'a> {
    statistic: &'a str,
    engine: &'a dyn Watched,
    ended: AtomicBool,
}

impl<'a> Sampler<'a> {
    /// A sampler of `statistic`.
    ///
    /// # Errors
    /// The counters that `engine` has, if that is none of them.
    pub(super) fn of(statistic: &'a str, engine: &'a dyn Watched) -> Result<Self, String> {
        let sampler = Self { statistic, engine, ended: AtomicBool::new(false) };
        if sampler.read().is_some() {
            return Ok(sampler);
        }
        let known: Vec<String> = engine.counters().into_keys().collect();
        Err(format!(
            "sampled = `{statistic}`: `{}` has no such counter; it has: {}",
            engine.named(),
            known.join(", ")
        ))
    }

    fn read(&self) -> Option<f64> {
        self.engine.counters().get(self.statistic).copied()
    }

    /// Samples from the moment in which all threads pass `barrier`, until [`Sampler::end`].
    pub(super) fn run(&self, barrier: &Barrier) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(1024);
        barrier.wait();
        let started_ns = monotonic_ns();
        for due_ns in (started_ns + EVERY_NS..).step_by(EVERY_NS as usize) {
            while let Some(left_ns @ 1..) = due_ns.checked_sub(monotonic_ns()) {
                thread::park_timeout(Duration::from_nanos(left_ns));
                // Relaxed: nothing is handed over.
                if self.ended.load(Ordering::Relaxed) {
                    return samples;
                }
            }
            let value = self.read();
            samples.extend(value.map(|value| Sample { at_ns: monotonic_ns() - started_ns, value }));
        }
        samples
    }

    /// Ends the sampling by `thread`.
    pub(super) fn end(&self, thread: &thread::Thread) {
        // Relaxed: as above; unparking makes the thread look.
        self.ended.store(true, Ordering::Relaxed);
        thread.unpark();
    }
}

/// Gives each of `seconds` the sample nearest to its end, if there is one within half of it.
pub(super) fn note(seconds: &mut [Second], samples: &[Sample]) {
    for second in seconds {
        let end_ns = (second.from_s + second.interval_s) * 1e9;
        let distance = |sample: &Sample| (sample.at_ns as f64 - end_ns).abs();
        let nearest = samples.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let nearest = nearest.filter(|sample| distance(sample) <= second.interval_s * 0.5e9);
        second.sampled = nearest.map(|sample| sample.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_the_sample_at_its_end() {
        let sample = |tenths: f64, value| Sample { at_ns: (tenths * 1e8) as u64, value };
        let samples = [sample(1.01, 5.0), sample(2.02, 6.0), sample(4.4, 7.0)];
        let second = |from_s| Second {
            from_s,
            interval_s: 0.1,
            operations: 1,
            p50_ns: 1,
            p99_ns: 1,
            p999_ns: 1,
            max_ns: 1,
            sampled: None,
        };
        let mut seconds = [0.0, 0.1, 0.2, 0.3].map(second);
        note(&mut seconds, &samples);
        let noted = seconds.map(|second| second.sampled);
        assert_eq!(noted, [Some(5.0), Some(6.0), None, Some(7.0)]);
    }
}
