//! Building revisions of a tiny project, caching them, and building them again when necessary.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use super::common::{Project, TOO_OLD};
use crate::{AskError, BuildError, Flavour, Repository, ask, build};

/// The program of `revision`, and the messages of its build.
fn built(
    project: &Project,
    revision: &str,
    flavour: Flavour,
) -> (Result<PathBuf, BuildError>, Vec<String>) {
    let repository = Repository::around(project.root()).unwrap();
    let commit = repository.commit(revision).unwrap();
    let mut said = Vec::new();
    let progress = &mut |line: &str| said.push(line.to_owned());
    let program = build(&repository, &commit, &project.builds(), flavour, progress);
    assert_eq!(project.worktrees(), [""; 0], "no worktree is left");
    (program, said)
}

/// A fact reported by the program of `revision`.
fn fact(project: &Project, revision: &str, flavour: Flavour, name: &str) -> String {
    let (program, _) = built(project, revision, flavour);
    let about = ask(&program.expect("it builds")).expect("it answers");
    assert_eq!((about.protocol, about.schema), (1, 2));
    about.facts[name].clone()
}

fn is_compiled(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("Compiling harness"))
}

#[test]
fn two_revisions_are_built_and_kept() {
    let project = Project::new();
    project.commit_answer("second");
    // Neither contains the uncommitted change.
    project.write("harness/cli/src/answer.rs", "not Rust");
    assert_eq!(fact(&project, "HEAD~1", Flavour::Native, "answer"), "first");
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "answer"), "second");
    let (program, said) = built(&project, "HEAD~1", Flavour::Native);
    let program = program.unwrap();
    assert_eq!(said, [""; 0], "it was there");
    let commit = project.git(&["rev-parse", "HEAD~1"]);
    assert_eq!(program, project.builds().join(commit).join("nibble-bench"));
    assert_eq!(ask(&program).unwrap().facts["answer"], "first");
    // A rebuild beside another revision's results gives the same program.
    fs::remove_dir_all(program.parent().unwrap()).unwrap();
    let (program, said) = built(&project, "HEAD~1", Flavour::Native);
    assert!(is_compiled(&said), "{said:?}");
    assert_eq!(ask(&program.unwrap()).unwrap().facts["answer"], "first");
}

#[test]
fn a_program_that_does_not_answer_is_built_again() {
    let project = Project::new();
    let program = built(&project, "HEAD", Flavour::Native).0.unwrap();
    fs::remove_file(&program).unwrap();
    fs::write(&program, "#!/bin/sh\nkill -ILL $$\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "answer"), "first");
}

#[test]
fn a_program_of_another_compiler_is_built_again() {
    let project = Project::new();
    let program = built(&project, "HEAD", Flavour::Native).0.unwrap();
    let builder = program.with_file_name("built-by");
    let text = fs::read_to_string(&builder).unwrap();
    assert!(text.starts_with("rustc ") && text.contains("target_arch="), "{text}");
    fs::write(&builder, text.replace("rustc ", "rustc 0.")).unwrap();
    let (program, said) = built(&project, "HEAD", Flavour::Native);
    program.unwrap();
    assert!(said.iter().any(|line| line.starts_with("checking out")), "{said:?}");
    assert_eq!(fs::read_to_string(&builder).unwrap(), text);
}

#[test]
fn a_revision_is_built_with_its_own_configuration_alone() {
    let project = Project::new();
    project.configure("other");
    project.commit_answer("second");
    // The checkout's configuration is that of the second commit.
    assert_eq!(fact(&project, "HEAD~1", Flavour::Native, "configured"), "true");
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "configured"), "false");
    // Now that of the first, after a build of the second.
    project.configure("configured");
    fs::remove_dir_all(project.builds()).unwrap();
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "configured"), "false");
}

#[test]
fn a_generic_build_has_no_flags_of_any_configuration() {
    let project = Project::new();
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "configured"), "true");
    assert_eq!(fact(&project, "HEAD", Flavour::Generic, "configured"), "false");
    let commit = project.git(&["rev-parse", "HEAD"]);
    assert!(project.builds().join(format!("{commit}-generic/nibble-bench")).is_file());
}

#[test]
fn a_broken_revision_gives_the_compilers_words() {
    let project = Project::new();
    project.write("harness/cli/src/answer.rs", "pub(crate) const ANSWER: &str = 1;\n");
    project.commit();
    let error = built(&project, "HEAD", Flavour::Native).0.unwrap_err();
    let BuildError::Failed { words, .. } = &error else { panic!("{error}") };
    assert!(words.starts_with("error[E0308]: mismatched types"), "{words}");
    assert!(words.contains("harness/cli/src/answer.rs:1"), "{words}");
    assert_eq!(fact(&project, "HEAD~1", Flavour::Native, "answer"), "first");
}

#[test]
fn what_is_too_old_to_answer_is_built_once() {
    let project = Project::new();
    project.write("harness/cli/src/main.rs", TOO_OLD);
    project.commit();
    for is_first in [true, false] {
        let (program, said) = built(&project, "HEAD", Flavour::Native);
        let error = program.unwrap_err();
        assert!(matches!(error, BuildError::Answer(AskError::TooOld { .. })), "{error}");
        assert_eq!(is_compiled(&said), is_first, "{said:?}");
    }
}

#[test]
fn what_a_killed_process_left_is_in_nobodys_way() {
    let project = Project::new();
    let repository = Repository::around(project.root()).unwrap();
    let commit = repository.commit("HEAD").unwrap();
    let mut place = None;
    let mut look = |_: &str| place = place.take().or_else(|| project.worktrees().pop());
    build(&repository, &commit, &project.builds(), Flavour::Native, &mut look).unwrap();
    let place = PathBuf::from(place.expect("it stood somewhere"));
    assert!(!place.exists() && !place.starts_with(project.root()), "{}", place.display());
    project.commit_answer("second");
    // First with its damaged files, then without them.
    for revision in ["HEAD", "HEAD~1"] {
        let text = place.to_str().unwrap();
        project.git(&["worktree", "add", "--force", "--detach", text, "HEAD"]);
        fs::write(place.join("harness/cli/src/answer.rs"), "not Rust").unwrap();
        if revision == "HEAD~1" {
            fs::remove_dir_all(&place).unwrap();
        }
        let _ = fs::remove_dir_all(project.builds());
        let expected = if revision == "HEAD" { "second" } else { "first" };
        assert_eq!(fact(&project, revision, Flavour::Native, "answer"), expected);
    }
}

#[test]
fn a_panic_leaves_no_worktree() {
    let project = Project::new();
    let repository = Repository::around(project.root()).unwrap();
    let commit = repository.commit("HEAD").unwrap();
    let mut seen = 0;
    let mut progress = |line: &str| {
        if line.starts_with("Compiling") {
            seen = project.worktrees().len();
            panic!("stopped by a test");
        }
    };
    let ended = catch_unwind(AssertUnwindSafe(|| {
        build(&repository, &commit, &project.builds(), Flavour::Native, &mut progress)
    }));
    assert!(ended.is_err() && seen == 1, "{seen} worktrees while it was built");
    assert_eq!(project.worktrees(), [""; 0]);
    assert_eq!(fact(&project, "HEAD", Flavour::Native, "answer"), "first");
}

#[test]
fn of_two_that_build_at_once_one_waits_and_finds_it() {
    let project = Project::new();
    let outcomes = std::thread::scope(|scope| {
        let threads = [1, 2].map(|_| {
            scope.spawn(|| {
                let repository = Repository::around(project.root()).unwrap();
                let commit = repository.commit("HEAD").unwrap();
                let mut said = Vec::new();
                let progress = &mut |line: &str| said.push(line.to_owned());
                build(&repository, &commit, &project.builds(), Flavour::Native, progress).unwrap();
                said
            })
        });
        threads.map(|thread| thread.join().unwrap())
    });
    let compiled = outcomes.iter().filter(|said| is_compiled(said)).count();
    assert_eq!(compiled, 1, "{outcomes:?}");
}
