//! Tests of files of lines: what is damaged, cut short, or written by many at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;

use stats::Better;

use super::*;
use crate::Series;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("compare-lines-{}-{test}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn file(&self) -> PathBuf {
        self.0.join("results").join("history.jsonl")
    }

    fn with(&self, text: &str) -> PathBuf {
        let path = self.file();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn line(run: &str, cell: &str) -> Line {
    let values = vec![1.5, 2e9, -0.25];
    let throughput =
        Series { unit: "1/s".into(), better: Better::Higher, values, nodes: Vec::new() };
    Line {
        schema: LINE_SCHEMA,
        source: "nibble-bench".into(),
        run: run.into(),
        cell: cell.into(),
        metrics: BTreeMap::from([("throughput".into(), throughput)]),
        ..Line::default()
    }
}

fn text_of(lines: &[Line]) -> String {
    String::from_utf8(to_text(Path::new("a"), lines).unwrap()).unwrap()
}

#[test]
fn what_was_appended_is_read_in_order() {
    let folder = Folder::new("order");
    let path = folder.file();
    assert!(read_lines(&path).unwrap_err().is_missing());
    let lines = [line("1", "a"), line("1", "b"), line("2", "a")];
    assert_eq!(append_lines(&path, &lines[..2]).unwrap(), None);
    assert_eq!(append_lines(&path, &lines[2..]).unwrap(), None);
    assert_eq!(read_lines(&path).unwrap(), Lines { lines: lines.to_vec(), incomplete: None });
}

#[test]
fn a_file_cut_anywhere_loses_its_last_line_at_most_and_can_be_appended_to() {
    let folder = Folder::new("cut");
    let lines = [line("1", "a"), line("2", "b")];
    let whole = text_of(&lines);
    let first = text_of(&lines[..1]).len();
    for cut in 0..=whole.len() {
        let path = folder.with(&whole[..cut]);
        let kept = match cut {
            _ if cut + 1 >= whole.len() => 2,
            _ if cut + 1 >= first => 1,
            _ => 0,
        };
        let is_between = [0, first - 1, first, whole.len() - 1, whole.len()].contains(&cut);
        let offset_bytes = if cut < first { 0 } else { first };
        let expected = (!is_between).then(|| Incomplete {
            path: path.clone(),
            line: 1 + usize::from(cut > first),
            offset_bytes,
            length_bytes: cut - offset_bytes,
        });
        let read = read_lines(&path).unwrap();
        assert_eq!(read.lines, lines[..kept], "cut at {cut}");
        assert_eq!(read.incomplete, expected, "cut at {cut}");
        assert_eq!(append_lines(&path, &[line("3", "c")]).unwrap(), expected, "cut at {cut}");
        let read = read_lines(&path).unwrap();
        assert_eq!(read.incomplete, None, "cut at {cut}");
        assert_eq!(read.lines[..kept], lines[..kept], "cut at {cut}");
        assert_eq!(read.lines[kept..], [line("3", "c")], "cut at {cut}");
    }
}

#[test]
fn the_notice_names_the_file_the_line_and_the_byte() {
    let folder = Folder::new("notice");
    let first = text_of(&[line("1", "a")]);
    let path = folder.with(&format!("{first}{{\"sch"));
    let notice = read_lines(&path).unwrap().incomplete.unwrap().to_string();
    let place = format!("history.jsonl: line 2 (from byte {}, 5 bytes)", first.len());
    assert!(notice.contains(&place), "{notice}");
}

#[test]
fn a_damaged_line_is_named_with_its_place_and_what_to_do() {
    let folder = Folder::new("damaged");
    let good = text_of(&[line("1", "a")]);
    for (bad, column, what) in [
        ("{\"schema\":1,\"run\":?}", ", column 19", "expected value"),
        (&good.trim_end().replace("\"run\"", "\"runn\""), ", column ", "unknown field `runn`"),
        (&good.trim_end().replace("-0.25", "null"), ", column ", "invalid type: null"),
        (&good.trim_end().replace("-0.25", "1e999"), ", column ", "number out of range"),
        ("", "", "EOF while parsing"),
        ("<<<<<<< ours", ", column 1", "expected value"),
    ] {
        let path = folder.with(&format!("{good}{bad}\n{good}"));
        let error = read_lines(&path).unwrap_err().to_string();
        let line = format!("history.jsonl: line 2{column}");
        let offset = format!("(the line begins at byte {})", good.len());
        for part in [line.as_str(), &offset, what, "remove it"] {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
        assert!(!error.contains("at line 1"), "{error}");
    }
}

#[test]
fn another_schema_is_an_error_with_both_numbers() {
    let folder = Folder::new("schema");
    let path =
        folder.with(&format!("{}{{\"schema\":7,\"other\":[]}}\n", text_of(&[line("1", "a")])));
    let error = read_lines(&path).unwrap_err().to_string();
    for part in ["line 2", "has schema 7", "writes schema 1"] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
}

#[test]
fn what_could_not_be_read_again_is_refused_and_the_file_stays_as_it_was() {
    let folder = Folder::new("refused");
    let path = folder.file();
    append_lines(&path, &[line("1", "a")]).unwrap();
    let before = fs::read(&path).unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut bad = line("2", "b");
        bad.metrics.get_mut("throughput").unwrap().values[1] = value;
        let error = append_lines(&path, &[line("2", "a"), bad]).unwrap_err().to_string();
        let what = format!("cell b: throughput has the value {value}");
        assert!(error.contains(&what), "{error}");
    }
    let other = Line { schema: 9, ..line("2", "c") };
    let error = append_lines(&path, &[other]).unwrap_err().to_string();
    assert!(error.contains("schema is 9") && error.contains("schema 1 "), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn programs_that_append_at_once_do_not_interleave() {
    const WRITERS: usize = 8;
    const APPENDS: usize = 20;
    let folder = Folder::new("concurrent");
    let path = folder.file();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = &path;
            scope.spawn(move || {
                for append in 0..APPENDS {
                    let run = format!("{writer}-{append}");
                    append_lines(path, &[line(&run, "a"), line(&run, "b")]).unwrap();
                }
            });
        }
    });
    let read = read_lines(&path).unwrap();
    assert_eq!(read.incomplete, None);
    assert_eq!(read.lines.len(), 2 * WRITERS * APPENDS);
    let mut runs: Vec<&str> = Vec::new();
    for pair in read.lines.chunks(2) {
        assert_eq!(pair[0].run, pair[1].run, "an append is in one piece");
        runs.push(&pair[0].run);
    }
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(runs.len(), WRITERS * APPENDS);
}
