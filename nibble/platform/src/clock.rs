//! Clocks: the processor's time-stamp counter and the kernel's.

use rustix::time::ClockId;

/// The time-stamp counter, in ticks; the read does not serialise.
///
/// On architectures without one that user code may read: the monotonic clock in nanoseconds.
#[inline]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        // SAFETY: `rdtsc` exists on every x86-64 processor and user code may execute it (Linux
        // forbids it only to processes that asked for that).
        unsafe { core::arch::x86_64::_rdtsc() }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        monotonic_ns()
    }
}

/// Like [`ticks`], but read after every earlier store of the calling thread is visible to all cores
/// and before any later instruction begins.
#[must_use]
pub fn ticks_ordered() -> u64 {
    // Drains the store buffer; the load fences keep the counter's read in its place.
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    load_fence();
    let ticks = ticks();
    load_fence();
    ticks
}

fn load_fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: part of SSE2, which every x86-64 processor has.
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
}

/// `CLOCK_MONOTONIC` in nanoseconds; the same in every process of the machine.
#[must_use]
pub fn monotonic_ns() -> u64 {
    read(ClockId::Monotonic)
}

/// CPU time of the whole process, user and system, in nanoseconds.
#[must_use]
pub fn process_cpu_ns() -> u64 {
    read(ClockId::ProcessCPUTime)
}

/// CPU time of the calling thread, user and system, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> u64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_ticks_lie_between_plain_ones() {
        let (before, ordered, after) = (ticks(), ticks_ordered(), ticks());
        assert!(before <= ordered && ordered <= after);
    }

    #[test]
    fn clocks_do_not_run_backwards() {
        let before = (ticks(), monotonic_ns(), process_cpu_ns(), thread_cpu_ns());
        let after = (ticks(), monotonic_ns(), process_cpu_ns(), thread_cpu_ns());
        assert!(before.0 <= after.0 && before.1 <= after.1);
        assert!(before.2 <= after.2 && before.3 <= after.3);
    }
}
