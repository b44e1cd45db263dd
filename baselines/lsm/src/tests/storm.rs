//! Threads that write, update, transfer and take snapshots, while small components are merged all
//! the time: snapshots are of one moment and never go back, and no update is lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::backend::Backend;
use super::common::{SCHEMES, check, get, number, open_in, tiny, value};
use baseline_lsm::{Config, Decide, LogMode, Scheme, Session, Snapshot, Store};
use kit::testing::Random;

const WRITERS: u64 = 2;
const PAIRS: u64 = 3;
const ACCOUNTS: u64 = 4;
const BALANCE: u64 = 1000;
/// Two puts, an update and a put if absent by each writer.
const EACH_TURN: u64 = 4 * WRITERS;

fn name(kind: &str, one: u64, other: u64) -> Vec<u8> {
    format!("{kind}-{one}-{other}").into_bytes()
}

/// Writes the pairs of one writer: first `a`, then `b`; so `b` is never ahead.
fn write_pairs(session: &mut Session<'_>, writer: u64, first: u64, turns: u64) {
    for turn in first..first + turns {
        let pair = turn % PAIRS;
        session.put(&name("a", writer, pair), &value(turn)).unwrap();
        session.put(&name("b", writer, pair), &value(turn)).unwrap();
        session
            .read_modify_write(b"counter", &mut |old, new| {
                new.extend_from_slice(&value(old.map_or(0, number) + 1));
                Decide::Put
            })
            .unwrap();
        if session.put_if_absent(&name("once", 0, turn), &value(writer)).unwrap() {
            session.put(&name("won", writer, turn), &value(turn)).unwrap();
        }
    }
}

/// Moves amounts between accounts, in batches.
fn transfer(session: &mut Session<'_>, random: &mut Random) {
    let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
    let key = |account| name("account", 0, account);
    let balance = |session: &mut Session<'_>, account| get(session, &key(account)).unwrap();
    let (rest, more) = (balance(session, from), balance(session, to));
    if from != to && rest > 0 {
        let (rest, more) = (value(rest - 1), value(more + 1));
        session.write(&[(&key(from), Some(&rest)), (&key(to), Some(&more))]).unwrap();
    }
}

/// The pairs of a snapshot before `once`, of which there are ever more.
fn watched(session: &mut Session<'_>, snapshot: &Snapshot) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut pairs = BTreeMap::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        let is_watched = !key.starts_with(b"once");
        if is_watched {
            pairs.insert(key.to_vec(), value.to_vec());
        }
        is_watched
    };
    session.scan_at(snapshot, &[], &mut visit).unwrap();
    pairs
}

/// What a thread that takes snapshots has seen.
#[derive(Default)]
struct Watcher {
    time: u64,
    seen: BTreeMap<Vec<u8>, u64>,
    looked: u64,
}

impl Watcher {
    fn look(&mut self, session: &mut Session<'_>) {
        let snapshot = session.snapshot();
        assert!(snapshot.timestamp() >= self.time, "time goes back");
        self.time = snapshot.timestamp();
        let pairs = watched(session, &snapshot);
        let read = |key: &[u8]| pairs.get(key).map_or(0, |value| number(value));
        for (writer, pair) in (0..WRITERS).flat_map(|w| (0..PAIRS).map(move |p| (w, p))) {
            let (a, b) = (read(&name("a", writer, pair)), read(&name("b", writer, pair)));
            assert!(b <= a && a - b <= PAIRS, "torn: a is {a} and b is {b}");
        }
        let sum: u64 = (0..ACCOUNTS).map(|account| read(&name("account", 0, account))).sum();
        assert_eq!(sum, ACCOUNTS * BALANCE, "a transfer was seen in part");
        for (key, value) in &pairs {
            if !key.starts_with(b"account") {
                let newest = self.seen.entry(key.clone()).or_default();
                assert!(number(value) >= *newest, "{key:?} goes back");
                *newest = number(value);
            }
        }
        let missing = self.seen.keys().find(|key| !pairs.contains_key(*key));
        assert_eq!(missing, None, "it was there before");
        if self.looked.is_multiple_of(8) {
            assert_eq!(watched(session, &snapshot), pairs, "the same snapshot, read again");
        }
        self.looked += 1;
    }
}

/// A life of a store: what its writers add, while others look.
fn live(store: &Store, life: u64, turns: u64) -> u64 {
    let is_over = AtomicBool::new(false);
    let looks = AtomicU64::new(0);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    write_pairs(&mut session, writer, 1 + life * turns, turns);
                })
            })
            .collect();
        for watcher in 0..2 {
            let (is_over, looks) = (&is_over, &looks);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut state = Watcher::default();
                let mut random = Random(watcher);
                while !is_over.load(Ordering::Relaxed) {
                    if watcher == 0 {
                        (0..5).for_each(|_| transfer(&mut session, &mut random));
                    }
                    state.look(&mut session);
                }
                looks.fetch_add(state.looked, Ordering::Relaxed);
            });
        }
        let outcomes: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok), "a writer failed");
    });
    looks.into_inner()
}

/// Makes all pairs equal, as they are before the first turn of a life, and the accounts full before
/// the first life of all.
fn begin(session: &mut Session<'_>, life: u64, turns: u64) {
    let (base, balance) = (value(life * turns), value(BALANCE));
    let pairs = (0..WRITERS).flat_map(|writer| (0..PAIRS).map(move |pair| (writer, pair)));
    let mut writes: Vec<_> = pairs
        .flat_map(|(writer, pair)| ["a", "b"].map(|kind| (name(kind, writer, pair), base)))
        .collect();
    if life == 0 {
        writes.extend((0..ACCOUNTS).map(|account| (name("account", 0, account), balance)));
    }
    let writes: Vec<_> = writes.iter().map(|(key, value)| (&key[..], Some(&value[..]))).collect();
    session.write(&writes).unwrap();
}

/// The numbers of a life's turns.
fn turns_of(life: u64, turns: u64) -> std::ops::RangeInclusive<u64> {
    1 + life * turns..=(life + 1) * turns
}

/// In each turn one writer has put its name first, and only that one knows it.
fn expect_one_winner(session: &mut Session<'_>, numbers: std::ops::RangeInclusive<u64>) {
    for turn in numbers {
        let winner = get(session, &name("once", 0, turn)).expect("somebody won");
        for writer in 0..WRITERS {
            let won = get(session, &name("won", writer, turn)).is_some();
            assert_eq!(won, writer == winner, "one wins turn {turn}");
        }
    }
}

/// Removes what a life leaves behind in growing number.
fn clear(session: &mut Session<'_>, numbers: std::ops::RangeInclusive<u64>) {
    for turn in numbers {
        session.delete(&name("once", 0, turn)).unwrap();
        (0..WRITERS).for_each(|writer| session.delete(&name("won", writer, turn)).unwrap());
    }
}

/// Lives of a store, each opened from what the one before has left: by turns after it was closed,
/// and after a crash.
fn storm(scheme: Scheme, lives: u64, turns: u64) {
    let mut backend = Arc::new(Backend::default());
    let config = Config { log: LogMode::Queued, write_buffer_bytes: 16 << 10, ..tiny(scheme) };
    let mut random = Random(lives);
    let (mut looks, mut counted) = (0, 0);
    let mut has_crashed = false;
    for life in 0..lives {
        let store = open_in(&backend, config.clone());
        let mut session = store.session().unwrap();
        let before = get(&mut session, b"counter").unwrap_or(0);
        // A crash loses the last of what was queued.
        assert!(before == counted || has_crashed && before < counted, "{before} of {counted}");
        if life > 0 {
            Watcher::default().look(&mut session);
            clear(&mut session, turns_of(life - 1, turns));
        }
        begin(&mut session, life, turns);
        store.flush().unwrap();
        looks += live(&store, life, turns);
        counted = before + WRITERS * turns;
        assert_eq!(get(&mut session, b"counter"), Some(counted), "{scheme}: updates were lost");
        expect_one_winner(&mut session, turns_of(life, turns));
        check(&store);
        drop(session);
        has_crashed = life % 2 == 0;
        let left = has_crashed.then(|| Arc::new(backend.crash(&mut random)));
        drop(store);
        backend = left.unwrap_or(backend);
    }
    println!(
        "{scheme}: {} operations, {lives} lives, {looks} snapshots",
        lives * turns * EACH_TURN
    );
}

#[test]
fn snapshots_are_whole_and_updates_are_not_lost() {
    for scheme in SCHEMES {
        storm(scheme, 4, 150);
    }
}

/// Operations of each scheme in the long storm, or as many as the variable `LSM_STORM_OPERATIONS`
/// says.
fn operations() -> u64 {
    let given = std::env::var("LSM_STORM_OPERATIONS");
    given.map_or(640_000, |operations| operations.parse().expect("a number"))
}

#[test]
#[ignore = "many operations: cargo test --release -p baseline-lsm --lib -- --ignored --nocapture storm"]
fn snapshots_are_whole_over_many_operations() {
    const TURNS: u64 = 8000;
    for scheme in SCHEMES {
        storm(scheme, operations().div_ceil(TURNS * EACH_TURN), TURNS);
    }
}
