//! What the suite does not ask: the last byte of a bound, groups of commits, what is counted.

use baseline_redb::{Redb, RedbConfig};
use engine::{
    DeleteOutcome, Durability, KvEngine as _, KvSession as _, PutError, PutOutcome, Write,
};
use kit::disk::{DiskFolder, OnDisk};
use kit::folder::is_in_memory;
use kit::testing::statistic;

fn bounded(object_memory_bytes: u64) -> Redb {
    let object_memory_bytes = Some(object_memory_bytes);
    Redb::open(RedbConfig { object_memory_bytes, ..RedbConfig::default() }).unwrap()
}

#[test]
fn the_bound_holds_to_the_last_byte() {
    let store = bounded(3 * 108);
    let mut session = store.session().unwrap();
    for key in 0..3 {
        assert_eq!(session.put(key, &[1; 100]), Ok(PutOutcome::Inserted));
    }
    assert_eq!(session.put(3, &[]), Ok(PutOutcome::Full), "a key of eight bytes");
    assert_eq!(session.put(0, &[2; 101]), Ok(PutOutcome::Full));
    assert_eq!(session.put(0, &[2; 100]), Ok(PutOutcome::Updated));
    let longer = session.read_modify_write(0, &mut |_, new| {
        new.extend([3; 101]);
        engine::Decision::Put
    });
    assert_eq!(longer, Ok(Some(PutOutcome::Full)));
    let together =
        [Write::Put { key: 0, value: &[4; 99] }, Write::Put { key: 1, value: &[4; 102] }];
    assert_eq!(session.write_in_one_step(&together), Ok(Some(PutOutcome::Full)));
    let mut buffer = [0; 100];
    assert_eq!(session.get(0, &mut buffer), Ok(Some(100)));
    assert_eq!(buffer, [2; 100], "what was refused changed nothing");
    let limit_bytes = 3 * 108 - 8;
    let too_large = Err(PutError::ValueTooLarge { value_bytes: limit_bytes + 1, limit_bytes });
    assert_eq!(session.put(0, &vec![0; limit_bytes + 1]), too_large);
    assert_eq!(session.delete(9), DeleteOutcome::Absent);
    assert_eq!(session.delete(0), DeleteOutcome::Removed);
    assert_eq!(session.put(3, &[5; 100]), Ok(PutOutcome::Inserted));
    store.check().unwrap();
    let census = store.memory();
    assert_eq!((census.live_objects, census.live_object_bytes), (3, 3 * 108));
}

#[test]
fn what_changes_nothing_commits_nothing() {
    let store = bounded(1 << 20);
    let mut session = store.session().unwrap();
    session.put(1, &[1; 10]).unwrap();
    let commits = statistic(&store, "committed_transactions");
    assert_eq!(session.delete(2), DeleteOutcome::Absent);
    let kept = session.read_modify_write(1, &mut |_, _| engine::Decision::Keep);
    assert_eq!(kept, Ok(None));
    assert_eq!(session.put_if_absent(1, &[2; 10]), Ok(None));
    assert_eq!(statistic(&store, "committed_transactions"), commits);
    assert_eq!(statistic(&store, "durable_commits"), 0.0, "on the heap");
}

/// Pages of states before are used again, though none of their commits is durable.
#[test]
fn a_store_on_the_heap_does_not_grow_by_updates() {
    let store = bounded(4 << 20);
    let mut session = store.session().unwrap();
    let update = |session: &mut _, rounds: u64| {
        for round in 0..rounds * 1000 {
            engine::KvSession::put(session, round % 1000, &[1; 1000]).unwrap();
        }
    };
    update(&mut session, 2);
    let after_two_bytes = statistic(&store, "database_bytes");
    update(&mut session, 10);
    let after_twelve_bytes = statistic(&store, "database_bytes");
    assert!(after_two_bytes >= 1e6, "{after_two_bytes} bytes");
    assert!(after_twelve_bytes <= 2.0 * after_two_bytes, "{after_two_bytes}, {after_twelve_bytes}");
}

#[test]
fn groups_of_commits_are_given_to_the_device_once() {
    let below = std::env::temp_dir();
    if is_in_memory(&below) {
        return eprintln!("skipped: {} is no disk", below.display());
    }
    for (durability, durable_commits) in
        [(Durability::Queued, 4.0), (Durability::Process, 43.0), (Durability::Acknowledged, 43.0)]
    {
        let disk = OnDisk { folder: DiskFolder::Below(below.clone()), durability };
        let config = RedbConfig { disk: Some(disk), group_commits: 10, ..RedbConfig::default() };
        let store = Redb::open(config).unwrap();
        let mut session = store.session().unwrap();
        for key in 0..43 {
            session.put(key, &[1; 100]).unwrap();
        }
        assert_eq!(statistic(&store, "durable_commits"), durable_commits, "{durability:?}");
        assert!(statistic(&store, "files_bytes") > 0.0);
        let [folder] = &store.folders()[..] else { panic!("one folder") };
        let folder = folder.clone();
        drop(store);
        assert!(!folder.exists(), "it goes with its store");
    }
}
