//! Processes that are killed at some moment, with threads at work: what was acknowledged is there.
//!
//! The system keeps what a killed process has stored, so this shows nothing of flushes and fences,
//! which the crash model sees; it shows recovery of what real threads leave.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use baseline_bullet::{Bullet, Config, Rung};
use engine::{KvEngine, KvSession};
use kit::folder::Folder;
use kit::testing::{Alone, made, version_of};
use platform::persist::{Latency, Medium, Region};

const WRITERS: u64 = 2;
const KEYS: u64 = 16;
const ROUNDS: u64 = 4;

fn acknowledged(folder: &Path) -> Region {
    let file = File::options().read(true).write(true).open(folder.join("acknowledged")).unwrap();
    Region::of_file(&file, Medium::Emulated, Latency::NONE).unwrap()
}

/// Puts versions of its keys in turn, for ever, and notes each when it is acknowledged.
fn write(store: &Bullet, notes: &Region, writer: u64) {
    let mut session = store.session().unwrap();
    for version in 1.. {
        let key = writer * KEYS + version % KEYS;
        assert!(session.put(key, &made(key, version, 60)).unwrap().is_stored());
        notes.store(writer, version);
    }
}

fn child(rung: Rung, folder: &Path) {
    let notes = acknowledged(folder);
    let store = Bullet::open(&Config {
        clients: 2,
        logs: 2,
        log_bytes: 4096,
        file: Some(folder.join("store")),
        huge_pages: false,
        ..Config::new(rung, 1 << 20, 1 << 8)
    })
    .unwrap();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, notes) = (&store, &notes);
            scope.spawn(move || write(store, notes, writer));
        }
    });
}

#[test]
fn a_killed_process_has_lost_nothing_that_it_acknowledged() {
    const NAME: &str = "a_killed_process_has_lost_nothing_that_it_acknowledged";
    if let Some(task) = Alone::task() {
        let (rung, folder) = task.split_once(' ').expect("a rung and a folder");
        child(rung.parse().unwrap(), Path::new(folder));
        return;
    }
    let mut found = 0;
    for rung in [Rung::Phash, Rung::St, Rung::Full] {
        for round in 0..ROUNDS {
            let folder = Folder::create(&std::env::temp_dir(), "bullet-killed-").unwrap();
            std::fs::write(folder.path().join("acknowledged"), [0; 4096]).unwrap();
            let notes = acknowledged(folder.path());
            let task = format!("{rung} {}", folder.path().display());
            let mut process = Alone::new(module_path!(), NAME).told(&task).spawn().unwrap();
            while notes.load(0) == 0 && process.try_wait().unwrap().is_none() {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(5 + 7 * round));
            process.kill().unwrap();
            process.wait().unwrap();
            let file = folder.path().join("store");
            let store = Bullet::recover(&file, Medium::Emulated, Latency::NONE).unwrap();
            for settled in [false, true] {
                if settled {
                    store.settle();
                    store.check().unwrap();
                }
                let mut session = store.session().unwrap();
                let mut buffer = [0; 60];
                for writer in 0..WRITERS {
                    let last = notes.load(writer);
                    found += u64::from(last > KEYS);
                    for version in last.saturating_sub(KEYS - 1).max(1)..=last {
                        let key = writer * KEYS + version % KEYS;
                        let there = session.get(key, &mut buffer).unwrap();
                        let there = there.map_or(0, |bytes| version_of(key, &buffer[..bytes]));
                        let next = version + KEYS;
                        let may_be_next = there == next && next == last + 1;
                        assert!(there == version || may_be_next, "{rung}: {there} of {version}");
                    }
                }
            }
        }
    }
    assert!(found > ROUNDS, "processes had time to put more than a few: {found}");
}
