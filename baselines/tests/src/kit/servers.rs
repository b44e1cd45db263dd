//! Servers live as long as who keeps them, all or none are started, and programs are found where
//! they are.

use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use engine::OpenError;
use kit::servers::installed::{find, named};
use kit::servers::{Keeper, ServerProcess, log_into, printed, private_folder};

const SIGKILL: i32 = 9;
const PREFIX: &str = "kit-servers-test-";

fn sleeper() -> Command {
    let mut command = Command::new("sleep");
    command.arg("1000");
    command
}

#[test]
fn children_outlive_the_thread_that_asked_and_not_the_keeper() {
    let asked = std::thread::spawn(|| Keeper::start(vec![sleeper(), sleeper()], true));
    let (keeper, mut children) = asked.join().unwrap().unwrap();
    assert!(children.iter_mut().all(|child| child.try_wait().unwrap().is_none()));
    drop(keeper);
    for child in &mut children {
        assert_eq!(child.wait().unwrap().signal(), Some(SIGKILL));
    }
}

#[test]
fn all_start_or_none() {
    let error = Keeper::start(vec![sleeper(), Command::new("/nonexistent")], false);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::NotFound);
}

/// A server of one shell line.
fn started(line: &str) -> (ServerProcess, Keeper, kit::folder::Folder) {
    let folder = private_folder(PREFIX).unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    log_into(&mut command, &log).unwrap();
    let (keeper, mut children) = Keeper::start(vec![command], false).unwrap();
    (ServerProcess::new("a shell".to_owned(), log, children.remove(0)), keeper, folder)
}

#[test]
fn a_server_that_ends_at_its_start_says_its_last_words() {
    let (server, _keeper, _folder) = started("echo no room; exit 3");
    let far = Instant::now() + Duration::from_secs(60);
    let error = server.wait_until_ready(far, |_| false).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("a shell does not work: it ended at its start ("), "{message}");
    assert!(message.ends_with("): no room"), "{message}");
    let fate = server.fate("nobody answers");
    assert!(fate.contains("ended (exit status: 3); its last words: no room"), "{fate}");
}

#[test]
fn a_server_is_ready_when_it_answers_and_not_waited_for_beyond_the_deadline() {
    let (server, _keeper, _folder) = started("exec sleep 1000");
    let mut asked = 0;
    let third = |_| {
        asked += 1;
        asked == 3
    };
    let far = Instant::now() + Duration::from_secs(60);
    assert_eq!(server.wait_until_ready(far, third), Ok(()));
    assert!(server.maps().contains("[stack]") && server.resident_bytes() > 0);
    let error = server.wait_until_ready(Instant::now(), |_| false).unwrap_err();
    assert!(error.to_string().contains("it did not answer in time"), "{error}");
}

#[test]
fn a_program_that_is_named_and_not_there_is_missing() {
    let error = named(Path::new("/nonexistent/server"), "the setting `program`").unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }));
    assert!(error.to_string().starts_with("the program /nonexistent/server is missing: "));
}

#[test]
fn files_are_found_in_the_first_folder_that_has_them() {
    let folders = ["/nonexistent", "/usr/bin", "/bin"].map(PathBuf::from);
    assert_eq!(find("env", &folders), Some("/usr/bin/env".into()));
    assert_eq!(find("no such program", &folders), None);
}

#[test]
fn commands_are_printed_without_the_programs_folder() {
    let mut command = Command::new("/opt/somewhere/server");
    command.args(["--save", "", "--port", "0"]);
    assert_eq!(printed(&command), "server --save \"\" --port 0");
}
