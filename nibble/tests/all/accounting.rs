//! What is counted live, dead, free and reserved, and what an operation leaves behind.

use super::common::variants::{POLICIES, tiny, within};
use super::common::{fill_store, made, open, verified};
use nibble::{Compaction, IndexLayout, Put, Session, Update};

/// Object header and key.
const HEADER_BYTES: u64 = 12;

#[test]
fn an_update_makes_the_old_object_dead_once() {
    for (update, compaction) in POLICIES {
        let store = open(tiny(1 << 20, update, compaction, IndexLayout::Text));
        let session = store.session().unwrap();
        for version in 0..3 {
            for key in 0..50 {
                let bytes = [200, 300, 100][version as usize];
                session.put(key, &made(key, version, bytes)).unwrap();
            }
            store.check().unwrap();
        }
        let census = store.census();
        assert_eq!((census.live_objects, census.live_value_bytes), (50, 50 * 100));
        assert_eq!(census.live_object_bytes, 50 * (100 + HEADER_BYTES));
    }
}

/// Sessions that have ended their last operation, however it ended, delay nobody.
#[test]
fn an_idle_session_holds_nothing_back() {
    let store = open(tiny(1 << 20, Update::Append, Compaction::Background, IndexLayout::Text));
    let (idle, session) = (store.session().unwrap(), store.session().unwrap());
    let endings: [fn(&Session<'_>); 4] = [
        |idle| assert_eq!(idle.get(u64::MAX, &mut []), Ok(None)),
        |idle| assert_eq!(idle.delete(u64::MAX), Ok(false)),
        |idle| assert!(idle.get(0, &mut []).is_err()),
        |idle| assert!(idle.put(u64::MAX, &[0; 32 << 10]).is_err()),
    ];
    let filled = fill_store(&session, 0, |_| 500);
    for ending in endings {
        ending(&idle);
        for key in 0..filled {
            session.delete(key).unwrap();
        }
        let again = within(20, "filling again", || fill_store(&session, 0, |_| 500));
        assert!(again * 10 >= filled * 9, "{again} of {filled} values fit while another idles");
    }
}

#[test]
fn the_reserve_is_not_for_clients() {
    for (update, compaction) in POLICIES {
        let mut config = tiny(4 << 20, update, compaction, IndexLayout::Text);
        config.reserve_percent = 10;
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 500);
        let free = store.census().free_object_bytes;
        assert!(free >= (4 << 20) / 10, "{free} bytes are left of a reserve of {}", (4 << 20) / 10);
        // It is what makes this possible: all segments have one dead object in eight.
        let delete = |&key: &u64| session.delete(key) == Ok(true);
        let deleted = (0..filled).step_by(8).filter(delete).count() as u64;
        let regained =
            within(20, "filling again", || fill_store(&session, filled, |_| 500)) - filled;
        assert!(regained * 10 >= deleted * 8, "{regained} of {deleted} deleted fit again");
        store.check().unwrap();
    }
}

/// A reserve of a few blocks grows with the objects: otherwise none of these could be moved.
#[test]
fn the_reserve_moves_the_largest_object() {
    const BYTES: usize = 50_000;
    for (update, compaction) in POLICIES {
        let mut config = tiny(8 << 20, update, compaction, IndexLayout::Tagged);
        config.reserve_percent = 0;
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| BYTES);
        let free = store.census().free_object_bytes;
        assert!(free >= BYTES as u64, "{free} bytes are left for moving {BYTES}");
        // Two to a segment: one dies, and the other must be moved.
        let deleted =
            (0..filled).step_by(2).filter(|&key| session.delete(key) == Ok(true)).count() as u64;
        let regained = fill_store(&session, filled, |_| BYTES) - filled;
        assert!(regained * 10 >= deleted * 7, "{regained} of {deleted} deleted fit again");
        drop(session);
        store.check().unwrap();
    }
}

#[test]
fn a_longer_value_leaves_its_neighbour_alone() {
    for index in IndexLayout::ALL {
        let store = open(tiny(1 << 20, Update::InPlace, Compaction::Background, *index));
        let session = store.session().unwrap();
        let mut buffer = vec![0; 8 << 10];
        for (round, bytes) in [16, 17, 40, 500, 8, 499, 500, 501, 5_000].into_iter().enumerate() {
            let version = round as u64;
            for key in 0..20 {
                // The even ones change, the odd ones behind them were written once.
                if key % 2 == 0 || round == 0 {
                    let put = session.put(key, &made(key, version, bytes));
                    assert_eq!(put, Ok(if round == 0 { Put::Inserted } else { Put::Updated }));
                }
            }
            for key in 0..20 {
                let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
                let expected = if key % 2 == 0 { (bytes, version) } else { (16, 0) };
                assert_eq!((length, verified(key, &buffer[..length])), expected, "key {key}");
            }
            store.check().unwrap();
        }
    }
}

/// What makes Nibble-2: an update that fits needs no room, so even a full store takes it.
#[test]
fn updates_that_fit_append_nothing() {
    for compaction in Compaction::ALL {
        let store = open(tiny(1 << 20, Update::InPlace, *compaction, IndexLayout::Tagged));
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 200);
        let before = store.statistics().appended_bytes;
        for (version, bytes) in [(1, 200), (2, 200), (3, 100), (4, 99)] {
            for key in 0..filled {
                assert_eq!(session.put(key, &made(key, version, bytes)), Ok(Put::Updated));
            }
        }
        assert_eq!(store.statistics().appended_bytes, before);
        store.check().unwrap();
    }
}
