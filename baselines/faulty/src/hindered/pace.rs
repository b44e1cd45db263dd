//! Pauses a session so that its throughput drops by a known share.

use super::Clock;

/// Operations between two looks at the clock. They are so many that fewer than one operation in a
/// hundred has to wait. They are a multiple of 64, because a closed loop times operations at
/// multiples of 64: none of the timed ones has to wait.
pub(super) const OPERATIONS: u64 = 256;

/// A gap between two looks counts as the caller's own pause if it is longer than this …
const PAUSE_NS: u64 = 10_000_000;
/// … and longer than this many times the gap next to it.
const PAUSE_TIMES: u64 = 100;

/// Keeps one session's pace.
#[derive(Debug)]
pub(super) struct Pace {
    /// Paused time ÷ other time.
    still: f64,
    /// Operations until the next look.
    left: u64,
    /// When the current gap began.
    began_ns: u64,
    gaps: Gaps,
    /// Time still to pause; negative if the last wait was longer than intended.
    owed_ns: f64,
}

/// What is known about gaps, to tell the caller's pauses from slow operations.
#[derive(Debug)]
enum Gaps {
    /// No gap has ended yet.
    None,
    /// The first gap has ended. There is no neighbour to tell whether it contains a pause.
    First(u64),
    /// The length of the previous gap.
    Before(u64),
}

impl Pace {
    /// A session that starts now and is slowed by `percent`, which is below 100.
    pub(super) fn new(percent: f64, now_ns: u64) -> Self {
        let still = percent / (100.0 - percent);
        Self { still, left: OPERATIONS, began_ns: now_ns, gaps: Gaps::None, owed_ns: 0.0 }
    }

    /// Counts `operations` that have ended, and pauses if a look is due.
    #[inline]
    pub(super) fn count(&mut self, operations: u64, clock: &impl Clock) {
        self.left = self.left.saturating_sub(operations);
        if self.left == 0 {
            self.look(clock);
        }
    }

    /// Looks at the clock and pauses. All time since the last look counts, including the caller's
    /// own time between operations, because it is throughput that drops.
    #[cold]
    #[inline(never)]
    fn look(&mut self, clock: &impl Clock) {
        self.left = OPERATIONS;
        let now_ns = clock.now_ns();
        let counted_ns = self.gaps.counted(now_ns.saturating_sub(self.began_ns));
        self.began_ns = now_ns;
        self.owed_ns += counted_ns as f64 * self.still;
        if self.owed_ns >= 1.0 {
            let wait_ns = self.owed_ns as u64;
            self.began_ns = clock.wait_until(now_ns + wait_ns);
            // If the system took the core away meanwhile, the excess does not count as a pause.
            let waited_ns = (self.began_ns - now_ns).min(2 * wait_ns);
            self.owed_ns -= waited_ns as f64;
        }
    }
}

impl Gaps {
    /// When a gap ends: how much of it, and of the gap before it, counts as time of operations and
    /// has not been counted.
    fn counted(&mut self, gap_ns: u64) -> u64 {
        let unless_pause = |gap_ns: u64, beside_ns: u64| {
            let is_pause = gap_ns > PAUSE_NS && gap_ns / PAUSE_TIMES > beside_ns;
            if is_pause { 0 } else { gap_ns }
        };
        match std::mem::replace(self, Self::Before(gap_ns)) {
            Self::None => {
                *self = Self::First(gap_ns);
                0
            }
            Self::First(first_ns) => {
                unless_pause(first_ns, gap_ns) + unless_pause(gap_ns, first_ns)
            }
            Self::Before(before_ns) => unless_pause(gap_ns, before_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A clock that is advanced by hand and waits slightly too long.
    #[derive(Default)]
    struct Fake {
        now_ns: AtomicU64,
        late_ns: u64,
    }

    impl Fake {
        /// Relaxed: only one thread uses it.
        fn pass(&self, ns: u64) {
            self.now_ns.fetch_add(ns, Ordering::Relaxed);
        }
    }

    impl Clock for Fake {
        fn now_ns(&self) -> u64 {
            self.now_ns.load(Ordering::Relaxed)
        }

        fn wait_until(&self, until_ns: u64) -> u64 {
            let ns = until_ns + self.late_ns;
            self.now_ns.store(ns, Ordering::Relaxed);
            ns
        }
    }

    /// Runs operations of `ns` each, `batch` at a time; returns how long the session paused.
    fn run(pace: &mut Pace, clock: &Fake, (calls, batch, ns): (u64, u64, u64)) -> u64 {
        let began = clock.now_ns();
        for _ in 0..calls {
            clock.pass(ns * batch);
            pace.count(batch, clock);
        }
        clock.now_ns() - began - calls * batch * ns
    }

    #[test]
    fn a_share_of_the_whole_time_is_stood_still() {
        for (percent, batch, still) in [(20.0, 1, 0.25), (50.0, 16, 1.0), (2.0, 64, 1.0 / 49.0)] {
            let clock = Fake::default();
            let mut pace = Pace::new(percent, 0);
            let calls = 100 * OPERATIONS / batch;
            let stood_ns = run(&mut pace, &clock, (calls, batch, 150));
            let expected = (100 * OPERATIONS * 150) as f64 * still;
            assert!((stood_ns as f64 - expected).abs() <= 1.0, "{percent}: {stood_ns} {expected}");
        }
    }

    #[test]
    fn a_wait_that_is_too_long_is_taken_off_the_next() {
        let clock = Fake { late_ns: 40, ..Fake::default() };
        let mut pace = Pace::new(1.0, 0);
        let stood_ns = run(&mut pace, &clock, (1000 * OPERATIONS, 1, 99));
        let exact_ns = 1000 * OPERATIONS;
        assert!((exact_ns..=exact_ns + 40).contains(&stood_ns), "{stood_ns} of {exact_ns}");
        // A wait that is far too long is not the store's fault: what follows is as slow as before.
        let clock = Fake { late_ns: 50_000_000, ..Fake::default() };
        let mut pace = Pace::new(20.0, 0);
        let stood_ns = run(&mut pace, &clock, (100 * OPERATIONS, 1, 100));
        assert!(stood_ns > 40 * 50_000_000, "{stood_ns}");
    }

    #[test]
    fn without_a_share_nothing_is_waited_for() {
        let clock = Fake { late_ns: 1, ..Fake::default() };
        let mut pace = Pace::new(0.0, 0);
        assert_eq!(run(&mut pace, &clock, (100 * OPERATIONS, 1, 100)), 0);
    }

    #[test]
    fn a_pause_is_not_repaid_wherever_it_comes() {
        let gap_ns = OPERATIONS * 100;
        for at in 0..8 {
            let clock = Fake::default();
            let mut pace = Pace::new(50.0, 0);
            let mut stood_ns = run(&mut pace, &clock, (at * OPERATIONS + 10, 1, 100));
            clock.pass(15_000_000_000);
            stood_ns += run(&mut pace, &clock, ((10 - at) * OPERATIONS - 10, 1, 100));
            // The gap that contains the pause is discarded with it.
            assert_eq!(stood_ns, 9 * gap_ns, "pause in gap {at}");
        }
    }

    #[test]
    fn operations_that_become_slow_are_repaid() {
        let clock = Fake::default();
        let mut pace = Pace::new(50.0, 0);
        run(&mut pace, &clock, (10 * OPERATIONS, 1, 100));
        // 20 times as long, and longer than the minimum length of a pause.
        let stood_ns = run(&mut pace, &clock, (10 * OPERATIONS, 1, 50_000));
        assert_eq!(stood_ns, 9 * OPERATIONS * 50_000, "all but the first of them");
        let stood_ns = run(&mut pace, &clock, (10 * OPERATIONS, 1, 1_000_000));
        assert_eq!(stood_ns, 10 * OPERATIONS * 1_000_000);
    }
}
