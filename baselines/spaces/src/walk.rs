//! The loop over sets of ways that reach all windows from one thread.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use engine::{Applied, Limits, OpenError, Setting, Windows, WindowsError, WindowsSetup};
use platform::clock::{monotonic_ns, ticks};
use platform::process::{minor_faults_of, own_minor_faults};

use crate::table::Table;

/// Sets whose durations are kept: the last ones of a run. A power of two.
pub(crate) const STAMPS: usize = 1 << 14;

/// How one thread reaches a window and applies a set to it.
pub(crate) trait Reach {
    /// Makes `window` the one that sets are applied to.
    fn go(&mut self, window: usize) -> Result<(), WindowsError>;

    /// The same before the clock starts, with page tables filled.
    fn begin(&mut self, window: usize) -> Result<(), WindowsError> {
        self.go(window)
    }

    /// Applies one set to the window.
    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError>;

    /// Processes that hold windows.
    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Settings it was opened with.
    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }
}

/// Applies a set to words that are mapped.
#[inline]
pub(crate) fn apply(words: &[AtomicU64], values: &[u64]) {
    for &value in values {
        engine::update(words, value);
    }
}

/// A way of one thread.
#[derive(Debug)]
pub(crate) struct Alone<R> {
    reach: R,
    table: Table,
    sets: Sets,
    updates_by_window: Vec<u64>,
    stamps: Vec<u64>,
}

/// The sets, and how far a way is.
#[derive(Debug)]
pub(crate) struct Sets {
    pub(crate) order: Vec<u32>,
    pub(crate) values: Vec<u64>,
    pub(crate) updates: usize,
    /// The next set.
    pub(crate) next: usize,
    /// The window that is reached.
    here: Option<usize>,
}

impl Sets {
    pub(crate) fn of(setup: &WindowsSetup<'_>) -> Self {
        Self {
            order: setup.order.to_vec(),
            values: setup.values.to_vec(),
            updates: setup.shape.updates_per_set,
            next: 0,
            here: None,
        }
    }
}

impl<R: Reach> Alone<R> {
    pub(crate) fn open(
        setup: &WindowsSetup<'_>,
        table: Table,
        mut reach: R,
    ) -> Result<Self, OpenError> {
        let mut sets = Sets::of(setup);
        let first = sets.order[0] as usize;
        reach.begin(first).map_err(|error| OpenError::Unusable {
            what: "the first window".to_owned(),
            reason: error.to_string(),
        })?;
        sets.here = Some(first);
        let updates_by_window = vec![0; setup.shape.windows];
        // Written, so that no page of it is found while the clock runs.
        Ok(Self { reach, table, sets, updates_by_window, stamps: vec![u64::MAX; STAMPS] })
    }

    /// Applies sets until a limit; returns how many, and how often the window changed.
    fn walk(&mut self, sets: u64, until: u64) -> Result<(u64, u64), WindowsError> {
        let Self { reach, sets: stream, updates_by_window, stamps, .. } = self;
        let (mut done, mut switches) = (0, 0);
        while done < sets {
            let (at, window) = (stream.next, stream.order[stream.next] as usize);
            if stream.here != Some(window) {
                stream.here = None;
                reach.go(window)?;
                (stream.here, switches) = (Some(window), switches + 1);
            }
            reach.set(&stream.values[at * stream.updates..][..stream.updates])?;
            updates_by_window[window] += stream.updates as u64;
            stream.next = if at + 1 == stream.order.len() { 0 } else { at + 1 };
            let now = ticks();
            stamps[done as usize % STAMPS] = now;
            done += 1;
            if now >= until {
                break;
            }
        }
        Ok((done, switches))
    }
}

impl<R: Reach> Windows for Alone<R> {
    fn apply(&mut self, limits: Limits) -> Result<Applied, WindowsError> {
        self.updates_by_window.fill(0);
        let clock = Clock::start(self.reach.processes(), limits.within_ns);
        let (sets, switches) = self.walk(limits.sets, clock.until_ticks)?;
        let applied = clock.stop(sets, |set| self.stamps[set as usize % STAMPS]);
        Ok(Applied { switches, updates_by_window: self.updates_by_window.clone(), ..applied })
    }

    fn show(&self, window: usize, see: &mut dyn FnMut(&[AtomicU64])) -> Result<(), WindowsError> {
        self.table.show(window, see)
    }

    fn settings(&self) -> Vec<Setting> {
        self.reach.settings()
    }

    fn processes(&self) -> Vec<u32> {
        self.reach.processes()
    }
}

/// Time and faults of one run.
#[derive(Debug)]
pub(crate) struct Clock {
    processes: Vec<u32>,
    pub(crate) until_ticks: u64,
    faults: u64,
    started_ns: u64,
    started_ticks: u64,
}

impl Clock {
    /// Starts; faults of `processes` count beside those of this process.
    pub(crate) fn start(processes: Vec<u32>, within_ns: u64) -> Self {
        let within = (within_ns as f64 * ticks_per_ns()).min(i64::MAX as f64) as u64;
        // This process last, and first at the end: asking about others causes faults here.
        let theirs = minor_faults_of(&processes);
        let faults = theirs + own_minor_faults();
        let (started_ns, started_ticks) = (monotonic_ns(), ticks());
        let until_ticks = started_ticks.saturating_add(within);
        Self { processes, until_ticks, faults, started_ns, started_ticks }
    }

    /// Stops after so many sets; `stamp` gives the time at which a set ended, of the last ones.
    pub(crate) fn stop(self, sets: u64, stamp: impl Fn(u64) -> u64) -> Applied {
        let (ended_ns, ended_ticks) = (monotonic_ns(), ticks());
        let own = own_minor_faults();
        let all = own + minor_faults_of(&self.processes);
        let minor_faults = all.saturating_sub(self.faults);
        let elapsed_ns = ended_ns - self.started_ns;
        let ns_per_tick = elapsed_ns as f64 / (ended_ticks - self.started_ticks).max(1) as f64;
        let first = sets.saturating_sub(STAMPS as u64);
        // Of the oldest stamp that is kept the beginning is known only if it is the first set's.
        let mut before = if first == 0 { self.started_ticks } else { stamp(first) };
        let from = if first == 0 { 0 } else { first + 1 };
        let durations = (from..sets).map(|set| {
            let ended = stamp(set);
            let ticks = ended.saturating_sub(before);
            before = ended;
            (ticks as f64 * ns_per_tick) as u64
        });
        let set_ns = durations.collect();
        Applied { sets, elapsed_ns, minor_faults, set_ns, ..Applied::default() }
    }
}

/// Speed of the time-stamp counter, measured once.
pub(crate) fn ticks_per_ns() -> f64 {
    const MEASURED_NS: u64 = 5_000_000;
    static SPEED: OnceLock<f64> = OnceLock::new();
    *SPEED.get_or_init(|| {
        let (from_ns, from) = (monotonic_ns(), ticks());
        let mut now_ns = from_ns;
        while now_ns - from_ns < MEASURED_NS {
            now_ns = monotonic_ns();
        }
        (ticks() - from) as f64 / (now_ns - from_ns) as f64
    })
}
