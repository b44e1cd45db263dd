//! Properties and the runs they describe.

use super::*;
use crate::ycsb::CORE_WORKLOADS;

const SMALL: &str = "recordcount=1000\noperationcount=5000\n";

fn run(settings: &[&str]) -> Result<YcsbRun, String> {
    let mut properties = Properties::parse(SMALL).unwrap();
    for setting in settings {
        properties.set(setting).unwrap();
    }
    interpret(&properties).map_err(|error| error.to_string())
}

#[test]
fn defaults_are_upstreams() {
    let YcsbRun { workload, records, operations, threads, target_ops_per_s, notices } =
        run(&[]).unwrap();
    assert_eq!((records, operations, threads, target_ops_per_s), (1000, 5000, None, None));
    assert_eq!(workload.to_string(), "ycsb: get 95 %, update 5 %; keys uniform; values 1000");
    assert_eq!(workload.scan_entries, (1, 1000));
    assert_eq!(
        notices,
        ["the 10 fields of a record are one value; every read and write is of the whole value"]
    );
}

#[test]
fn core_workloads_can_be_overridden() {
    let mut properties = Properties::parse(CORE_WORKLOADS[0].1).unwrap();
    for setting in [
        "recordcount=1000000",
        "threadcount=4",
        "target=20000",
        "fieldcount=1",
        "fieldlength=8",
        "requestdistribution=hotspot",
        "hotspotdatafraction=0.1",
        "hotspotopnfraction=0.9",
    ] {
        properties.set(setting).unwrap();
    }
    let run = interpret(&properties).unwrap();
    assert_eq!(
        (run.records, run.threads, run.target_ops_per_s),
        (1_000_000, Some(4), Some(20_000.0))
    );
    assert_eq!(
        run.workload.to_string(),
        "ycsb: get 50 %, update 50 %; keys hotspot:0.1:0.9; values 8"
    );
    assert_eq!(run.notices, Vec::<String>::new());
}

#[test]
fn every_distribution_of_field_lengths_is_scaled_to_the_record() {
    let sizes = |settings: &[&str]| run(settings).map(|run| run.workload.value_bytes.to_string());
    let distribution = |name: &str| format!("fieldlengthdistribution={name}");
    assert_eq!(sizes(&[&distribution("uniform"), "minfieldlength=5"]).unwrap(), "50-1000");
    assert_eq!(sizes(&[&distribution("zipfian")]).unwrap(), "zipfian:10-1000:0.99");
    let histogram = [&distribution("histogram"), "fieldlengthhistogram=histogram:10=9,20=1"];
    assert_eq!(sizes(&histogram).unwrap(), "histogram:100=9,200=1");
    assert!(sizes(&[&distribution("histogram")]).unwrap_err().contains("a file is not read here"));
    assert!(sizes(&[&distribution("uniform"), "minfieldlength=101"]).is_err());
    let notices = run(&[&distribution("uniform")]).unwrap().notices;
    assert!(notices[0].contains("drawn once and not per field"), "{notices:?}");
}

#[test]
fn the_histogram_file_is_named() {
    let mut properties = Properties::default();
    assert_eq!(histogram_file(&properties), None);
    properties.set("fieldlengthdistribution=histogram").unwrap();
    assert_eq!(histogram_file(&properties), Some("hist.txt"));
    properties.set("fieldlengthhistogram=mine.txt").unwrap();
    assert_eq!(histogram_file(&properties), Some("mine.txt"));
    properties.set("fieldlengthhistogram=histogram:1=1").unwrap();
    assert_eq!(histogram_file(&properties), None);
}

#[test]
fn proportions_are_weights() {
    let run = run(&["readproportion=3", "updateproportion=1"]).unwrap();
    assert_eq!(run.workload.mix, Mix::gets(75.0).unwrap());
    assert!(run.notices[0].starts_with("the proportions add up to 4;"), "{:?}", run.notices);
}

#[test]
fn what_has_no_effect_is_told() {
    let notices = |setting| run(&["fieldcount=1", setting]).unwrap().notices;
    assert_eq!(
        notices("writeallfields=false"),
        ["writeallfields=false has no effect: reads and writes are of whole values"]
    );
    assert!(notices("hdrhistogram.percentiles=95,99")[0].contains("no effect"));
    for satisfied in ["readallfields=true", "writeallfields=true", "insertorder=hashed"] {
        assert_eq!(notices(satisfied), Vec::<String>::new(), "{satisfied}");
    }
    let inserts = ["readproportion=0.9", "updateproportion=0", "insertproportion=0.1"];
    assert!(run(&inserts).unwrap().notices[0].starts_with("inserted records are not requested"));
}

#[test]
fn refusals_name_value_and_remedy() {
    let refusal = |setting| run(&[setting]).unwrap_err();
    assert_eq!(
        refusal("readpropotion=0.5"),
        "property \"readpropotion\" is unknown; did you mean \"readproportion\"?"
    );
    assert_eq!(
        refusal("redis.host=localhost"),
        "property \"redis.host\" is unknown; use those of YCSB's CoreWorkload"
    );
    assert_eq!(
        refusal("requestdistribution=exponential"),
        "requestdistribution=exponential: not supported; use latest or zipfian, which prefer few \
         records too"
    );
    assert_eq!(refusal("recordcount=many"), "recordcount=many: write a whole number above 0");
    assert_eq!(
        refusal("recordcount=68719476736"),
        "recordcount=68719476736: there can be up to 68719476735 records"
    );
    assert_eq!(refusal("readproportion=-1"), "readproportion=-1: write a number of 0 or more");
    assert_eq!(
        refusal("workload=site.ycsb.workloads.TimeSeriesWorkload"),
        "workload=site.ycsb.workloads.TimeSeriesWorkload: only site.ycsb.workloads.CoreWorkload \
         is known here"
    );
    assert_eq!(
        refusal("insertstart=5"),
        "insertstart=5: one client loads all records; leave it out"
    );
    assert_eq!(refusal("threadcount=0"), "threadcount=0: write a whole number above 0");
    assert_eq!(refusal("maxscanlength=0"), "maxscanlength=0: write a whole number above 0");
    assert_eq!(
        refusal("scanlengthdistribution=zipfian"),
        "scanlengthdistribution=zipfian: only uniform is supported"
    );
    assert!(
        refusal("fieldlength=10000000")
            .starts_with("values of 100000000 B: a request holds at most")
    );
    assert!(refusal("minscanlength=2000").starts_with("scan-entries = [2000, 1000]"));
    let nothing = run(&["readproportion=0", "updateproportion=0"]).unwrap_err();
    assert!(nothing.starts_with("all proportions are 0"), "{nothing}");
    let missing = interpret(&Properties::parse("recordcount=5").unwrap()).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "property operationcount is not set and has no default; add operationcount=1000"
    );
}
