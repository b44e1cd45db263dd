//! `export` writes the published run as a table, and says what is wrong with a folder that is no run.

use std::fs;

use crate::common::{errors, root, run, scratch};

#[test]
fn a_compressed_run_becomes_a_table_with_a_line_for_each_step() {
    let reference = root().join("results/reference");
    let file = scratch("export").join("rows.csv");
    let (folder, path) = (reference.to_str().unwrap(), file.to_str().unwrap());
    let output = run(&["export", folder, "--csv", path]);
    assert!(output.status.success(), "{}", errors(&output));
    let (_, rows) = record::archive::load(&reference).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("identity,cell,"), "{}", &text[..80]);
    assert_eq!(text.lines().count(), rows.len() + 1, "no field of the published run has two lines");
    let printed = run(&["export", folder, "--csv"]);
    assert!(printed.stdout == text.as_bytes(), "standard output is not the file");
}

#[test]
fn a_folder_that_is_no_run_is_named() {
    let folder = scratch("export-nothing");
    let output = run(&["export", folder.to_str().unwrap(), "--csv"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = errors(&output);
    assert!(
        errors.contains("export-nothing") && errors.contains("the folder of a run"),
        "{errors}"
    );
    assert!(output.stdout.is_empty());
}
