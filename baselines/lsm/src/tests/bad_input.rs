//! Full disks, stopped writers, many snapshots: answers or typed errors, and no wait without end.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::backend::Backend;
use super::common::{SCHEMES, all, check, get, key, number, open, open_in, tiny, value};
use crate::memtable::words_for;
use crate::schemes::Sync;
use baseline_lsm::{
    Config, Decide, Error, LogMode, ReadModifyWrite, SESSIONS_MAX, Scheme, VALUE_BYTES_MAX,
};

#[test]
fn a_full_disk_during_rotation_is_a_typed_error_and_reads_go_on() {
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        let store = open_in(&backend, Config { log: LogMode::Queued, ..tiny(scheme) });
        let mut session = store.session().unwrap();
        backend.fill(true);
        let mut written = 0;
        let failed = loop {
            match session.put(&key(written), &value(written)) {
                Ok(()) => written += 1,
                Err(error) => break error,
            }
        };
        assert!(
            matches!(
                &failed,
                Error::Storage { kind: io::ErrorKind::StorageFull, may_be_applied: false, .. }
            ),
            "{failed}"
        );
        for number in 0..written {
            assert_eq!(get(&mut session, &key(number)), Some(number), "{scheme}");
        }
        assert!(session.put(&key(written), &value(0)).is_err(), "still full, and still told");
        assert_eq!(get(&mut session, &key(written)), None);
        backend.fill(false);
        for number in written..written + 200 {
            while session.put(&key(number), &value(number)).is_err() {
                thread::yield_now();
            }
        }
        store.merge_all().unwrap();
        for number in 0..written + 200 {
            assert_eq!(get(&mut session, &key(number)), Some(number), "{scheme}");
        }
        check(&store);
    }
}

#[test]
fn a_full_disk_is_told_to_who_waits_for_the_log() {
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        let config = Config { log: LogMode::Acknowledged, ..tiny(scheme) };
        let store = open_in(&backend, Config { write_buffer_bytes: 1 << 20, ..config });
        let mut session = store.session().unwrap();
        session.put(b"a", &value(1)).unwrap();
        backend.fill(true);
        let failed = session.put(b"a", &value(2)).unwrap_err();
        assert!(matches!(failed, Error::Storage { may_be_applied: true, .. }), "{failed}");
        backend.fill(false);
        session.put(b"b", &value(3)).unwrap();
        drop(session);
        drop(store);
        let store = open_in(&backend, tiny(scheme));
        let mut session = store.session().unwrap();
        assert_eq!(get(&mut session, b"b"), Some(3), "{scheme}");
        assert_eq!(get(&mut session, b"a"), Some(2), "its record was written with the next one");
    }
}

/// A writer has stopped inside the shared lock, and a swap waits for it; reads and snapshots that
/// were taken go on.
#[test]
fn reads_go_on_while_a_writer_has_stopped() {
    let store = open(tiny(Scheme::Clsm));
    let mut session = store.session().unwrap();
    for number in 0..20 {
        session.put(&key(number), &value(number)).unwrap();
    }
    let snapshot = session.snapshot();
    let stopped = store.session().unwrap();
    let Sync::Clsm(clsm) = &store.parts.sync else { panic!("it is") };
    thread::scope(|scope| {
        let shared = clsm.exclusion.share(stopped.slot);
        clsm.clock.draw(stopped.slot);
        scope.spawn(|| store.rotate().unwrap());
        while !clsm.exclusion.is_wanted() {
            thread::yield_now();
        }
        for number in 0..20 {
            assert_eq!(get(&mut session, &key(number)), Some(number));
        }
        assert_eq!(all(&mut session, &snapshot).len(), 20);
        assert!(clsm.exclusion.is_wanted(), "the swap still waits");
        clsm.clock.retire(stopped.slot);
        drop(shared);
    });
    assert_eq!(get(&mut session, &key(3)), Some(3));
}

/// Whoever decides panics, and takes no timestamp and no lock along.
#[test]
fn a_decision_that_panics_holds_nobody_up() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        session.put(b"k", &value(1)).unwrap();
        let panics = || session.read_modify_write(b"k", &mut |_, _| panic!("as the test wants"));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err(), "{scheme}");
        let mut other = store.session().unwrap();
        for session in [&mut session, &mut other] {
            let snapshot = session.snapshot();
            assert_eq!(session.get_at(&snapshot, b"k").unwrap(), Some(value(1).to_vec()));
        }
        let add = &mut |old: Option<&[u8]>, new: &mut Vec<u8>| {
            new.extend_from_slice(&value(old.map_or(0, number) + 1));
            Decide::Put
        };
        session.read_modify_write(b"k", add).unwrap();
        store.merge_all().unwrap();
        other.read_modify_write(b"k", add).unwrap();
        assert_eq!(get(&mut session, b"k"), Some(3), "{scheme}");
    }
}

/// A merge does not end, so a writer waits for room; reads, snapshots and scans go on.
#[test]
fn reads_go_on_while_a_writer_waits_for_a_merge() {
    const WRITES: u64 = 2000;
    for scheme in SCHEMES {
        let backend = Arc::new(Backend::default());
        let store = open_in(&backend, tiny(scheme));
        let written = AtomicU64::new(0);
        backend.hold_tables(true);
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut session = store.session().unwrap();
                for number in 0..WRITES {
                    session.put(&key(number), &value(number)).unwrap();
                    // Release: who reads the number finds the key.
                    written.store(number + 1, Ordering::Release);
                }
            });
            let is_stuck = || {
                let view = store.parts.view.load();
                let longest = words_for(key(22).len(), value(0).len());
                view.merging.is_some() && !view.memory.memtable.has_room(longest)
            };
            while !is_stuck() {
                thread::yield_now();
            }
            // Acquire: of the writer's release.
            let stuck_at = written.load(Ordering::Acquire);
            let mut session = store.session().unwrap();
            for number in 0..stuck_at {
                assert_eq!(get(&mut session, &key(number)), Some(number), "{scheme}");
            }
            let snapshot = session.snapshot();
            assert!(all(&mut session, &snapshot).len() as u64 >= stuck_at);
            assert!(!writer.is_finished(), "nothing could be merged");
            backend.hold_tables(false);
        });
        assert_eq!(written.into_inner(), WRITES, "{scheme}: it goes on");
        check(&store);
    }
}

#[test]
fn ten_thousand_snapshots_stay_open() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        let snapshots: Vec<_> = (0..10_000_u64)
            .map(|turn| {
                session.put(&key(turn % 50), &value(turn)).unwrap();
                session.snapshot()
            })
            .collect();
        store.merge_all().unwrap();
        for (turn, snapshot) in (0_u64..).zip(&snapshots).step_by(501) {
            let found = session.get_at(snapshot, &key(turn % 50)).unwrap();
            assert_eq!(found, Some(value(turn).to_vec()), "{scheme}");
        }
        assert_eq!(store.parts.snapshots.count(), 10_000);
        let full_bytes = store.parts.view.load().disk.level_bytes(1);
        drop(snapshots);
        session.put(b"z", &value(0)).unwrap();
        store.merge_all().unwrap();
        let disk = store.parts.view.load().disk.clone();
        let left: u64 = (0..7).map(|level| disk.level_bytes(level)).sum();
        assert!(left * 20 < full_bytes.max(1) * 10 || left < 20_000, "{left} of {full_bytes}");
    }
}

/// The components change ten times while a scan is on its way.
#[test]
fn a_scan_across_rotations_is_of_one_moment() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        let mut writer = store.session().unwrap();
        for number in 0..300 {
            session.put(&key(number), &value(0)).unwrap();
        }
        let snapshot = session.snapshot();
        let mut next = 0;
        let mut visit = |found: &[u8], old: &[u8]| {
            assert_eq!((found, old), (&key(next)[..], &value(0)[..]), "{scheme}");
            writer.put(&key(next), &value(1)).unwrap();
            writer.put(&key(299 - next), &value(1)).unwrap();
            if next % 30 == 15 {
                store.merge_all().unwrap();
            }
            next += 1;
            true
        };
        session.scan_at(&snapshot, &[], &mut visit).unwrap();
        assert_eq!(next, 300);
    }
}

#[test]
fn what_is_too_long_or_too_many_is_refused_with_the_limit() {
    let config = Config { read_modify_write: ReadModifyWrite::None, ..tiny(Scheme::GlobalLock) };
    let store = open(config);
    let mut session = store.session().unwrap();
    let failed = session.put(&vec![0; (64 << 10) + 1], b"").unwrap_err();
    assert!(failed.to_string().contains("65537 bytes exceeds the limit of 65536"), "{failed}");
    session.put(&vec![7; 64 << 10], b"long").unwrap();
    assert_eq!(session.get(&vec![7; 64 << 10]).unwrap().as_deref(), Some(&b"long"[..]));
    let failed = session.put(b"k", &vec![0; VALUE_BYTES_MAX + 1]).unwrap_err();
    assert!(matches!(failed, Error::ValueTooLong { .. }), "{failed}");
    let failed = session.put_if_absent(b"k", b"v").unwrap_err();
    assert_eq!(failed, Error::NoReadModifyWrite);
    let mut others: Vec<_> = (1..SESSIONS_MAX).map(|_| store.session().unwrap()).collect();
    assert!(store.session().is_none());
    others.pop();
    assert!(store.session().is_some());
}

/// A decision that panics leaves nothing behind that others would wait for.
#[test]
fn a_panic_in_a_decision_holds_nobody_up() {
    let store = open(tiny(Scheme::Clsm));
    thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let mut session = store.session().unwrap();
            _ = session.read_modify_write(b"k", &mut |_, _| panic!("a decision"));
        });
        assert!(panics.join().is_err());
    });
    let mut session = store.session().unwrap();
    session.put(b"k", b"v").unwrap();
    drop(session.snapshot());
    store.rotate().unwrap();
    assert!(!session.put_if_absent(b"k", b"w").unwrap());
}
