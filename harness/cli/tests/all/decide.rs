//! `reproduce --decide`: undecided claims are measured by more processes, decided ones are not, and the run
//! says what was done.

use std::collections::BTreeMap;

use crate::common::{only_folder, run, scratch, told};
use record::archive;

/// Repetitions by cell, without the number of the repetition.
fn repetitions(folder: &std::path::Path) -> (record::archive::RunRecord, BTreeMap<String, u32>) {
    let (run, rows) = archive::load(folder).unwrap();
    let mut counts = BTreeMap::new();
    for row in rows.iter().filter(|row| row.last) {
        let id = record::repetition::without_repetition(&row.cell.id);
        *counts.entry(id.to_owned()).or_default() += 1;
    }
    (run, counts)
}

#[test]
fn what_is_undecided_is_measured_again_and_the_run_says_so() {
    let results = scratch("decide");
    let asked = ["reproduce", "--quiet", "--without-drawings", "--scale", "smoke", "--figure"];
    let results = results.to_str().unwrap();
    let more = ["compaction-workers", "--decide", "1m", "--results", results];
    let output = run(&[&asked[..], &more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", crate::common::errors(&output));
    let folder = only_folder(std::path::Path::new(results)).unwrap();
    let (run_record, counts) = repetitions(&folder);
    assert_eq!(run_record.decide_s, Some(60));
    assert_eq!(run_record.cells_planned as u32, counts.values().sum::<u32>(), "the plan grows");
    // One process decides nothing, so all that a claim compares is measured by two.
    assert!(counts.values().any(|&count| count >= 2), "{counts:?}");
    assert!(counts.values().all(|&count| count <= 20), "{counts:?}");
    let notice = run_record.notices.iter().find(|notice| notice.contains("measured again, for"));
    assert!(notice.is_some_and(|notice| notice.contains("by 2 processes")), "{notice:?}");
    assert!(told(&output).contains("What undecided claims compare was measured again"));

    // What is missing of further repetitions is completed, and nothing is decided a second time.
    let path = folder.join("rows.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let kept: Vec<&str> = whole.split_inclusive('\n').collect();
    std::fs::write(&path, kept[..kept.len() - 1].concat()).unwrap();
    let again =
        ["reproduce", "--quiet", "--without-drawings", "--resume", folder.to_str().unwrap()];
    let output = run(&again);
    assert_eq!(output.status.code(), Some(0), "{}", crate::common::errors(&output));
    assert_eq!(repetitions(&folder).1, counts);
}

#[test]
fn a_time_that_is_none_is_refused_before_anything_is_measured() {
    let results = scratch("decide-wrong");
    let results = results.to_str().unwrap();
    let output = run(&["reproduce", "--decide", "soon", "--results", results]);
    assert_eq!(output.status.code(), Some(2));
    let said = crate::common::errors(&output);
    assert!(said.contains("--decide `soon`: write 90s, 8m or 1h"), "{said}");
    assert!(only_folder(std::path::Path::new(results)).is_none());
}
