//! Where servers' sockets and logs are, and how they were called.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::Folder;

/// The longest path of a folder: a socket's path has at most 107 bytes.
const PATH_BYTES_MAX: usize = 90;

/// A folder for servers' sockets and logs.
///
/// # Errors
/// What the system says.
pub fn private_folder(prefix: &str) -> io::Result<Folder> {
    /// Digits of a process and of a number, and what is between them.
    const NUMBERS_BYTES: usize = 20;
    let mut parent = std::env::temp_dir();
    if parent.as_os_str().len() + prefix.len() + NUMBERS_BYTES > PATH_BYTES_MAX {
        parent = "/tmp".into();
    }
    Folder::create(&parent, prefix)
}

/// Makes what `command` starts read nothing, and write all that it says into the new file `log`.
///
/// # Errors
/// If the log cannot be created.
pub fn log_into(command: &mut Command, log: &Path) -> io::Result<()> {
    let log = File::create(log)?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(())
}

/// The last component of a path, or the whole path if it has none.
#[must_use]
pub fn file_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or(path.as_os_str())
}

/// A command as typed in a shell. Rows are read on other machines, where the program's path means
/// nothing.
#[must_use]
pub fn printed(command: &Command) -> String {
    let program = file_name(Path::new(command.get_program()));
    let words = std::iter::once(program).chain(command.get_args());
    let words = words.map(|word| match word.to_string_lossy() {
        word if word.is_empty() => "\"\"".to_owned(),
        word => word.into_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}
