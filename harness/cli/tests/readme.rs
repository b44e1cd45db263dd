//! What the README shows is what the committed reference run says.

mod common;

use common::{bench, read, root};

#[test]
fn tables_are_those_of_the_reference_run() {
    let output =
        bench().args(["splice", "README.md", "--check"]).current_dir(root()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[test]
fn a_number_changed_by_hand_is_stale_and_is_written_again() {
    let file = common::scratch("readme-stale").join("README.md");
    let readme = read("README.md");
    let (before, after) = readme.split_once("<!-- begin claims -->\n").expect("a block of claims");
    std::fs::write(&file, format!("{before}<!-- begin claims -->\nall hold\n{after}")).unwrap();
    let run = |check: &[&str]| {
        bench().arg("splice").arg(&file).args(check).current_dir(root()).output().unwrap()
    };
    let checked = run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("its tables are not those of results/reference"), "{told}");
    assert!(run(&[]).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), readme);
}

#[test]
fn pictures_are_those_of_the_reference_run() {
    let readme = read("README.md");
    let pictures: Vec<&str> =
        readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let pictures: Vec<&&str> = pictures.iter().filter(|path| path.ends_with(".svg")).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        assert!(picture.starts_with("results/reference/figures/"), "{picture}");
        assert!(root().join(picture).is_file(), "{picture}");
    }
}
