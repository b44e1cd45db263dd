//! What the suite does not ask: lookups, files, folders, and work in the background.

use std::{fs, thread};

use super::where_it_fits;
use baseline_fjall::{Fjall, FjallConfig, KEY_BYTES_MAX};
use engine::{
    BytesSession as _, DeleteOutcome, KvBytesEngine as _, KvEngine as _, KvSession as _, OpenError,
    PutOutcome, ScanRange, Write, Writes,
};
use kit::folder::Folder;
use kit::testing::{counter, statistic};
use kit::tmpfs::SHARED_MEMORY;

/// With memtables so small that tests write tables.
fn small() -> FjallConfig {
    FjallConfig { write_buffer_bytes: 256 << 10, ..FjallConfig::default() }
}

fn where_small_fits(body: impl FnOnce(&dyn Fn() -> Fjall)) {
    where_it_fits(|| Fjall::open(small()), body);
}

#[test]
fn a_store_that_nobody_asks_looks_nothing_up_and_writes_in_one_step() {
    let blind = || Fjall::open(FjallConfig { ask_presence: false, ..small() });
    where_it_fits(blind, |open| {
        let store = open();
        assert_eq!((store.writes(), store.writes_in_one_step()), (Writes::Blind, true));
        let mut session = store.session().unwrap();
        for key in 0..2000 {
            assert_eq!(session.put(key, &[1; 100]), Ok(PutOutcome::Stored));
        }
        assert_eq!(session.delete(0), DeleteOutcome::Done);
        assert_eq!(session.delete(1 << 40), DeleteOutcome::Done);
        let together = [Write::Delete { key: 1 }, Write::Put { key: 2, value: &[2; 50] }];
        assert_eq!(session.write_in_one_step(&together), Ok(Some(PutOutcome::Stored)));
        assert_eq!(counter(&store, "lookups_before_writes"), 0);
        let census = store.memory();
        assert_eq!((census.live_objects, census.live_value_bytes), (1998, 1997 * 100 + 50));
    });
}

#[test]
fn a_store_that_is_asked_looks_up_once_for_each_write() {
    where_small_fits(|open| {
        let store = open();
        assert_eq!((store.writes(), store.writes_in_one_step()), (Writes::Telling, false));
        let mut session = store.session().unwrap();
        assert_eq!(session.put(7, &[1; 100]), Ok(PutOutcome::Inserted));
        assert_eq!(session.put(7, &[2; 100]), Ok(PutOutcome::Updated));
        assert_eq!(session.delete(7), DeleteOutcome::Removed);
        assert_eq!(session.delete(7), DeleteOutcome::Absent);
        assert_eq!(counter(&store, "lookups_before_writes"), 4);
    });
}

#[test]
fn what_is_deleted_leaves_the_files() {
    where_small_fits(|open| {
        let store = open();
        let mut session = store.session().unwrap();
        for key in 0..4000 {
            session.put(key, &[1; 1000]).unwrap();
        }
        store.settle();
        assert!(statistic(&store, "table_files") >= 1.0, "memtables hold 256 KiB");
        assert!(statistic(&store, "memtable_bytes") < 2e6);
        let unmapped_bytes = statistic(&store, "unmapped_files_bytes");
        assert!(unmapped_bytes >= 3e6, "{unmapped_bytes}: nothing is mapped");
        (0..4000).for_each(|key| assert!(session.delete(key).was_present()));
        store.trim();
        store.settle();
        assert_eq!(session.scan(ScanRange::up(0, 1), &mut |_, _| {}), Some(0));
        assert_eq!(statistic(&store, "table_files"), 0.0, "all is deleted");
        store.check().unwrap();
    });
}

#[test]
fn keys_of_zeros_and_the_longest_key_are_kept_apart() {
    where_small_fits(|open| {
        let store = open();
        let mut session = store.bytes_session().unwrap();
        let keys = [vec![], vec![0], vec![0; 8], vec![0; 9], vec![0; KEY_BYTES_MAX], vec![1]];
        for (version, key) in (0..).zip(&keys) {
            assert_eq!(session.put(key, &[version]), Ok(PutOutcome::Inserted));
        }
        let mut found = Vec::new();
        let shown = session
            .scan(ScanRange::up(&[], 10), &mut |key, value| found.push((key.to_vec(), value[0])));
        assert_eq!(shown, Ok(Some(keys.len())));
        let expected: Vec<_> = keys.into_iter().zip(0..).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn folders_and_threads_go_with_their_stores() {
    let Ok(parent) = Folder::create(SHARED_MEMORY.as_ref(), "fjall-folders-") else {
        return eprintln!("skipped: no tmpfs");
    };
    let tmpfs = parent.path().to_owned();
    let open = || Fjall::open(FjallConfig { tmpfs: tmpfs.clone(), ..small() });
    let entries = || fs::read_dir(&tmpfs).expect("the folder").count();
    where_it_fits(open, |open| {
        let (one, other) = (open(), open());
        assert_eq!(entries(), 2);
        thread::scope(|scope| {
            for first in 0..2 {
                let mut session = one.session().unwrap();
                scope.spawn(move || {
                    for key in (first..4000).step_by(2) {
                        session.put(key, &[1; 500]).unwrap();
                    }
                });
            }
        });
        assert_eq!(one.memory().live_objects, 4000);
        drop(one);
        assert_eq!(entries(), 1);
        drop(other);
        assert_eq!(entries(), 0);
    });
    let little = FjallConfig { object_memory_bytes: Some(1 << 60), ..small() };
    assert!(matches!(Fjall::open(little), Err(OpenError::Missing { .. })));
}
