//! A newcomer's store costs a folder and a line: in a copy of the checkout, the store in
//! `tests/toy/` and one line in `harness/worker/Cargo.toml` are all it takes for it to be listed, held to
//! the conformance suite and measured.
//!
//! The copy finds compiled what did not change: cargo names what it builds by paths within the
//! workspace and looks at modification times, which the copy keeps. After
//! `cargo test --workspace`, whose choice of features is used again, the harness and the newcomer
//! are all that is built. The harness is not optimised there, which halves what is left.

#[path = "../../../worker/build/stores.rs"]
mod stores;
#[allow(unreachable_pub, reason = "in its own crate it is reached")]
#[path = "../toy/src/lib.rs"]
mod toy;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{errors, only_folder, read, requests_to, root, scratch, told};
use engine::{OpenStore, Setup};
use record::Outcome;

/// The line, and the comment of the section that it belongs to.
const LINE: &str = "baseline-toy = { path = \"../../baselines/toy\" }";
const SECTION: &str = "# Stores that register themselves";

engine::conformance_tests!(conformance, toy::Toy, |object_memory_bytes| {
    toy::Toy::open_for(&Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: object_memory_bytes,
        records_max: object_memory_bytes / 8,
        value_bytes_max: 1 << 20,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap: None,
    })
});

#[test]
#[ignore = "builds the program again: scripts/newcomer"]
fn a_store_is_a_folder_and_a_line() {
    let Some(files) = files_of_the_checkout() else {
        eprintln!("skipped: git knows no checkout here, so nothing says which files belong to it");
        return;
    };
    let copy = scratch("newcomer");
    for file in &files {
        copy_file(&root().join(file), &copy.join(file));
    }
    let template = root().join("harness/cli/tests/toy");
    for file in files_below(&template) {
        copy_file(&template.join(&file), &copy.join("baselines/toy").join(&file));
    }
    let manifest = with_the_line(&read("harness/worker/Cargo.toml"));
    fs::write(copy.join("harness/worker/Cargo.toml"), manifest).expect("the manifest is written");

    let profile = profile_folder();
    let built = copy.join("target").join(profile.file_name().expect("a profile"));
    lend(&profile, &built);
    let output = build(&copy, &profile);
    assert!(output.status.success(), "{}", errors(&output));
    eprintln!("built: {}", compiled(&errors(&output)).join(", "));

    assert_eq!(
        differences(&files, &copy),
        ["Cargo.lock", "baselines/toy", "harness/worker/Cargo.toml"]
    );
    let program = built.join("nibble-bench");
    let listed = output_of(Command::new(&program).args(["list", "engines"]));
    assert!(listed.lines().any(|line| line.starts_with("toy  ")), "{listed}");
    assert_is_held_to_the_suite(&copy, &built);
    assert_is_measured(&program, &copy);
    // What is left says nothing that is not said above, and is large.
    fs::remove_dir_all(&copy).expect("the copy goes");
}

/// The list that the build script wrote has it among those that stand the conformance tests.
fn assert_is_held_to_the_suite(copy: &Path, built: &Path) {
    let toy = stores::Store {
        module: "toy".to_owned(),
        path: "baseline_toy::Toy".to_owned(),
        of_bytes: false,
        is_tested: false,
    };
    let (registered, _) =
        stores::registered(&copy.join("harness/worker")).expect("the manifests are sound");
    assert!(registered.contains(&toy), "{registered:?}");
    let source = stores::source(&registered);
    assert!(source.contains("(keeps toy baseline_toy::Toy, "), "{source}");
    let written = files_below(&built.join("build")).into_iter().any(|file| {
        file.ends_with("out/stores.rs")
            && fs::read_to_string(built.join("build").join(file)).is_ok_and(|text| text == source)
    });
    assert!(written, "the build script wrote another list than {source}");
}

/// One of its cells runs to its end.
fn assert_is_measured(program: &Path, copy: &Path) {
    let suite = copy.join("target/suite.toml");
    let text = requests_to(
        "toy",
        "workloads = [\"get-50\"]\nvalue-bytes = [100]\nfill-percent = [5]\nthreads = [1]",
    );
    fs::write(&suite, text).expect("the suite is written");
    let results = copy.join("target/results");
    let mut command = Command::new(program);
    command.arg("run").arg(&suite).args(["--scale", "smoke", "--quiet", "--results"]);
    output_of(command.arg(&results));
    let run = only_folder(&results).expect("a run");
    let (_, rows) = record::archive::load(&run).expect("the run loads");
    assert!(rows.iter().any(|row| row.step == "verify"), "{rows:?}");
    for row in rows {
        assert_eq!((row.system.as_str(), row.outcome), ("toy", Outcome::Measured), "{row:?}");
    }
}

/// What makes up the checkout, by paths from its root; what git ignores does not.
fn files_of_the_checkout() -> Option<Vec<PathBuf>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(list).current_dir(root()).output().ok()?;
    let text = told(&output);
    let files = text.split('\0').filter(|file| !file.is_empty()).map(PathBuf::from);
    // Results of measurements are no part of a build; deleted files are listed until they are
    // committed.
    let files: Vec<PathBuf> =
        files.filter(|file| !file.starts_with("results") && root().join(file).is_file()).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

/// Copies with the time of the last change, by which cargo knows what is fresh.
fn copy_file(from: &Path, to: &Path) {
    let copied = || -> std::io::Result<()> {
        fs::create_dir_all(to.parent().expect("a file is in a folder"))?;
        fs::copy(from, to)?;
        File::options().append(true).open(to)?.set_modified(fs::metadata(from)?.modified()?)
    };
    copied().unwrap_or_else(|error| panic!("{} to {}: {error}", from.display(), to.display()));
}

/// Every file below `folder`, by its path from there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                walk(root, &path, files);
            } else {
                files.push(path.strip_prefix(root).expect("it is below").to_owned());
            }
        }
    }
    let mut files = Vec::new();
    walk(folder, folder, &mut files);
    files
}

/// The manifest with the line at the end of the section's comment.
fn with_the_line(manifest: &str) -> String {
    let mut lines: Vec<&str> = manifest.lines().collect();
    let section = lines.iter().position(|line| line.starts_with(SECTION)).expect("the section");
    let comment = lines[section..].iter().take_while(|line| line.starts_with('#')).count();
    lines.insert(section + comment, LINE);
    lines.join("\n") + "\n"
}

/// Where cargo put what belongs to this test: `target/debug`, as a rule.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("this program has a path");
    test.ancestors().nth(2).expect("it is in deps/").to_owned()
}

/// Gives `built` all that is compiled in `profile`: links to what is replaced when it is compiled
/// again, copies of what would be written over.
fn lend(profile: &Path, built: &Path) {
    let is_library = |file: &Path| {
        file.extension().is_some_and(|kind| ["rlib", "rmeta", "so"].iter().any(|it| kind == *it))
    };
    // Of our own build scripts two run again: the worker's reads the line, the harness's records the
    // revision.
    let runs_again = |file: &Path| {
        let name = file.to_string_lossy();
        name.starts_with("worker-") || name.starts_with("harness-")
    };
    let is_lasting =
        |file: &Path| !runs_again(file) && file.iter().nth(1).is_some_and(|part| part == "out");
    for folder in ["deps", "build", ".fingerprint"] {
        for file in files_below(&profile.join(folder)) {
            let (from, to) = (profile.join(folder).join(&file), built.join(folder).join(&file));
            match folder {
                "deps" if !is_library(&file) => {}
                "deps" => link_file(&from, &to),
                "build" if is_lasting(&file) => link_file(&from, &to),
                _ => copy_file(&from, &to),
            }
        }
    }
}

fn link_file(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("a folder");
    fs::hard_link(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}

/// Builds the program in the copy, with the profile and the features of the test that we are.
fn build(copy: &Path, profile: &Path) -> Output {
    let folder = profile.file_name().expect("a profile").to_string_lossy();
    let profile = if folder == "debug" { "dev" } else { &*folder };
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--offline", "--workspace", "--profile", profile])
        // An example is asked for as well: tests and examples decide about features of dependencies.
        .args(["--bin", "nibble-bench", "--example", "hello"]);
    for package in ["harness", "worker"] {
        let setting = |what: &str| format!("profile.{profile}.package.{package}.{what}=0");
        command.args(["--config", &setting("opt-level"), "--config", &setting("debug")]);
    }
    command
        .arg("--target-dir")
        .arg(copy.join("target"))
        .current_dir(copy)
        // The checkout around the copy is not its own.
        .env("GIT_CEILING_DIRECTORIES", copy.parent().expect("it is in a folder"));
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.output().expect("cargo starts")
}

/// What cargo says it compiled.
fn compiled(said: &str) -> Vec<&str> {
    let lines = said.lines().filter_map(|line| line.trim().strip_prefix("Compiling "));
    lines.filter_map(|line| line.split(' ').next()).collect()
}

/// Files and the newcomer's folder by which the copy differs; each file has the lines of the
/// checkout and others that are about the newcomer.
fn differences(files: &[PathBuf], copy: &Path) -> Vec<String> {
    let mut different = BTreeSet::new();
    for file in files_below(copy) {
        let name = file.to_string_lossy().into_owned();
        if file.starts_with("target") {
            continue;
        }
        if file.starts_with("baselines/toy") {
            different.insert("baselines/toy".to_owned());
        } else if !files.contains(&file) {
            different.insert(name);
        } else if fs::read(copy.join(&file)).ok() != fs::read(root().join(&file)).ok() {
            assert_only_the_newcomer_is_new(&name, copy);
            different.insert(name);
        }
    }
    different.into_iter().collect()
}

/// One line in the harness's manifest; in `Cargo.lock`, which cargo writes, the package and who
/// depends on it.
fn assert_only_the_newcomer_is_new(name: &str, copy: &Path) {
    let before = read(name);
    let after = fs::read_to_string(copy.join(name)).expect("a text");
    let mut old = before.lines().peekable();
    let new: Vec<&str> =
        after.lines().filter(|line| old.next_if_eq(line).is_none()).map(str::trim).collect();
    assert_eq!(old.next(), None, "{name} lost a line");
    let expected: &[&str] = match name {
        "Cargo.lock" => &[
            "name = \"baseline-toy\"",
            "version = \"0.1.0\"",
            "dependencies = [",
            "\"engine\",",
            "]",
            "",
            "[[package]]",
            "\"baseline-toy\",",
        ],
        _ => &[LINE],
    };
    assert_eq!(new, expected, "{name}");
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{command:?}: {}", errors(&output));
    told(&output)
}

/// What is wrong with a crate that wants to register stores is said with the file and the remedy.
/// A crate that says so has tests that run the suite for each of its types.
#[test]
fn whose_crate_runs_the_suite_is_tested_there() {
    let (registered, _) =
        stores::registered(&root().join("harness/worker")).expect("sound manifests");
    let mut looked_at = 0;
    for store in registered.iter().filter(|store| store.is_tested) {
        let (library, name) = store.path.split_once("::").expect("a path");
        let folder = library.strip_prefix("baseline_").expect("a baseline").to_owned();
        let tests = [format!("baselines/{folder}/src/tests"), "baselines/tests/src".to_owned()];
        let folders =
            tests.iter().map(|folder| root().join(folder)).filter(|folder| folder.is_dir());
        let files = folders
            .flat_map(|folder| files_below(&folder).into_iter().map(move |file| folder.join(file)));
        let runs = files.filter_map(|file| fs::read_to_string(file).ok()).any(|text| {
            let is_of_it = |line: &str| line.contains("conformance_tests!(") && line.contains(name);
            text.lines().any(is_of_it)
        });
        assert!(
            runs,
            "{} says that its own tests run the conformance suite: none does",
            store.path
        );
        looked_at += 1;
    }
    assert!(looked_at > 10, "{looked_at}");
}

#[test]
fn wrong_registrations_say_what_to_write() {
    let folder = scratch("wrong-registrations");
    let harness = folder.join("harness/worker");
    let write = |file: &str, text: &str| {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a manifest");
    };
    let of = |line: &str, metadata: &str| {
        write(
            "harness/worker/Cargo.toml",
            &format!("[dependencies]\nengine.workspace = true\n{line}\n"),
        );
        write(
            "baselines/toy/Cargo.toml",
            &format!("[package]\nname = \"baseline-toy\"\n{metadata}"),
        );
        stores::registered(&harness)
    };
    let table = "[package.metadata.nibble-bench]\n";
    assert_eq!(of("", ""), Ok((Vec::new(), Vec::new())), "other dependencies are left alone");
    let sound = of(LINE, &format!("{table}stores = [\"Toy\", \"ToyMap\"]"));
    let (several, manifests) = sound.expect("it is sound");
    let read: Vec<PathBuf> =
        manifests.iter().map(|file| fs::canonicalize(file).expect("it was read")).collect();
    assert_eq!(read, [fs::canonicalize(folder.join("baselines/toy/Cargo.toml")).unwrap()]);
    let modules: Vec<&str> = several.iter().map(|store| store.module.as_str()).collect();
    assert_eq!(modules, ["toy_toy", "toy_toymap"]);
    for (metadata, expected) in [
        ("", "it does not say which stores it registers"),
        (&*format!("{table}store = [\"Toy\"]"), "has an unknown key `store`"),
        (&*format!("{table}stores = \"Toy\""), "`stores` is no list of names"),
        (
            &*format!("{table}stores = [\"Toy\"]\nconformance = \"ours\""),
            "`conformance` is \"ours\"",
        ),
        (&*format!("{table}stores = []"), "`stores` is no list of names"),
        (&*format!("{table}stores = [\"Toy<Big>\"]"), "`Toy<Big>` is no name of a type"),
        ("[package", "baselines/toy/Cargo.toml: TOML parse error"),
    ] {
        let error = of(LINE, metadata).expect_err(metadata);
        assert!(error.contains("toy/Cargo.toml") && error.contains(expected), "{error}");
    }
    let error = of("toys = { path = \"../../baselines/toys\" }", "").expect_err("no folder");
    assert!(error.contains("baselines/toys/Cargo.toml: No such file"), "{error}");
}
