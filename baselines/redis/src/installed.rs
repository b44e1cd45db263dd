//! Finds servers and allocators on this machine.

use std::path::{Path, PathBuf};

use engine::OpenError;
use kit::servers::installed::{find, folders_of, named};

use crate::config::Config;
use crate::hiredis;
use crate::kinds::{Preload, Server};

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
    match &config.program {
        Some(file) => named(file, "the setting `program`"),
        None => program_of(config.server),
    }
}

/// The program of a kind of server: named by its variable, in the project's own folder, or in a
/// folder of `PATH`.
fn program_of(server: Server) -> Result<PathBuf, OpenError> {
    let variable = server.variable();
    let given = variable.and_then(|name| Some((name, std::env::var_os(name)?)));
    if let Some((name, file)) = given {
        return named(Path::new(&file), name);
    }
    let mut folders = if server.is_in_path() { folders_of("PATH") } else { Vec::new() };
    folders.extend(server.own_folder().map(PathBuf::from));
    find(server.program(), &folders).ok_or_else(|| OpenError::Missing {
        what: format!("the program {} (server={server})", server.program()),
        remedy: match variable {
            None => "scripts/setup installs the Debian package redis-server".to_owned(),
            Some(name) => format!("scripts/setup unpacks it; {name} may name another one"),
        },
    })
}

/// The shared library of an allocator.
pub(crate) fn library(preload: Preload) -> Result<PathBuf, OpenError> {
    let (name, package) = preload.library();
    let mut folders = folders_of("LD_LIBRARY_PATH");
    folders.extend(LIBRARY_FOLDERS.map(PathBuf::from));
    find(name, &folders).ok_or_else(|| OpenError::Missing {
        what: format!("the library {name} (preload={preload})"),
        remedy: format!(
            "scripts/setup installs the Debian package {package}; or put the library's folder \
             into LD_LIBRARY_PATH"
        ),
    })
}

/// What this machine lacks of all that some setting needs.
pub(crate) fn lacking() -> Vec<OpenError> {
    let client = hiredis::loaded().err();
    let servers = Server::ALL.into_iter().filter_map(|server| program_of(server).err());
    let allocators = Preload::ALL.into_iter().filter_map(|preload| library(preload).err());
    client.into_iter().chain(servers).chain(allocators).collect()
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
    fn what_is_lacking_is_what_opening_would_miss() {
        let lacking = lacking();
        for server in Server::ALL {
            let error = program_of(server).err();
            assert!(error.is_none_or(|error| lacking.contains(&error)), "{server}: {lacking:?}");
        }
        assert!(lacking.iter().all(|error| matches!(error, OpenError::Missing { .. })));
    }
}
