//! Whether the machine is quiet enough to begin to measure.

use std::time::Duration;

use super::probe::{load_average, watch};

/// Runnable threads for each core in the last minute that a measurement bears.
const LOAD_PER_CORE_MAX: f64 = 0.5;
/// Time that the host may give to others, in percent of all cores' time.
const STEAL_PERCENT_MAX: f64 = 5.0;
/// How long the machine is watched for that.
const WATCHED: Duration = Duration::from_secs(2);

/// What disturbs measurements now, as a sentence with the remedy; `None` on a quiet machine. Takes two
/// seconds.
pub(crate) fn disturbance() -> Option<String> {
    let load = load_average();
    let steal = watch(WATCHED).map(|busy| busy.steal_percent);
    told(load, steal, platform::cpu::allowed_cores().len())
}

fn told(load: Option<f64>, steal_percent: Option<f64>, cores: usize) -> Option<String> {
    let loaded = load
        .filter(|&load| load > LOAD_PER_CORE_MAX * cores as f64)
        .map(|load| format!("a load of {load:.1} on {cores} cores"));
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
