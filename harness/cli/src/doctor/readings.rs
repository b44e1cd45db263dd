//! What the doctor's checks look at: plain data, so that tests can make any machine up.

use platform::persist::Calibration;

/// The state of a machine and of this program. What cannot be seen is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// How the kernel chooses clock rates.
    pub governor: Option<String>,
    /// Whether cores may run above their nominal rate.
    pub boost: Option<bool>,
    /// Clock rate of the first core as its driver tells it.
    pub frequency_mhz: Option<u64>,
    /// The largest cache of the first core.
    pub cache_bytes: Option<u64>,
    /// Hardware threads of a core.
    pub threads_per_core: Option<usize>,
    /// Cores this process may run on.
    pub cores: usize,
    /// CPU time that control groups grant, in cores; `None` without a limit.
    pub cpu_limit_cores: Option<f64>,
    /// Why a thread cannot be bound to a core; `None` where it can.
    pub pinning_refused: Option<String>,
    /// Runnable threads, mean of the last minute.
    pub load_average: Option<f64>,
    /// What the machine did while this program slept.
    pub busy: Option<Busy>,
    /// What gives the kernel its time.
    pub clock_source: Option<String>,
    /// How the hypervisor signs itself; `None` on bare metal.
    pub hypervisor: Option<String>,
    /// Why hardware events, or some of them, cannot be counted; `None` where all can.
    pub counters_missing: Option<String>,
    /// Which memory gets huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Pages set aside in the pool of huge pages.
    pub huge_page_pool: Option<u64>,
    /// Swap space, and how much of it is in use, in bytes.
    pub swap_bytes: Option<(u64, u64)>,
    /// Memory that cells may use.
    pub memory_available_bytes: u64,
    /// Smallest limit of a control group above this process; `None` without one.
    pub memory_limit_bytes: Option<u64>,
    /// What new memory costs.
    pub first_touch: Option<FirstTouch>,
    /// How far operations overlap on the first core.
    pub overlap: Option<Overlap>,
    /// How long waits take that stand for persistent memory.
    pub persistent_waits: Option<Calibration>,
    /// Why files that are to survive cannot be kept in the folder of temporary files; `None` where they can.
    pub files_unfit: Option<String>,
    /// The block device below that folder.
    pub files_device: Option<String>,
    /// Memory nodes.
    pub nodes: usize,
    /// Whether the kernel moves pages between nodes.
    pub numa_balancing: Option<bool>,
    /// How addresses are randomised: 0 (not at all) to 2 (all of them).
    pub aslr: Option<u8>,
    /// The processor this program was compiled for; `generic` where none was named.
    pub target_cpu: String,
    /// The profile it was built with.
    pub profile: String,
    /// Whether its sources had changes that no commit holds.
    pub dirty: Option<bool>,
    /// Whether gnuplot is there.
    pub gnuplot: bool,
}

/// What the machine did in half a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Busy {
    /// Cores kept busy.
    pub cores: f64,
    /// Time that the host gave to others, in percent of all cores' time.
    pub steal_percent: f64,
    /// The processes that used most CPU time, with the cores each kept busy.
    pub processes: Vec<(String, f64)>,
}

/// How many times as fast operations are that may overlap as such that may not, over some moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// One of ten moments has more.
    pub high: f64,
    pub median: f64,
    /// One of ten moments has less.
    pub low: f64,
}

/// First touches of 4 KiB pages, in ns a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FirstTouch {
    /// Of memory as the kernel had it.
    pub cold_ns: f64,
    /// Of the same amount, right after the first was given back.
    pub warm_ns: f64,
}
