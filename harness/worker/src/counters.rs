//! Hardware events: cycles, instructions, misses. User space only, for this process and everything it
//! starts.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use perf_event::events::{Cache, CacheOp, CacheResult, Event, Hardware, WhichCache};
use perf_event::{Builder, Counter};

const DTLB_LOAD_MISSES: Cache =
    Cache { which: WhichCache::DTLB, operation: CacheOp::READ, result: CacheResult::MISS };

#[derive(Debug)]
pub struct Counters {
    open: Vec<(&'static str, Counter)>,
    missing: Vec<(&'static str, io::Error)>,
}

impl Counters {
    /// Opens and starts counters for cycles, instructions, last-level cache misses, branch misses and
    /// data-TLB load misses. They count the calling thread, and every thread and process that it starts
    /// from then on.
    ///
    /// # Errors
    /// None of the events can be counted here: why, and the remedy.
    pub fn open() -> Result<Self, String> {
        Self::open_all([
            ("cycles", Hardware::CPU_CYCLES.into()),
            ("instructions", Hardware::INSTRUCTIONS.into()),
            ("cache-misses", Hardware::CACHE_MISSES.into()),
            ("branch-misses", Hardware::BRANCH_MISSES.into()),
            ("dTLB-load-misses", DTLB_LOAD_MISSES.into()),
        ])
    }

    fn open_all(events: impl IntoIterator<Item = (&'static str, Event)>) -> Result<Self, String> {
        let (mut open, mut missing) = (Vec::new(), Vec::new());
        for (name, event) in events {
            let mut builder = Builder::new().kind(event);
            builder.inherit(true).enabled(true);
            match builder.build() {
                Ok(counter) => open.push((name, counter)),
                Err(error) => missing.push((name, error)),
            }
        }
        match missing.first() {
            Some((_, error)) if open.is_empty() => Err(reason(error, paranoia())),
            _ => Ok(Self { open, missing }),
        }
    }

    /// Counts so far. If events share the hardware counters, the counts are extrapolated from the time
    /// each was counted. An event whose counter never ran, or cannot be read, is left out.
    pub fn read(&mut self) -> BTreeMap<String, u64> {
        let counts = self.open.iter_mut().filter_map(|(name, counter)| {
            let read = counter.read_count_and_time().ok()?;
            let count = scaled(read.count, read.time_enabled, read.time_running)?;
            Some(((*name).to_owned(), count))
        });
        counts.collect()
    }

    /// The events that are not counted, with the reason; `None` if all are.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let names = self.missing.iter().map(|(name, error)| format!("{name}: {error}"));
        let text = names.collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then_some(text)
    }
}

/// The count extrapolated from the time it ran to the whole time.
fn scaled(count: u64, enabled_ns: u64, running_ns: u64) -> Option<u64> {
    if running_ns == 0 {
        return (enabled_ns == 0).then_some(count);
    }
    let estimate = u128::from(count) * u128::from(enabled_ns) / u128::from(running_ns);
    u64::try_from(estimate).ok()
}

/// The kernel setting that restricts counting.
fn paranoia() -> Option<i32> {
    fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Why nothing can be counted, with the remedy.
fn reason(error: &io::Error, paranoia: Option<i32>) -> String {
    match (error.raw_os_error(), paranoia) {
        (Some(libc::EACCES | libc::EPERM), Some(level)) if level > 2 => format!(
            "not permitted: kernel.perf_event_paranoid is {level}; `sudo sysctl \
             kernel.perf_event_paranoid=2` permits counting in user space"
        ),
        (Some(libc::EACCES | libc::EPERM), _) => "not permitted: a container or security module \
            forbids perf_event_open; allow it there, or run outside"
            .to_owned(),
        (Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV), _) => "not supported here: the \
            processor shows no counters, as in most virtual machines; run on bare metal, or have \
            the host expose a virtual PMU"
            .to_owned(),
        (Some(libc::ENOSYS), _) => {
            "not supported here: the kernel lacks CONFIG_PERF_EVENTS; boot one that has it"
                .to_owned()
        }
        _ => format!("perf_event_open: {error}; `perf stat true` may tell more"),
    }
}

#[cfg(test)]
mod tests {
    use perf_event::events::Software;

    use super::*;

    #[test]
    fn hardware_events_are_counted_or_the_reason_names_a_remedy() {
        match Counters::open() {
            Ok(mut counters) => {
                let before = counters.read();
                let sum = (0..100_000_u64).fold(0, |sum, next| std::hint::black_box(sum ^ next));
                assert!(sum < u64::MAX);
                let after = counters.read();
                assert!(!after.is_empty() || counters.missing().is_some());
                assert!(after.iter().any(|(name, count)| before.get(name) < Some(count)));
            }
            Err(reason) => assert!(
                ["run on bare metal", "sysctl", "allow it there", "boot one", "perf stat"]
                    .iter()
                    .any(|remedy| reason.contains(remedy)),
                "{reason}"
            ),
        }
    }

    /// The kernel's task clock can be counted on every machine that permits counting.
    #[test]
    fn threads_started_later_are_counted_too() {
        const BURNT_NS: u64 = 20_000_000;
        let mut counters = match Counters::open_all([("ns", Software::TASK_CLOCK.into())]) {
            Ok(counters) => counters,
            Err(reason) => {
                assert!(reason.contains("not permitted") || reason.contains("CONFIG"), "{reason}");
                return;
            }
        };
        assert_eq!(counters.missing(), None);
        let before = counters.read()["ns"];
        let burn = || while platform::clock::thread_cpu_ns() < BURNT_NS {};
        std::thread::spawn(burn).join().unwrap();
        let counted_ns = counters.read()["ns"] - before;
        assert!(counted_ns >= BURNT_NS / 2, "{counted_ns} ns of {BURNT_NS}");
    }

    #[test]
    fn some_missing_events_are_named_and_the_others_counted() {
        let denied = io::Error::from_raw_os_error(libc::EACCES);
        let counters = Counters { open: Vec::new(), missing: vec![("cycles", denied)] };
        let text = counters.missing().unwrap();
        assert!(text.starts_with("cycles: "), "{text}");
    }

    #[test]
    fn shared_counters_are_scaled_up() {
        assert_eq!(scaled(10, 100, 100), Some(10));
        assert_eq!(scaled(10, 100, 25), Some(40));
        assert_eq!(scaled(0, 100, 0), None, "it never ran");
        assert_eq!(scaled(0, 0, 0), Some(0));
        assert_eq!(scaled(u64::MAX, 3, 1), None);
    }

    #[test]
    fn every_error_has_a_reason_of_its_own() {
        let reason = |code, level| reason(&io::Error::from_raw_os_error(code), level);
        assert!(reason(libc::EACCES, Some(3)).contains("perf_event_paranoid is 3"));
        assert!(reason(libc::EPERM, Some(1)).contains("container"));
        assert!(reason(libc::ENOENT, Some(2)).contains("bare metal"));
        assert!(reason(libc::ENOSYS, None).contains("CONFIG_PERF_EVENTS"));
        assert!(reason(libc::EMFILE, Some(2)).contains("perf stat true"));
    }
}
