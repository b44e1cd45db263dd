//! Samples the memory of a worker and of all it started from outside at 20 Hz, joined with the
//! oracle's live bytes, which the worker keeps in a page it shares with the parent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use platform::clock::monotonic_ns;
use platform::process::ProcessMemory;

use record::CurvePoint;
use worker::progress::ProgressPage;

/// Time between two samples.
const PERIOD: Duration = Duration::from_millis(50);
/// Time between two looks at the memory limit when the curve is not wanted.
const LIMIT_PERIOD: Duration = Duration::from_secs(1);

/// A worker under observation, the leader of its group of processes.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    pid: u32,
    progress: &'a ProgressPage,
    limit_bytes: u64,
    keep_curve: bool,
    baseline: Mutex<Option<Baseline>>,
    curve: Mutex<Vec<CurvePoint>>,
    exceeded_bytes: AtomicU64,
    stopped: Mutex<bool>,
}

#[derive(Clone, Copy, Debug)]
struct Baseline {
    bytes: u64,
    at_ns: u64,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(
        pid: u32,
        progress: &'a ProgressPage,
        limit_bytes: u64,
        keep_curve: bool,
    ) -> Self {
        Self {
            pid,
            progress,
            limit_bytes,
            keep_curve,
            baseline: Mutex::new(None),
            curve: Mutex::new(Vec::new()),
            exceeded_bytes: AtomicU64::new(0),
            stopped: Mutex::new(false),
        }
    }

    /// Takes the baseline that every later figure is measured against; the curve begins here.
    /// `engine_bytes` of what is resident belong to the engine already.
    pub(super) fn take_baseline(&self, engine_bytes: u64) {
        if let Ok(memory) = ProcessMemory::of_tree(self.pid) {
            let bytes = memory.resident_bytes().saturating_sub(engine_bytes);
            let baseline = Baseline { bytes, at_ns: monotonic_ns() };
            *self.baseline.lock().unwrap_or_else(PoisonError::into_inner) = Some(baseline);
        }
    }

    pub(super) fn baseline_bytes(&self) -> u64 {
        self.baseline.lock().unwrap_or_else(PoisonError::into_inner).map_or(0, |base| base.bytes)
    }

    /// Samples until [`Sampler::finish`]; kills the worker and its group when they exceed
    /// their limit.
    pub(super) fn run(&self) {
        let period = if self.keep_curve { PERIOD } else { LIMIT_PERIOD };
        loop {
            // Held while sampling: after `finish` no sample is under way.
            let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
            if *stopped {
                return;
            }
            let Ok(memory) = ProcessMemory::of_tree(self.pid) else { return };
            if memory.resident_bytes() > self.limit_bytes {
                // Relaxed: read after this thread was joined.
                self.exceeded_bytes.store(memory.resident_bytes(), Ordering::Relaxed);
                platform::process::kill_group(self.pid);
                return;
            }
            if self.keep_curve {
                self.keep(memory);
            }
            drop(stopped);
            std::thread::park_timeout(period);
        }
    }

    /// Adds a sample to the curve now.
    pub(super) fn keep(&self, memory: ProcessMemory) {
        let baseline = *self.baseline.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(baseline) = baseline else { return };
        let point = CurvePoint {
            elapsed_ns: monotonic_ns().saturating_sub(baseline.at_ns),
            resident_bytes: memory.resident_bytes().saturating_sub(baseline.bytes),
            live_bytes: self.progress.live_bytes(),
            swap_bytes: memory.swap_bytes,
        };
        self.curve.lock().unwrap_or_else(PoisonError::into_inner).push(point);
    }

    /// Points so far: an index for [`Sampler::max_since`].
    pub(super) fn position(&self) -> usize {
        self.curve.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Highest resident sample since `position`.
    pub(super) fn max_since(&self, position: usize) -> Option<u64> {
        let curve = self.curve.lock().unwrap_or_else(PoisonError::into_inner);
        curve.get(position..)?.iter().map(|point| point.resident_bytes).max()
    }

    /// Ends [`Sampler::run`] soon; no sample is taken after this. A worker that ends is torn down
    /// bit by bit, and samples of that would look like memory returned.
    pub(super) fn finish(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// The resident bytes at which the worker was killed, if it was.
    pub(super) fn exceeded_bytes(&self) -> Option<u64> {
        // Relaxed: the sampling thread was joined.
        Some(self.exceeded_bytes.load(Ordering::Relaxed)).filter(|&bytes| bytes > 0)
    }

    pub(super) fn into_curve(self) -> Vec<CurvePoint> {
        self.curve.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
