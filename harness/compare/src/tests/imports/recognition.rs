//! Which tool wrote a file: told by what is in it.

use std::fs;
use std::path::Path;

use super::{files, fixture, refusal, written};
use crate::imports::{Tool, import, import_as};

#[test]
fn the_name_of_a_file_does_not_matter() {
    for (tool, path) in files() {
        let renamed = written("anything.at.all", &fs::read_to_string(&path).unwrap());
        let imported = import(&renamed).unwrap();
        assert!(imported.lines.iter().all(|line| line.source == tool.name()));
        assert!(imported.lines.iter().all(|line| line.run == "anything.at"));
        for other in Tool::ALL {
            assert_eq!(import_as(other, &path).is_ok(), other == tool, "{}", path.display());
        }
    }
}

#[test]
fn what_is_not_recognised_says_what_it_was_tried_as() {
    assert_eq!(
        refusal("unrecognised.json", "{\"benchmarks\": []}"),
        "results of no known tool; not hyperfine: it has no array results; not criterion: it is a \
         file; give the folder target/criterion; not ycsb: it is JSON; export text; not memtier: \
         it has none of ALL STATS, RUN #1 RESULTS, AGGREGATED AVERAGE RESULTS"
    );
    for text in ["", "\n", "[1, 2]", "Requests/sec: 1344512.65\n"] {
        assert_eq!(
            refusal("unrecognised.txt", text),
            "results of no known tool; not hyperfine: it is not JSON; not criterion: it is a file; \
             give the folder target/criterion; not ycsb: no line begins with [OVERALL], ; not \
             memtier: it is not JSON"
        );
    }
}

#[test]
fn asked_for_one_tool_only_that_one_is_tried() {
    let path = fixture("memtier.json");
    let error = import_as(Tool::Hyperfine, &path).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{}: results of no known tool; not hyperfine: it has no array results",
            path.display()
        )
    );
    let folder = fixture("criterion/slow");
    let error = import_as(Tool::Ycsb, &folder).unwrap_err().to_string();
    assert!(error.ends_with("not ycsb: it is a folder; give the file"), "{error}");
}

#[test]
fn what_is_not_there_is_named() {
    let error = import(Path::new("no/such/file.json")).unwrap_err().to_string();
    assert!(error.starts_with("no/such/file.json: "), "{error}");
    let empty = crate::tests::scratch("empty-folder");
    fs::create_dir_all(&empty).unwrap();
    let error = import(&empty).unwrap_err().to_string();
    assert!(error.ends_with("not criterion: no folder in it has a benchmark.json"), "{error}");
}
