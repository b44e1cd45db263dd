//! `scripts/gate` turns exit codes into annotations, and the workflow that calls it finds the
//! comments that are rendered here.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program in place of `nibble-bench` that says what it was asked and exits as it was told.
fn fake_program() -> PathBuf {
    let path = crate::tests::scratch("nibble-bench");
    fs::write(&path, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit \"$FAKE_EXIT_CODE\"\n")
        .expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may be executed");
    path
}

/// Runs the script, within GitHub's CI or another.
fn gate(program: &Path, code: i32, github: bool) -> Output {
    Command::new(root().join("scripts/gate"))
        .args(["--baseline", "a branch", "--budget", "8m"])
        .env("NIBBLE_BENCH", program)
        .env("FAKE_EXIT_CODE", code.to_string())
        .env("GITHUB_ACTIONS", if github { "true" } else { "" })
        .output()
        .expect("scripts/gate runs")
}

#[test]
fn exit_codes_become_annotations() {
    let program = fake_program();
    for (code, exit, kind, said) in [
        (0, 0, "", ""),
        (6, 6, "error", "regression"),
        (7, 0, "warning", "inconclusive"),
        (8, 8, "error", "not comparable"),
        (4, 4, "error", "exit code 4"),
        (101, 101, "error", "exit code 101"),
    ] {
        for github in [true, false] {
            let output = gate(&program, code, github);
            let stdout = String::from_utf8(output.stdout).expect("text");
            let stderr = String::from_utf8(output.stderr).expect("text");
            assert_eq!(output.status.code(), Some(exit), "of {code}: {stderr}");
            let asked = "<gate><--baseline><a branch><--budget><8m>";
            let annotation = stdout.strip_prefix(asked).expect("options are passed on");
            let (wanted, told, silent) = if github {
                (format!("::{kind} title=nibble-bench gate::"), annotation, stderr.as_str())
            } else {
                (format!("gate: {kind}: "), stderr.as_str(), annotation)
            };
            assert_eq!(silent, "", "of {code}");
            if kind.is_empty() {
                assert_eq!(told, "");
            } else {
                let message = told.strip_prefix(&wanted).expect(told);
                assert!(message.contains(said), "of {code}: {message}");
            }
        }
    }
}

#[test]
fn the_workflow_looks_for_the_marker_of_comments() {
    let workflow = fs::read_to_string(root().join(".github/workflows/gate.yml")).expect("a file");
    let marker = format!("\n          MARKER: {}\n", crate::render::MARKER);
    assert!(workflow.contains(&marker), "{marker} in the workflow");
}
