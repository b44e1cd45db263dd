//! Waits by the time-stamp counter, and how exact they are.

use std::fmt;
use std::sync::OnceLock;

use crate::clock::{monotonic_ns, ticks, ticks_ordered};

/// How long the counter is compared with the clock, in nanoseconds.
const COMPARED_NS: u64 = 5_000_000;
/// Waits of one measurement, and measurements of which the median is taken.
const WAITS: u64 = 200;
const MEASUREMENTS: usize = 21;

/// What persistent memory costs beyond DRAM, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Of a fence.
    pub fence_ns: u64,
    /// Of an operation's first access to a line.
    pub load_ns: u64,
}

impl Latency {
    /// No wait at all.
    pub const NONE: Self = Self { fence_ns: 0, load_ns: 0 };
    /// 100 ns for a fence, and 150 ns for a line: 300 ns of load latency against 150 ns (ATC 2018, §7).
    pub const USUAL: Self = Self { fence_ns: 100, load_ns: 150 };
}

/// How the time-stamp counter relates to time, and how long a wait takes that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Ticks of the counter in a microsecond.
    pub ticks_per_us: f64,
    /// The wait that was measured, in nanoseconds.
    pub asked_ns: u64,
    /// The median time that it took, by the clock, in nanoseconds.
    pub taken_ns: f64,
}

impl Calibration {
    /// This process's, measured once; that takes about 10 ms.
    #[must_use]
    pub fn of_process() -> Self {
        static MEASURED: OnceLock<Calibration> = OnceLock::new();
        *MEASURED.get_or_init(|| Self::measure(Latency::USUAL.fence_ns))
    }

    /// Compares the counter with the clock, then measures waits of `asked_ns`.
    #[must_use]
    pub fn measure(asked_ns: u64) -> Self {
        let (first_ticks, first_ns) = (ticks_ordered(), monotonic_ns());
        while monotonic_ns() - first_ns < COMPARED_NS {
            std::hint::spin_loop();
        }
        let (last_ticks, last_ns) = (ticks_ordered(), monotonic_ns());
        let ticks_per_us = (last_ticks - first_ticks) as f64 * 1000.0 / (last_ns - first_ns) as f64;
        let mut calibration = Self { ticks_per_us, asked_ns, taken_ns: 0.0 };
        let asked_ticks = calibration.ticks(asked_ns);
        let mut taken: Vec<f64> = (0..MEASUREMENTS)
            .map(|_| {
                let before_ns = monotonic_ns();
                (0..WAITS).for_each(|_| wait(asked_ticks));
                (monotonic_ns() - before_ns) as f64 / WAITS as f64
            })
            .collect();
        taken.sort_by(f64::total_cmp);
        calibration.taken_ns = taken[MEASUREMENTS / 2];
        calibration
    }

    /// Ticks in so many nanoseconds.
    #[must_use]
    pub fn ticks(&self, ns: u64) -> u64 {
        (ns as f64 * self.ticks_per_us / 1000.0).round() as u64
    }

    /// Whether a wait takes what is asked, or at most `percent` per cent more.
    ///
    /// # Errors
    /// A sentence with both times.
    pub fn check(&self, percent: f64) -> Result<(), String> {
        let most_ns = self.asked_ns as f64 * (1.0 + percent / 100.0);
        if self.taken_ns <= most_ns {
            return Ok(());
        }
        Err(format!("{self}: more than {percent} % too long; something else uses the processor"))
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ticks_per_us, asked_ns, taken_ns } = self;
        write!(
            formatter,
            "{ticks_per_us:.0} ticks in a microsecond; a wait of {asked_ns} ns takes {taken_ns:.0} ns"
        )
    }
}

/// Waits for so many ticks; at 0 not even the counter is read.
#[inline]
pub(super) fn wait(for_ticks: u64) {
    if for_ticks == 0 {
        return;
    }
    let from = ticks();
    // No pause instruction: on some processors one takes longer than the whole wait.
    while ticks().wrapping_sub(from) < for_ticks {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait may be interrupted, so it has no upper bound that holds; it is never too short.
    #[test]
    fn a_wait_is_not_shorter_than_asked() {
        let calibration = Calibration::measure(1000);
        assert!(calibration.taken_ns >= 990.0, "{calibration}");
        assert!(calibration.ticks_per_us > 1.0, "{calibration}");
        let off = Calibration { ticks_per_us: 2000.0, asked_ns: 100, taken_ns: 151.0 };
        assert_eq!(off.ticks(100), 200);
        assert!(off.check(50.0).unwrap_err().contains("takes 151 ns"));
        assert!(off.check(60.0).is_ok());
    }
}
