//! Reading this machine for the doctor. It changes nothing, and takes a few seconds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use procfs::process::{Stat, all_processes};
use procfs::{CpuTime, Current, CurrentSI, KernelStats, LoadAverage};

use kit::folder::fit_for_files;
use platform::device::BlockDevice;
use platform::mapping::PAGE_BYTES;
use platform::persist::Calibration;
use platform::{Mapping, Pages};

use super::readings::{Busy, FirstTouch, Overlap, Readings};
use crate::environment;
use report::figures::gnuplot_available;
use worker::Counters;
use worker::kernel::KernelFiles;

/// How long the machine is watched.
const WATCHED: Duration = Duration::from_millis(500);
/// Memory touched to see what that costs.
const TOUCHED_BYTES: usize = 64 << 20;
/// Memory that must be available where 256 MiB of it are used.
const OVERLAP_NEEDS_BYTES: u64 = 1 << 30;
const CPUFREQ: &str = "sys/devices/system/cpu/cpu0/cpufreq";
/// Processes that are named.
const NAMED: usize = 3;

/// The machine now.
#[must_use]
pub fn probe() -> Readings {
    // Before anything of ours: memory touched warms pages, and costs CPU time.
    let busy = watch(WATCHED);
    let persistent_waits = Some(Calibration::of_process());
    Readings {
        busy,
        first_touch: first_touch(),
        overlap: overlap(),
        persistent_waits,
        ..state(&KernelFiles::here())
    }
}

/// What the machine does in the next moments.
pub(super) fn watch(duration: Duration) -> Option<Busy> {
    let before = Ticks::now();
    std::thread::sleep(duration);
    before.zip(Ticks::now()).map(|(before, now)| now.since(&before))
}

/// Runnable threads in the last minute.
pub fn load_average() -> Option<f64> {
    LoadAverage::current().ok().map(|load| f64::from(load.one))
}

/// The first core's, now.
pub fn frequency_mhz(files: &KernelFiles) -> Option<u64> {
    files.number(format!("{CPUFREQ}/scaling_cur_freq")).map(|khz: u64| khz / 1000)
}

/// All that is there to be read.
fn state(files: &KernelFiles) -> Readings {
    let limits = worker::kernel::memory_limits(files).into_iter();
    let counters_missing = match Counters::open() {
        Ok(counters) => counters.missing(),
        Err(reason) => Some(reason),
    };
    let temporary = std::env::temp_dir();
    Readings {
        governor: files.text(format!("{CPUFREQ}/scaling_governor")),
        boost: environment::boost(files),
        frequency_mhz: frequency_mhz(files),
        cache_bytes: environment::last_level_cache_bytes(files),
        threads_per_core: environment::threads_per_core(files),
        cores: platform::cpu::allowed_cores().len(),
        cpu_limit_cores: worker::kernel::quota_cores(files),
        pinning_refused: pinning_refused(),
        load_average: load_average(),
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
        overlap: None,
        persistent_waits: None,
        files_unfit: fit_for_files(&temporary).err().map(|unfit| unfit.to_string()),
        files_device: BlockDevice::holding(&temporary).map(|device| device.name().to_owned()),
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

/// Watches how far operations overlap; `None` where the memory for it would be missed.
fn overlap() -> Option<Overlap> {
    if worker::kernel::available_memory_bytes() < OVERLAP_NEEDS_BYTES {
        return None;
    }
    let mut folds = worker::overlaps().ok()?;
    folds.sort_by(f64::total_cmp);
    let at = |share: f64| folds[((folds.len() - 1) as f64 * share) as usize];
    Some(Overlap { high: at(0.9), median: at(0.5), low: at(0.1) })
}

/// CPU time in ticks, of the machine and of each process.
#[derive(Clone, Debug, PartialEq)]
struct Ticks {
    busy: u64,
    steal: u64,
    total: u64,
    cores: usize,
    processes: BTreeMap<i32, (String, u64)>,
}

impl Ticks {
    fn now() -> Option<Self> {
        let stats = KernelStats::current().ok()?;
        let own = std::process::id().cast_signed();
        let living = all_processes().into_iter().flatten().filter_map(|one| one.ok()?.stat().ok());
        let processes = living.filter(|stat| stat.pid != own).map(of_process).collect();
        Some(Self { processes, ..Self::of_machine(&stats.total, stats.cpu_time.len()) })
    }

    fn of_machine(time: &CpuTime, cores: usize) -> Self {
        // Guests are part of user.
        let irq = time.irq.unwrap_or(0) + time.softirq.unwrap_or(0);
        let busy = time.user + time.nice + time.system + irq;
        let steal = time.steal.unwrap_or(0);
        let total = busy + time.idle + time.iowait.unwrap_or(0) + steal;
        Self { busy, steal, total, cores, processes: BTreeMap::new() }
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

/// Its number, name and CPU time.
fn of_process(stat: Stat) -> (i32, (String, u64)) {
    (stat.pid, (stat.comm, stat.utime + stat.stime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_cores_and_percent() {
        let mut earlier = KernelStats::current().unwrap().total;
        (earlier.user, earlier.nice, earlier.system, earlier.idle) = (100, 0, 50, 800);
        (earlier.iowait, earlier.irq, earlier.softirq) = (Some(10), Some(1), Some(2));
        let mut later = earlier.clone();
        (earlier.steal, later.steal) = (Some(3), Some(13));
        (later.user, later.system, later.idle) = (140, 60, 840);
        let mut before = Ticks::of_machine(&earlier, 2);
        let mut after = Ticks::of_machine(&later, 2);
        assert_eq!((before.busy, before.total), (153, 966));
        let process = |name: &str, ticks| (name.to_owned(), ticks);
        before.processes =
            [(1, process("init", 5)), (2, process("cc1", 5)), (4, process("x", 9))].into();
        after.processes =
            [(1, process("init", 5)), (2, process("cc1", 45)), (3, process("new", 9))].into();
        let busy = after.since(&before);
        assert_eq!((busy.cores, busy.steal_percent), (1.0, 10.0));
        assert_eq!(busy.processes, [("cc1".to_owned(), 0.8)]);
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
