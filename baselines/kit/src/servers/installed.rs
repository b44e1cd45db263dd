//! Finds programs and files on this machine.

use std::path::{Path, PathBuf};

use engine::OpenError;

/// The absolute folders that a variable such as `PATH` lists.
#[must_use]
pub fn folders_of(variable: &str) -> Vec<PathBuf> {
    let value = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&value).filter(|folder| folder.is_absolute()).collect()
}

/// The file `name` in the first folder that has one.
#[must_use]
pub fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A program that `whence` names.
///
/// # Errors
/// [`OpenError::Missing`] if it is not there.
pub fn named(file: &Path, whence: &str) -> Result<PathBuf, OpenError> {
    if file.is_file() {
        return Ok(file.to_owned());
    }
    Err(OpenError::Missing {
        what: format!("the program {}", file.display()),
        remedy: format!("{whence} names it: name an existing one, or none"),
    })
}
