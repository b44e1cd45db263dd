//! Settings as cells give them.

use std::collections::BTreeMap;

use baseline_lsm::{Clsm, Config, Lsm, Scheme};
use engine::{DeleteOutcome, KvEngine, KvSession, OpenStore, PutOutcome, Setup, Storage};
use kit::folder::is_in_memory;
use kit::testing::setting;

use super::common::memory_folder;

pub(super) fn setup(options: &[(&str, &str)]) -> Setup {
    let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    Setup {
        object_memory_bytes: None,
        live_bytes: 1 << 20,
        records_max: 1000,
        value_bytes_max: 100,
        sessions: 2,
        cache_bytes: None,
        resident: false,
        tells_updates: false,
        options: options.collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    }
}

#[test]
fn settings_are_read_and_shown_and_others_refused() {
    let store = Lsm::open_for(&setup(&[("log", "written")])).unwrap();
    assert_eq!(setting(&store, "sync"), "global-lock");
    assert_eq!(setting(&store, "log"), "written");
    assert_eq!(setting(&store, "rmw"), "none");
    let store = Lsm::open_for(&setup(&[("sync", "clsm")])).unwrap();
    assert_eq!(setting(&store, "rmw"), "optimistic");
    let store = Clsm::open_for(&setup(&[("snapshots", "linearizable"), ("rmw", "striped")]));
    let store = store.unwrap();
    assert_eq!(setting(&store, "snapshots"), "linearizable");
    assert_eq!(setting(&store, "rmw"), "striped");
    for (name, value) in [("sync", "none"), ("rmw", "optimistic"), ("log", "x"), ("stripes", "3")] {
        assert!(Lsm::open_for(&setup(&[(name, value)])).is_err(), "{name}={value}");
    }
}

/// Where nobody asks, writes are blind; where somebody does, the answers are right.
#[test]
fn writes_look_up_only_where_the_answer_is_used() {
    for tells_updates in [false, true] {
        let store = Lsm::open_for(&Setup { tells_updates, ..setup(&[]) }).unwrap();
        let mut session = store.session().unwrap();
        session.put(1, b"one").unwrap();
        let again = session.put(1, b"two").unwrap();
        let deletes = [session.delete(1), session.delete(1)];
        let expected = match tells_updates {
            true => (PutOutcome::Updated, [DeleteOutcome::Removed, DeleteOutcome::Absent]),
            false => (PutOutcome::Stored, [DeleteOutcome::Done; 2]),
        };
        assert_eq!((again, deletes), expected);
        assert_eq!(session.get(1, &mut []), Ok(None));
    }
}

/// A store that must say what was there cannot do so without a lock, and does not take one in silence.
#[test]
fn a_way_that_cannot_answer_is_refused() {
    let telling = |value| Setup { tells_updates: true, ..setup(&[("rmw", value)]) };
    let error = Lsm::open_for(&telling("none")).unwrap_err().to_string();
    assert!(error.contains("accepted are striped"), "{error}");
    let store = Lsm::open_for(&telling("striped")).unwrap();
    assert_eq!(setting(&store, "rmw"), "striped");
}

#[test]
fn a_store_says_whether_its_files_are_in_memory() {
    for private_parent in [memory_folder(), std::env::temp_dir()] {
        let expected = match is_in_memory(&private_parent) {
            true => Storage::FilesInMemory,
            false => Storage::Disk,
        };
        let store = Clsm::open(Config { private_parent, ..Config::new(Scheme::Clsm) }).unwrap();
        assert_eq!(store.storage(), expected);
    }
}
