//! `docs/src/data.md` shows the columns that there are, and its recipes give the right number.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use record::archive;
use report::export::{self, COLUMNS};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/src/data.md")).expect("the page")
}

#[test]
fn the_page_shows_every_column_in_its_place() {
    let page = page();
    let after = page.split_once("| column | holds |\n").expect("the table of columns").1;
    let shown: Vec<&str> = after.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
    let line = |column: &export::Column| format!("| `{}` | {} |", column.name(), column.meaning());
    let lines: Vec<String> = COLUMNS.iter().map(line).collect();
    assert_eq!(shown, lines, "left: docs/src/data.md, right: the columns");
}

/// The block of the page that imports `library`.
fn recipe<'a>(page: &'a str, library: &str) -> &'a str {
    let blocks = page.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    let import = format!("import {library}\n");
    let mut blocks = blocks.filter(|block| block.starts_with(&import));
    let block = blocks.next().unwrap_or_else(|| panic!("no recipe with {library}"));
    assert!(blocks.next().is_none(), "one recipe with {library}");
    assert!(block.lines().count() <= 4, "{block}");
    block
}

/// What the recipes ask for, from the rows themselves.
fn asked() -> f64 {
    let folder = root().join("results/reference");
    let (_, rows) = archive::load(&folder).expect("the published run");
    let wanted = [
        ("family", "fragmentation"),
        ("system", "jemalloc"),
        ("pattern", "P1"),
        ("step", "refill"),
        ("basis", "ample"),
        ("threads", "1"),
        ("frees", "own"),
        ("observe", "end"),
    ];
    let summaries = report::summaries::summaries(&folder, &rows).expect("summaries");
    let mut found = summaries.iter().filter(|summary| {
        wanted.iter().all(|(name, value)| summary.labels.get(*name).is_some_and(|own| own == value))
    });
    let values = &found.next().expect("a summary").metrics["overhead"];
    assert!(found.next().is_none(), "one summary");
    stats::median(values).expect("a median")
}

fn run(library: &str) -> f64 {
    let python = std::env::var("NIBBLE_DATA_PYTHON").expect("NIBBLE_DATA_PYTHON, an interpreter");
    let folder =
        std::env::temp_dir().join(format!("nibble-bench-data-{library}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let file = fs::File::create(folder.join("rows.csv")).expect("a file");
    let (_, rows) = archive::load(&root().join("results/reference")).expect("the published run");
    export::csv(&rows, file).expect("the table");
    let output = Command::new(python)
        .args(["-c", recipe(&page(), library)])
        .current_dir(folder)
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    said.trim().parse().unwrap_or_else(|_| panic!("no number: {said}\n{errors}"))
}

#[test]
#[ignore = "needs pandas: scripts/test installs it and runs this"]
fn the_recipe_with_pandas_gives_the_number_of_the_rows() {
    assert!((run("pandas") / asked() - 1.0).abs() < 1e-9);
}

#[test]
#[ignore = "needs DuckDB: scripts/test installs it and runs this"]
fn the_recipe_with_duckdb_gives_the_number_of_the_rows() {
    assert!((run("duckdb") / asked() - 1.0).abs() < 1e-9);
}
