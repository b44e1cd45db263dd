//! A PUT that waits for room does the work itself, and a refusal names the session in its way.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::{fill, named, small, small_with, soon};
use crate::compaction::pace::Budget;
use crate::compaction::patience::Patience;
use crate::store::Shared;
use crate::sync::lock;
use crate::{Compaction, Put, PutError};

/// Half of the store is dead, but a session stays inside an operation that it began before.
#[test]
fn the_session_in_the_way_is_named() {
    let store = small();
    let keys = fill(&store);
    assert!(store.settle());
    let epochs = &store.shared.epochs;
    let reader = epochs.claim().unwrap();
    let pin = reader.enter(&epochs.clock);
    let session = store.session().unwrap();
    assert!((0..keys / 2).all(|key| session.delete(key) == Ok(true)));
    let put = session.put(keys, &[2; 60_000]);
    let Err(PutError::Stalled { session: number, held }) = put else { panic!("{put:?}") };
    assert_eq!(number, reader.number());
    assert!(held >= store.shared.full_wait, "in the way for {held:?} only");
    drop(pin);
    assert_eq!(session.put(keys, &[2; 60_000]), Ok(Put::Inserted));
    reader.release();
    drop(session);
    store.check().unwrap();
}

/// Sessions that come and go are in nobody's way, even without any patience.
#[test]
fn who_begins_later_is_not_in_the_way() {
    let store = small_with(|config| config.full_wait_ms = 0);
    let epochs = &store.shared.epochs;
    let slot = epochs.claim().unwrap();
    for _ in 0..20 {
        let mut patience = Patience::begin(&store.shared, 1000);
        let pin = slot.enter(&epochs.clock);
        assert_eq!(patience.again(), Ok(()), "it began after the wait");
        drop(pin);
    }
    let pin = slot.enter(&epochs.clock);
    let mut patience = Patience::begin(&store.shared, 1000);
    let refusal = patience.again().unwrap_err();
    assert!(matches!(refusal, PutError::Stalled { session, .. } if session == slot.number()));
    drop(pin);
    slot.release();
}

/// The threads of a store may not come to run on a busy machine.
#[test]
fn a_waiting_put_needs_no_thread() {
    let store = small();
    let keys = fill(&store);
    store.shared.log.nodes.iter().for_each(|node| node.signals.stop());
    // In a thread of its own: without help, the PUTs would wait for a minute.
    let (done, finished) = channel();
    thread::spawn(move || {
        let session = store.session().unwrap();
        assert!((0..keys / 2).all(|key| session.delete(key) == Ok(true)));
        for key in keys..keys + 4 {
            let put = session.put(key, &[2; 60_000]);
            assert_eq!((put, named(put)), (Ok(Put::Inserted), None));
        }
        drop(session);
        store.check().unwrap();
        done.send(()).unwrap();
    });
    finished.recv_timeout(Duration::from_secs(20)).expect("the PUTs make room themselves");
}

/// A PUT takes room on any node, so what any node frees wakes it.
#[test]
fn room_on_any_node_wakes_a_waiting_put() {
    for node in 0..2 {
        // On a busy machine all room may be freed between the count of the waiter and its wait.
        assert!((0..10).any(|_| room_wakes(node)), "what node {node} frees wakes nobody");
    }
}

/// Whether a thread that waits for room wakes when this node frees some.
fn room_wakes(node: usize) -> bool {
    // Nobody but this test compacts, so nobody rings for another reason.
    let store = small_with(|config| {
        (config.compaction, config.virtual_nodes) = (Compaction::Inline, 2);
    });
    let keys = fill(&store);
    let session = store.session().unwrap();
    assert!((0..keys).all(|key| session.delete(key) == Ok(true)));
    let Shared { log, .. } = &*store.shared;
    let freed = || [0, 1].map(|node| log.nodes[node].crew.totals().freed_blocks);
    let before = freed();
    let woken = thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let _waiting = log.space.begin_waiting();
            log.space.wait(Duration::from_secs(3600));
        });
        assert!(soon(|| log.space.waiters() == 1));
        let woken = soon(|| {
            for worker in &log.nodes[node].crew.workers {
                lock(worker).round(&store.shared, &mut Budget::new(1, 1 << 20));
            }
            waiter.is_finished()
        });
        while !waiter.is_finished() {
            log.space.ring();
            thread::yield_now();
        }
        woken
    });
    let after = freed();
    assert!(after[node] > before[node], "{before:?}, then {after:?}");
    assert_eq!(after[1 - node], before[1 - node]);
    woken
}
