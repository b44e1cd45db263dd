//! What snapshots see, and what merges keep for them.

use std::collections::BTreeMap;

use super::common::{SCHEMES, all, check, get, key, open, tiny, value};
use crate::cursor::Merged;
use baseline_lsm::{Config, Error, Scheme, SnapshotOrder};
use kit::testing::Random;

#[test]
fn a_snapshot_reads_the_same_after_merges() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        let mut random = Random(7);
        let mut model = BTreeMap::new();
        let mut taken = Vec::new();
        for turn in 0..3000_u64 {
            let key = key(random.below(60));
            if random.below(8) == 0 {
                session.delete(&key).unwrap();
                model.remove(&key);
            } else {
                session.put(&key, &value(turn)).unwrap();
                model.insert(key, value(turn).to_vec());
            }
            if turn % 250 == 0 {
                taken.push((session.snapshot(), model.clone()));
            }
            if turn % 1000 == 999 {
                store.merge_all().unwrap();
            }
        }
        for _ in 0..2 {
            for (snapshot, expected) in &taken {
                assert_eq!(&all(&mut session, snapshot), expected, "{scheme}");
                for number in 0..60 {
                    let found = session.get_at(snapshot, &key(number)).unwrap();
                    assert_eq!(found.as_ref(), expected.get(&key(number)));
                }
            }
            store.merge_all().unwrap();
            check(&store);
        }
    }
}

/// Of each key the newest version stays, and for each snapshot the newest that it contains; no
/// other.
#[test]
fn merges_keep_what_snapshots_need_and_nothing_else() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        let mut written: Vec<(u64, u64)> = Vec::new();
        let mut random = Random(3);
        let mut snapshots = Vec::new();
        for timestamp in 1..=600 {
            let number = random.below(20);
            session.put(&key(number), &value(timestamp)).unwrap();
            written.push((number, timestamp));
            if timestamp % 70 == 0 {
                snapshots.push(session.snapshot());
            }
        }
        snapshots.remove(3);
        let mut times: Vec<u64> = snapshots.iter().map(|one| one.timestamp()).collect();
        times.push(u64::MAX);
        let mut expected: Vec<(u64, u64)> = times
            .iter()
            .flat_map(|&time| (0..20).map(move |number| (number, time)))
            .filter_map(|(number, time)| {
                let fits = |&&(of, at): &&(u64, u64)| of == number && at <= time;
                written.iter().rev().find(fits).copied()
            })
            .collect();
        expected.sort_by_key(|&(number, timestamp)| (number, std::cmp::Reverse(timestamp)));
        expected.dedup();
        store.merge_all().unwrap();
        let view = store.parts.view.load_full();
        let cursors = view.cursors(&store.parts.cache);
        let mut merged = Merged::from(cursors, &[], u64::MAX).unwrap();
        let mut found = Vec::new();
        while let Some(entry) = merged.entry() {
            let text = std::str::from_utf8(&entry.key[..6]).unwrap();
            found.push((text.parse().unwrap(), entry.timestamp));
            merged.next().unwrap();
        }
        assert_eq!(found, expected, "{scheme}");
    }
}

#[test]
fn a_snapshot_is_of_one_moment_and_times_go_forward() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        session.put(b"a", &value(1)).unwrap();
        let before = session.snapshot();
        session.write(&[(b"a", Some(&value(2))), (b"b", Some(&value(2)))]).unwrap();
        let after = session.snapshot();
        assert!(after.timestamp() > before.timestamp());
        assert_eq!(all(&mut session, &before).len(), 1);
        assert_eq!(all(&mut session, &after).len(), 2);
        session.delete(b"a").unwrap();
        assert_eq!(get(&mut session, b"a"), None);
        assert_eq!(session.get_at(&after, b"a").unwrap(), Some(value(2).to_vec()));
    }
}

#[test]
fn a_snapshot_older_than_the_retention_is_refused_by_name() {
    let retention = std::time::Duration::from_millis(1);
    let config = Config { snapshot_retention: Some(retention), ..tiny(Scheme::Clsm) };
    let store = open(config);
    let mut session = store.session().unwrap();
    session.put(b"a", &value(1)).unwrap();
    let old = session.snapshot();
    session.put(b"a", &value(2)).unwrap();
    assert_eq!(session.get_at(&old, b"a").unwrap(), Some(value(1).to_vec()), "until a merge acts");
    std::thread::sleep(2 * retention);
    store.merge_all().unwrap();
    let expected = Error::SnapshotExpired { timestamp: 1, retention_ms: 1 };
    assert_eq!(session.get_at(&old, b"a").unwrap_err(), expected);
    assert_eq!(session.scan_at(&old, &[], &mut |_, _| true).unwrap_err(), expected);
    assert_eq!(get(&mut session, b"a"), Some(2));
}

/// The default order may miss the caller's own writes while an older one is in progress.
#[test]
fn only_the_linearizable_order_reads_its_own_writes() {
    for order in [SnapshotOrder::Serializable, SnapshotOrder::Linearizable] {
        let store = open(Config { snapshots: order, ..tiny(Scheme::Clsm) });
        let mut session = store.session().unwrap();
        let stalled = store.session().unwrap();
        let crate::schemes::Sync::Clsm(clsm) = &store.parts.sync else { panic!("it is") };
        clsm.clock.draw(stalled.slot);
        session.put(b"a", &value(1)).unwrap();
        std::thread::scope(|scope| {
            if order == SnapshotOrder::Linearizable {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    clsm.clock.retire(stalled.slot);
                });
            }
            let snapshot = session.snapshot();
            let sees = session.get_at(&snapshot, b"a").unwrap().is_some();
            assert_eq!(sees, order == SnapshotOrder::Linearizable);
        });
        clsm.clock.retire(stalled.slot);
    }
}
