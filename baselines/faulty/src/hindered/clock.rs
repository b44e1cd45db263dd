//! The clock of a hindered session.

use platform::clock::monotonic_ns;

/// A clock, and a way to wait by it.
pub trait Clock: Sync {
    /// The time in nanoseconds.
    fn now_ns(&self) -> u64;

    /// Returns at `until_ns`, or as soon after it as possible, with the time it returned. The
    /// thread keeps its core: a slow store is busy, not idle.
    fn wait_until(&self, until_ns: u64) -> u64 {
        loop {
            let now_ns = self.now_ns();
            if now_ns >= until_ns {
                return now_ns;
            }
            std::hint::spin_loop();
        }
    }
}

/// The system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic;

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        monotonic_ns()
    }
}
