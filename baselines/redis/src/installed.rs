//! Finds programs and libraries on this machine.

use std::path::{Path, PathBuf};

use engine::OpenError;

use crate::config::{Config, Preload, Server};

/// The project's own folder with the Valkey that `scripts/setup` unpacks.
const VALKEY_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.valkey");

/// The variable that names a `valkey-server` to use before all others.
const VALKEY_VARIABLE: &str = "NIBBLE_VALKEY";

/// Folders of shared libraries, in addition to those of `LD_LIBRARY_PATH`.
const LIBRARY_FOLDERS: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/lib",
    "/usr/lib64",
    "/usr/lib",
    "/lib",
];

/// The program that `config` requires.
pub(crate) fn program(config: &Config) -> Result<PathBuf, OpenError> {
    if let Some(named) = &config.program {
        return named_program(named, "the setting `program`");
    }
    let name = config.server.program();
    let mut folders = folders_of("PATH");
    let remedy = match config.server {
        Server::Redis => "scripts/setup installs the Debian package redis-server".to_owned(),
        Server::Valkey => {
            if let Some(named) = std::env::var_os(VALKEY_VARIABLE) {
                return named_program(Path::new(&named), VALKEY_VARIABLE);
            }
            folders.push(VALKEY_FOLDER.into());
            format!("scripts/setup unpacks it; {VALKEY_VARIABLE} may name another one")
        }
    };
    find(name, &folders)
        .ok_or_else(|| OpenError::Missing { what: format!("the program {name}"), remedy })
}

fn named_program(file: &Path, whence: &str) -> Result<PathBuf, OpenError> {
    if file.is_file() {
        return Ok(file.to_owned());
    }
    Err(OpenError::Missing {
        what: format!("the program {}", file.display()),
        remedy: format!("{whence} names it: name an existing one, or none"),
    })
}

/// The shared library of an allocator.
pub(crate) fn library(preload: Preload) -> Result<PathBuf, OpenError> {
    let (name, package) = preload.library();
    let mut folders = folders_of("LD_LIBRARY_PATH");
    folders.extend(LIBRARY_FOLDERS.map(PathBuf::from));
    find(name, &folders).ok_or_else(|| OpenError::Missing {
        what: format!("the library {name}"),
        remedy: format!(
            "install the Debian package {package}, or put its folder into LD_LIBRARY_PATH"
        ),
    })
}

fn folders_of(variable: &str) -> Vec<PathBuf> {
    let value = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&value).filter(|folder| folder.is_absolute()).collect()
}

fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_named_and_not_there_is_missing() {
        let program = Some("/nonexistent/redis-server".into());
        let error = super::program(&Config { program, ..Config::default() }).unwrap_err();
        assert!(matches!(error, OpenError::Missing { .. }));
        let message = error.to_string();
        assert!(message.starts_with("the program /nonexistent/redis-server is missing: "));
    }

    #[test]
    fn files_are_found_in_the_first_folder_that_has_them() {
        let folders = ["/nonexistent", "/usr/bin", "/bin"].map(PathBuf::from);
        assert_eq!(find("env", &folders), Some("/usr/bin/env".into()));
        assert_eq!(find("no such program", &folders), None);
    }
}
