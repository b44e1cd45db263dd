//! Runs are completed after whatever ended them: killed at random moments, stopped, failed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{self, bench, errors, run, run_suite, scratch, told};
use crate::json_output::documented;
use record::Outcome;

/// Three cells: one that crashes, two that do not.
const SUITE: &str = r#"
    question = "What is left to do?"
    [[fragmentation]]
    heaps = ["null", "faulty"]
    variants = ["default", "crash"]
    patterns = ["P2"]
"#;

fn resume(folder: &Path, more: &[&str]) -> (i32, String) {
    let output =
        bench().args(["run", "--quiet", "--resume"]).arg(folder).args(more).output().unwrap();
    (output.status.code().expect("an exit code"), errors(&output))
}

/// Reproduces without drawings, and gives what was said.
fn reproduce(more: &[&str]) -> String {
    let output =
        bench().args(["reproduce", "--quiet", "--without-drawings"]).args(more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{more:?}: {}", errors(&output));
    errors(&output)
}

fn rows_of(folder: &Path) -> String {
    fs::read_to_string(folder.join("rows.jsonl")).unwrap()
}

/// Kills a run three times; `scripts/killtest` does so twenty times.
#[test]
fn a_run_survives_being_killed() {
    let folder = scratch("killtest").join("killed");
    let output = run(&["killtest", "--kills", "3", "--folder", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let said = told(&output);
    assert!(said.contains("kill 3: ") && said.contains("every cell is there once"), "{said}");
    assert!(!folder.exists(), "nothing is left of a test that passed");
}

#[test]
fn what_is_missing_is_run_and_what_is_there_is_not() {
    let (code, folder, rows) = run_suite("resume-missing", SUITE, &[]);
    assert_eq!(code, 1);
    let before = rows_of(&folder);
    let (code, said) = resume(&folder, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("nothing is missing, all 3 cells are there"), "{said}");
    assert_eq!(rows_of(&folder), before);

    // Without the last cell, and with half of its rows.
    let last = rows.last().unwrap().cell.id.clone();
    let count = before.lines().count();
    let kept = rows.iter().filter(|row| row.cell.id != last).count();
    let cut: String = before.lines().take(count - 1).map(|line| line.to_owned() + "\n").collect();
    fs::write(folder.join("rows.jsonl"), &cut).unwrap();
    let (_, said) = resume(&folder, &[]);
    assert!(said.contains("2 of 3 cells are there, 1 are run"), "{said}");
    let (record, again) = record::archive::load(&folder).unwrap();
    assert_eq!((record.resumed.len(), again.len()), (1, rows.len()));
    assert_eq!(again[..kept], rows[..kept]);
    assert!(again[kept..].iter().all(|row| row.cell.id == last));
}

#[test]
fn a_failed_cell_is_run_again_where_asked() {
    let (_, folder, rows) = run_suite("resume-failed", SUITE, &[]);
    let failed = |row: &record::Row| row.outcome == Outcome::Crashed;
    assert_eq!(rows.iter().filter(|row| failed(row)).count(), 1);
    let (code, said) = resume(&folder, &["--retry", "failed"]);
    assert_eq!(code, 1, "it fails again: {said}");
    assert!(said.contains("2 of 3 cells are there, 1 are run, 1 of them again"), "{said}");
    let (_, again) = record::archive::load(&folder).unwrap();
    assert_eq!(again.iter().filter(|row| failed(row)).count(), 1, "its old rows are gone");
    assert_eq!(again.len(), rows.len());
}

#[test]
fn what_cannot_be_resumed_is_refused_with_the_reason() {
    let (_, folder, _) = run_suite("resume-refused", SUITE, &[]);
    let before = rows_of(&folder);
    let path: PathBuf = folder.join("run.json");
    let record = fs::read_to_string(&path).unwrap();
    let revision = record::archive::load(&folder).unwrap().0.provenance.program["revision"].clone();
    fs::write(&path, record.replace(&revision, "0123456789ab")).unwrap();
    let (code, said) = resume(&folder, &["--retry", "failed"]);
    assert_eq!(code, 2);
    let expected = format!("revision: `0123456789ab` and `{revision}`");
    assert!(said.contains(&expected) && said.contains("begin a new run"), "{said}");
    assert_eq!(rows_of(&folder), before, "nothing is lost");
    for (more, expected) in [
        (&["--retry", "slow"][..], "possible values: failed"),
        (&["self-test"], "cannot be used with"),
        (&["--scale", "smoke"], "cannot be used with"),
        (&["--results", "elsewhere"], "cannot be used with"),
    ] {
        let (code, said) = resume(&folder, more);
        assert_eq!(code, 2, "{more:?}");
        assert!(said.contains(expected), "{more:?}: {said}");
    }
    let output = run(&["run", "--retry", "failed"]);
    assert_eq!(output.status.code(), Some(2));
    let (code, said) = resume(&scratch("resume-nothing"), &[]);
    assert_eq!(code, 2);
    assert!(said.contains("is this the folder of a run?"), "{said}");
}

/// A reproduction goes on to its report, also where only the report is missing.
#[test]
fn a_reproduction_is_completed_up_to_its_report() {
    let results = scratch("resume-reproduce");
    let fresh = ["--scale", "smoke", "--figure", "memory-over-time", "--results"];
    reproduce(&[&fresh[..], &[results.to_str().unwrap()]].concat());
    let folder = common::only_folder(&results).unwrap();
    let page = folder.join("report.html");
    let whole = rows_of(&folder);
    let first = whole.split_inclusive('\n').next().unwrap();
    fs::write(folder.join("rows.jsonl"), first).unwrap();
    fs::remove_file(&page).unwrap();

    let said = reproduce(&["--resume", folder.to_str().unwrap()]);
    assert!(said.contains(": 0 of "), "{said}");
    assert_eq!(rows_of(&folder).lines().count(), whole.lines().count());
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("interrupted and resumed at") && html.contains("Left out: all drawings"));
    fs::remove_file(&page).unwrap();
    let said = reproduce(&["--resume", folder.to_str().unwrap()]);
    assert!(said.contains("nothing is missing") && page.exists(), "{said}");
}

/// `text` with every number replaced: what is measured differs, what is said of it does not.
fn outline(text: &str) -> String {
    let mut outline = String::new();
    for letter in text.chars() {
        match letter {
            '0'..='9' if outline.ends_with('#') => {}
            '0'..='9' => outline.push('#'),
            '.' if outline.ends_with('#') => {}
            letter => outline.push(letter),
        }
    }
    outline
}

/// Lines of a run's table of a figure, and which claims were answered.
fn said_in(folder: &Path, figure: &str) -> (String, Vec<String>) {
    let read = |name: String| fs::read_to_string(folder.join(name)).unwrap();
    let names = |table: &str| -> Vec<String> {
        let rows = table.lines().filter(|line| line.starts_with("| "));
        rows.filter_map(|line| line.split(" | ").next()).map(str::to_owned).collect()
    };
    (outline(&read(format!("figures/{figure}.tsv"))), names(&read("claims.md".to_owned())))
}

#[test]
fn a_run_that_was_killed_and_resumed_has_the_report_of_one_that_was_not() {
    let results = scratch("resume-report");
    let figure = "copy-routine";
    let folder = results.to_str().unwrap();
    reproduce(&["--scale", "smoke", "--figure", figure, "--results", folder]);
    let folder = common::only_folder(&results).unwrap();
    let expected = said_in(&folder, figure);
    assert!(expected.1.len() > 10, "{expected:?}");
    // What a kill leaves: whole cells, half a row, and no report.
    let whole = rows_of(&folder);
    let kept: Vec<&str> = whole.split_inclusive('\n').take(5).collect();
    fs::write(folder.join("rows.jsonl"), kept.concat() + "{\"schema\":").unwrap();
    for made in ["report.html", "claims.md", "summary.jsonl"] {
        fs::remove_file(folder.join(made)).unwrap();
    }
    fs::remove_dir_all(folder.join("figures")).unwrap();
    reproduce(&["--resume", folder.to_str().unwrap()]);
    assert_eq!(said_in(&folder, figure), expected);
    assert_eq!(rows_of(&folder).lines().count(), whole.lines().count());
    assert!(folder.join("report.html").exists() && folder.join("summary.jsonl").exists());
    // Asked again without measuring: the same answers.
    let output = bench().args(["reproduce", "--check"]).arg(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let told = told(&output);
    let claims = fs::read_to_string(folder.join("claims.md")).unwrap();
    let counted = told.lines().next().unwrap();
    assert!(claims.contains(counted), "{counted}");
}

/// Two runs of three repetitions of a cell; the second is the first, and then twice as fast.
#[test]
fn runs_agree_or_the_exit_code_says_that_they_do_not() {
    let suite = r#"
        question = "How fast?"
        [[fragmentation]]
        heaps = ["null"]
        patterns = ["P2"]
    "#;
    let (_, folder, rows) = run_suite("agree", suite, &[]);
    let other = folder.with_file_name("other");
    fs::create_dir(&other).unwrap();
    fs::copy(folder.join("run.json"), other.join("run.json")).unwrap();
    let write = |folder: &Path, factor: f64| {
        let mut text = String::new();
        for repetition in 0..3 {
            for row in &rows {
                let mut row = row.clone();
                row.cell.id = row.cell.id.replace("/0", &format!("/{repetition}"));
                row.cell.repetition = repetition;
                row.throughput_ops_per_s = factor * (1e6 + f64::from(repetition));
                text += &(serde_json::to_string(&row).unwrap() + "\n");
            }
        }
        fs::write(folder.join("rows.jsonl"), text).unwrap();
    };
    let agree = |more: &[&str]| {
        let output = bench().arg("agree").args([&folder, &other]).args(more).output().unwrap();
        let said = told(&output) + &errors(&output);
        (output.status.code().unwrap(), said)
    };
    write(&folder, 1.0);
    let missing = agree(&[]);
    assert!(missing.0 == 2 && missing.1.contains("rows.jsonl"), "{missing:?}");
    write(&other, 1.0);
    let (code, said) = agree(&[]);
    assert!(code == 0 && said.contains("1 of 1 cells agree (100.0 %, required 90 %)"), "{said}");
    write(&other, 2.0);
    let (code, said) = agree(&[]);
    assert!(code == 1 && said.contains("0 of 1 cells agree"), "{said}");
    assert_eq!(agree(&["--at-least", "0"]).0, 0);
    let output = bench().arg("agree").args([&folder, &other]).arg("--json").output().unwrap();
    let data = documented("agree", &output);
    assert_eq!((&data["agree"], &data["cells"][0]["agrees"]), (&false.into(), &false.into()));

    let record = fs::read_to_string(other.join("run.json")).unwrap();
    let revision = record::archive::load(&folder).unwrap().0.provenance.program["revision"].clone();
    fs::write(other.join("run.json"), record.replace(&revision, "0123456789ab")).unwrap();
    let (code, said) = agree(&[]);
    assert!(code == 2 && said.contains("--allow-mismatch") && said.contains(&revision), "{said}");
    assert_eq!(agree(&["--allow-mismatch"]).0, 1);
}
