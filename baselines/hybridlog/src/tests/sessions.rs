//! Idle sessions, dropped ones, and what a session takes with it.

use super::common::{check, open, put, small, version};
use baseline_hybridlog::Config;
use engine::{KvEngine, KvSession, SessionError};
use kit::testing::counter;

/// Sessions that sit idle, before or after operations, keep nothing from being used again.
#[test]
fn idle_sessions_do_not_stall_compaction() {
    let store = open(Config { mutable_fraction: 0.0, ..small(1 << 20) });
    let _never_used = store.session().unwrap();
    let mut idle = store.session().unwrap();
    assert!(put(&mut idle, 1 << 40, 1, 100));
    let mut busy = store.session().unwrap();
    for turn in 1..20_000 {
        assert!(put(&mut busy, turn % 100, turn, 500));
    }
    assert!(counter(&store, "compacted_pages") > 2 * 64);
    assert_eq!(version(&mut idle, 1 << 40), Some(1));
    for key in 0..100 {
        assert!(version(&mut idle, key).is_some_and(|version| version > 19_800));
    }
    check(&store);
}

#[test]
fn credit_and_counts_outlive_their_session() {
    let store = open(small(1 << 20));
    let mut held = 0;
    // Each session deletes half of what the last one has put.
    for round in 1..=50 {
        let mut session = store.session().unwrap();
        for key in 0..40 {
            let key = round * 1000 + key;
            assert!(put(&mut session, key, round, 200));
            held += 1;
        }
        if round > 1 {
            for key in 0..20 {
                assert!(session.delete((round - 1) * 1000 + key).was_present());
                held -= 1;
            }
        }
        drop(session);
        // Without sessions, pool and live data make up the bound exactly.
        check(&store);
        assert_eq!(store.memory().live_objects, held);
    }
}

#[test]
fn sessions_are_limited() {
    let store = open(small(1 << 20));
    let sessions: Vec<_> = std::iter::from_fn(|| store.session().ok()).collect();
    assert_eq!(sessions.len(), 256);
    let refused = store.session().map(|_| ());
    assert_eq!(refused, Err(SessionError::TooManySessions { limit: 256 }));
    drop(sessions);
    let mut session = store.session().unwrap();
    assert!(session.put(1, b"one").unwrap().is_stored());
}
