//! `completions`: what completes commands and options in a shell.

use clap_complete::{Shell, generate};

use crate::cli;

/// Prints the script of a shell.
pub(super) fn run(shell: Shell) {
    let mut command = cli::command();
    let name = command.get_name().to_owned();
    // In memory first: a reader that leaves early is told by `print!`, as of any other output.
    let mut script = Vec::new();
    generate(shell, &mut command, name, &mut script);
    print!("{}", String::from_utf8_lossy(&script));
}
