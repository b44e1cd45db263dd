//! What the tests share: opening servers where they are installed, and looking at processes.

use std::fs;

use baseline_redis::{Config, RedisServers, Server};
use engine::OpenError;
use kit::testing::setting;

/// Opens the servers; `None` where this machine lacks them, which is said and is no failure.
pub(crate) fn opened(config: Config) -> Option<RedisServers> {
    match RedisServers::open(config) {
        Ok(store) => Some(store),
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn redis(servers: usize) -> Option<RedisServers> {
    opened(Config { servers, ..Config::default() })
}

pub(crate) fn valkey(config: Config) -> Option<RedisServers> {
    opened(Config { server: Server::Valkey, ..config })
}

/// Whether process `pid` runs: neither gone nor waiting to be reaped.
pub(crate) fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Sends SIGKILL.
pub(crate) fn kill(pid: u32) {
    platform::process::kill(pid);
}

/// The folder of a store's sockets and logs.
pub(crate) fn folder(store: &RedisServers) -> std::path::PathBuf {
    let line = setting(store, "command-line");
    let mut words = line.split(' ').skip_while(|word| *word != "--dir");
    words.nth(1).expect("a folder after --dir").into()
}
