//! Bad settings and damaged files: typed errors, and nothing that was acknowledged is lost.

use std::collections::BTreeMap;
use std::path::PathBuf;

use baseline_bullet::{Bullet, Config, RecoverError, Rung};
use engine::{KvEngine, KvSession, OpenError, OpenStore, PutError, SessionError, Setup};
use kit::folder::Folder;
use kit::testing::{counter, made};
use platform::persist::{Latency, Medium};

use crate::store::Shared;

const KEYS: u64 = 500;

fn small(rung: Rung) -> Config {
    Config {
        logs: 2,
        log_bytes: 64 << 10,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(rung, 1 << 20, 1 << 10)
    }
}

/// A folder, and in it a store as a crash leaves it: with records in its logs.
fn crashed(rung: Rung) -> (Folder, PathBuf) {
    let folder = Folder::create(&std::env::temp_dir(), "bullet-").unwrap();
    let path = folder.path().join("store");
    // Without threads, and dropped without gleaning.
    let shared = Shared::open(&Config { file: Some(path.clone()), ..small(rung) }).unwrap();
    let mut session = crate::session::BulletSession::open(&shared).unwrap();
    for key in 0..KEYS {
        session.put(key, &made(key, 1, 60)).unwrap();
        if key % 3 == 0 {
            session.put(key, &made(key, 2, 70)).unwrap();
        }
        if key % 5 == 0 {
            session.delete(key);
        }
    }
    (folder, path)
}

fn recover(path: &std::path::Path) -> Result<Bullet, RecoverError> {
    Bullet::recover(path, Medium::Emulated, Latency::NONE)
}

fn verify(store: &Bullet) {
    let mut session = store.session().unwrap();
    let mut buffer = [0; 100];
    for key in 0..KEYS {
        let found = session.get(key, &mut buffer).unwrap();
        let expected = match key {
            key if key % 5 == 0 => None,
            key if key % 3 == 0 => Some(made(key, 2, 70)),
            key => Some(made(key, 1, 60)),
        };
        assert_eq!(found.map(|bytes| &buffer[..bytes]), expected.as_deref(), "key {key}");
    }
}

fn change(path: &std::path::Path, word: usize, value: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[word * 8..word * 8 + 8].copy_from_slice(&value.to_ne_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_store_in_a_file_is_there_after_a_crash_and_after_another() {
    for rung in [Rung::Phash, Rung::St, Rung::Opt, Rung::Full] {
        let (_folder, path) = crashed(rung);
        for turn in 0..3 {
            let store = recover(&path).unwrap();
            assert!(!rung.has_logs() || turn > 0 || counter(&store, "recovered_records") > 0);
            assert!(counter(&store, "recovery_log_ns") > 0);
            eprintln!(
                "{rung}: {} records read in {} us, pairs counted in {} us",
                counter(&store, "recovered_records"),
                counter(&store, "recovery_log_ns") / 1000,
                counter(&store, "recovery_walk_ns") / 1000
            );
            let live = (0..KEYS).filter(|key| key % 5 != 0).count() as u64;
            assert_eq!(store.memory().live_objects, live, "{rung}");
            verify(&store);
            if turn > 0 {
                store.settle();
                store.check().unwrap();
                verify(&store);
            }
        }
    }
}

#[test]
fn damaged_files_are_refused_by_name_and_left_as_they_are() {
    let (_folder, path) = crashed(Rung::Full);
    let whole = std::fs::read(&path).unwrap();
    let layout = small(Rung::Full).layout();
    let body = layout.log_body_at(0) as usize;
    let cases: &[(usize, u64, &str)] = &[
        (0, 1, "holds no store"),
        (1, 9, "version 9"),
        (3, 77, "header is damaged"),
        (body + 2, 0, "log 0 is torn at word 0"),
        (body + 6, 1 << 60, "log 0 is torn"),
        (layout.log_state_at(0) as usize, u64::MAX, "log 0 is torn"),
        (layout.redo_at(0) as usize, 1 << 40, "redo area 0 is damaged"),
    ];
    for &(word, value, message) in cases {
        change(&path, word, value);
        let damaged = std::fs::read(&path).unwrap();
        let error = recover(&path).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "word {word}: {error}");
        assert!(std::fs::read(&path).unwrap() == damaged, "{message}: the file was changed");
        std::fs::write(&path, &whole).unwrap();
    }
    for bytes in [0, 8, 100, 4096, whole.len() / 2, whole.len() - 8] {
        std::fs::write(&path, &whole[..bytes]).unwrap();
        match recover(&path).map(|_| ()) {
            Err(RecoverError::Truncated { bytes: found, wanted_bytes }) => {
                assert!(found <= bytes as u64 && wanted_bytes > found);
            }
            other => panic!("{bytes} bytes: {other:?}"),
        }
    }
    std::fs::write(&path, &whole).unwrap();
    verify(&recover(&path).unwrap());
    assert!(matches!(recover(&path.join("nothing")), Err(RecoverError::File(_))));
    let (_folder, path) = crashed(Rung::HikvHt);
    assert!(matches!(recover(&path), Err(RecoverError::NotKept { rung: Rung::HikvHt })));
}

fn setup(options: &[(&str, &str)], sessions: usize, value_bytes_max: usize) -> Setup {
    let pairs = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Setup {
        object_memory_bytes: Some(1 << 20),
        live_bytes: 1 << 18,
        records_max: 1000,
        value_bytes_max,
        sessions,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: pairs.collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    }
}

#[test]
fn a_log_too_small_for_one_record_is_refused() {
    let refused = Bullet::open_for(&setup(&[("log-bytes", "128")], 1, 100)).map(|_| ());
    match refused {
        Err(OpenError::BadSetting { setting, accepted, .. }) => {
            assert_eq!(setting, "log-bytes");
            assert_eq!(accepted, "at least 144, for a record of 100 bytes");
        }
        other => panic!("{other:?}"),
    }
    // One record and no more: every put waits for the one before to be gleaned.
    let store = Bullet::open_for(&setup(&[("log-bytes", "192"), ("logs", "1")], 1, 100)).unwrap();
    let mut session = store.session().unwrap();
    for key in 0..200 {
        assert!(session.put(key % 50, &made(key, 1, 150)).unwrap().is_stored());
    }
    let too_large = PutError::ValueTooLarge { value_bytes: 153, limit_bytes: 152 };
    assert_eq!(session.put(1, &[0; 153]), Err(too_large));
    drop(session);
    store.settle();
    store.check().unwrap();
}

#[test]
fn values_that_no_block_holds_are_told_of_beforehand() {
    let setup = setup(&[("rung", "opt")], 1, 1 << 20);
    let mut options = setup.options();
    Bullet::configure(&setup, &mut options).unwrap();
    assert!(options.told()[0].contains("above 262104 bytes"), "{:?}", options.told());
}

#[test]
fn more_clients_than_logs_are_refused() {
    let refused = Bullet::open_for(&setup(&[("logs", "3")], 4, 100)).map(|_| ());
    assert!(matches!(refused, Err(OpenError::Refused { setting, .. }) if setting == "threads"));
    let refused = Bullet::open(&Config { clients: 3, ..small(Rung::Full) }).map(|_| ());
    assert!(matches!(refused, Err(OpenError::BadSetting { setting, .. }) if setting == "clients"));
    for rung in Rung::ALL {
        let store = Bullet::open(&small(rung)).unwrap();
        let sessions: Vec<_> = (0..2).map(|_| store.session().unwrap()).collect();
        let refused = store.session().map(|_| ());
        assert_eq!(refused, Err(SessionError::TooManySessions { limit: 2 }), "{rung}");
        drop(sessions);
        store.session().unwrap();
    }
}

#[test]
fn settings_that_are_no_settings_are_refused_by_name() {
    for (name, value) in [
        ("rung", "bullet"),
        ("pm-load-ns", "100"),
        ("pm", "dax"),
        ("log-bytes", "100"),
        ("logs", "0"),
        ("fences", "1"),
    ] {
        let error = Bullet::open_for(&setup(&[(name, value)], 1, 100)).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}
