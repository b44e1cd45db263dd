//! How a server starts and ends: what is said when it does not start or dies, and what it leaves.

use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::common::opened;
use baseline_memcached::{Config, Memcached};
use engine::{KvEngine, KvSession, OpenError, SessionError};
use kit::testing::setting;

/// Sends the signal of this name.
fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(status.expect("kill").success());
}

/// The folder of a store's socket and log.
fn folder(store: &Memcached) -> PathBuf {
    let line = setting(store, "command-line");
    let mut words = line.split(' ').skip_while(|word| *word != "-s");
    let socket = PathBuf::from(words.nth(1).expect("a socket after -s"));
    socket.parent().expect("a folder").to_owned()
}

fn is_there(pid: u32) -> bool {
    PathBuf::from(format!("/proc/{pid}")).exists()
}

#[test]
fn a_killed_server_ends_the_operation_with_its_fate() {
    let Some(store) = opened(Config::default()) else { return };
    let mut session = store.session().unwrap();
    session.put(1, b"value").unwrap();
    let victim = store.server_pid();
    signal(victim, "KILL");
    let get = || _ = session.get(1, &mut [0; 5]);
    let payload = catch_unwind(AssertUnwindSafe(get)).expect_err("it panics");
    let message = payload.downcast_ref::<String>().expect("a message");
    let fate = format!("memcached (process {victim}) ended (signal: 9 (SIGKILL))");
    assert!(message.starts_with(&fate), "{message}");
    assert!(matches!(store.session(), Err(SessionError::Unreachable { .. })));
    assert!(store.check().unwrap_err().starts_with(&fate));
}

#[test]
fn a_dropped_store_leaves_neither_server_nor_files() {
    let Some(store) = opened(Config::default()) else { return };
    let (folder, pid) = (folder(&store), store.server_pid());
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(folder.join("socket").exists() && is_there(pid));
    drop(store);
    assert!(!is_there(pid) && !folder.exists());
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let program = |path: &str| Config { program: Some(path.into()), ..Config::default() };
    let error = Memcached::open(program("/bin/false")).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, OpenError::Unusable { .. }), "{message}");
    let expected = "memcached does not work: it ended at its start (exit status: 1)";
    assert!(message.starts_with(expected), "{message}");
    let error = Memcached::open(program("/nonexistent/memcached")).unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }), "{error}");

    let script = std::env::temp_dir().join(format!("never-serves-{}", std::process::id()));
    std::fs::write(&script, "#!/bin/sh\necho I am slow\nexec sleep 1000\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700)).unwrap();
    let slow = program(script.to_str().unwrap());
    let error = Memcached::open(Config { startup_timeout: Duration::from_secs(1), ..slow });
    std::fs::remove_file(&script).unwrap();
    let message = error.unwrap_err().to_string();
    assert!(message.contains("it did not answer in time: I am slow"), "{message}");
}
