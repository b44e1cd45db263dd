//! Whether the machine is quiet enough to begin to measure.

use std::fmt;
use std::time::Duration;

use super::probe::{load_average, watch};

/// Runnable threads for each core in the last minute that a measurement bears.
const LOAD_PER_CORE_MAX: f64 = 0.5;
/// Time that the host may give to others, in percent of all cores' time.
const STEAL_PERCENT_MAX: f64 = 5.0;
/// How long the machine is watched for that.
const WATCHED: Duration = Duration::from_secs(2);

/// A load on this machine that other programs put there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Runnable threads, in the mean of the last minute.
    threads: f64,
    cores: usize,
}

impl Load {
    /// How many times as long a thread takes that shares the cores with those that run.
    pub(crate) fn slows_down(self) -> f64 {
        ((self.threads + 1.0) / self.cores as f64).max(1.0)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a load of {:.1} on {} cores", self.threads, self.cores)
    }
}

/// The load, if it is more than a measurement bears.
pub(crate) fn load() -> Option<Load> {
    loaded(load_average(), platform::cpu::allowed_cores().len())
}

fn loaded(load: Option<f64>, cores: usize) -> Option<Load> {
    let threads = load.filter(|&load| load > LOAD_PER_CORE_MAX * cores as f64)?;
    Some(Load { threads, cores })
}

/// What disturbs measurements now, as a sentence with the remedy; `None` on a quiet machine. Takes two
/// seconds.
pub(crate) fn disturbance() -> Option<String> {
    let load = load_average();
    let steal = watch(WATCHED).map(|busy| busy.steal_percent);
    told(load, steal, platform::cpu::allowed_cores().len())
}

fn told(load: Option<f64>, steal_percent: Option<f64>, cores: usize) -> Option<String> {
    let loaded = loaded(load, cores).map(|load| load.to_string());
    let stolen = steal_percent
        .filter(|&percent| percent > STEAL_PERCENT_MAX)
        .map(|percent| format!("{percent:.0} % of the processor time stolen by the host"));
    let found: Vec<String> = loaded.into_iter().chain(stolen).collect();
    (!found.is_empty()).then(|| {
        format!(
            "The machine was busy before the first cell: {}. Throughput says less than it seems; wait, \
             or stop what runs (`nibble-bench doctor` names it).",
            found.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_slows_down_what_shares_its_cores() {
        assert_eq!(loaded(Some(0.9), 2), None);
        let busy = loaded(Some(2.6), 2).unwrap();
        assert!((busy.slows_down() - 1.8).abs() < 1e-9, "{busy}");
        let wide = loaded(Some(40.0), 64).unwrap();
        assert_eq!(wide.slows_down(), 1.0, "there are free cores");
    }

    #[test]
    fn load_counts_by_core_and_both_disturbances_are_told() {
        assert_eq!(told(Some(0.9), Some(5.0), 2), None);
        assert_eq!(told(None, None, 2), None);
        assert_eq!(told(Some(2.4), None, 8), None);
        let loaded = told(Some(2.4), Some(1.0), 2).unwrap();
        assert!(loaded.contains(": a load of 2.4 on 2 cores."), "{loaded}");
        let both = told(Some(1.1), Some(12.3), 2).unwrap();
        assert!(both.contains("a load of 1.1 on 2 cores, 12 % of the processor time"), "{both}");
    }
}
