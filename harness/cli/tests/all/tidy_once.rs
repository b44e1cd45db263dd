//! What stands in one place: verdicts, metrics, dimensions, the knowledge of cells' ids; and the
//! report, which stands without engines.

use std::process::Command;

use crate::common::{root, rust_files};

/// What is compiled into the program: sources without their tests, by path from the root.
pub(crate) fn sources() -> Vec<(String, String)> {
    let within = |path: &std::path::Path| {
        path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
    };
    let is_for_tests = |path: &str| {
        ["/tests/", "/fixture/", "/made_up/", "/benches/", "/examples/"]
            .iter()
            .any(|part| path.contains(part))
            || ["tests.rs", "fixture.rs", "made_up.rs", "recorded.rs", "tests_replay.rs"]
                .iter()
                .any(|name| path.ends_with(&format!("/{name}")))
    };
    let mut sources = Vec::new();
    for path in rust_files() {
        let name = within(&path);
        if is_for_tests(&name) || !name.contains("/src/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        sources.push((name, code.collect::<Vec<_>>().join("\n")));
    }
    assert!(sources.len() > 300, "source files were found");
    sources
}

/// A number holds, fails, is undecided or cannot be tested: whoever judges says it with the enum of
/// the crate `stats`.
#[test]
fn there_is_one_enum_of_verdicts() {
    let mut found = Vec::new();
    for (file, code) in sources() {
        for declared in code.split("enum ").skip(1) {
            let (name, rest) = declared.split_once([' ', '<']).unwrap_or((declared, ""));
            let body = rest.split('}').next().unwrap_or_default();
            let has = |variant: &str| body.lines().any(|line| line.trim() == variant);
            if name.ends_with("Verdict") || (has("Holds,") && has("Undecided,")) {
                found.push(file.clone());
            }
        }
    }
    assert_eq!(found, ["harness/stats/src/verdict.rs"], "enums of verdicts");
}

/// Where a table of that name is declared.
fn tables(name: &str) -> Vec<String> {
    let declares = |code: &str| {
        ["const", "static"]
            .iter()
            .any(|kind| [":", " :"].iter().any(|end| code.contains(&format!("{kind} {name}{end}"))))
    };
    sources().into_iter().filter(|(_, code)| declares(code)).map(|(file, _)| file).collect()
}

#[test]
fn there_is_one_table_of_metrics_and_one_of_dimensions() {
    for (name, folder) in
        [("METRICS", "harness/record/src/metrics"), ("DIMENSIONS", "harness/record/src/dimensions")]
    {
        let found = tables(name);
        assert!(found.len() == 1 && found[0].starts_with(folder), "tables of {name}: {found:?}");
    }
}

/// An id is for people and for equality. What it says is known to `record` alone.
#[test]
fn cell_ids_are_taken_apart_in_record_alone() {
    let methods =
        ["split", "rsplit", "strip_prefix", "strip_suffix", "trim_end_matches", "replacen", "find"];
    let mut own = 0;
    for (file, code) in sources() {
        let is_record = file.starts_with("harness/record/");
        own += usize::from(is_record && code.contains("fn without_repetition"));
        if !file.starts_with("harness/") || is_record {
            continue;
        }
        assert!(!code.contains("fn without_repetition"), "{file}: `record` has it");
        let joined: String = code.split_whitespace().collect();
        for method in methods {
            for id in [format!(".id.{method}"), format!("cell_id.{method}")] {
                assert!(!joined.contains(&id), "{file} takes a cell's id apart: {id}");
            }
        }
        for line in code.lines().filter(|line| line.contains("(id.")) {
            for method in methods {
                let taken = line.contains(&format!("(id.{method}"));
                assert!(!taken, "{file} takes a cell's id apart: {}", line.trim());
            }
        }
    }
    assert_eq!(own, 1, "`without_repetition` is defined once, in `record`");
}

/// The report of a run needs neither the engines that were measured nor their allocators.
#[test]
fn the_report_is_built_without_engines_and_allocators() {
    let arguments = ["tree", "-p", "report", "-e", "normal,build,dev", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(tree.starts_with("report "), "{tree}");
    let allocators = ["mimalloc", "tcmalloc", "rpmalloc", "scudo", "snmalloc", "jemalloc"];
    let engines = ["heaps ", "nibble ", "engine ", "kit ", "worker ", "harness "];
    for package in tree.lines() {
        let is_engine = package.starts_with("baseline-")
            || package.contains("/baselines/")
            || engines.iter().any(|name| package.starts_with(name))
            || allocators.iter().any(|name| package.contains(name));
        assert!(!is_engine, "report needs {package}");
    }
}
