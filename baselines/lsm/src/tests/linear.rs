//! Short histories of a few keys, with components swapped all the time: some order of what threads
//! were answered, which keeps to the times of the calls, is that of a single map (the search of Wing
//! and Gong, with the states that it has seen).

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::common::{SCHEMES, check, number, open, tiny, value};
use baseline_lsm::{Decide, ReadModifyWrite, Scheme, Session};
use kit::testing::Random;

const THREADS: usize = 4;
const KEYS: u64 = 2;
/// Calls of each thread in a history.
const CALLS: usize = 5;

/// A call and what it was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Get { found: Option<u64> },
    Put { value: u64 },
    Delete,
    Add { found: Option<u64> },
    PutIfAbsent { value: u64, is_put: bool },
}

impl Call {
    /// The value after the call, if the answer fits the one before.
    fn after(self, before: Option<u64>) -> Option<Option<u64>> {
        match self {
            Self::Get { found } => (found == before).then_some(before),
            Self::Put { value } => Some(Some(value)),
            Self::Delete => Some(None),
            Self::Add { found } => (found == before).then(|| Some(found.unwrap_or(0) + 1)),
            Self::PutIfAbsent { value, is_put } => {
                (is_put == before.is_none()).then(|| Some(before.unwrap_or(value)))
            }
        }
    }
}

/// A call of a history, and when it began and ended.
#[derive(Clone, Copy, Debug)]
struct Event {
    key: u64,
    begin: u64,
    end: u64,
    call: Call,
}

/// Whether some order of the calls is that of a map that held `first`, and `last` after them.
fn is_linearizable(events: &[Event], first: Option<u64>, last: Option<u64>) -> bool {
    let all: u64 = (1 << events.len()) - 1;
    let mut seen = HashSet::from([(0_u64, first)]);
    let mut open = vec![(0_u64, first)];
    while let Some((done, value)) = open.pop() {
        if done == all && value == last {
            return true;
        }
        let is_left = |at: &usize| done & (1 << at) == 0;
        let left = || (0..events.len()).filter(is_left);
        // Whoever began after another had ended comes after it.
        let first_end = left().map(|at| events[at].end).min().unwrap_or(0);
        for at in left().filter(|&at| events[at].begin < first_end) {
            if let Some(after) = events[at].call.after(value) {
                let state = (done | (1 << at), after);
                if seen.insert(state) {
                    open.push(state);
                }
            }
        }
    }
    false
}

fn call(session: &mut Session<'_>, key: &[u8], random: &mut Random) -> Call {
    let new = random.below(1000);
    match random.below(6) {
        0 | 1 => Call::Get { found: session.get(key).unwrap().map(|found| number(&found)) },
        2 => {
            session.put(key, &value(new)).unwrap();
            Call::Put { value: new }
        }
        3 => {
            session.delete(key).unwrap();
            Call::Delete
        }
        4 => {
            let mut found = None;
            let mut add = |old: Option<&[u8]>, to: &mut Vec<u8>| {
                found = old.map(number);
                to.extend_from_slice(&value(found.unwrap_or(0) + 1));
                Decide::Put
            };
            session.read_modify_write(key, &mut add).unwrap();
            Call::Add { found }
        }
        _ => {
            let is_put = session.put_if_absent(key, &value(new)).unwrap();
            Call::PutIfAbsent { value: new, is_put }
        }
    }
}

fn histories(scheme: Scheme, way: ReadModifyWrite, rounds: u64) {
    let config = baseline_lsm::Config { read_modify_write: way, ..tiny(scheme) };
    let store = open(config);
    let time = AtomicU64::new(0);
    // Sequentially consistent: numbers of all threads are in the order of the calls.
    let now = || time.fetch_add(1, Ordering::SeqCst);
    let (start, end) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
    let told: Vec<_> = (0..THREADS).map(|_| std::sync::Mutex::new(Vec::new())).collect();
    let mut wrong = None;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, now, told, start, end) = (&store, &now, &told[thread], &start, &end);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut random = Random(thread as u64);
                for _ in 0..rounds {
                    start.wait();
                    let mut events = Vec::with_capacity(CALLS);
                    for _ in 0..CALLS {
                        let key = random.below(KEYS);
                        let begin = now();
                        let call = call(&mut session, &key.to_be_bytes(), &mut random);
                        events.push(Event { key, begin, end: now(), call });
                    }
                    *told.lock().unwrap() = events;
                    end.wait();
                }
            });
        }
        let mut session = store.session().unwrap();
        let mut read = |key: u64| session.get(&key.to_be_bytes()).unwrap().map(|v| number(&v));
        let mut before: Vec<_> = (0..KEYS).map(&mut read).collect();
        for round in 0..rounds {
            start.wait();
            end.wait();
            let events: Vec<Event> =
                told.iter().flat_map(|one| one.lock().unwrap().clone()).collect();
            for key in 0..KEYS {
                let own: Vec<_> = events.iter().filter(|one| one.key == key).copied().collect();
                let after = read(key);
                let first = std::mem::replace(&mut before[key as usize], after);
                if wrong.is_none() && !is_linearizable(&own, first, after) {
                    wrong = Some(format!("round {round}, from {first:?} to {after:?}: {own:#?}"));
                }
            }
        }
    });
    // Only now: threads that wait at the barrier would wait for ever.
    assert_eq!(wrong, None, "{scheme}, {way}");
    let rotations = store.parts.counters.rotations.load(Ordering::Relaxed);
    assert!(rotations >= rounds / 20, "components are swapped all the time: {rotations}");
    check(&store);
}

#[test]
fn what_threads_are_answered_has_an_order() {
    for scheme in SCHEMES {
        histories(scheme, ReadModifyWrite::Striped, 400);
    }
    histories(Scheme::Clsm, ReadModifyWrite::Optimistic, 800);
}

#[test]
#[ignore = "many histories: cargo test --release -p baseline-lsm --lib -- --ignored linear"]
fn what_threads_are_answered_many_times_has_an_order() {
    histories(Scheme::GlobalLock, ReadModifyWrite::Striped, 200_000);
    histories(Scheme::Clsm, ReadModifyWrite::Optimistic, 200_000);
}

#[test]
fn histories_without_an_order_are_found() {
    let event = |begin, end, call| Event { key: 0, begin, end, call };
    let put = |value, begin, end| event(begin, end, Call::Put { value });
    let get = |found, begin, end| event(begin, end, Call::Get { found });
    assert!(is_linearizable(&[put(1, 0, 3), get(None, 1, 2)], None, Some(1)));
    assert!(!is_linearizable(&[put(1, 0, 1), get(None, 2, 3)], None, Some(1)), "a stale read");
    let back = [put(1, 0, 9), get(Some(1), 1, 2), get(None, 3, 4)];
    assert!(!is_linearizable(&back, None, Some(1)), "time goes back");
    let add = |found, begin, end| event(begin, end, Call::Add { found });
    assert!(!is_linearizable(&[add(Some(1), 0, 3), add(Some(1), 1, 2)], Some(1), Some(2)), "lost");
    assert!(is_linearizable(&[add(Some(1), 0, 3), add(Some(2), 1, 2)], Some(1), Some(3)));
    let both = [0, 1].map(|value| event(0, 9, Call::PutIfAbsent { value, is_put: true }));
    assert!(!is_linearizable(&both, None, Some(1)), "two winners");
}
