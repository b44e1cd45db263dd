//! What the README and the book show is what the committed reference run says.

use crate::common::{self, bench, read, root};

/// The documents that show tables of the run; `scripts/publish-reference` finds them in the same way.
fn spliced() -> Vec<String> {
    let pages = std::fs::read_dir(root().join("docs/src")).unwrap().flatten();
    let pages = pages.map(|page| format!("docs/src/{}", page.file_name().to_string_lossy()));
    let with_tables = |path: &String| read(path).contains("\n<!-- begin ");
    std::iter::once("README.md".to_owned()).chain(pages).filter(with_tables).collect()
}

#[test]
fn tables_are_those_of_the_reference_run() {
    let files = spliced();
    for file in ["README.md", "docs/src/claims.md", "docs/src/figures.md", "docs/src/numbers.md"] {
        assert!(files.iter().any(|one| one == file), "{file} shows no table");
    }
    let mut command = bench();
    command.arg("splice").args(files).arg("--check").current_dir(root());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[test]
fn a_number_changed_by_hand_is_stale_and_is_written_again() {
    let file = common::scratch("readme-stale").join("claims.md");
    let page = read("docs/src/claims.md");
    let (before, after) = page.split_once("<!-- begin claims -->\n").expect("a block of claims");
    std::fs::write(&file, format!("{before}<!-- begin claims -->\nall hold\n{after}")).unwrap();
    let run = |check: &[&str]| {
        bench().arg("splice").arg(&file).args(check).current_dir(root()).output().unwrap()
    };
    let checked = run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("its tables are not those of results/reference"), "{told}");
    assert!(run(&[]).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), page);
}

#[test]
fn pictures_are_those_of_the_reference_run() {
    let mut count = 0;
    for file in spliced() {
        let text = read(&file);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for picture in links.filter(|path| path.ends_with(".svg")) {
            count += 1;
            let path = picture.trim_start_matches("../../");
            assert!(path.starts_with("results/reference/figures/"), "{file}: {picture}");
            assert!(root().join(path).is_file(), "{file}: {picture}");
        }
    }
    assert!(count >= 3, "{count} pictures");
}
