//! Samples the memory of a run while it goes on, and ends the run where it takes too long.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use platform::clock::thread_cpu_ns;
use serde::{Deserialize, Serialize};

use crate::memory::{self, Held};
use crate::strays;

/// Time between two samples.
const PERIOD: Duration = Duration::from_millis(5);
/// Time between the first samples: of a short run a few are wanted.
const FIRST_PERIOD: Duration = Duration::from_millis(1);
/// How many of those.
const FIRST_SAMPLES: usize = 5;
/// Of a core at most one part in this many is spent on looking, as long as that leaves ten looks a second.
const COST_SHARE: u32 = 20;
const PERIOD_MAX: Duration = Duration::from_millis(100);

/// What the processes of a run held at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Point {
    /// Since the run began.
    pub elapsed_ns: u64,
    /// Resident memory of all processes; what several share counts once.
    pub bytes: u64,
    pub processes: u32,
}

/// Why a run was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    TimedOut = 1,
    Stopped = 2,
}

/// What was sampled of one run.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    pub(crate) curve: Vec<Point>,
    /// The most that a single process was resident with, at the last look at it.
    pub(crate) highest_bytes: u64,
}

/// Looks at a run from a thread of its own.
#[derive(Debug)]
pub(crate) struct Sampler {
    began: Instant,
    timeout: Duration,
    over: Mutex<bool>,
    told: Condvar,
    /// An [`Ended`], or 0.
    ended: AtomicU8,
}

impl Sampler {
    pub(crate) fn new(began: Instant, timeout: Duration) -> Self {
        let (over, told) = (Mutex::new(false), Condvar::new());
        Self { began, timeout, over, told, ended: AtomicU8::new(0) }
    }

    /// Samples until [`Sampler::finish`]. Kills the run when its time is up or `stop` says so.
    pub(crate) fn run(&self, known: &BTreeSet<u32>, stop: &(dyn Fn() -> bool + Sync)) -> Sampled {
        let mut sampled = Sampled::default();
        loop {
            let looked = Instant::now();
            // Processor time: on a busy machine a look may wait, which costs nothing.
            let before = thread_cpu_ns();
            if let Some(held) = memory::held(known) {
                let elapsed = looked.duration_since(self.began);
                sampled.keep(elapsed, held);
            }
            let cost = Duration::from_nanos(thread_cpu_ns().saturating_sub(before));
            let over = looked.duration_since(self.began) >= self.timeout;
            let ended = if over { Some(Ended::TimedOut) } else { stop().then_some(Ended::Stopped) };
            if let Some(ended) = ended {
                // Relaxed: read after this thread was joined.
                self.ended.store(ended as u8, Ordering::Relaxed);
                strays::kill(known);
            }
            let first = sampled.curve.len() < FIRST_SAMPLES;
            let period = if first { FIRST_PERIOD } else { PERIOD };
            let left = self.timeout.saturating_sub(self.began.elapsed()).max(FIRST_PERIOD);
            if self.is_over_within(period.max((cost * COST_SHARE).min(PERIOD_MAX)).min(left)) {
                return sampled;
            }
        }
    }

    fn is_over_within(&self, time: Duration) -> bool {
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.told.wait_timeout_while(over, time, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Lets [`Sampler::run`] return.
    pub(crate) fn finish(&self) {
        *self.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    /// Why the run was ended, if it was; to be asked after the sampling thread was joined.
    pub(crate) fn ended(&self) -> Option<Ended> {
        // Relaxed: the thread that wrote it was joined.
        let ended = self.ended.load(Ordering::Relaxed);
        [Ended::TimedOut, Ended::Stopped].into_iter().find(|one| *one as u8 == ended)
    }
}

impl Sampled {
    fn keep(&mut self, elapsed: Duration, held: Held) {
        self.highest_bytes = self.highest_bytes.max(held.highest_bytes);
        self.curve.push(Point {
            elapsed_ns: elapsed.as_nanos() as u64,
            bytes: held.bytes,
            processes: held.processes,
        });
    }

    /// The most that all processes held together in any sample.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.curve.iter().map(|point| point.bytes).max().unwrap_or(0)
    }
}
