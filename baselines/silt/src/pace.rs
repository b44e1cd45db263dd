//! A limit on entries per second, for work that would take the disk from GETs (§2.5.1).

use std::thread;
use std::time::{Duration, Instant};

/// Entries between two looks at the clock.
const STEP: u64 = 256;

/// Sleeps where work goes on too fast.
#[derive(Debug)]
pub(crate) struct Pace {
    per_s: u64,
    done: u64,
    begun: Instant,
}

impl Pace {
    /// 0 is no limit.
    pub(crate) fn new(per_s: u64) -> Self {
        Self { per_s, done: 0, begun: Instant::now() }
    }

    /// One entry more.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if self.per_s > 0 && self.done.is_multiple_of(STEP) {
            let due = Duration::from_secs_f64(self.done as f64 / self.per_s as f64);
            thread::sleep(due.saturating_sub(self.begun.elapsed()));
        }
    }
}
