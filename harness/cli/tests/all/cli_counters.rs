//! Hardware counters: cells of their own, whose rows have counts or say why not.

use crate::common::run_suite;

const SUITE: &str = r#"
    question = "What does it cost to fill a map?"
    [[fragmentation]]
    heaps = ["glibc"]
    patterns = ["P1"]
    threads = [1]
    frees = ["own"]
    [[key-value]]
    stores = ["hashmap"]
    distributions = ["uniform"]
    get-percent = [50]
    value-bytes = [64]
    fill-percent = [50]
    threads = [1]
    batch = [1]
"#;

#[test]
fn each_cell_is_measured_a_second_time_with_counters() {
    let (code, _, rows) = run_suite("counters", SUITE, &["--counters"]);
    assert_eq!(code, 0);
    let (counted, plain): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.cell.counters);
    assert!(!plain.is_empty() && counted.len() == plain.len());
    for row in &plain {
        assert!(row.counters.is_empty() && row.counters_missing.is_none(), "{}", row.cell.id);
    }
    for row in &counted {
        let id = row.cell.id.strip_suffix("/counters").expect("an id of its own");
        assert!(plain.iter().any(|other| other.cell.id == id && other.step == row.step), "{id}");
        assert!(!row.counters.is_empty() || row.counters_missing.is_some(), "{id} {}", row.step);
    }
    let working = plain.iter().filter(|row| row.operations > 0 && row.cpu.total_ns() > 0);
    for row in working {
        let expected = row.cpu.operations_per_s(row.operations);
        // Through JSON and back.
        assert!((row.operations_per_cpu_s / expected - 1.0).abs() < 1e-9, "{}", row.cell.id);
    }
}
