//! Regions are mapped and unmapped through the real program: what is timed was mapped, on the pages
//! that were asked for, and shows the memory behind it.

use crate::common::{bench, errors, piped, run_suite};
use record::{Flag, Outcome, Row, Spaces, System, Work};
use worker::protocol::Event;

const SUITE: &str = r#"
    question = "What does a mapping cost?"
    [[mapping]]
    region-bytes = ["64KiB", "4MiB", "1GiB"]
    page-bytes = [4096, 2097152]
    threads = [1, 2]
"#;

/// The row of a region of so many bytes.
fn row_of(rows: &[Row], region_bytes: u64, page_bytes: u64, threads: usize) -> &Row {
    let is_it = |row: &&Row| {
        let Work::Mapping(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        (work.region_bytes, work.page_bytes, work.threads) == (region_bytes, page_bytes, threads)
    };
    rows.iter().find(is_it).unwrap_or_else(|| panic!("{region_bytes} {page_bytes} {threads}"))
}

#[test]
fn maps_and_unmaps_are_timed_apart_and_every_page_is_checked() {
    let (code, folder, rows) = run_suite("mapping", SUITE, &["--operations", "2000"]);
    assert_eq!(code, 0);
    assert_eq!(rows.len(), 6, "1 GiB is beyond the scale, 64 KiB has no 2 MiB page");
    for (region_bytes, threads) in [(64 << 10, 1), (64 << 10, 2), (4 << 20, 1), (4 << 20, 2)] {
        let row = row_of(&rows, region_bytes, 4096, threads);
        assert_eq!(row.outcome, Outcome::Measured, "{:?}", row.reason);
        assert_eq!((row.system.as_str(), row.step.as_str()), ("mmap", "run"));
        assert_eq!(row.flags, [Flag::Populated]);
        assert!(row.throughput_ops_per_s > 0.0 && !row.version.is_empty(), "{row:?}");
        let Work::Mapping(work) = &row.cell.work else { unreachable!("{}", row.cell.id) };
        assert_eq!(row.operations, work.operations_per_thread * threads as u64);
        assert_eq!(row.latency_ns["samples"], row.operations);
        let kinds: Vec<&str> = row.latency_by_kind_ns.keys().map(String::as_str).collect();
        assert_eq!(kinds, ["map", "unmap"]);
        for latency in row.latency_by_kind_ns.values() {
            assert_eq!(latency["samples"], row.operations);
            assert!(latency["p50"] > 0 && latency["p50"] <= latency["max"], "{latency:?}");
        }
        assert!(folder.join(row.histograms.as_ref().expect("a file")).is_file());
        assert_eq!(row.timeline, None, "nothing is noted by the second");
        // One page in every operation, and every page after the clock.
        let checked = row.verification.expect("pages are checked");
        assert_eq!(checked.checked, row.operations + region_bytes / 4096 * threads as u64);
        assert_eq!(checked.complaint(), None);
    }
}

/// Threads that are processes, each with an address space of its own.
#[test]
fn processes_map_regions_of_their_own_and_every_page_is_checked() {
    let suite = r#"
        question = "Do address spaces of their own help?"
        [[mapping]]
        region-bytes = ["64KiB"]
        page-bytes = [4096]
        threads = [1, 2]
        spaces = ["one", "each"]
    "#;
    let (code, folder, rows) = run_suite("mapping-apart", suite, &["--operations", "2000"]);
    assert_eq!((code, rows.len()), (0, 4));
    for row in &rows {
        let Work::Mapping(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert_eq!(row.outcome, Outcome::Measured, "{}: {:?}", row.cell.id, row.reason);
        assert_eq!(row.cell.id.contains("-spaces-each/"), work.spaces == Spaces::Each);
        assert_eq!(row.operations, work.operations_per_thread * work.threads as u64);
        assert_eq!(row.latency_by_kind_ns["map"]["samples"], row.operations);
        let checked = row.verification.expect("pages are checked");
        assert_eq!(checked.checked, row.operations + 16 * work.threads as u64);
        assert_eq!(checked.complaint(), None);
    }
    let report = bench().arg("report").arg(&folder).output().unwrap();
    assert!(report.status.success(), "{}", errors(&report));
}

/// On large pages or not at all.
#[test]
fn large_pages_are_measured_or_unavailable_with_the_reason() {
    let (code, _, rows) = run_suite("mapping-large", SUITE, &["--operations", "2000"]);
    assert_eq!(code, 0, "what a machine does not have is no failure");
    for threads in [1, 2] {
        let row = row_of(&rows, 4 << 20, 2 << 20, threads);
        match row.outcome {
            Outcome::Measured => {
                // One page in every operation, and every 4 KiB after the clock.
                let checked = row.verification.expect("pages are checked");
                assert_eq!(checked.checked, row.operations + 1024 * threads as u64);
                println!("2 MiB pages: {:?}", row.latency_by_kind_ns["map"]);
            }
            Outcome::Unavailable => {
                let reason = row.reason.as_deref().expect("a reason");
                assert!(reason.contains("2 MiB"), "{reason}");
            }
            other => panic!("{other:?}: {:?}", row.reason),
        }
    }
}

#[test]
fn a_cell_is_repeated_by_hand_and_only_the_kernel_maps_regions() {
    let (_, _, rows) = run_suite("mapping-piped", SUITE, &["--operations", "2000"]);
    let mut cell = row_of(&rows, 64 << 10, 4096, 2).cell.clone();
    let events = piped(&cell);
    let step = |event: &Event| matches!(event, Event::Step(it) if it.outcome == Outcome::Measured);
    assert!(events.iter().any(step), "{events:?}");
    cell.system = System::Heap { name: "glibc".to_owned(), variant: "default".to_owned() };
    let told = |event: &Event| match event {
        Event::Failed { outcome: Outcome::Failed, reason } => reason.contains("`glibc` maps no"),
        _ => false,
    };
    let events = piped(&cell);
    assert!(events.iter().any(told), "{events:?}");
}

/// Pointers are followed through the real program, and every chain is checked.
#[test]
fn chains_are_walked_and_checked() {
    let suite = r#"
        question = "What does a load cost?"
        [[chase]]
        memory-bytes = ["64KiB", "4MiB"]
        page-bytes = [4096]
        chains = [1, 8]
    "#;
    let (code, _, rows) = run_suite("chase", suite, &["--operations", "2000"]);
    assert_eq!((code, rows.len()), (0, 4));
    for row in &rows {
        let Work::Chase(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert_eq!(row.outcome, Outcome::Measured, "{:?}", row.reason);
        assert_eq!((row.operations, row.flags.as_slice()), (1000, &[Flag::Populated][..]));
        let checked = row.verification.expect("chains are checked");
        assert_eq!((checked.checked, checked.complaint()), (work.chains as u64, None));
    }
}
