//! Finds the server and writes its command line.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::OpenError;
use kit::servers::installed::{find, folders_of, named};
use kit::servers::log_into;

use crate::config::Config;

/// The program's name.
pub(crate) const NAME: &str = "memcached";

/// The program that `config` requires.
pub(crate) fn program(config: &Config) -> Result<PathBuf, OpenError> {
    match &config.program {
        Some(file) => named(file, "the setting `program`"),
        None => installed(),
    }
}

/// The program in a folder of `PATH`.
pub(crate) fn installed() -> Result<PathBuf, OpenError> {
    find(NAME, &folders_of("PATH")).ok_or_else(|| OpenError::Missing {
        what: format!("the program {NAME}"),
        remedy: format!("scripts/setup installs the Debian package {NAME}"),
    })
}

/// Where the server listens.
pub(crate) fn socket(folder: &Path) -> PathBuf {
    folder.join("socket")
}

/// Where its words go.
pub(crate) fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// The command that starts the server.
///
/// # Errors
/// If its log cannot be created.
pub(crate) fn command(config: &Config, program: &Path, folder: &Path) -> io::Result<Command> {
    let mut command = Command::new(program);
    command.arg("-s").arg(socket(folder)).args(["-a", "0700"]);
    // Without a name root is refused; of other users it changes nothing.
    command.args(["-u", "root"]);
    command.args(["-m", &config.limit_mib().to_string()]);
    command.args(["-t", &config.workers.to_string()]);
    let automove = u8::from(config.slab_automove);
    command.args(["-o", &format!("slab_reassign,slab_automove={automove}")]);
    log_into(&mut command, &log(folder))?;
    Ok(command)
}
