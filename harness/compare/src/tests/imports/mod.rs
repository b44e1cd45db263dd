//! Results of other tools, read from what those tools wrote.

mod criterion;
mod damage;
mod hyperfine;
mod memtier;
mod recognition;
mod ycsb;

use std::fs;
use std::path::{Path, PathBuf};

use stats::Better;

use crate::Line;
use crate::imports::{Imported, Tool, import};

/// A file or folder of `fixtures/`.
///
/// Those of hyperfine (1.20 and 2.0), criterion (0.8) and YCSB (0.17) were written by them; those of
/// memtier have its layout, cut to what differs, and numbers of ours.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// All fixtures of one file, with the tool that wrote them.
fn files() -> Vec<(Tool, PathBuf)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(fixture("")).expect("the fixtures") {
        let path = entry.expect("a fixture").path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut tools = Tool::ALL.into_iter().filter(|tool| name.starts_with(tool.name()));
        let tool = tools.next().unwrap_or_else(|| panic!("{name} begins with no tool"));
        if path.is_file() {
            files.push((tool, path));
        }
    }
    assert!(files.len() > 8);
    files
}

fn read(name: &str) -> Imported {
    import(&fixture(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// A file of `text`, as its tool would have written it.
fn written(name: &str, text: &str) -> PathBuf {
    let path = crate::tests::scratch(name);
    fs::write(&path, text).expect("a file for a test");
    path
}

/// The error of `text`, without its path.
fn refusal(name: &str, text: &str) -> String {
    let path = written(name, text);
    let error = import(&path).expect_err(text).to_string();
    let rest = error.strip_prefix(&path.display().to_string()).expect("the path comes first");
    rest.strip_prefix(": ").expect("a colon").to_owned()
}

fn cells(imported: &Imported) -> Vec<&str> {
    imported.lines.iter().map(|line| line.cell.as_str()).collect()
}

fn metrics(line: &Line) -> Vec<&str> {
    line.metrics.keys().map(String::as_str).collect()
}

/// The values of a metric, which has to have this unit and direction.
fn values<'l>(line: &'l Line, metric: &str, unit: &str, better: Better) -> &'l [f64] {
    let series = line.metrics.get(metric).unwrap_or_else(|| panic!("{metric} of {line:?}"));
    assert_eq!((series.unit.as_str(), series.better), (unit, better), "{metric}");
    &series.values
}

/// Lines of every fixture are read back from JSON as they were.
#[test]
fn lines_make_the_round_trip() {
    let mut imported: Vec<Imported> =
        files().iter().map(|(_, path)| import(path).unwrap()).collect();
    imported.push(read("criterion"));
    for line in imported.iter().flat_map(|imported| &imported.lines) {
        let json = serde_json::to_string(line).unwrap();
        assert_eq!(&serde_json::from_str::<Line>(&json).unwrap(), line);
        assert!(!json.contains('\n'));
    }
}
