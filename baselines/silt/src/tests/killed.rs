//! A process that is killed at each step of freezing, conversion and merging: what it had
//! acknowledged is there, and every value is right. On disk, by direct I/O.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use baseline_silt::{
    Acknowledge, Counter, Direct, Files, Params, Scratch, Step, Steps, Store, of_word,
};
use kit::folder::Folder;
use kit::testing::Alone;

use super::common::{get, small, value};

const KEYS: u64 = 800;
/// Tells the second process where, and where to end.
const FOLDER: &str = "SILT_TEST_FOLDER";
const STEP: &str = "SILT_TEST_STEP";
const TIMES: &str = "SILT_TEST_TIMES";

/// What the `turn`-th operation is: a key, and the version it puts; `None` deletes.
fn operation(turn: u64) -> (u64, Option<u64>) {
    let key = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (key % KEYS, (turn % 11 != 5).then_some(turn))
}

fn params() -> Params {
    Params { merge_entries: 700, instances: 2, tag_bits: 5, ..small() }
}

/// Operates until it is killed, and writes down what was acknowledged.
fn operate(folder: &Path, step: usize, times: u64) {
    let reached = AtomicU64::new(0);
    let steps = Steps::new(move |at| {
        // Relaxed: one thread counts.
        if at == Step::ALL[step] && reached.fetch_add(1, Ordering::Relaxed) + 1 == times {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
    });
    let store = Store::open_in(Arc::new(Direct::new(folder)), params(), steps).unwrap();
    let mut acknowledged = File::create(folder.join("acknowledged")).unwrap();
    let mut scratch = Scratch::default();
    for turn in 0..20_000_u64 {
        let (key, version) = operation(turn);
        match version {
            Some(version) => {
                store.put(&of_word(key), &value(key, version), &mut scratch).unwrap();
            }
            None => store.delete(&of_word(key), &mut scratch).unwrap(),
        }
        acknowledged.write_all(&turn.to_le_bytes()).unwrap();
    }
}

/// Opens what the killed process left, and compares it with what was acknowledged. The operation
/// that it was at may have happened or not.
fn verify(folder: &Path, step: Step) -> u64 {
    let mut written = Vec::new();
    File::open(folder.join("acknowledged")).unwrap().read_to_end(&mut written).unwrap();
    let turns = (written.len() / 8) as u64;
    let mut versions = vec![None; KEYS as usize];
    for turn in 0..turns {
        let (key, version) = operation(turn);
        versions[key as usize] = version;
    }
    let store = Store::open(folder, params()).unwrap();
    assert_eq!(store.count(Counter::Torn), 0, "{step:?}");
    let mut scratch = Scratch::default();
    let (last_key, last_version) = operation(turns);
    for (key, version) in (0..KEYS).zip(versions) {
        let found = get(&store, key, &mut scratch);
        let wanted = |version: Option<u64>| version.map(|version| value(key, version));
        let is_right =
            found == wanted(version) || (key == last_key && found == wanted(last_version));
        assert!(is_right, "killed at {step:?} after {turns} operations: key {key}");
    }
    store.scrub().unwrap();
    // It goes on, through all steps.
    for key in 0..KEYS {
        store.put(&of_word(key), &value(key, 1_000_000), &mut scratch).unwrap();
    }
    store.merge().unwrap();
    assert!((0..KEYS).all(|key| get(&store, key, &mut scratch) == Some(value(key, 1_000_000))));
    store.close().unwrap();
    Store::open(folder, params()).unwrap().scrub().unwrap();
    let names = Direct::new(folder).list().unwrap();
    for (kind, most) in [("log", 2), ("hash", 0), ("filter", 0), ("sorted", 2), ("manifest", 2)] {
        let found = names.iter().filter(|name| name.contains(kind)).count();
        assert!(found <= most, "{step:?} has left files that nobody names: {names:?}");
    }
    turns
}

#[test]
fn a_killed_process_loses_nothing_that_it_acknowledged() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let number = |name| std::env::var(name).unwrap().parse::<u64>().unwrap();
        operate(Path::new(&folder), number(STEP) as usize, number(TIMES));
        return;
    }
    // Most of the time goes into waiting for the disk, so the steps do not wait for each other.
    thread::scope(|scope| {
        for number in 0..Step::ALL.len() {
            scope.spawn(move || [1, 3].map(|times| kill_at(number, times)));
        }
    });
}

#[test]
#[ignore = "a minute of disk; cargo test -p baseline-silt --release -- --ignored killed"]
fn a_process_killed_again_and_again_loses_nothing_either() {
    thread::scope(|scope| {
        for number in 0..Step::ALL.len() {
            scope.spawn(move || (1..=10).for_each(|times| kill_at(number, times)));
        }
    });
}

/// Lets another process reach a step so many times, kills it there, and looks at what it leaves.
fn kill_at(number: usize, times: u64) {
    let step = Step::ALL[number];
    let folder = Folder::create(&std::env::temp_dir(), "silt-killed-").unwrap();
    let output = Alone::new(module_path!(), "a_killed_process_loses_nothing_that_it_acknowledged")
        .env(FOLDER, &folder.path().to_string_lossy())
        .env(STEP, &number.to_string())
        .env(TIMES, &times.to_string())
        .told("operate until killed")
        .output()
        .unwrap();
    let signal = output.status.signal();
    assert_eq!(signal, Some(9), "{step:?} was not reached {times} times");
    let turns = verify(folder.path(), step);
    assert!(turns > 100, "{step:?}: {turns} operations");
}

/// A buffered log keeps what was flushed.
#[test]
fn what_was_flushed_survives_without_closing() {
    let folder = Folder::create(&std::env::temp_dir(), "silt-flushed-").unwrap();
    let params = Params { acknowledge: Acknowledge::Buffered, ..params() };
    let store = Store::open(folder.path(), params).unwrap();
    let mut scratch = Scratch::default();
    for key in 0..500 {
        store.put(&of_word(key), &value(key, 1), &mut scratch).unwrap();
    }
    store.flush().unwrap();
    drop(store);
    let store = Store::open(folder.path(), params).unwrap();
    assert!((0..500).all(|key| get(&store, key, &mut scratch) == Some(value(key, 1))));
}
