//! A store that is hindered on purpose runs as the one below it does, and holds as much more
//! memory as it is told to.

use crate::common::{read, run_suite};
use record::{Outcome, Row};

/// Resident memory at the end of the run, in bytes.
fn resident_bytes(rows: &[Row], system: &str) -> f64 {
    let row = rows.iter().find(|row| row.cell.system.label() == system && row.step == "run");
    let row = row.unwrap_or_else(|| panic!("no run of {system}"));
    let memory = row.memory.as_ref().and_then(|memory| memory.at_once);
    memory.unwrap_or_else(|| panic!("{system} was not observed")).resident_bytes as f64
}

#[test]
fn a_leak_is_a_known_share_of_what_the_process_holds() {
    let suite = r#"
        question = "Does a process hold as much more as it leaks?"
        [[key-value]]
        stores = [
          "hindered", "hindered@leak-percent=25",
          "hindered-heapstore:glibc", "hindered-heapstore:glibc@leak-percent=25",
        ]
        distributions = ["uniform"]
        get-percent = [50]
        value-bytes = [1024]
        fill-percent = [80]
        threads = [2]
        object-memory = "64MiB"
        operations-factor = 0.2
        roofline = false
    "#;
    let (code, _, rows) = run_suite("hindered-leak", suite, &[]);
    assert_eq!(code, 0);
    // A heap holds more than its store counts, by as much as its threads happened to meet.
    for (system, tolerance) in [("hindered", 0.02), ("hindered-heapstore:glibc", 0.12)] {
        let leaking = resident_bytes(&rows, &format!("{system}@leak-percent=25"));
        let ratio = leaking / resident_bytes(&rows, system);
        assert!((ratio - 1.25).abs() < tolerance, "{system}: {ratio}");
    }
    let leaking = rows.iter().find(|row| row.cell.system.label() == "hindered@leak-percent=25");
    let settings = &leaking.unwrap().settings;
    assert_eq!((&*settings["leak-percent"], &*settings["slow-percent"]), ("25", "0"));
    assert_eq!(settings["update"], "in-place", "settings of the store below stand beside");
}

#[test]
fn the_gate_and_what_tests_it_run_to_their_ends() {
    for name in ["gate", "power"] {
        let suite = read(&format!("harness/suites/{name}.toml"));
        let hindrance = "@slow-percent=1@jitter-percent=1@leak-percent=5";
        let suite = suite.replace("\"hindered", &format!("\"hindered{hindrance}"));
        let (code, _, rows) = run_suite(name, &suite, &[]);
        assert_eq!(code, 0, "{name}");
        for step in ["load", "run", "verify"] {
            let is_store = |row: &&Row| !worker::registry::is_roofline(&row.cell.system);
            let rows: Vec<&Row> =
                rows.iter().filter(is_store).filter(|row| row.step == step).collect();
            assert_eq!(rows.len(), 6, "{name}, {step}");
            for row in rows {
                assert_eq!(row.outcome, Outcome::Measured, "{}: {step}", row.cell.id);
            }
        }
    }
}
