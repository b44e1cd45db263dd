//! Calls git in one folder, independent of the caller's environment.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Variables by which git's hooks and aliases point to their own repository.
pub(crate) const OF_ONE_REPOSITORY: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"];

/// Runs git in `folder` and waits for it.
pub(crate) fn git<'a>(
    folder: &Path,
    arguments: impl IntoIterator<Item = &'a str>,
) -> io::Result<Output> {
    let mut command = Command::new("git");
    for variable in OF_ONE_REPOSITORY {
        command.env_remove(variable);
    }
    command
        .env("LC_ALL", "C")
        // Never asks for a password.
        .env("GIT_TERMINAL_PROMPT", "0")
        .arg("-C")
        .arg(folder)
        // The user's hooks must not run for our checkouts.
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
}

/// A failed program's message, in one line.
pub(crate) fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
