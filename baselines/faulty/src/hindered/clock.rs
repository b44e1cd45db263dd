//! Where a hindered session has its time from.

use platform::clock::monotonic_ns;

/// A clock, and a way to stand still by it.
pub trait Clock: Sync {
    /// The time in nanoseconds.
    fn now_ns(&self) -> u64;

    /// Comes back at `until_ns` or as soon as may be after it, and says when that is. The thread
    /// keeps its core: a store that is slow works all the time.
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
