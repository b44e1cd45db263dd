//! Reading this machine for the doctor. It changes nothing, and takes about half a second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use platform::mapping::PAGE_BYTES;
use platform::{Mapping, Pages};

use super::readings::{Busy, FirstTouch, Readings};
use crate::environment;
use report::figures::gnuplot_available;
use worker::Counters;
use worker::kernel::KernelFiles;

/// How long the machine is watched.
const WATCHED: Duration = Duration::from_millis(500);
/// Memory touched to see what that costs.
const TOUCHED_BYTES: usize = 64 << 20;
/// Processes that are named.
const NAMED: usize = 3;

/// The machine now.
#[must_use]
pub fn probe() -> Readings {
    // Before anything of ours: memory touched warms pages, and costs CPU time.
    let busy = watch(WATCHED);
    Readings { busy, first_touch: first_touch(), ..state(&KernelFiles::here()) }
}

/// What the machine does in the next moments.
pub(super) fn watch(duration: Duration) -> Option<Busy> {
    let before = Ticks::now(&KernelFiles::here());
    std::thread::sleep(duration);
    before.zip(Ticks::now(&KernelFiles::here())).map(|(before, now)| now.since(&before))
}

/// Runnable threads in the last minute.
pub(super) fn load_average(files: &KernelFiles) -> Option<f64> {
    files.text("proc/loadavg").and_then(|text| text.split_whitespace().next()?.parse().ok())
}

/// All that is there to be read.
fn state(files: &KernelFiles) -> Readings {
    let cpufreq = "sys/devices/system/cpu/cpu0/cpufreq";
    let limits = worker::kernel::memory_limits(files).into_iter();
    let counters_missing = match Counters::open() {
        Ok(counters) => counters.missing(),
        Err(reason) => Some(reason),
    };
    Readings {
        governor: files.text(format!("{cpufreq}/scaling_governor")),
        boost: environment::boost(files),
        frequency_mhz: files
            .number(format!("{cpufreq}/scaling_cur_freq"))
            .map(|khz: u64| khz / 1000),
        threads_per_core: environment::threads_per_core(files),
        cores: platform::cpu::allowed_cores().len(),
        cpu_limit_cores: worker::kernel::quota_cores(files),
        pinning_refused: pinning_refused(),
        load_average: load_average(files),
        busy: None,
        clock_source: files.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        hypervisor: platform::cpu::hypervisor_vendor(),
        counters_missing,
        transparent_huge_pages: files.choice("sys/kernel/mm/transparent_hugepage/enabled"),
        huge_page_pool: files.number("proc/sys/vm/nr_hugepages"),
        swap_bytes: worker::kernel::swap_bytes(files),
        memory_available_bytes: worker::kernel::available_memory_bytes(),
        memory_limit_bytes: limits.map(|(limit, _)| limit).min(),
        first_touch: None,
        nodes: platform::numa::nodes().len(),
        numa_balancing: files.number::<u8>("proc/sys/kernel/numa_balancing").map(|mode| mode > 0),
        aslr: files.number("proc/sys/kernel/randomize_va_space"),
        target_cpu: environment::target_cpu().to_owned(),
        profile: environment::profile().to_owned(),
        dirty: environment::is_dirty(),
        gnuplot: gnuplot_available().is_ok(),
    }
}

/// Tries to bind a thread of its own to the last core allowed.
fn pinning_refused() -> Option<String> {
    let attempt = || {
        let core = platform::cpu::allowed_cores().pop()?;
        platform::cpu::pin_to(core).err().map(|error| error.to_string())
    };
    std::thread::scope(|scope| scope.spawn(attempt).join()).ok().flatten()
}

/// Touches memory, gives it back, and touches as much again; `None` where it cannot be mapped.
fn first_touch() -> Option<FirstTouch> {
    let touch = || {
        let mapping = Mapping::anonymous(TOUCHED_BYTES, Pages::Small).ok()?;
        let started = Instant::now();
        mapping.populate(0, TOUCHED_BYTES);
        Some(started.elapsed().as_nanos() as f64 / (TOUCHED_BYTES / PAGE_BYTES) as f64)
    };
    Some(FirstTouch { cold_ns: touch()?, warm_ns: touch()? })
}

/// CPU time in ticks, of the machine and of each process.
#[derive(Clone, Debug, PartialEq)]
struct Ticks {
    busy: u64,
    steal: u64,
    total: u64,
    cores: usize,
    processes: BTreeMap<u32, (String, u64)>,
}

impl Ticks {
    fn now(files: &KernelFiles) -> Option<Self> {
        let mut ticks = Self::parse(&files.text("proc/stat")?)?;
        let own = std::process::id();
        let names = files.names("proc", "").into_iter();
        let pids = names.filter_map(|name| name.parse().ok()).filter(|&pid: &u32| pid != own);
        ticks.processes = pids
            .filter_map(|pid| Some((pid, of_process(&files.text(format!("proc/{pid}/stat"))?)?)))
            .collect();
        Some(ticks)
    }

    /// The machine's, from `/proc/stat`.
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let fields: Vec<u64> =
            line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guests are part of user.
        let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = fields[..] else {
            return None;
        };
        let busy = user + nice + system + irq + softirq;
        let is_core = |line: &&str| {
            line.strip_prefix("cpu")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        Some(Self {
            busy,
            steal,
            total: busy + idle + iowait + steal,
            cores: stat.lines().filter(is_core).count(),
            processes: BTreeMap::new(),
        })
    }

    fn since(&self, earlier: &Self) -> Busy {
        let total = self.total.saturating_sub(earlier.total).max(1) as f64;
        let share = |now: u64, before: u64| now.saturating_sub(before) as f64 / total;
        let mut processes: Vec<(String, f64)> = self
            .processes
            .iter()
            .filter_map(|(pid, (name, ticks))| {
                let (_, before) = earlier.processes.get(pid)?;
                let cores = share(*ticks, *before) * self.cores as f64;
                (cores > 0.0).then(|| (name.clone(), cores))
            })
            .collect();
        processes.sort_by(|one, other| other.1.total_cmp(&one.1));
        processes.truncate(NAMED);
        Busy {
            cores: share(self.busy, earlier.busy) * self.cores as f64,
            steal_percent: share(self.steal, earlier.steal) * 100.0,
            processes,
        }
    }
}

/// Name and CPU time of `/proc/PID/stat`.
fn of_process(stat: &str) -> Option<(String, u64)> {
    let (before, after) = stat.rsplit_once(") ")?;
    let name = before.split_once('(')?.1.to_owned();
    // Fields 14 and 15 of proc(5), of which the third is the first here.
    let mut times = after.split_whitespace().skip(11);
    Some((name, times.next()?.parse::<u64>().ok()? + times.next()?.parse::<u64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_cores_and_percent() {
        let mut before =
            Ticks::parse("cpu  100 0 50 800 10 1 2 3 0 0\ncpu0 1\ncpu1 1\nctxt 5\n").unwrap();
        let mut after = Ticks::parse("cpu  140 0 60 840 10 1 2 13 0 0\ncpu0 1\ncpu1 1\n").unwrap();
        assert_eq!((before.cores, before.busy, before.total), (2, 153, 966));
        let process = |name: &str, ticks| (name.to_owned(), ticks);
        before.processes =
            [(1, process("init", 5)), (2, process("cc1", 5)), (4, process("x", 9))].into();
        after.processes =
            [(1, process("init", 5)), (2, process("cc1", 45)), (3, process("new", 9))].into();
        let busy = after.since(&before);
        assert_eq!((busy.cores, busy.steal_percent), (1.0, 10.0));
        assert_eq!(busy.processes, [("cc1".to_owned(), 0.8)]);
        assert_eq!(Ticks::parse("intr 1 2 3"), None);
        assert_eq!(Ticks::parse("cpu  1 2 3"), None);
    }

    #[test]
    fn a_process_has_a_name_and_a_time() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 20 3 4 50 6 70 8 20 0 1";
        assert_eq!(of_process(stat), Some(("a) b".to_owned(), 56)));
        assert_eq!(of_process("7 (a) S 1"), None);
    }

    #[test]
    fn this_machine_is_read() {
        let readings = probe();
        assert!(readings.cores > 0 && readings.nodes > 0);
        assert!(readings.memory_available_bytes > 0 && readings.swap_bytes.is_some());
        assert!(readings.busy.is_some_and(|busy| busy.cores.is_finite()));
        assert!(
            readings.first_touch.is_some_and(|touch| touch.cold_ns > 0.0 && touch.warm_ns > 0.0)
        );
        assert_eq!(readings.profile, environment::profile());
    }
}
