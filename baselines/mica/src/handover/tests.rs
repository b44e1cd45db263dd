//! What cannot be seen from outside: owners that panic, sessions that sleep, buffers.

use std::hint::spin_loop;
use std::iter::once;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine::{KvEngine, KvSession, Op, Outcome, PutOutcome, ValueBuffers};

use super::letter::BUFFER_BYTES_FIRST;
use super::mailbox::{Mailbox, OwnerGone};
use super::owner::{Owner, StandingStill};
use super::patience::Patience;
use super::*;

fn open(owners: usize) -> MicaHandover {
    let store = store::Config { huge_pages: false, ..store::Config::new(16 << 20, 10_000) };
    MicaHandover::open(Config { store, owners }).unwrap()
}

/// A key that `owner` owns.
fn key_of(store: &MicaHandover, owner: usize) -> u64 {
    let owners = store.owners.len();
    (0..).find(|&key| store.mica.route(key, owners) == Some(owner)).expect("owners have keys")
}

fn wait_until_slept(mailbox: &Mailbox) {
    while !mailbox.is_waited_for() {
        thread::yield_now();
    }
}

/// Sends an owner a key of another owner, on which it panics.
fn misdirect(store: &MicaHandover, owner: usize) -> Arc<Mailbox> {
    let key = key_of(store, (owner + 1) % store.owners.len());
    let mailbox = store.owners[owner].register();
    mailbox.post(0, once(Op::Delete { key }));
    store.owners[owner].tell();
    mailbox
}

/// The message of the panic in `work`.
fn panic_of<R>(work: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).map(|_| ()).expect_err("it panics");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn an_owner_that_panics_is_a_panic_of_who_asks_it_and_no_hang() {
    let store = open(2);
    let mut session = store.session().unwrap();
    let (lost, kept) = (key_of(&store, 0), key_of(&store, 1));
    for key in [lost, kept] {
        assert_eq!(session.put(key, b"value"), Ok(PutOutcome::Inserted));
    }
    let mailbox = misdirect(&store, 0);
    assert_eq!(mailbox.wait(&mut Patience::default()), Err(OwnerGone));
    store.owners[0].unregister(&mailbox);

    let mut buffer = [0; 5];
    let message = panic_of(|| session.get(lost, &mut buffer));
    assert!(message.contains("owner 0 of mica-handover has panicked"), "{message}");
    let batch = [Op::Get { key: lost }, Op::Get { key: kept }];
    let (mut bytes, mut outcomes) = ([0; 10], [Outcome::Absent; 2]);
    let message =
        panic_of(|| session.execute(&batch, &mut ValueBuffers::new(&mut bytes, 5), &mut outcomes));
    assert!(message.contains("reopen the store"), "{message}");
    assert_eq!(outcomes[1], Outcome::Found(5), "the other owner's part was waited for");

    // Living owners serve old and new sessions; new sessions are told which owner is gone.
    let mut late = store.session().unwrap();
    for session in [&mut session, &mut late] {
        assert_eq!(session.get(kept, &mut buffer), Ok(Some(5)));
        assert!(panic_of(|| session.delete(lost).was_present()).contains("owner 0"));
    }
    store.check().unwrap();
    assert_eq!(store.memory().live_objects, 2);
}

#[test]
fn sessions_that_sleep_are_woken_when_their_owner_panics() {
    let store = open(2);
    let standing = StandingStill::begin(&store.owners);
    // Mailboxes are swept in the order in which they were opened.
    let culprit = misdirect(&store, 1);
    let innocent = store.owners[1].register();
    innocent.post(0, once(Op::Delete { key: key_of(&store, 1) }));
    thread::scope(|scope| {
        let wait = |mailbox: &Mailbox| mailbox.wait(&mut Patience::default());
        let waits = [&culprit, &innocent].map(|mailbox| scope.spawn(move || wait(mailbox)));
        wait_until_slept(&culprit);
        wait_until_slept(&innocent);
        drop(standing);
        assert_eq!(waits.map(|wait| wait.join().unwrap()), [Err(OwnerGone); 2]);
    });
}

#[test]
fn sleepers_are_woken_and_counted() {
    let store = open(2);
    let (owner, key) = (&store.owners[1], key_of(&store, 1));
    let client_parks = |owner: &Owner| {
        let counts = owner.counts();
        counts.into_iter().find(|(name, _)| *name == "client_parks").expect("it is counted").1
    };
    let mailbox = owner.register();
    for round in 1..=20 {
        thread::scope(|scope| {
            let standing = StandingStill::begin(&store.owners);
            scope.spawn(|| {
                mailbox.post(0, once(Op::Put { key, value: b"value" }));
                owner.tell();
                assert_eq!(mailbox.wait(&mut Patience::default()), Ok(()));
                mailbox.open(1, 0, |_, outcome, _| assert!(matches!(outcome, Outcome::Put(_))));
            });
            wait_until_slept(&mailbox);
            drop(standing);
        });
        let _standing = StandingStill::begin(&store.owners);
        assert_eq!(client_parks(owner), round);
    }
}

#[test]
fn owners_that_stand_still_carry_nothing_out() {
    let store = open(2);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut session = store.session().unwrap();
            let batch: Vec<_> = (0..64).map(|key| Op::Put { key, value: &[7; 500] }).collect();
            let mut outcomes = [Outcome::Absent; 64];
            while !is_over.load(Ordering::Relaxed) {
                session.execute(&batch, &mut ValueBuffers::new(&mut [], 0), &mut outcomes);
            }
        });
        let counts = || store.owners.iter().map(|owner| owner.counts()[0].1).collect::<Vec<_>>();
        let mut moved = 0;
        for _ in 0..300 {
            let before = {
                let _standing = StandingStill::begin(&store.owners);
                let before = counts();
                (0..100).for_each(|_| thread::yield_now());
                moved += usize::from(counts() != before);
                before
            };
            while counts() == before {
                thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(moved, 0, "of 300 times");
    });
}

#[test]
fn owners_that_are_stopped_again_and_again_serve_in_between() {
    let store = open(2);
    let (owner, key) = (&store.owners[1], key_of(&store, 1));
    let mailbox = owner.register();
    for round in 1..=500 {
        let standing = StandingStill::begin(&store.owners);
        assert_eq!(mailbox.answered(), round - 1);
        mailbox.post(0, once(Op::Put { key, value: b"value" }));
        owner.tell();
        drop(standing);
    }
}

#[test]
fn no_letter_is_missed_by_an_owner_that_falls_asleep() {
    let store = open(1);
    let mut session = store.session().unwrap();
    // Pauses about as long as owners spin.
    for round in 0..30_000_u64 {
        (0..round % 600).for_each(|_| spin_loop());
        assert!(session.put(round % 100, b"value").unwrap().is_stored());
    }
    let counts = store.owners[0].counts();
    assert_eq!(counts[0], ("handed_batches", 30_000));
    assert!(counts[2].1 > 0, "it never slept: {counts:?}");
}

#[test]
fn mailboxes_go_with_their_sessions_and_give_long_buffers_back() {
    let store = open(2);
    let owners_bytes =
        |store: &MicaHandover| store.owners.iter().map(|owner| owner.mailbox_bytes()).sum::<u64>();
    assert_eq!(owners_bytes(&store), 0);
    let tables_bytes = store.memory().table_bytes;
    let sessions: Vec<_> = (0..10).map(|_| store.session().unwrap()).collect();
    let first_bytes = owners_bytes(&store);
    assert!(first_bytes >= 10 * 2 * 2 * BUFFER_BYTES_FIRST as u64, "{first_bytes}");
    assert_eq!(store.memory().table_bytes, tables_bytes + first_bytes);
    drop(sessions);
    assert_eq!(owners_bytes(&store), 0);

    let mut session = store.session().unwrap();
    let mailbox_bytes = owners_bytes(&store);
    let limit_bytes = store.value_bytes_max;
    assert!(limit_bytes > 1 << 19, "{limit_bytes}");
    let value = vec![7; limit_bytes];
    let mut buffer = vec![0; 4 << 20];
    assert_eq!(session.put(1, &value), Ok(PutOutcome::Inserted));
    assert_eq!(session.get(1, &mut buffer), Ok(Some(limit_bytes)));
    assert!(buffer[..limit_bytes] == value, "the value");
    assert!(owners_bytes(&store) <= mailbox_bytes + (4 << 20), "no longer than a value each");
    let keys: Vec<_> = (0..64).map(|key| Op::Get { key }).collect();
    let mut outcomes = [Outcome::Absent; 64];
    let mut buffers = vec![0; 64 << 16];
    session.execute(&keys, &mut ValueBuffers::new(&mut buffers, 1 << 16), &mut outcomes);
    assert_eq!(outcomes[1], Outcome::BufferTooShort(limit_bytes));
    let kept_bytes = owners_bytes(&store);
    assert!(kept_bytes <= mailbox_bytes + (2 << 20), "{kept_bytes}: what is long is given back");
}
