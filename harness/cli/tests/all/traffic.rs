//! What stores and commands read and write is counted from outside, and nothing of the harness with it.

use std::path::Path;
use std::process::Output;

use kit::folder::is_in_memory;
use record::metrics::{self, Metric};
use record::{Row, Traffic};

use crate::common::{bench, errors, requests_to, run_suite, scratch, told};
use crate::json_output::documented;

const BYTES: u64 = 64 << 20;

/// Runs a program that writes past the page cache, and removes what it wrote.
fn traffic_of_writer(folder: &Path, options: &[&str]) -> Output {
    let file = folder.join("file");
    let (file, blocks) = (file.display(), BYTES >> 20);
    let script =
        format!("dd if=/dev/zero of={file} bs=1M count={blocks} oflag=direct && rm {file}");
    let mut command = bench();
    command.args(["traffic", "--folder"]).arg(folder).args(options).args(["--", "sh", "-c"]);
    command.arg(script).output().expect("it starts")
}

#[test]
fn a_writer_past_the_page_cache_hands_over_what_it_writes() {
    let folder = scratch("traffic-writer");
    let output = traffic_of_writer(&folder, &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let document = documented("traffic", &output);
    let handed = document["written"]["handed-bytes"].as_u64().unwrap();
    assert!(handed.abs_diff(BYTES) * 100 < BYTES, "{document}");
    let to_files = document["written"]["file-bytes"].as_u64().unwrap();
    assert!(to_files >= BYTES, "written past the page cache, nothing is cancelled: {document}");
    if document["device"].is_string() {
        let passed = document["written"]["device-bytes"].as_u64().unwrap();
        assert!(passed >= BYTES, "{document}");
    }
    let table = told(&traffic_of_writer(&folder, &[]));
    assert!(table.contains("handed") && table.contains("files"), "{table}");
}

#[test]
fn what_cannot_be_counted_is_said() {
    let called = |arguments: &[&str]| bench().arg("traffic").args(arguments).output().unwrap();
    let failed = called(&["--", "false"]);
    assert_eq!(failed.status.code(), Some(1), "{}", errors(&failed));
    assert!(errors(&failed).contains("exit code 1"), "{}", errors(&failed));
    let absent = called(&["--", "no-such-program"]);
    assert_eq!(absent.status.code(), Some(2));
    assert!(errors(&absent).contains("`no-such-program` cannot be started"), "{}", errors(&absent));
    let nowhere = called(&["--folder", "/no/such/folder", "--", "true"]);
    assert_eq!(nowhere.status.code(), Some(3));
    assert!(errors(&nowhere).contains("/no/such/folder"), "{}", errors(&nowhere));
    let no_disk = called(&["--folder", "/proc", "--", "true"]);
    assert!(told(&no_disk).contains("No block device holds /proc"), "{}", told(&no_disk));
}

fn of_run(rows: &[Row]) -> &Traffic {
    let run = rows.iter().find(|row| row.step == "run").expect("it ran");
    run.traffic.as_ref().unwrap_or_else(|| panic!("no traffic: {run:?}"))
}

#[test]
fn a_store_on_disk_writes_what_was_put_and_more() {
    let puts = "get-percent = [0]\nvalue-bytes = [1000]\nfill-percent = [20]\nthreads = [1]";
    let suite = requests_to("lsm@write-buffer-bytes=1048576", puts);
    let (code, _, rows) = run_suite("traffic-puts", &suite, &[]);
    assert_eq!(code, 0, "{rows:?}");
    let load = rows.iter().find(|row| row.step == "load").unwrap().traffic.as_ref().unwrap();
    let run = of_run(&rows);
    for traffic in [load, run] {
        let asked = traffic.asked.expect("it is known").written_bytes;
        assert!(asked > 1_000_000 && traffic.written.handed_bytes >= asked, "{traffic:?}");
        assert!(traffic.files_bytes > traffic.live_bytes / 2, "{traffic:?}");
        assert_eq!(traffic.device.is_some(), traffic.written.device_bytes.is_some());
    }
    let row = rows.iter().find(|row| row.step == "run").unwrap();
    let metric = |name| (Metric::by_name(name).unwrap().of)(row);
    assert_eq!(metric("write-amplification"), run.write_amplification());
    assert!(run.write_amplification().unwrap() >= 1.0);
    assert_eq!(metric("space-amplification"), run.space_amplification());
    let summarised = metrics::all(row);
    assert!(summarised.iter().any(|(name, _)| name == "write-amplification"), "{summarised:?}");
}

/// The pseudo-store appends keys and values and nothing else, so the harness must add nothing.
#[test]
fn a_store_that_appends_what_it_is_told_shows_exactly_that() {
    let puts = "get-percent = [0]\nvalue-bytes = [280]\nfill-percent = [2]\nthreads = [2]\n\
                operations-factor = 0.1";
    let suite = requests_to("roofline-disk@synchronises=false", puts);
    if is_in_memory(&std::env::temp_dir()) {
        eprintln!("skipped: {} is no disk", std::env::temp_dir().display());
        return;
    }
    let (code, folder, rows) = run_suite("traffic-appends", &suite, &[]);
    assert_eq!(code, 0, "{}: {rows:?}", folder.display());
    for step in ["load", "run"] {
        let row = rows.iter().find(|row| row.step == step).unwrap();
        let traffic = row.traffic.as_ref().unwrap();
        assert_eq!(traffic.asked.unwrap().written_bytes, 288 * row.operations);
        assert_eq!(traffic.written.handed_bytes, 288 * row.operations, "{step}: {traffic:?}");
        assert_eq!(traffic.read.handed_bytes, 0, "{step}: {traffic:?}");
    }
}

/// The worker told its parent much meanwhile, and was answered.
#[test]
fn a_store_that_is_only_read_writes_nothing() {
    let gets = "get-percent = [100]\nvalue-bytes = [1000]\nfill-percent = [20]\nthreads = [2]";
    for store in ["lsm", "silt"] {
        let (code, _, rows) =
            run_suite(&format!("traffic-gets-{store}"), &requests_to(store, gets), &[]);
        assert_eq!(code, 0, "{rows:?}");
        let traffic = of_run(&rows);
        assert_eq!(traffic.written.handed_bytes, 0, "{store}: {traffic:?}");
        assert_eq!(traffic.asked.unwrap().written_bytes, 0);
        assert!(traffic.asked.unwrap().read_bytes > 0);
        // Values that were read are no less than what was asked for; SILT reads pages.
        if store == "silt" {
            assert!(traffic.read_amplification().unwrap() >= 1.0, "{traffic:?}");
        }
    }
}

#[test]
fn a_store_in_memory_has_no_traffic() {
    let lines = "get-percent = [50]\nvalue-bytes = [1000]\nfill-percent = [20]\nthreads = [1]";
    let (_, _, rows) = run_suite("traffic-memory", &requests_to("hashmap", lines), &[]);
    assert!(rows.iter().all(|row| row.traffic.is_none()));
}
