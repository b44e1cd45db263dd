//! The tree on keys of bytes, against a sorted map: keys that share prefixes, keys that are
//! prefixes of others, zeros; layers come and go, and nothing stays on the heap.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use baseline_masstree::{Config, Tree, TreeSession};
use engine::{PutOutcome, Statistic};
use kit::testing::TestHeap;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 33) as usize % limit
    }
}

fn count(tree: &Tree, name: &str) -> u64 {
    let statistics = tree.statistics();
    let found = statistics.iter().find(|statistic: &&Statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic `{name}`")).value as u64
}

/// Of 1 to 64 bytes: few different bytes, zeros among them, and long runs of the same, so that
/// keys share slices, and lengths around multiples of eight.
fn random_key(random: &mut Random) -> Vec<u8> {
    let bytes = match random.below(3) {
        0 => 1 + random.below(64),
        1 => (8 * (1 + random.below(8)) + random.below(3) - 1).min(64),
        _ => 1 + random.below(12),
    };
    let run = [0, b'a', 0xff][random.below(3)];
    let mut key = vec![run; bytes];
    for _ in 0..random.below(4) {
        let at = random.below(bytes);
        key[at] = [0, 1, b'a', b'b', 0xff][random.below(5)];
    }
    key
}

fn random_value(random: &mut Random) -> Vec<u8> {
    let byte = random.below(256) as u8;
    vec![byte; random.below(100)]
}

fn put(session: &mut TreeSession<'_>, model: &mut Model, key: &[u8], value: &[u8]) {
    let old = model.insert(key.to_vec(), value.to_vec());
    let expected = if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted };
    assert_eq!(session.put(key, value), Ok(expected), "put {key:?}");
}

fn delete(session: &mut TreeSession<'_>, model: &mut Model, key: &[u8]) {
    assert_eq!(session.delete(key), model.remove(key).is_some(), "delete {key:?}");
}

fn get(session: &mut TreeSession<'_>, model: &Model, key: &[u8]) {
    let mut buffer = [0; 128];
    let found = session.get(key, &mut buffer).unwrap().map(|bytes| &buffer[..bytes]);
    assert_eq!(found, model.get(key).map(Vec::as_slice), "get {key:?}");
}

fn collect(session: &mut TreeSession<'_>, first: &[u8], limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    session.scan(first, |key, value| {
        found.push((key.to_vec(), value.to_vec()));
        if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}

fn verify(tree: &Tree, session: &mut TreeSession<'_>, model: &Model) {
    tree.check().unwrap();
    model.keys().for_each(|key| get(session, model, key));
    let expected: Vec<_> = model.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    assert_eq!(collect(session, b"", usize::MAX), expected);
}

#[test]
fn agrees_with_a_sorted_map() {
    for seed in 1..=6 {
        let heap: &TestHeap = TestHeap::leaked();
        let tree = Tree::open(Config::new(heap)).unwrap();
        let mut session = tree.session().unwrap();
        let (mut model, mut random) = (Model::new(), Random(seed));
        for round in 0..12 {
            // Rounds that grow and rounds that shrink.
            let puts = if round % 3 == 2 { 2 } else { 6 };
            for _ in 0..1500 {
                let key = random_key(&mut random);
                match random.below(10) {
                    action if action < puts => {
                        let value = random_value(&mut random);
                        put(&mut session, &mut model, &key, &value);
                    }
                    8.. => get(&mut session, &model, &key),
                    _ => {
                        let some = model.range(key.clone()..).next().map(|(key, _)| key.clone());
                        delete(&mut session, &mut model, &some.unwrap_or(key));
                    }
                }
            }
            verify(&tree, &mut session, &model);
            for _ in 0..50 {
                let (first, limit) = (random_key(&mut random), 1 + random.below(40));
                let expected: Vec<_> = model.range(first.clone()..).take(limit).collect();
                let found = collect(&mut session, &first, limit);
                assert!(found.iter().map(|(key, value)| (key, value)).eq(expected), "{first:?}");
            }
        }
        assert!(count(&tree, "layers_created") > 100 && count(&tree, "border_splits") > 20);
        for key in model.clone().into_keys() {
            delete(&mut session, &mut model, &key);
        }
        verify(&tree, &mut session, &model);
        assert_eq!(count(&tree, "layers"), 1);
        assert_eq!(count(&tree, "layers_created"), count(&tree, "layers_collapsed"));
        drop(session);
        drop(tree);
        assert_eq!((heap.allocated_bytes(), heap.threads()), (0, 0), "seed {seed}");
    }
}

#[test]
fn all_lengths_of_zeros_are_different_keys() {
    let tree = Tree::open(Config::new(TestHeap::leaked())).unwrap();
    let mut session = tree.session().unwrap();
    let mut model = Model::new();
    let key = [0; 130];
    for bytes in (0..=130).rev().chain(0..=130) {
        put(&mut session, &mut model, &key[..bytes], &[bytes as u8]);
    }
    verify(&tree, &mut session, &model);
    for bytes in 0..=130 {
        let found = collect(&mut session, &key[..bytes], 3);
        assert!(found.iter().map(|(key, _)| key.len()).eq((bytes..=130).take(3)));
    }
    assert_eq!(count(&tree, "layers"), 1 + 130 / 8, "one for every eight bytes");
    for bytes in (0..=130).step_by(2) {
        delete(&mut session, &mut model, &key[..bytes]);
        verify(&tree, &mut session, &model);
    }
}

/// Inserts keys in an order, removes them in another, and tells how many border nodes there were
/// in between.
fn fill_and_empty(
    inserts: impl Iterator<Item = u64> + Clone,
    removals: impl Iterator<Item = u64>,
) -> u64 {
    let heap: &TestHeap = TestHeap::leaked();
    let tree = Tree::open(Config::new(heap)).unwrap();
    let mut session = tree.session().unwrap();
    for key in inserts.clone() {
        assert_eq!(session.put(&key.to_be_bytes(), &key.to_le_bytes()), Ok(PutOutcome::Inserted));
    }
    tree.check().unwrap();
    let mut buffer = [0; 8];
    for key in inserts {
        assert_eq!(session.get(&key.to_be_bytes(), &mut buffer), Ok(Some(8)));
        assert_eq!(buffer, key.to_le_bytes());
    }
    let borders = 1 + count(&tree, "border_splits");
    let interiors = count(&tree, "nodes_allocated") - borders;
    assert!(interiors > count(&tree, "interior_splits") && interiors < borders / 4);
    for (number, key) in removals.enumerate() {
        assert!(session.delete(&key.to_be_bytes()));
        if number.is_multiple_of(997) {
            tree.check().unwrap();
        }
    }
    tree.check().unwrap();
    assert_eq!(count(&tree, "nodes_freed"), count(&tree, "nodes_allocated") - 1);
    assert_eq!(count(&tree, "rows_freed"), count(&tree, "rows_allocated"));
    assert_eq!(count(&tree, "rows_in_limbo"), 0);
    assert_eq!(heap.allocated_bytes(), 0, "no row is left");
    borders
}

const KEYS: u64 = 12_000;

fn shuffled(seed: usize) -> impl Iterator<Item = u64> + Clone {
    let mut keys: Vec<_> = (0..KEYS).map(|key| key << 40 | key).collect();
    let mut random = Random(seed as u64);
    for index in (1..keys.len()).rev() {
        keys.swap(index, random.below(index + 1));
    }
    keys.into_iter()
}

#[test]
fn keys_in_order_fill_nodes() {
    let borders = fill_and_empty(0..KEYS, 0..KEYS);
    assert_eq!(borders, KEYS.div_ceil(15));
}

#[test]
fn keys_in_reverse_order_and_out_from_the_other_end() {
    let borders = fill_and_empty((0..KEYS).rev(), (0..KEYS).rev());
    assert!((KEYS / 9..KEYS / 7).contains(&borders), "{borders} nodes");
}

#[test]
fn keys_in_random_order() {
    let borders = fill_and_empty(shuffled(1), shuffled(2));
    assert!((KEYS / 12..KEYS / 9).contains(&borders), "{borders} nodes");
}

#[test]
fn keys_from_the_ends_and_from_the_middle_out() {
    let outside_in = (0..KEYS / 2).flat_map(|key| [key, KEYS - 1 - key]);
    let inside_out = (0..KEYS / 2).flat_map(|key| [KEYS / 2 - 1 - key, KEYS / 2 + key]);
    fill_and_empty(outside_in, inside_out);
}

#[test]
fn layers_of_many_nodes_collapse_whatever_goes_last() {
    let heap: &TestHeap = TestHeap::leaked();
    let tree = Tree::open(Config::new(heap)).unwrap();
    let mut session = tree.session().unwrap();
    let key =
        |number: u64| [b"common prefix of 24 byte".as_slice(), &number.to_be_bytes()].concat();
    for keep_first in [true, false] {
        for number in 0..1000 {
            session.put(&key(number), b"value").unwrap();
        }
        tree.check().unwrap();
        assert_eq!(count(&tree, "layers"), 4);
        assert!(count(&tree, "border_splits") > 60);
        // The layer's first node is emptied first, or last.
        let order: Vec<_> =
            if keep_first { (0..1000).rev().collect() } else { (0..1000).collect() };
        for (left, number) in order.into_iter().enumerate() {
            assert_eq!(count(&tree, "layers"), 4, "{left} removed");
            assert!(session.delete(&key(number)));
        }
        tree.check().unwrap();
        assert_eq!(count(&tree, "layers"), 1);
        assert_eq!(count(&tree, "nodes_freed"), count(&tree, "nodes_allocated") - 1);
    }
}

#[test]
fn an_exhausted_heap_changes_nothing() {
    let heap = TestHeap::leaked();
    heap.limit_bytes = 60_000;
    refuses_and_changes_nothing(heap, usize::MAX);
}

#[test]
fn exhausted_nodes_change_nothing() {
    refuses_and_changes_nothing(TestHeap::leaked(), 150);
}

/// Fills a tree until puts are refused, halves it, and fills it again.
fn refuses_and_changes_nothing(heap: &'static TestHeap, nodes_max: usize) {
    let tree = Tree::open(Config { nodes_max, ..Config::new(heap) }).unwrap();
    let mut session = tree.session().unwrap();
    let (mut model, mut random) = (Model::new(), Random(9));
    for _ in 0..10 {
        let mut refused = 0;
        while refused < 200 {
            let (key, value) = (random_key(&mut random), random_value(&mut random));
            match session.put(&key, &value).unwrap() {
                PutOutcome::Full => refused += 1,
                PutOutcome::Inserted => assert!(model.insert(key, value).is_none()),
                PutOutcome::Updated => assert!(model.insert(key, value).is_some()),
                PutOutcome::Stored => panic!("the tree knows what it writes"),
            }
        }
        verify(&tree, &mut session, &model);
        for key in model.clone().into_keys().step_by(2) {
            delete(&mut session, &mut model, &key);
        }
        verify(&tree, &mut session, &model);
    }
    drop(session);
    drop(tree);
    assert_eq!(heap.allocated_bytes(), 0);
}
