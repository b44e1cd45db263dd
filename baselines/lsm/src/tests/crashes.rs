//! Crashes of the system at any call: nothing that the disk has acknowledged is lost, and what was queued
//! or written survives as a prefix. Crashes of the process: `kills`.

use std::sync::Arc;
use std::time::Duration;

use super::backend::Backend;
use super::common::{SCHEMES, check, get, key, open_in, tiny, value};
use baseline_lsm::files::Files;
use baseline_lsm::{Config, LogMode, Scheme, Store};
use kit::testing::Random;

const KEYS: u64 = 40;

/// Runs a store until the machine stops, then opens what is left, and again.
fn crash_and_recover(scheme: Scheme, seed: u64) {
    let mut random = Random(seed);
    let mut backend = Arc::new(Backend::default());
    // The last value acknowledged of each key, and the one that was asked for last.
    let mut acknowledged = vec![0; KEYS as usize];
    let mut asked = vec![0; KEYS as usize];
    for life in 0..3 {
        backend.stop_after(random.below(400));
        let config = Config { log: LogMode::Acknowledged, ..tiny(scheme) };
        if let Ok(store) = Store::open(Arc::clone(&backend) as Arc<dyn Files>, config) {
            let mut session = store.session().unwrap();
            for turn in 1.. {
                let number = random.below(KEYS);
                let version = life * 100_000 + turn;
                asked[number as usize] = version;
                if session.put(&key(number), &value(version)).is_err() {
                    break;
                }
                acknowledged[number as usize] = version;
            }
        }
        backend = Arc::new(backend.crash(&mut random));
        let store = open_in(&backend, tiny(scheme));
        let mut session = store.session().unwrap();
        for number in 0..KEYS {
            let found = get(&mut session, &key(number)).unwrap_or(0);
            let (least, most) = (acknowledged[number as usize], asked[number as usize]);
            assert!(
                found == least || found == most,
                "{scheme}, seed {seed}, life {life}, key {number}: {least} was acknowledged and \
                 {found} is there"
            );
            (acknowledged[number as usize], asked[number as usize]) = (found, found);
        }
        check(&store);
    }
}

#[test]
fn acknowledged_writes_survive() {
    for seed in 0..60 {
        for scheme in SCHEMES {
            crash_and_recover(scheme, seed);
        }
    }
}

#[test]
#[ignore = "18 000 crashes: cargo test -p baseline-lsm --lib -- --ignored crashes"]
fn acknowledged_writes_survive_many_crashes() {
    for seed in 1000..4000 {
        for scheme in SCHEMES {
            crash_and_recover(scheme, seed);
        }
    }
}

/// Keys are written once, in order: after a crash those that are there come before those that are
/// not.
fn expect_prefix(backend: &Arc<Backend>, scheme: Scheme, written: u64, what: &str) -> u64 {
    let store = open_in(backend, tiny(scheme));
    let mut session = store.session().unwrap();
    let found: Vec<_> =
        (0..written).map(|number| get(&mut session, &key(number)).is_some()).collect();
    let survivors = found.iter().take_while(|&&is_there| is_there).count();
    let count = found.iter().filter(|&&is_there| is_there).count();
    assert_eq!(survivors, count, "{scheme}, {what}: no prefix of what was written");
    survivors as u64
}

/// What the system has, it may lose as what is queued.
#[test]
fn queued_writes_survive_as_a_prefix() {
    for scheme in SCHEMES {
        for (seed, log) in
            (0..25).flat_map(|seed| [(seed, LogMode::Queued), (seed, LogMode::Written)])
        {
            let mut random = Random(seed);
            let backend = Arc::new(Backend::default());
            let config = Config { log, ..tiny(scheme) };
            let store = open_in(&backend, config.clone());
            let mut session = store.session().unwrap();
            backend.stop_after(random.below(200));
            let mut written = 0;
            while written < 1000 && session.put(&key(written), &value(written)).is_ok() {
                written += 1;
            }
            let left = Arc::new(backend.crash(&mut random));
            expect_prefix(&left, scheme, written, &format!("log {log}, seed {seed}"));
        }
        // A component whose merge is held up, and another whose log is being written.
        let backend = Arc::new(Backend::default());
        let store = open_in(&backend, Config { log: LogMode::Queued, ..tiny(scheme) });
        let mut session = store.session().unwrap();
        backend.hold_tables(true);
        let mut written = 0;
        while store.parts.view.load().merging.is_none() {
            session.put(&key(written), &value(written)).unwrap();
            written += 1;
        }
        for _ in 0..5 {
            session.put(&key(written), &value(written)).unwrap();
            written += 1;
        }
        while store.parts.view.load().memory.log.file_bytes() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let crashes: Vec<_> =
            (0..40).map(|seed| Arc::new(backend.crash(&mut Random(seed)))).collect();
        // Before anything may fail: who drops the store waits for the merge.
        backend.hold_tables(false);
        let survivors = crashes
            .iter()
            .zip(0..)
            .map(|(left, seed)| expect_prefix(left, scheme, written, &format!("held, {seed}")));
        let most = survivors.max().expect("some crashes");
        assert!(most >= written - 5, "the second log survives at times");
    }
}
