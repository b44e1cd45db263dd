//! One process that answers several cells after one load: every cell has its rows, nobody's check of the
//! values is weaker for it, and a process that ends badly voids none but the cell that it ended in.

use std::collections::BTreeMap;

use crate::common::{errors, run, run_suite, scratch};
use record::{Outcome, Row, Turn, Work};

fn mixes(stores: &str, more: &str) -> String {
    format!(
        r#"
        question = "What does one process answer?"
        [[key-value]]
        stores = [{stores}]
        get-percent = [100, 50, 0]
        distributions = ["uniform", "zipfian:0.99"]
        value-bytes = [100]
        fill-percent = [10]
        threads = [2]
        roofline = false
        {more}
        "#
    )
}

fn by_cell(rows: &[Row]) -> BTreeMap<&str, Vec<&Row>> {
    let mut cells: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        cells.entry(&row.cell.id).or_default().push(row);
    }
    cells
}

#[test]
fn mixes_and_distributions_share_a_load_and_each_is_whole() {
    for store in ["nibble", "mica-erew", "heapstore:jemalloc"] {
        let (code, _, rows) = run_suite("turns", &mixes(&format!("{store:?}"), ""), &[]);
        assert_eq!(code, 0, "{store}");
        let cells = by_cell(&rows);
        assert_eq!(cells.len(), 6, "{store}");
        let mut places = Vec::new();
        let mut loads = Vec::new();
        for (id, rows) in &cells {
            let steps: Vec<&str> = rows.iter().map(|row| row.step.as_str()).collect();
            assert_eq!(steps, ["load", "run", "verify"], "{id}");
            let Some(Turn { place, of: 6 }) = rows[0].turn else {
                panic!("{id}: {:?}", rows[0].turn)
            };
            assert!(rows.iter().all(|row| row.turn == rows[0].turn), "{id}");
            places.push(place);
            loads.push(rows[0].elapsed_ns);
            let run = rows[1];
            assert!(run.operations == 100_000 && run.driver.is_some(), "{id}: {run:?}");
            assert!(!run.latency_ns.is_empty() && run.began.is_some(), "{id}");
            let gets = run.latency_by_kind_ns.contains_key("get");
            assert_eq!(gets, !id.contains("get-0-"), "{id}");
            assert!(run.memory.as_ref().is_some_and(|memory| memory.at_once.is_some()), "{id}");
            let verified = rows[2].verification.expect("values were checked");
            assert!(verified.checked > 1000 && verified.complaint().is_none(), "{id}");
        }
        places.sort_unstable();
        assert_eq!(places, [1, 2, 3, 4, 5, 6]);
        assert!(loads.windows(2).all(|pair| pair[0] == pair[1]), "one load: {loads:?}");
    }
}

#[test]
fn a_store_that_loses_a_write_in_one_turn_is_found_out() {
    // More writes than the load makes.
    let suite = mixes("\"faulty@fault=lose@after-puts=60000\"", "");
    let (code, _, rows) = run_suite("turns-lose", &suite, &[]);
    assert_eq!(code, 1);
    assert!(rows.iter().any(|row| row.outcome == Outcome::WrongValues), "{}", rows.len());
    assert_eq!(by_cell(&rows).len(), 6, "every cell has rows, together or by itself");
}

#[test]
fn other_sizes_threads_or_ages_are_other_processes() {
    let suite = mixes("\"nibble\"", "ageing = [\"rewrites:1\"]");
    let (code, _, rows) = run_suite("turns-aged", &suite, &[]);
    assert_eq!(code, 0);
    // The store was aged by its own distribution.
    assert!(rows.iter().all(|row| row.turn.is_some_and(|turn| turn.of == 3)));
    let suite = mixes("\"nibble\"", "source = [\"in-loop\"]");
    let (_, _, rows) = run_suite("turns-in-loop", &suite, &[]);
    assert!(rows.iter().all(|row| row.turn.is_none()));
}

#[test]
fn a_closed_loop_ends_when_its_requests_or_its_time_are_over() {
    let folder = scratch("turns-timed");
    let (file, results) = (folder.join("suite.toml"), folder.join("results"));
    let suite = mixes("\"nibble\"", "object-memory = \"32MiB\"\nrepetitions = 1");
    std::fs::write(&file, suite.replace("100, 50, 0", "50")).unwrap();
    let [file, results] = [&file, &results].map(|path| path.to_str().unwrap());
    let output = run(&["run", file, "--scale", "quick", "--quiet", "--results", results]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let mut entries = std::fs::read_dir(results).unwrap().flatten().map(|entry| entry.path());
    let run = entries.find(|path| path.is_dir()).expect("a run's folder");
    let rows = std::fs::read_to_string(run.join("rows.jsonl")).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
    let runs: Vec<Row> = rows.filter(|row| row.step == "run").collect();
    assert_eq!(runs.len(), 2);
    for row in runs {
        let Work::KeyValue(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert_eq!(work.at_most_ms, Some(1000));
        let all = work.operations_per_thread * work.threads as u64;
        let timed = row.elapsed_ns >= 1_000_000_000 && row.operations < all;
        assert!(timed || row.operations == all, "{} of {all}", row.operations);
    }
}
