//! How git is called: about one folder, undisturbed by what called us.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Variables with which a hook or an alias of git points at its own repository.
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
        // Asks nobody for a password.
        .env("GIT_TERMINAL_PROMPT", "0")
        .arg("-C")
        .arg(folder)
        // A checkout of ours is nothing that the user's hooks should hear of.
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
}

/// What a program said that failed, in one line.
pub(crate) fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
