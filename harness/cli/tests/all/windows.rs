//! Windows are reached through the real program, by all ways: every word is verified, and no process is
//! left.

use crate::common::{bench, errors, piped, run_suite, scratch};
use record::{Flag, Outcome, System, Work};
use worker::protocol::Event;

#[test]
fn all_ways_are_measured_and_every_word_is_verified() {
    let suite = r#"
        question = "What does it cost to reach memory that is not mapped?"
        [[windows]]
        ways = [
            "flat", "plain-c", "map", "map-unmap", "map-populate", "move", "remote", "hand-over",
            "space", "mp@wait=yield", "mp@wait=block@cores=1",
        ]
        windows = [3]
        window-bytes = ["2MiB"]
        updates = [16]

        [[windows]]
        ways = ["syscall", "hand-over@by=pipe", "space", "plain-c"]
        windows = [2]
        window-bytes = ["2MiB"]
        updates = [0]
    "#;
    let (code, folder, rows) = run_suite("windows", suite, &[]);
    assert_eq!((code, rows.len()), (0, 15));
    for row in &rows {
        let Work::Windows(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert_eq!(row.outcome, Outcome::Measured, "{}: {:?}", row.cell.id, row.reason);
        assert_eq!((row.step.as_str(), row.flags.as_slice()), ("run", &[Flag::Populated][..]));
        let checked = row.verification.expect("words are checked");
        assert_eq!(checked.complaint(), None);
        assert!(checked.checked >= work.table_bytes() / 8, "{checked:?}");
        let System::Way { name, .. } = &row.cell.system else { panic!("{}", row.cell.id) };
        if name == "flat" || name == "space" {
            assert_eq!(row.cpu.minor_faults, 0, "{}", row.cell.id);
        }
        assert!(row.operations > 0 && row.statistics["sets"] > 0.0, "{row:?}");
    }
    let report = bench().arg("report").arg(&folder).output().unwrap();
    assert!(report.status.success(), "{}", errors(&report));
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    for row in &rows {
        let (id, _repetition) = row.cell.id.rsplit_once('/').unwrap();
        assert!(page.contains(id), "{id} in {}", folder.display());
    }
}

/// Every load of a random page finds what the page holds, whatever happened before it.
#[test]
fn pages_are_touched_after_all_that_may_cost_translations() {
    let suite = r#"
        question = "What does a switch cost the next load?"
        [[touch]]
        pages = [1, 64]
        between = ["nothing", "syscall", "thread", "process", "flush"]
    "#;
    let (code, folder, rows) = run_suite("touch", suite, &[]);
    assert_eq!((code, rows.len()), (0, 10));
    for row in &rows {
        let Work::Touch(work) = &row.cell.work else { panic!("{}", row.cell.id) };
        assert_eq!(row.outcome, Outcome::Measured, "{}: {:?}", row.cell.id, row.reason);
        let checked = row.verification.expect("loads are checked");
        assert_eq!((checked.checked, checked.complaint()), (work.operations, None));
        assert!(row.statistics["line_ns"] > 0.0, "{row:?}");
    }
    let report = bench().arg("report").arg(&folder).output().unwrap();
    assert!(report.status.success(), "{}", errors(&report));
}

#[test]
fn a_way_that_cannot_be_had_is_refused_before_anything_runs() {
    let suite = r#"
        question = "?"
        [[windows]]
        ways = ["mp@transport=openmpi"]
        windows = [2]
        window-bytes = ["2MiB"]
        updates = [16]
    "#;
    let file = scratch("windows-refused").join("mine.toml");
    std::fs::write(&file, suite).unwrap();
    let output = bench().args(["plan"]).arg(&file).output().unwrap();
    assert!(!output.status.success());
    assert!(errors(&output).contains("openmpi-bin"), "{}", errors(&output));
}

#[test]
fn a_cell_is_repeated_by_hand_and_nobody_is_an_executor_by_hand() {
    let suite = r#"
        question = "?"
        [[windows]]
        ways = ["space"]
        windows = [2]
        window-bytes = ["2MiB"]
        updates = [16]
    "#;
    let (_, _, rows) = run_suite("windows-piped", suite, &[]);
    let cell = rows[0].cell.clone();
    let events = piped(&cell);
    let step = |event: &Event| matches!(event, Event::Step(it) if it.outcome == Outcome::Measured);
    assert!(events.iter().any(step), "{events:?}");
    let output = bench().arg("executor").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("not by hand"), "{}", errors(&output));
}
