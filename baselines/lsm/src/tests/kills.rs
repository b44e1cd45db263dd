//! A process that is killed at any moment, in each mode of the log, its files on a disk: the system
//! has what was written, so nothing acknowledged is lost but with a queued log, of which a prefix is
//! left.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::common::{SCHEMES, check, get, tiny, value};
use baseline_lsm::files::{Disk, Files};
use baseline_lsm::{Config, LogMode, Scheme, Session, Store};
use kit::folder::Folder;
use kit::testing::{Alone, Random};

const NAME: &str = "a_killed_process_loses_what_its_log_may_lose_and_nothing_else";
/// Tell the second process where, and how.
const FOLDER: &str = "LSM_TEST_FOLDER";
const SCHEME: &str = "LSM_TEST_SCHEME";
const LOG: &str = "LSM_TEST_LOG";

const WRITERS: u64 = 2;
/// Ends a process that nobody kills.
const WRITES_MAX: u64 = 500_000;

fn open(folder: &Path, scheme: Scheme, log: LogMode) -> Store {
    let files: Arc<dyn Files> = Arc::new(Disk::at(folder.join("store")).unwrap());
    Store::open(files, Config { log, write_buffer_bytes: 16 << 10, ..tiny(scheme) }).unwrap()
}

/// The `number`-th key of a writer.
fn key_of(writer: u64, number: u64) -> Vec<u8> {
    format!("{writer}-{number:08}").into_bytes()
}

/// How many keys of a writer are there. They are written in order, so none follows a missing one.
fn survivors(session: &mut Session<'_>, writer: u64, asked: u64) -> u64 {
    let found: Vec<_> =
        (0..asked).map(|number| get(session, &key_of(writer, number)) == Some(number)).collect();
    let survivors = found.iter().take_while(|&&is_there| is_there).count();
    let all = found.iter().filter(|&&is_there| is_there).count();
    assert_eq!(survivors, all, "writer {writer}: no prefix of what it wrote");
    survivors as u64
}

/// Where a writer says what is acknowledged.
fn account(folder: &Path, writer: u64) -> std::path::PathBuf {
    folder.join(format!("acknowledged-{writer}"))
}

/// Writes until it is killed. What was acknowledged, the system knows from a file of its own.
fn operate(folder: &Path, scheme: Scheme, log: LogMode) {
    let store = open(folder, scheme, log);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let is_missing =
                    |number: &u64| get(&mut session, &key_of(writer, *number)).is_none();
                let first = (0..).find(is_missing).expect("some number is missing");
                let mut account = File::create(account(folder, writer)).unwrap();
                for number in first..first + WRITES_MAX {
                    session.put(&key_of(writer, number), &value(number)).unwrap();
                    account.write_all(&[1]).unwrap();
                }
            });
        }
    });
}

/// A process that ends with its owner.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself; what it leaves is looked at in either case.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn acknowledged(folder: &Path, writer: u64) -> u64 {
    std::fs::metadata(account(folder, writer)).map_or(0, |file| file.len())
}

/// Lets another process write, kills it after so many acknowledgements, and looks at what it
/// leaves: `before` of each writer's keys were there already.
fn kill(folder: &Path, scheme: Scheme, log: LogMode, after: u64, before: &mut [u64]) {
    (0..WRITERS).for_each(|writer| _ = File::create(account(folder, writer)).unwrap());
    let mut command = Alone::new(module_path!(), NAME)
        .env(FOLDER, &folder.to_string_lossy())
        .env(SCHEME, &scheme.to_string())
        .env(LOG, &log.to_string())
        .told("write until killed");
    let mut process = Killed(command.stderr(Stdio::inherit()).spawn().unwrap());
    while (0..WRITERS).map(|writer| acknowledged(folder, writer)).sum::<u64>() < after {
        assert_eq!(process.0.try_wait().unwrap(), None, "{scheme}, {log}: it ended by itself");
        thread::sleep(Duration::from_millis(1));
    }
    drop(process);
    let what = format!("{scheme}, log {log}, killed after {after}");
    let store = open(folder, scheme, log);
    let mut session = store.session().unwrap();
    for (writer, before) in (0..WRITERS).zip(before) {
        let told = *before + acknowledged(folder, writer);
        // One write more was on its way, or had not been told of yet.
        let found = survivors(&mut session, writer, told + 2);
        assert!(found <= told + 1, "{what}: {found} of {told} are there");
        let least = if log == LogMode::Queued { *before } else { told };
        assert!(found >= least, "{what}: {found} of {told} are there, writer {writer}");
        *before = found;
    }
    check(&store);
}

/// Lives of one store that all end so.
fn kill_again_and_again(scheme: Scheme, log: LogMode, lives: u64) {
    let folder = Folder::create(&std::env::temp_dir(), "lsm-killed-").unwrap();
    let mut random = Random(lives);
    let mut before = [0; WRITERS as usize];
    for _ in 0..lives {
        let most = if log == LogMode::Acknowledged { 200 } else { 3000 };
        kill(folder.path(), scheme, log, 50 + random.below(most), &mut before);
    }
    // It goes on.
    let store = open(folder.path(), scheme, log);
    let mut session = store.session().unwrap();
    session.put(b"last", &value(1)).unwrap();
    store.merge_all().unwrap();
    assert_eq!(get(&mut session, b"last"), Some(1));
    for (writer, before) in (0..WRITERS).zip(before) {
        assert_eq!(survivors(&mut session, writer, before + 1), before, "{scheme}, log {log}");
    }
    println!("{scheme}, log {log}: {lives} kills, {before:?} keys are left");
}

fn in_each_mode(lives: u64) {
    for scheme in SCHEMES {
        for &log in LogMode::ALL {
            kill_again_and_again(scheme, log, lives);
        }
    }
}

#[test]
fn a_killed_process_loses_what_its_log_may_lose_and_nothing_else() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let scheme = std::env::var(SCHEME).unwrap().parse().unwrap();
        let log = std::env::var(LOG).unwrap().parse().unwrap();
        operate(Path::new(&folder), scheme, log);
        return;
    }
    in_each_mode(2);
}

#[test]
#[ignore = "600 kills: cargo test --release -p baseline-lsm --lib -- --ignored --nocapture kills"]
fn processes_killed_a_hundred_times_in_each_mode_lose_no_more() {
    in_each_mode(100);
}
