//! The properties of YCSB.

use crate::near;

/// Properties that affect the run.
pub(super) const USED: [&str; 25] = [
    "workload",
    "recordcount",
    "operationcount",
    "threadcount",
    "target",
    "insertstart",
    "insertcount",
    "fieldcount",
    "fieldlength",
    "minfieldlength",
    "fieldlengthdistribution",
    "fieldlengthhistogram",
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
    "requestdistribution",
    "hotspotdatafraction",
    "hotspotopnfraction",
    "minscanlength",
    "maxscanlength",
    "scanlengthdistribution",
    "exponential.percentile",
    "exponential.frac",
];

/// A property without effect here.
#[derive(Debug)]
pub(super) struct Idle {
    pub(super) name: &'static str,
    /// The value that asks for what happens anyway, if there is one.
    pub(super) satisfied: Option<&'static str>,
    pub(super) why: &'static str,
}

const fn idle(name: &'static str, why: &'static str) -> Idle {
    Idle { name, satisfied: None, why }
}

const fn fixed(name: &'static str, satisfied: &'static str, why: &'static str) -> Idle {
    Idle { name, satisfied: Some(satisfied), why }
}

const WHOLE_VALUES: &str = "reads and writes are of whole values";
const OWN_KEYS: &str = "keys have 8 bytes, spread over all 64-bit numbers";
const OWN_MEASUREMENTS: &str = "measurements are this suite's";
const OWN_FLOW: &str = "the suite decides when a run begins and ends";
const NO_NAMES: &str = "stores have one table and values no fields";
const NO_RETRIES: &str = "a refused write is a result";

/// Known properties that have no effect here.
pub(super) const IDLE: [Idle; 28] = [
    fixed("readallfields", "true", WHOLE_VALUES),
    idle("readallfieldsbyname", WHOLE_VALUES),
    fixed("writeallfields", "true", WHOLE_VALUES),
    fixed("dataintegrity", "true", "every value is verified when it is read"),
    fixed("insertorder", "hashed", OWN_KEYS),
    idle("zeropadding", OWN_KEYS),
    idle("table", NO_NAMES),
    idle("columnfamily", NO_NAMES),
    idle("fieldnameprefix", NO_NAMES),
    idle("core_workload_insertion_retry_limit", NO_RETRIES),
    idle("core_workload_insertion_retry_interval", NO_RETRIES),
    idle("db", "stores are chosen by the suite"),
    fixed("dotransactions", "true", "a run loads records, then issues requests"),
    idle("maxexecutiontime", OWN_FLOW),
    idle("status", OWN_FLOW),
    idle("status.interval", OWN_FLOW),
    idle("label", OWN_FLOW),
    idle("exporter", OWN_MEASUREMENTS),
    idle("exportfile", OWN_MEASUREMENTS),
    idle("measurementtype", OWN_MEASUREMENTS),
    idle("measurement.interval", OWN_MEASUREMENTS),
    idle("measurement.raw.output_file", OWN_MEASUREMENTS),
    idle("measurement.trackjvm", OWN_MEASUREMENTS),
    idle("measurement.histogram.verbose", OWN_MEASUREMENTS),
    idle("histogram.buckets", OWN_MEASUREMENTS),
    idle("timeseries.granularity", OWN_MEASUREMENTS),
    idle("reportlatencyforeacherror", OWN_MEASUREMENTS),
    idle("latencytrackederrors", OWN_MEASUREMENTS),
];

/// Families of properties that have no effect here.
const IDLE_FAMILIES: [Idle; 2] =
    [idle("hdrhistogram.", OWN_MEASUREMENTS), idle("htrace.", OWN_MEASUREMENTS)];

/// The entry of a property without effect; `None` if it has an effect or is unknown.
pub(super) fn idle_property(name: &str) -> Option<&'static Idle> {
    let single = IDLE.iter().find(|idle| idle.name == name);
    single.or_else(|| IDLE_FAMILIES.iter().find(|family| name.starts_with(family.name)))
}

/// The known name most similar to `name`, if one is similar enough.
pub(super) fn near(name: &str) -> Option<&'static str> {
    near::near(name, USED.into_iter().chain(IDLE.iter().map(|idle| idle.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(near("readpropotion"), Some("readproportion"));
        assert_eq!(near("recordCount"), Some("recordcount"));
        assert_eq!(near("redis.host"), None);
    }

    #[test]
    fn no_property_is_both() {
        assert!(USED.iter().all(|name| idle_property(name).is_none()));
        assert_eq!(idle_property("hdrhistogram.percentiles").unwrap().name, "hdrhistogram.");
    }
}
