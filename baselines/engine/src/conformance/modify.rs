//! Tests of read-modify-write and put-if-absent.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::model::VALUE_BYTES_MAX;
use super::sharing::{THREADS, on_workers};
use super::value::{Random, mix};
use super::{Opener, check, open_checked, part_of, session};
use crate::{Decision, FullMeaning, KvEngine, KvSession, PutOutcome, Rmw};

/// Increments of all threads together in the suite.
const INCREMENTS: u64 = 100_000;
/// Keys that threads increment: few, so that they meet.
const COUNTERS: u64 = 3;
/// Keys that all threads try to put first.
const WANTED: u64 = 2000;
/// Puts of the one thread that puts what others increment.
const BASES: u64 = 300;

/// A read-modify-write sees the value that is there, stores what it is told to, and keeps what it is told
/// to keep; a put-if-absent stores a value only where there is none. Where the store claims
/// [`Rmw::Atomic`], threads that increment lose no increment and no put, and one of those that put a key
/// first succeeds.
///
/// # Panics
/// If the store behaves otherwise.
pub fn read_modify_writes_are_what_they_claim<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    expect_answers(&engine);
    check(&engine);
    if engine.rmw() == Rmw::Atomic {
        expect_exact_sum(&engine, part_of::<E>(INCREMENTS));
        expect_one_winner(&engine);
        expect_no_lost_put(&engine);
        check(&engine);
    }
}

/// Increments a few counters on four threads, `increments` times together, if the store claims
/// [`Rmw::Atomic`]. Returns whether it does.
///
/// # Panics
/// If the sum is not exact.
pub fn increments_are_exact<E: KvEngine>(open: Opener<'_, E>, increments: u64) -> bool {
    let engine = open_checked(open);
    let claims = engine.rmw() == Rmw::Atomic;
    if claims {
        expect_exact_sum(&engine, increments);
    }
    claims
}

fn expect_answers<E: KvEngine>(engine: &E) {
    let mut session = session(engine);
    let mut random = Random::new(11);
    let evicts = E::TRAITS.full == FullMeaning::Evict;
    let mut live: Vec<Option<Vec<u8>>> = vec![None; 50];
    for round in 0..2000_u64 {
        let at = random.below(live.len() as u64) as usize;
        let (key, expected) = (mix(at as u64), &mut live[at]);
        let value = vec![round as u8; random.length(&(0..=VALUE_BYTES_MAX))];
        let was_there = expected.is_some();
        match random.below(5) {
            0 => {
                let told = session.put_if_absent(key, &value).expect("a short value");
                if evicts && told.is_some() {
                    *expected = None;
                }
                assert_eq!(told.is_some(), expected.is_none(), "put if absent: {told:?}");
                expected.get_or_insert(value);
            }
            1 => {
                session.delete(key);
                *expected = None;
            }
            choice => {
                let puts = choice > 2;
                let mut seen = None;
                let told = session.read_modify_write(key, &mut |old, new| {
                    assert!(new.is_empty(), "the buffer for the new value is not empty");
                    seen = old.map(<[u8]>::to_vec);
                    new.extend_from_slice(&value);
                    if puts { Decision::Put } else { Decision::Keep }
                });
                if !(evicts && seen.is_none()) {
                    assert_eq!(seen, *expected, "what a read-modify-write of key {key:#x} saw");
                }
                let told = told.expect("a short value");
                assert_eq!(told.is_some(), puts, "{told:?}");
                let right = match told {
                    Some(PutOutcome::Inserted) => !was_there || evicts,
                    Some(PutOutcome::Updated) => was_there,
                    Some(PutOutcome::Stored) | None => true,
                    Some(PutOutcome::Full) => false,
                };
                assert!(right, "{told:?} of a key that was there: {was_there}");
                *expected = if puts { Some(value) } else { seen };
            }
        }
        let mut found = vec![0; VALUE_BYTES_MAX];
        let found_bytes = session.get(key, &mut found).expect("a buffer for the longest value");
        let found = found_bytes.map(|value_bytes| &found[..value_bytes]);
        if !(evicts && found.is_none()) {
            assert_eq!(found, live[at].as_deref(), "key {key:#x}");
        }
    }
    (0..live.len() as u64).for_each(|at| _ = session.delete(mix(at)));
}

/// The keys from `first` on that `worker` may write, which are all where keys belong to nobody.
fn keys_of<E: KvEngine>(engine: &E, worker: usize, first: u64, count: u64) -> Vec<u64> {
    let is_own = |key: &u64| engine.route(*key, THREADS).is_none_or(|owner| owner == worker);
    (first..first + count).map(mix).filter(is_own).collect()
}

fn expect_exact_sum<E: KvEngine>(engine: &E, increments: u64) {
    let each = increments / THREADS as u64;
    let first = 1 << 20;
    // Where keys belong to workers, each has some of its own.
    let counters = if E::TRAITS.sharing.is_partitioned() { 16 * THREADS as u64 } else { COUNTERS };
    let start = Barrier::new(THREADS);
    let sums = on_workers(engine, |worker, session| {
        start.wait();
        let keys = keys_of(engine, worker, first, counters);
        for turn in 0..each {
            add(session, keys[(turn % keys.len() as u64) as usize], 1);
        }
        each
    });
    let expected: u64 = sums.into_iter().sum();
    let mut session = session(engine);
    let mut buffer = [0; 8];
    let mut sum = 0;
    for key in (first..first + counters).map(mix) {
        if session.get(key, &mut buffer).expect("eight bytes").is_some() {
            sum += u64::from_le_bytes(buffer);
        }
        session.delete(key);
    }
    assert_eq!(sum, expected, "the sum of counters after {expected} increments");
}

/// Adds to the counter `key`, and returns what it has been before.
fn add<S: KvSession>(session: &mut S, key: u64, by: u64) -> u64 {
    let mut before = 0;
    let told = session.read_modify_write(key, &mut |old, new| {
        before = old.map_or(0, |old| u64::from_le_bytes(old.try_into().expect("a counter")));
        new.extend_from_slice(&(before + by).to_le_bytes());
        Decision::Put
    });
    let is_stored = told.expect("a short value").is_some_and(PutOutcome::is_stored);
    assert!(is_stored, "a store that is nearly empty answers {told:?}");
    before
}

fn expect_one_winner<E: KvEngine>(engine: &E) {
    let first = 2 << 20;
    let start = Barrier::new(THREADS);
    let won = on_workers(engine, |worker, session| {
        start.wait();
        let mut won = 0_u64;
        for key in keys_of(engine, worker, first, WANTED) {
            let told = session.put_if_absent(key, &(worker as u64).to_le_bytes());
            won += u64::from(told.expect("a short value").is_some());
        }
        won
    });
    assert_eq!(won.iter().sum::<u64>(), WANTED, "those who put a key first: {won:?}");
    let mut session = session(engine);
    let mut writers = vec![0; THREADS];
    let mut buffer = [0; 8];
    for key in (first..first + WANTED).map(mix) {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(8)), "key {key:#x}");
        writers[u64::from_le_bytes(buffer) as usize] += 1;
        session.delete(key);
    }
    assert_eq!(writers, won, "values by who put them");
}

/// One thread puts ever higher values, which others increment by less than the distance between two. What
/// it reads after a put is never below that.
fn expect_no_lost_put<E: KvEngine>(engine: &E) {
    if E::TRAITS.sharing.is_partitioned() {
        return; // One thread has the key.
    }
    const DISTANCE: u64 = 1 << 32;
    let key = mix(3 << 20);
    let (stop, start) = (AtomicU64::new(0), Barrier::new(THREADS));
    on_workers(engine, |worker, session| {
        start.wait();
        if worker > 0 {
            // Relaxed: it only ends the loop.
            while stop.load(Ordering::Relaxed) == 0 {
                add(session, key, 1);
            }
            return;
        }
        let mut buffer = [0; 8];
        for base in (1..=part_of::<E>(BASES)).map(|base| base * DISTANCE) {
            session.put(key, &base.to_le_bytes()).expect("a short value");
            // Who has read before the put may write now.
            thread::yield_now();
            assert_eq!(session.get(key, &mut buffer), Ok(Some(8)));
            let found = u64::from_le_bytes(buffer);
            if found < base {
                stop.store(1, Ordering::Relaxed);
            }
            assert!(found >= base, "the put of {base:#x} is lost: {found:#x} was found");
        }
        stop.store(1, Ordering::Relaxed);
    });
}
