//! Threads on one tree: values that prove themselves while nodes split, empty and go, and layers
//! come and go; scans that miss nothing that is there throughout.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use baseline_masstree::{Config, Masstree, Tree, TreeSession};
use engine::{BytesSession, KvBytesEngine, KvEngine, Op, Outcome, PutOutcome, ValueBuffers};
use kit::testing::TestHeap;

const WRITERS: u64 = 3;
const ROUNDS: u64 = 40;
const KEYS: u64 = 900;

fn count(tree: &Tree, name: &str) -> u64 {
    let statistics = tree.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic `{name}`")).value as u64
}

fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Keys of one slice, of several, and in layers that a few keys share.
fn key(number: u64) -> Vec<u8> {
    match number % 4 {
        0 | 1 => number.to_be_bytes().to_vec(),
        2 => {
            [&(number / 40).to_be_bytes()[..], b"shared slices...", &number.to_be_bytes()].concat()
        }
        _ => [&(number / 12).to_be_bytes()[..], &number.to_be_bytes()[6..]].concat(),
    }
}

/// A value that says whose it is, and of which put; its length and its end follow from that.
fn value(number: u64, put: u64) -> Vec<u8> {
    let seal = mix(number.wrapping_mul(31).wrapping_add(put));
    let mut bytes = [number.to_le_bytes(), put.to_le_bytes()].concat();
    bytes.resize(16 + (seal % 60) as usize, seal as u8);
    bytes
}

/// The put that a value is of, which must be one of this key's.
fn put_of(number: u64, found: &[u8]) -> u64 {
    assert!(found.len() >= 16, "a value of {} bytes", found.len());
    let put = u64::from_le_bytes(found[8..16].try_into().unwrap());
    assert_eq!(found, value(number, put), "the value of key {number}");
    put
}

fn put(session: &mut TreeSession<'_>, number: u64, sequence: u64) -> PutOutcome {
    session.put(&key(number), &value(number, sequence)).unwrap()
}

fn find(session: &mut TreeSession<'_>, number: u64) -> Option<u64> {
    let mut buffer = [0; 128];
    let bytes = session.get(&key(number), &mut buffer).unwrap()?;
    Some(put_of(number, &buffer[..bytes]))
}

/// Half of each writer's runs of keys stay; the others come and go, and nodes and layers with
/// them.
fn stays(number: u64) -> bool {
    (number / 30).is_multiple_of(2)
}

/// Puts and removes all keys of one writer, in an order of the round's.
fn churn(tree: &Tree, writer: u64, newest: &[AtomicU64]) {
    let mut session = tree.session().unwrap();
    let mut own: Vec<_> = (0..KEYS).filter(|number| number / 60 % WRITERS == writer).collect();
    for round in 1..=ROUNDS {
        own.sort_by_key(|&number| match round % 3 {
            0 => number,
            1 => u64::MAX - number,
            _ => mix(number ^ round << 32),
        });
        for &number in &own {
            let there = round > 1 && stays(number);
            let expected = if there { PutOutcome::Updated } else { PutOutcome::Inserted };
            assert_eq!(put(&mut session, number, round), expected);
            newest[number as usize].store(round, Ordering::Release);
        }
        for &number in &own {
            assert_eq!(find(&mut session, number), Some(round));
            if !stays(number) {
                assert!(session.delete(&key(number)));
                assert!(!session.delete(&key(number)));
            }
        }
    }
}

fn run(tree: &Tree, read: impl Fn(&mut TreeSession<'_>, &[AtomicU64]) + Sync) {
    let newest: Vec<_> = (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let newest = &newest;
                scope.spawn(move || churn(tree, writer, newest))
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                let mut session = tree.session().unwrap();
                while !done.load(Ordering::Relaxed) {
                    read(&mut session, &newest);
                }
            });
        }
        let outcomes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
    });
    tree.check().unwrap();
    let mut session = tree.session().unwrap();
    for number in 0..KEYS {
        assert_eq!(find(&mut session, number), stays(number).then_some(ROUNDS));
        session.delete(&key(number));
    }
    tree.check().unwrap();
    assert_eq!(count(tree, "layers"), 1);
    assert_eq!(count(tree, "nodes_freed"), count(tree, "nodes_allocated") - 1);
    // At least those that are needed for the keys that stay.
    assert!(count(tree, "layers_collapsed") > 40 && count(tree, "border_splits") > 15);
}

#[test]
fn readers_see_whole_values_that_never_go_back() {
    let heap: &TestHeap = TestHeap::leaked();
    let tree = Tree::open(Config::new(heap)).unwrap();
    run(&tree, |session, newest| {
        for (number, newest) in newest.iter().enumerate() {
            let least = newest.load(Ordering::Acquire);
            match find(session, number as u64) {
                Some(put) => assert!(put >= least, "key {number}: put {put} after {least}"),
                None => assert!(!stays(number as u64) || least == 0, "key {number} is lost"),
            }
        }
    });
    drop(tree);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0));
}

#[test]
fn scans_are_ordered_and_miss_nothing_that_stays() {
    let heap: &TestHeap = TestHeap::leaked();
    let tree = Tree::open(Config::new(heap)).unwrap();
    let mut keys: Vec<_> = (0..KEYS).map(|number| (key(number), number)).collect();
    keys.sort();
    run(&tree, |session, newest| {
        let stay = |&&(_, number): &&(Vec<u8>, u64)| {
            stays(number) && newest[number as usize].load(Ordering::Acquire) > 0
        };
        let must: Vec<_> = keys.iter().filter(stay).map(|(_, number)| *number).collect();
        let mut must = must.into_iter().peekable();
        let mut before = None;
        session.scan(b"", |found, value| {
            let number = u64::from_le_bytes(value[..8].try_into().unwrap());
            assert_eq!(found, key(number));
            put_of(number, value);
            assert!(before.as_deref().is_none_or(|before| before < found), "in order");
            before = Some(found.to_vec());
            must.next_if_eq(&number);
            ControlFlow::Continue(())
        });
        assert_eq!(must.next(), None, "the first key that the scan missed");
    });
    drop(tree);
    assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0));
}

#[test]
fn checks_and_counts_stop_the_others_and_let_them_go_on() {
    let heap: &TestHeap = TestHeap::leaked();
    let config = Config { object_memory_bytes: Some(1 << 20), ..Config::new(heap) };
    let tree = Tree::open(config).unwrap();
    run(&tree, |_, _| {
        tree.check().unwrap();
        let census = tree.census();
        assert!(census.live_objects <= KEYS && census.complete);
        assert_eq!(census.live_object_bytes + census.dead_object_bytes, census.object_memory_bytes);
    });
    tree.check().unwrap();
    assert_eq!(count(&tree, "rows_in_limbo"), 0, "a check empties all limbo");
    drop(tree);
    assert_eq!(heap.allocated_bytes(), 0);
}

#[test]
fn batches_of_byte_strings_meet_layers_that_come_and_go() {
    let heap: &TestHeap = TestHeap::leaked();
    let store = Masstree::open(Config::new(heap)).unwrap();
    let ends = AtomicBool::new(false);
    let key = |number: u64| {
        let shared = (number % 12) as usize * 8;
        [&[b'x'; 96][..shared], &mix(number).to_be_bytes(), b"tail"].concat()
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut session = store.bytes_session().unwrap();
            for round in 0_u64..300 {
                // Layers of many depths, and then none.
                for number in 0..60 {
                    session.put(&key(number), &value(number, round)).unwrap();
                }
                for number in 0..60 {
                    assert!(session.delete(&key(number)).unwrap().was_present());
                }
            }
            ends.store(true, Ordering::Release);
        });
        let mut session = store.bytes_session().unwrap();
        let keys: Vec<Vec<u8>> = (0..60).map(key).collect();
        let mut slots = vec![0; 128 * keys.len()];
        let (mut found, mut absent) = (0, 0);
        while !ends.load(Ordering::Acquire) {
            let gets: Vec<Op<'_, &[u8]>> =
                keys.iter().map(|key| Op::Get { key: &key[..] }).collect();
            let mut outcomes = vec![Outcome::Absent; gets.len()];
            let mut values = ValueBuffers::new(&mut slots, 128);
            session.execute(&gets, &mut values, &mut outcomes).unwrap();
            for (number, outcome) in (0..).zip(outcomes) {
                match outcome {
                    Outcome::Found(bytes) => {
                        put_of(number, &slots[number as usize * 128..][..bytes]);
                        found += 1;
                    }
                    Outcome::Absent => absent += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(found > 0 && absent > 0, "{found} found, {absent} absent");
    });
    store.check().unwrap();
    let collapsed = store.statistics().into_iter().find(|one| one.name == "layers_collapsed");
    assert!(collapsed.unwrap().value > 1000.0, "layers come and go");
}

#[test]
fn layers_of_one_slice_are_fought_over() {
    let heap: &TestHeap = TestHeap::leaked();
    let tree = Tree::open(Config::new(heap)).unwrap();
    let key = |number: u64| [&[b'x'; 16][..], &mix(number).to_be_bytes()[..]].concat();
    thread::scope(|scope| {
        for thread in 0..4 {
            let tree = &tree;
            scope.spawn(move || {
                let mut session = tree.session().unwrap();
                let mut buffer = [0; 8];
                for round in 0_u64..3000 {
                    // One to twenty keys of its own, and then none.
                    let keys: Vec<_> =
                        (0..1 + round % 20).map(|number| key(number << 8 | thread)).collect();
                    for key in &keys {
                        assert_eq!(session.put(key, &key[16..]), Ok(PutOutcome::Inserted));
                    }
                    for key in &keys {
                        assert_eq!(session.get(key, &mut buffer), Ok(Some(8)));
                        assert_eq!(buffer, key[16..]);
                        assert!(session.delete(key));
                    }
                }
            });
        }
    });
    tree.check().unwrap();
    assert_eq!(count(&tree, "layers"), 1);
    assert!(count(&tree, "layers_collapsed") >= 2, "two layers below sixteen bytes");
    drop(tree);
    assert_eq!(heap.allocated_bytes(), 0);
}
