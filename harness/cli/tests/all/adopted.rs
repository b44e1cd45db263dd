//! Cells of further runs are put into a published one by `scripts/adopt-cells`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{bench, errors, root, run_suite};
use record::Row;

fn of_pattern(pattern: &str) -> String {
    format!(
        "question = \"?\"\n[[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"{pattern}\"]\n"
    )
}

fn adopt(into: &Path, other: &Path) -> Output {
    let script = root().join("scripts/adopt-cells");
    Command::new("python3").arg(script).arg(into).arg(other).output().expect("Python 3")
}

fn live_bytes(rows: &[Row]) -> Vec<u64> {
    let mut sizes: Vec<u64> = rows
        .iter()
        .filter_map(|row| match &row.cell.work {
            record::Work::Fragmentation(work) => Some(work.live_bytes),
            _ => None,
        })
        .collect();
    sizes.dedup();
    sizes
}

#[test]
fn cells_of_the_same_name_are_replaced_and_the_run_says_so() {
    let (_, into, before) = run_suite("adopting", &of_pattern("P2"), &[]);
    let (_, other, new) = run_suite("adopted", &of_pattern("P2"), &["--live-bytes", "2MiB"]);
    assert_ne!(live_bytes(&before), live_bytes(&new));

    let output = adopt(&into, &other);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    // The rows beside them are packed now, and these are what is read.
    fs::remove_file(into.join("rows.jsonl")).unwrap();
    let (run, rows) = record::archive::load(&into).unwrap();
    assert_eq!(live_bytes(&rows), live_bytes(&new));
    assert!(run.notices.iter().any(|notice| notice.contains("come from a run of their own")));
    let report = bench().arg("report").arg(&into).output().unwrap();
    assert_eq!(report.status.code(), Some(0), "{}", errors(&report));
}

/// Changes the record of a run in `folder`.
fn edit(folder: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = folder.join("run.json");
    let mut run = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut run);
    fs::write(&path, run.to_string()).unwrap();
}

#[test]
fn a_run_of_another_revision_is_named_and_one_of_another_processor_refused() {
    let (_, into, _) = run_suite("adopting-none", &of_pattern("P4"), &[]);
    let (_, other, _) = run_suite("adopted-none", &of_pattern("P4"), &[]);
    edit(&other, |run| run["machine"]["facts"]["cpu"] = "another".into());
    let rows = fs::read(into.join("rows.jsonl")).unwrap();
    let output = adopt(&into, &other);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("another processor"), "{}", errors(&output));
    assert_eq!(fs::read(into.join("rows.jsonl")).unwrap(), rows, "nothing was written");
    assert!(!into.join("rows.jsonl.gz").exists());

    let cpu = record::archive::load(&into).unwrap().0.machine.facts["cpu"].clone();
    edit(&other, |run| {
        run["machine"]["facts"]["cpu"] = cpu.into();
        run["provenance"]["program"]["revision"] = "0123456".into();
    });
    let output = adopt(&into, &other);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    fs::remove_file(into.join("rows.jsonl")).unwrap();
    let (run, _) = record::archive::load(&into).unwrap();
    assert!(run.notices.iter().any(|notice| notice.contains("by revision 0123456")), "{run:?}");
}
