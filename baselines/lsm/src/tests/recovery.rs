//! Opening a folder again.

use std::sync::Arc;

use super::backend::Backend;
use super::common::{SCHEMES, check, get, key, open_in, tiny, value};
use crate::memtable::{Kind, Linked};
use baseline_lsm::files::{Disk, Files};
use baseline_lsm::{Config, Error, Scheme, Store};
use kit::testing::Random;

#[test]
fn writes_after_recovery_are_newer() {
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        for round in 0..4 {
            let store = open_in(&backend, tiny(scheme));
            let mut session = store.session().unwrap();
            for number in 0..200 {
                let old = (round > 0).then(|| value(round - 1 + number));
                assert_eq!(session.get(&key(number)).unwrap(), old.map(|old| old.to_vec()));
            }
            for number in 0..200 {
                session.put(&key(number), &value(round + number)).unwrap();
            }
            store.merge_all().unwrap();
            assert_eq!(get(&mut session, &key(7)), Some(round + 7), "{scheme}");
            check(&store);
            session.put(&key(7), &value(round + 7)).unwrap();
        }
    }
}

/// Records lie in the log in the order of reservation; which is the newest say their times.
#[test]
fn of_records_out_of_order_the_newest_counts() {
    let backend = Arc::new(Backend::default());
    let config = Config { write_buffer_bytes: 1 << 20, ..tiny(Scheme::Clsm) };
    let store = open_in(&backend, config.clone());
    let crate::schemes::Sync::Clsm(clsm) = &store.parts.sync else { panic!("it is") };
    let [older, newer] = [clsm.clock.take(), clsm.clock.take()];
    let view = store.parts.view.load_full();
    for timestamp in [newer, older] {
        let value = value(timestamp);
        let reserved = view.memory.memtable.reserve(b"k", Some(&value), Kind::of(Some(&value)));
        assert_eq!(reserved.expect("room").link(timestamp), Linked::Done);
    }
    drop(view);
    store.flush().unwrap();
    let left = Arc::new(backend.crash(&mut Random(1)));
    let store = open_in(&left, config);
    let mut session = store.session().unwrap();
    assert_eq!(get(&mut session, b"k"), Some(newer));
    session.put(b"k", &value(7)).unwrap();
    assert_eq!(get(&mut session, b"k"), Some(7), "the clock goes on behind both");
}

#[test]
fn what_follows_a_damaged_record_does_not_count() {
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        let store = open_in(&backend, Config { write_buffer_bytes: 1 << 20, ..tiny(scheme) });
        let mut session = store.session().unwrap();
        for number in 0..3 {
            session.put(&key(number), &value(number)).unwrap();
        }
        drop(session);
        drop(store);
        let logs = backend.files(".log");
        let (log, _) = logs.iter().find(|(_, bytes)| *bytes > 0).expect("a log with records");
        backend.edit(log, |bytes| {
            // The last byte of the second value: the third record has 41 bytes.
            let end = bytes.len() - 42;
            bytes[end] ^= 1;
        });
        let store = open_in(&backend, tiny(scheme));
        let mut session = store.session().unwrap();
        let found: Vec<_> = (0..3).map(|number| get(&mut session, &key(number))).collect();
        assert_eq!(found, [Some(0), None, None], "{scheme}");
    }
}

#[test]
fn a_batch_is_recovered_whole_or_not_at_all() {
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        let store = open_in(&backend, Config { write_buffer_bytes: 1 << 20, ..tiny(scheme) });
        let mut session = store.session().unwrap();
        session.put(b"before", b"1").unwrap();
        session.write(&[(b"x", Some(b"1")), (b"y", Some(b"1")), (b"z", Some(b"1"))]).unwrap();
        drop(session);
        drop(store);
        let logs = backend.files(".log");
        let (log, _) = logs.iter().find(|(_, bytes)| *bytes > 0).expect("a log with records");
        backend.edit(log, |bytes| bytes.truncate(bytes.len() - 1));
        let store = open_in(&backend, tiny(scheme));
        let mut session = store.session().unwrap();
        assert!(session.get(b"before").unwrap().is_some());
        for key in [b"x", b"y", b"z"] {
            assert_eq!(session.get(key).unwrap(), None, "{scheme}");
        }
    }
}

#[test]
fn damage_is_a_typed_error_that_names_the_file() {
    let backend = Arc::new(Backend::default());
    let store = open_in(&backend, tiny(Scheme::Clsm));
    let mut session = store.session().unwrap();
    for number in 0..50 {
        session.put(&key(number), &value(number)).unwrap();
    }
    drop(session);
    store.merge_all().unwrap();
    drop(store);
    let files: Arc<dyn Files> = backend.clone();
    let (table, _) = backend.files(".table").remove(0);
    backend.edit(&table, |bytes| bytes[30] ^= 1);
    let store = Store::open(Arc::clone(&files), tiny(Scheme::Clsm)).unwrap();
    let failed = store.session().unwrap().get(&key(0)).unwrap_err();
    assert!(matches!(&failed, Error::Corrupt { file, .. } if *file == table), "{failed}");
    drop(store);
    backend.edit(&table, |bytes| bytes.truncate(20));
    let failed = Store::open(Arc::clone(&files), tiny(Scheme::Clsm)).unwrap_err();
    assert!(failed.to_string().contains(&table), "{failed}");
    crate::manifest::name_current(&*files, "nothing");
    let failed = Store::open(files, tiny(Scheme::Clsm)).unwrap_err();
    assert!(failed.to_string().contains("CURRENT is damaged"), "{failed}");
}

#[test]
fn a_folder_of_the_system_is_found_again() {
    let parent = kit::folder::Folder::create(&std::env::temp_dir(), "lsm-test-").unwrap();
    for round in 0..3_u64 {
        let disk: Arc<dyn Files> = Arc::new(Disk::at(parent.path().join("store")).unwrap());
        let store = Store::open(disk, tiny(Scheme::Clsm)).unwrap();
        let mut session = store.session().unwrap();
        for number in 0..300 {
            let expected = (round > 0).then(|| round - 1);
            assert_eq!(get(&mut session, &key(number)), expected);
            session.put(&key(number), &value(round)).unwrap();
        }
    }
}
