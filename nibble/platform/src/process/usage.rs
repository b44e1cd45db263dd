//! Counters of the kernel: for a process with everything it started, and for the machine.

use std::collections::HashMap;
use std::io;

use procfs::process::{Process, Stat};
use procfs::{Current, CurrentSI, KernelStats, Meminfo};

use super::system_error;
use super::tree::{descendants, process};

const NS_PER_S: u64 = 1_000_000_000;

/// Resources that the kernel has counted so far for a process and all its descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// User CPU time, ns.
    pub user_ns: u64,
    /// System CPU time, ns.
    pub system_ns: u64,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Context switches of threads that had to wait.
    pub voluntary_context_switches: u64,
    /// Context switches of threads that were preempted.
    pub involuntary_context_switches: u64,
}

impl ResourceUsage {
    /// Usage of the calling process, its threads, and all its descendants, both those already
    /// waited for and living ones.
    ///
    /// For living descendants the kernel reports CPU time in ticks (10 ms, rounded down) and only
    /// the context switches of living threads. If there are no descendants, only the lists of
    /// children are read. A descendant whose parent died first is no longer found.
    #[must_use]
    pub fn of_tree() -> Self {
        let own = Self::asked(libc::RUSAGE_SELF).plus(&Self::asked(libc::RUSAGE_CHILDREN));
        descendants(std::process::id())
            .into_iter()
            .filter_map(|pid| Self::of_living(&process(pid).ok()?))
            .fold(own, |sum, one| sum.plus(&one))
    }

    fn asked(who: libc::c_int) -> Self {
        // SAFETY: rusage is plain integers, for which all zeros is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is a valid place for the result.
        unsafe { libc::getrusage(who, &raw mut usage) };
        let ns = |time: libc::timeval| time.tv_sec as u64 * NS_PER_S + time.tv_usec as u64 * 1000;
        Self {
            user_ns: ns(usage.ru_utime),
            system_ns: ns(usage.ru_stime),
            minor_faults: usage.ru_minflt as u64,
            major_faults: usage.ru_majflt as u64,
            voluntary_context_switches: usage.ru_nvcsw as u64,
            involuntary_context_switches: usage.ru_nivcsw as u64,
        }
    }

    /// Usage of a living process and of the children it has waited for.
    fn of_living(process: &Process) -> Option<Self> {
        let mut usage = Self::of_stat(&process.stat().ok()?, ns_per_tick());
        let tasks = process.tasks().into_iter().flatten().flatten();
        for status in tasks.filter_map(|task| task.status().ok()) {
            usage.voluntary_context_switches += status.voluntary_ctxt_switches.unwrap_or(0);
            usage.involuntary_context_switches += status.nonvoluntary_ctxt_switches.unwrap_or(0);
        }
        Some(usage)
    }

    /// Times and faults, including those of children waited for.
    fn of_stat(stat: &Stat, ns_per_tick: u64) -> Self {
        let ns = |own: u64, children: i64| (own + children.cast_unsigned()) * ns_per_tick;
        Self {
            minor_faults: stat.minflt + stat.cminflt,
            major_faults: stat.majflt + stat.cmajflt,
            user_ns: ns(stat.utime, stat.cutime),
            system_ns: ns(stat.stime, stat.cstime),
            ..Self::default()
        }
    }

    fn plus(&self, other: &Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// The difference from `earlier`; 0 if a descendant's counts disappeared with it.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        let (one, two) = (self, other);
        Self {
            user_ns: with(one.user_ns, two.user_ns),
            system_ns: with(one.system_ns, two.system_ns),
            minor_faults: with(one.minor_faults, two.minor_faults),
            major_faults: with(one.major_faults, two.major_faults),
            voluntary_context_switches: with(
                one.voluntary_context_switches,
                two.voluntary_context_switches,
            ),
            involuntary_context_switches: with(
                one.involuntary_context_switches,
                two.involuntary_context_switches,
            ),
        }
    }
}

/// Memory that the machine can give without swapping, in bytes, as its kernel estimates it.
///
/// # Errors
/// If `/proc` is not mounted.
pub fn available_bytes() -> io::Result<u64> {
    let memory = Meminfo::current().map_err(system_error)?;
    // Kernels before 3.14 tell what is free only.
    Ok(memory.mem_available.unwrap_or(memory.mem_free))
}

/// Page faults without I/O of this process so far. Asking causes none.
#[must_use]
pub fn own_minor_faults() -> u64 {
    ResourceUsage::asked(libc::RUSAGE_SELF).minor_faults
}

/// Page faults without I/O so far of each of these processes that lives, together.
#[must_use]
pub fn minor_faults_of(processes: &[u32]) -> u64 {
    let of = |&pid: &u32| Some(process(pid).ok()?.stat().ok()?.minflt);
    processes.iter().filter_map(of).sum()
}

/// Counters of the kernel for the whole machine since it started; 0 if it does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineUsage {
    /// CPU time, over all cores, that the host gave to others while this machine wanted it, ns.
    pub steal_ns: u64,
    /// Bytes read back from swap.
    pub swapped_in_bytes: u64,
    /// Bytes written to swap.
    pub swapped_out_bytes: u64,
}

impl MachineUsage {
    /// The current counters.
    #[must_use]
    pub fn now() -> Self {
        let steal_ticks = KernelStats::current().ok().and_then(|stats| stats.total.steal);
        Self::of(steal_ticks, &procfs::vmstat().unwrap_or_default())
    }

    fn of(steal_ticks: Option<u64>, vmstat: &HashMap<String, i64>) -> Self {
        let page_bytes = crate::mapping::PAGE_BYTES as u64;
        let bytes = |name| vmstat.get(name).map_or(0, |pages| pages.cast_unsigned() * page_bytes);
        Self {
            steal_ns: steal_ticks.unwrap_or(0) * ns_per_tick(),
            swapped_in_bytes: bytes("pswpin"),
            swapped_out_bytes: bytes("pswpout"),
        }
    }

    /// The difference from `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            // The kernel's estimate of steal may decrease a little.
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
            swapped_in_bytes: self.swapped_in_bytes.saturating_sub(earlier.swapped_in_bytes),
            swapped_out_bytes: self.swapped_out_bytes.saturating_sub(earlier.swapped_out_bytes),
        }
    }
}

/// Length of the ticks in `/proc`.
fn ns_per_tick() -> u64 {
    NS_PER_S / procfs::ticks_per_second().max(1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shell;
    use super::*;
    use crate::{Mapping, Pages};

    const BURN: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo ready; read line";

    /// The usage of one child, found and added up as `of_tree` does.
    fn living(pid: u32) -> ResourceUsage {
        ResourceUsage::of_living(&process(pid).unwrap()).unwrap()
    }

    #[test]
    fn cpu_time_of_children_counts_while_they_live_and_afterwards() {
        let before = ResourceUsage::of_tree();
        let mut child = shell(BURN);
        let own = living(child.id());
        assert!(own.user_ns + own.system_ns >= 10_000_000, "a burnt child: {own:?}");
        assert!(own.voluntary_context_switches + own.involuntary_context_switches > 0);
        assert!(own.minor_faults > 0);
        let alive = ResourceUsage::of_tree().since(&before);
        assert!(alive.user_ns >= own.user_ns && alive.minor_faults >= own.minor_faults);
        drop(child.stdin.take());
        child.wait().unwrap();
        let reaped = ResourceUsage::of_tree().since(&before);
        assert!(reaped.user_ns + 10_000_000 >= alive.user_ns, "{reaped:?} after {alive:?}");
    }

    #[test]
    fn touched_memory_is_faults() {
        const PAGES: usize = 1000;
        let before = ResourceUsage::of_tree();
        let mapping = Mapping::anonymous(PAGES * 4096, Pages::Small).unwrap();
        for page in 0..PAGES {
            // SAFETY: inside the mapping.
            let place = unsafe { mapping.start().as_ptr().add(page * 4096) };
            // SAFETY: nobody else uses the mapping.
            unsafe { place.write_volatile(1) };
        }
        assert!(ResourceUsage::of_tree().since(&before).minor_faults >= PAGES as u64);
    }

    #[test]
    fn children_waited_for_count() {
        let mut stat = process(std::process::id()).unwrap().stat().unwrap();
        (stat.minflt, stat.cminflt, stat.majflt, stat.cmajflt) = (100, 20, 3, 4);
        (stat.utime, stat.cutime, stat.stime, stat.cstime) = (50, 70, 6, 8);
        let usage = ResourceUsage::of_stat(&stat, 10);
        assert_eq!((usage.minor_faults, usage.major_faults), (120, 7));
        assert_eq!((usage.user_ns, usage.system_ns), (1200, 140));
    }

    #[test]
    fn a_count_that_went_is_none_and_not_a_huge_one() {
        let earlier = ResourceUsage { user_ns: 5, minor_faults: 1, ..ResourceUsage::default() };
        let later = ResourceUsage { user_ns: 3, minor_faults: 4, ..ResourceUsage::default() };
        let usage = later.since(&earlier);
        assert_eq!((usage.user_ns, usage.minor_faults), (0, 3));
    }

    #[test]
    fn swap_is_in_bytes_and_what_is_not_counted_is_zero() {
        let vmstat = [("pswpin", 3), ("pswpout", 12)].map(|(name, pages)| (name.to_owned(), pages));
        let usage = MachineUsage::of(Some(96), &vmstat.into());
        let expected = MachineUsage {
            steal_ns: 96 * ns_per_tick(),
            swapped_in_bytes: 12288,
            swapped_out_bytes: 49152,
        };
        assert_eq!(usage, expected);
        assert_eq!(MachineUsage::of(None, &HashMap::new()), MachineUsage::default());
        assert_eq!(MachineUsage::default().since(&expected), MachineUsage::default());
    }
}
