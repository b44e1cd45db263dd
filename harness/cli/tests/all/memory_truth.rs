//! Memory is measured right: nothing where nothing is held, and what is held where it is known.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;

use platform::process::ProcessMemory;

use crate::common::{bench, run_suite};
use record::{Outcome, Row};

fn observations(row: &Row) -> Vec<u64> {
    let memory = row.memory.as_ref().expect("a measured step was observed");
    let points = [memory.at_once, memory.after_idle, memory.after_trim];
    points.iter().flatten().map(|point| point.resident_bytes).collect()
}

#[test]
fn the_null_engine_holds_nothing_in_every_workload() {
    let suite = r#"
        question = "Does the harness hold memory that it counts for the engine?"
        [[pattern]]
        name = "again"
        first = "64-2048"
        second = "60"
        delete-percent = 100
        volume = "fill"
        cycles = 5
        [[fragmentation]]
        heaps = ["null"]
        patterns = ["again"]
        [[fragmentation]]
        stores = ["null"]
        patterns = ["again"]
        threads = [2]
        frees = ["other"]
        [[fragmentation]]
        heaps = ["null"]
        patterns = ["P1", "P2", "P3", "P4", "P5", "P6", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"]
        threads = [1, 2]
        frees = ["own", "other"]
        [[fragmentation]]
        stores = ["null"]
        patterns = ["P1", "P2", "P3", "P4", "P5", "P6", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"]
        threads = [1, 2]
        frees = ["own", "other"]
        [[key-value]]
        stores = ["null"]
        distributions = ["uniform", "zipfian:0.99"]
        get-percent = [0, 50, 100]
        value-bytes = [64, 1024]
        fill-percent = [50]
        threads = [1, 2]
        batch = [1, 32]
        roofline = false
        [[key-value]]
        stores = ["null"]
        workloads = ["ycsb-d", "churn", "insert-only"]
        value-bytes = [64]
        fill-percent = [50]
        threads = [2]
        ageing = ["none", "rewrites:1", "churn:1", "litter:10"]
        roofline = false
        [[key-value]]
        stores = ["null"]
        workloads = ["ycsb-a"]
        fill-percent = [50]
        threads = [2]
        rate-ops-per-s = [100000]
        roofline = false
    "#;
    let (code, _, rows) = run_suite("null", suite, &[]);
    assert_eq!(code, 0);
    assert!(rows.len() > 200, "{} rows", rows.len());
    for row in &rows {
        assert_eq!(row.outcome, Outcome::Measured, "{} {:?}", row.cell.id, row.reason);
        let memory = row.memory.as_ref().expect("observed");
        for bytes in observations(row).into_iter().chain(memory.sampled_max_bytes) {
            assert!(bytes <= 2 << 20, "{} {}: {bytes} bytes", row.cell.id, row.step);
        }
    }
}

/// Rows of one pattern on the C library's allocator, with the run's folder.
fn on_glibc(name: &str, sizes: &str, observe: &str, live_bytes: &str) -> (PathBuf, Vec<Row>) {
    let suite = format!(
        "question = \"?\"\n[[pattern]]\nname = \"mine\"\ndelete-percent = 100\nvolume = \"fill\"\n{sizes}\n\
         [[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"mine\"]\nobserve = [\"{observe}\"]\n"
    );
    let (code, run, rows) = run_suite(name, &suite, &["--live-bytes", live_bytes]);
    assert_eq!(code, 0);
    (run, rows)
}

/// One object of 256 MiB on the C library's allocator: its memory is known to the page.
#[test]
fn one_large_allocation_is_measured_exactly() {
    let (run, rows) = on_glibc("one", "first = \"256MiB\"", "end", "256MiB");
    let overheads: Vec<f64> = rows
        .iter()
        .map(|row| row.memory.as_ref().unwrap().at_once.unwrap().overhead.unwrap())
        .collect();
    assert_eq!(overheads.len(), 1);
    for overhead in overheads {
        assert!((overhead - 1.0).abs() <= 0.02, "{overhead}");
    }
    // The curve shows the same, joined with the oracle's live bytes.
    let curve = record::archive::curve(&run, rows[0].curve.as_ref().unwrap()).unwrap();
    let last = curve.last().unwrap();
    assert_eq!(last.live_bytes, 256 << 20);
    assert!(last.resident_bytes >= 255 << 20);
    assert!(curve.first().unwrap().resident_bytes < 2 << 20, "the curve begins at the baseline");
}

/// After an object was freed and the heap purged, the memory is seen to be gone.
#[test]
fn memory_that_is_returned_is_seen_to_be_returned() {
    let sizes = "first = \"1MiB\"\nsecond = \"64\"";
    let (_, rows) = on_glibc("gone", sizes, "each", "16MiB");
    let resident = |step: &str| {
        let row = rows.iter().find(|row| row.step == step).expect("the step has a row");
        observations(row)
    };
    let (filled, deleted) = (resident("fill"), resident("delete"));
    assert!(filled[0] >= 9 << 20, "{filled:?}");
    assert!(deleted[2] <= 1 << 20, "after purge: {deleted:?}");
}

#[test]
fn a_reserve_holds_what_its_orders_say() {
    const MIB: u64 = 1 << 20;
    let mut reserve = bench()
        .args(["reserve", &(64 * MIB).to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut orders = reserve.stdin.take().unwrap();
    let mut answers = BufReader::new(reserve.stdout.take().unwrap());
    let id = reserve.id();
    let resident = [0, 32 * MIB, 1 << 40, 16 * MIB, 0].map(|bytes| {
        writeln!(orders, "{bytes}").unwrap();
        assert!(answers.read_line(&mut String::new()).unwrap() > 0);
        ProcessMemory::of(id).unwrap().resident_bytes()
    });
    let held = resident.map(|bytes| bytes.saturating_sub(resident[0]) / MIB);
    assert!(
        held.iter().zip([0, 32, 64, 16, 0]).all(|(held, asked)| held.abs_diff(asked) <= 2),
        "{held:?}"
    );
    drop(orders);
    assert!(reserve.wait().unwrap().success());
}
