//! Finding checkouts and naming revisions, and the errors with their remedies.

use std::fs;
use std::path::Path;

use super::common::{Project, Scratch, git};
use crate::repository::is_this_project;
use crate::{Repository, RepositoryError};

#[test]
fn a_checkout_is_found_from_any_folder_in_it() {
    let project = Project::new();
    let inside = project.root().join("harness/cli/src");
    assert_eq!(Repository::around(&inside).unwrap().root(), project.root());
}

#[test]
fn revisions_of_all_kinds_name_commits() {
    let project = Project::new();
    let first = project.git(&["rev-parse", "HEAD"]);
    let second = project.commit_answer("second");
    project.git(&["tag", "--annotate", "--message", "a tag", "v1", "HEAD~1"]);
    let repository = Repository::around(project.root()).unwrap();
    for (revision, commit) in [
        ("HEAD", &second),
        ("main", &second),
        ("HEAD~1", &first),
        ("v1", &first),
        (&first[..8], &first),
        (first.as_str(), &first),
    ] {
        assert_eq!(repository.commit(revision).unwrap().name(), commit, "{revision}");
    }
    assert_eq!(repository.commit("HEAD").unwrap().short(), &second[..12]);
}

#[test]
fn what_names_no_commit_is_refused() {
    let project = Project::new();
    let repository = Repository::around(project.root()).unwrap();
    let tree = "HEAD^{tree}";
    for revision in
        ["absent", "", "-", "--all", "--git-dir", "^HEAD", "HEAD..HEAD", "a\0b", "HEAD\nHEAD", tree]
    {
        let error = repository.commit(revision).unwrap_err();
        assert!(matches!(error, RepositoryError::UnknownRevision { .. }), "{revision:?}: {error}");
        let text = error.to_string();
        assert!(text.contains(&format!("{revision:?}")) && text.contains("git fetch"), "{text}");
    }
}

#[test]
fn a_history_that_is_cut_off_is_named() {
    let project = Project::new();
    project.commit_answer("second");
    let scratch = Scratch::new();
    let origin = format!("file://{}", project.root().display());
    git(&scratch.0, &["clone", "--quiet", "--depth", "1", &origin, "clone"]);
    let repository = Repository::around(&scratch.0.join("clone")).unwrap();
    repository.commit("HEAD").expect("it is there");
    let error = repository.commit("HEAD~1").unwrap_err();
    assert!(matches!(error, RepositoryError::Shallow { .. }), "{error}");
    assert!(error.to_string().contains("fetch-depth: 0"), "{error}");
}

#[test]
fn a_folder_without_a_checkout_is_refused() {
    let scratch = Scratch::new();
    let error = Repository::around(&scratch.0).unwrap_err();
    assert!(matches!(error, RepositoryError::NotACheckout { .. }), "{error}");
    assert!(error.to_string().contains("not a git repository"), "{error}");
    let error = Repository::around(&scratch.0.join("absent")).unwrap_err();
    assert!(matches!(error, RepositoryError::System { .. }), "{error}");
}

#[test]
fn this_project_is_recognised() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(is_this_project(&root), "{}", root.display());
}

#[test]
fn a_checkout_of_something_else_is_refused() {
    let project = Project::new();
    let manifest = project.root().join("harness/cli/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("name = \"harness\"", "name = \"other\"")).unwrap();
    let error = Repository::around(project.root()).unwrap_err();
    assert!(matches!(error, RepositoryError::NotThisProject { .. }), "{error}");
    fs::remove_file(&manifest).unwrap();
    let error = Repository::around(project.root()).unwrap_err();
    assert!(matches!(error, RepositoryError::NotThisProject { .. }), "{error}");
}
