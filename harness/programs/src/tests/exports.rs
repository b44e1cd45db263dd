//! What came out, in the formats that others read.

use compare::imports;
use serde_json::{Value, json};

use super::made_up;
use crate::export::{Exported, Format, Summary, written};
use crate::{Command, Point, Run, curve_table, document, hyperfine, table};

fn command(name: &str) -> Command {
    Command {
        name: name.to_owned(),
        words: vec![name.into()],
        parameters: vec![("n".to_owned(), "1".to_owned())],
    }
}

#[test]
fn the_summary_is_that_of_textbooks() {
    let runs = [made_up(10), made_up(20), made_up(60)];
    let it = Summary::of(&runs.iter().collect::<Vec<_>>()).unwrap();
    // Deviations −20, −10, 30: squares 1400, halved 700.
    assert!((it.mean_s - 0.030).abs() < 1e-12 && (it.median_s - 0.020).abs() < 1e-12);
    assert!((it.deviation_s.unwrap() - 0.7_f64.sqrt() * 0.001_f64.sqrt()).abs() < 1e-9, "{it:?}");
    assert!((it.min_s - 0.010).abs() < 1e-12 && (it.max_s - 0.060).abs() < 1e-12);
    assert!((it.user_s - 0.027).abs() < 1e-12 && (it.system_s - 0.003).abs() < 1e-12);
    assert_eq!(Summary::of(&[&runs[0]]).unwrap().deviation_s, None);
    assert_eq!(Summary::of(&[]), None);
}

/// What this project reads of hyperfine it reads of itself.
#[test]
fn the_json_of_hyperfine_is_read_back() {
    let (first, second) = (command("a, b"), command("c"));
    let mut failed = made_up(30);
    failed.ending = crate::Ending::Signalled(11);
    let runs = [made_up(10), made_up(20), failed];
    let exported = [
        Exported { command: &first, runs: runs[..2].iter().collect() },
        Exported { command: &second, runs: runs.iter().collect() },
    ];
    let json = hyperfine::json(&exported);
    let read: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(read["results"][0]["times"], json!([0.01, 0.02]));
    assert_eq!(read["results"][1]["exit_codes"], json!([0, 0, null]));
    assert_eq!(read["results"][0]["memory_usage_byte"], json!([50 << 20, 50 << 20]));
    assert_eq!(read["results"][0]["parameters"], json!({ "n": "1" }));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.json");
    std::fs::write(&file, &json).unwrap();
    let imported = imports::import(&file).unwrap();
    let elapsed = &imported.lines[1].metrics["elapsed"];
    assert_eq!(elapsed.values, [0.01, 0.02], "runs that failed are left out");
}

#[test]
fn tables_in_files_have_a_row_for_each_command() {
    let (first, second) = (command("a, \"b\""), command("c|d"));
    let runs = [made_up(10), made_up(20)];
    let exported = [
        Exported { command: &first, runs: vec![&runs[0]] },
        Exported { command: &second, runs: runs.iter().collect() },
    ];
    let csv = written(&exported, Format::Csv);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "command,mean,stddev,median,user,system,min,max,parameter_n");
    assert!(lines[1].starts_with("\"a, \"\"b\"\"\",0.01,,0.01,") && lines[1].ends_with(",1"));
    let markdown = written(&exported, Format::Markdown);
    assert!(markdown.contains("| `c\\|d` | 15.0 ± 7.1 | 10.0 | 20.0 | 1.50 |\n"), "{markdown}");
    assert!(written(&exported, Format::AsciiDoc).ends_with("|===\n"));
    assert!(written(&exported, Format::Org).contains("|--+"));
}

#[test]
fn the_table_shows_what_is_unknown_as_such() {
    let mut unseen = made_up(10);
    unseen.peak_bytes = 0;
    let text = table(&[("seen", vec![&made_up(20)]), ("unseen", vec![&unseen]), ("none", vec![])]);
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("seen").contains("20.0 ms") && line("seen").contains("50.0 MiB"), "{text}");
    assert!(line("unseen").contains('–') && line("none").ends_with('0'), "{text}");
}

#[test]
fn curves_are_those_of_the_middle_run_and_keep_their_peak() {
    let with = |elapsed_ms: u64, peak: u64| {
        let point = |at: u64| Point {
            elapsed_ns: at * 1_000_000,
            bytes: if at == 777 { peak } else { 1 << 20 },
            processes: 1,
        };
        Run { curve: (0..2000).map(point).collect(), ..made_up(elapsed_ms) }
    };
    let runs = [with(3, 64 << 20), with(2, 32 << 20), with(1, 16 << 20)];
    let of: Vec<&Run> = runs.iter().collect();
    let tsv = curve_table(&[("one\ttwo".to_owned(), of.clone())]);
    assert!(tsv.lines().count() <= 502 && tsv.contains("one two\t0.777000\t32.000\n"), "{tsv}");
    let command = command("one");
    let document =
        document("called", &[("one".to_owned(), &command, of, json!({ "more": 1 }))], &[]);
    let result = &document["results"][0];
    assert_eq!((&result["more"], &result["name"]), (&json!(1), &json!("one")));
    assert_eq!(result["elapsed"]["count"], 3);
    assert!(result["curve"].as_array().unwrap().len() <= 500);
}
