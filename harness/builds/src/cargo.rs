//! Calls cargo: a release build of one program, with the revision's own settings only.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::spawn;

use serde::Deserialize;

use crate::child::Owned;
use crate::flavour::{Flavour, GENERIC_FLAGS, PROGRAM};
use crate::git::OF_ONE_REPOSITORY;
use crate::repository::PACKAGE;
use crate::words::Words;
use crate::{BuildError, Commit};

/// Variables that change the result of a build, or belong to the build that we are part of.
const REMOVED: [&str; 12] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_BOOTSTRAP",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CARGO",
];
/// Prefixes of further ones: `CARGO_BUILD_RUSTFLAGS`, `CARGO_TARGET_DIR`, `CFLAGS_x86_64…`.
const REMOVED_PREFIXES: [&str; 11] = [
    "CARGO_BUILD_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CARGO_UNSTABLE_",
    "CARGO_CFG_",
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CFLAGS_",
    "CXXFLAGS_",
    "TARGET_CFLAGS",
    "TARGET_CXXFLAGS",
];
/// Limits the number of parallel compilers, and does not affect their output.
const JOBS: &str = "CARGO_BUILD_JOBS";
/// Flags that take precedence over all configurations; separated by a character that no flag contains.
const FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";
const SEPARATOR: &str = "\x1f";

/// A compiler or cargo command without anything from our environment that would make builds differ.
pub(crate) fn clean(program: impl AsRef<OsStr>, flavour: Flavour) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if is_removed(&name) {
            command.env_remove(name);
        }
    }
    if flavour == Flavour::Generic {
        command.env(FLAGS, GENERIC_FLAGS.join(SEPARATOR));
    }
    command
}

fn is_removed(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name != JOBS
        && (REMOVED.contains(&&*name)
            || OF_ONE_REPOSITORY.contains(&&*name)
            || REMOVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// Builds the program of the workspace in `worktree`, with the target folder `target`.
pub(crate) fn build(
    worktree: &Path,
    commit: &Commit,
    target: &Path,
    flavour: Flavour,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, BuildError> {
    let spawned = clean("cargo", flavour)
        .current_dir(worktree)
        .args(["build", "--release", "--locked", "--color", "never"])
        .args(["--package", PACKAGE, "--bin", PROGRAM])
        .args(["--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(target)
        .env("CARGO_TERM_PROGRESS_WHEN", "never")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = Owned(spawned.map_err(BuildError::starting("cargo"))?);
    let stdout = child.0.stdout.take().expect("a pipe");
    let program = spawn(move || program_in(stdout));
    let mut words = Words::default();
    let mut stderr = BufReader::new(child.0.stderr.take().expect("a pipe"));
    let mut line = Vec::new();
    let heard = BuildError::system("hear cargo in", worktree);
    let status = loop {
        line.clear();
        match stderr.read_until(b'\n', &mut line) {
            Ok(0) => break child.0.wait().map_err(heard)?,
            Ok(_) => {}
            Err(error) => return Err(heard(error)),
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        words.push(text);
        if !text.is_empty() {
            progress(text.trim_start());
        }
    };
    let program = program.join().expect("a reader that does not panic");
    if !status.success() {
        return Err(BuildError::Failed { commit: commit.clone(), words: words.text() });
    }
    program.ok_or_else(|| BuildError::NoProgram { commit: commit.clone() })
}

/// A line of cargo's messages about its results.
#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    executable: Option<PathBuf>,
}

/// Path of the program in cargo's messages; settings can put it in several places.
fn program_in(stdout: impl Read) -> Option<PathBuf> {
    let lines = BufReader::new(stdout).split(b'\n').map_while(Result::ok);
    let messages = lines.filter_map(|line| serde_json::from_slice::<Message>(&line).ok());
    let programs = messages.filter_map(|message| message.executable);
    programs.filter(|path| path.file_stem() == Some(OsStr::new(PROGRAM))).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_change_a_build_is_removed_and_what_it_needs_is_kept() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
            "CXXFLAGS_x86_64_unknown_linux_gnu",
            "TARGET_CFLAGS",
            "GIT_DIR",
        ] {
            assert!(is_removed(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "RUSTUP_HOME", JOBS, "CC"] {
            assert!(!is_removed(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let said = r#"{"reason":"compiler-artifact","executable":null}
{"reason":"compiler-artifact","executable":"/t/release/build/x/build-script-build"}
{"reason":"compiler-artifact","executable":"/t/x86_64/release/nibble-bench"}
not JSON
{"reason":"build-finished","success":true}
"#;
        assert_eq!(program_in(said.as_bytes()), Some("/t/x86_64/release/nibble-bench".into()));
        assert_eq!(program_in(&b"{\"reason\":\"build-finished\"}"[..]), None);
    }
}
