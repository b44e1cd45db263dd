//! Moving the live objects of segments that are compacted: look-up, copy and publication, the walk
//! over dead objects between them included.
//!
//! In every victim half the objects are dead, at random, and nothing else dies: what is measured
//! is the time of a victim by the objects moved. Victims are made many at a time, so that they are
//! not fresh in the caches, in a store whose index holds other keys as well.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use nibble::pieces::{Client, Compactor};
use nibble::{Config, Store, Update};

use crate::append::{HEADER_BYTES, OBJECT_BYTES};
use crate::setting::{Random, scaled};

const MEMORY_BYTES: u64 = 128 << 20;
const SEGMENT_BYTES: u64 = 1 << 20;
/// Victims made at a time.
const VICTIMS: u64 = 16;
const VICTIMS_LITTLE: u64 = 2;
/// Keys, of empty values, that stay where they are.
const OTHERS: u64 = 1 << 20;
const OTHERS_LITTLE: u64 = 1 << 10;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("relocation");
    group.sampling_mode(SamplingMode::Flat);
    for &update in Update::ALL {
        for object_bytes in OBJECT_BYTES {
            group.throughput(Throughput::Elements(1));
            let name = BenchmarkId::new(update.to_string(), object_bytes);
            let fleet = RefCell::new(None);
            group.bench_function(name, |bencher| {
                let mut fleet = fleet.borrow_mut();
                let fleet = fleet.get_or_insert_with(|| Fleet::checked(update, object_bytes));
                bencher.iter_custom(|objects| fleet.move_objects(objects));
            });
        }
    }
    group.finish();
}

/// Segments to compact, and the store they are in.
struct Fleet {
    store: Store,
    object_bytes: u64,
    random: Random,
    next_key: u64,
    /// What lives of the segments made last.
    survivors: Vec<u64>,
}

impl Fleet {
    fn new(update: Update, object_bytes: u64) -> Self {
        let config = Config {
            update,
            virtual_nodes: 1,
            heads: 1,
            compaction_workers: 1,
            segment_bytes: SEGMENT_BYTES,
            // Nothing is compacted but by this bench.
            free_low_percent: 0,
            ..Config::best(MEMORY_BYTES)
        };
        let store = Store::open(config).expect("memory");
        let others = scaled(OTHERS, OTHERS_LITTLE);
        let session = store.session().expect("the first session");
        for key in 0..=others {
            session.put(key, b"").expect("room");
        }
        // One is dead, so that the head closes; too few for a victim.
        assert!(session.delete(others));
        drop(session);
        Compactor::new(&store).close_heads();
        let random = Random(object_bytes);
        Self { store, object_bytes, random, next_key: others + 1, survivors: Vec::new() }
    }

    fn checked(update: Update, object_bytes: u64) -> Self {
        let mut fleet = Self::new(update, object_bytes);
        fleet.make();
        fleet.check();
        fleet
    }

    /// Moves all there is; every survivor is found at another place then, with its value.
    fn check(&self) {
        let store = &self.store;
        let mut client = Client::new(store).expect("few sessions");
        let mut addresses = || -> Vec<_> {
            let inside = client.enter();
            self.survivors.iter().map(|&key| inside.lookup(key).expect("it lives")).collect()
        };
        let before = addresses();
        let mut moved = 0;
        let mut compactor = Compactor::new(store);
        while let Some(objects) = compactor.choose() {
            compactor.empty();
            moved += objects;
        }
        drop(compactor);
        assert_eq!(moved, self.survivors.len() as u64, "each was moved once");
        let stayed = before.iter().zip(addresses()).filter(|&(&old, new)| old == new);
        assert_eq!(stayed.count(), 0, "the index leads to the new places");
        let session = store.session().expect("few sessions");
        let mut value = vec![0; self.value_bytes()];
        for &key in &self.survivors {
            assert_eq!(session.get(key, &mut value), Ok(Some(value.len())));
            assert!(value.iter().all(|&byte| byte == key as u8), "the value of key {key}");
        }
        store.check().expect("whole segments");
    }

    fn value_bytes(&self) -> usize {
        (self.object_bytes - HEADER_BYTES) as usize
    }

    /// Frees what was made last, and makes new segments of which half is dead.
    fn make(&mut self) {
        let session = self.store.session().expect("few sessions");
        for key in self.survivors.drain(..) {
            assert!(session.delete(key));
        }
        assert!(self.store.settle(), "nobody keeps dead segments from being freed");
        let objects = scaled(VICTIMS, VICTIMS_LITTLE) * SEGMENT_BYTES / self.object_bytes;
        let keys = self.next_key..self.next_key + objects;
        let mut value = vec![0; self.value_bytes()];
        for key in keys.clone() {
            value.fill(key as u8);
            session.put(key, &value).expect("room");
        }
        self.next_key = keys.end;
        for key in keys {
            if self.random.below(2) == 0 {
                assert!(session.delete(key));
            } else {
                self.survivors.push(key);
            }
        }
        drop(session);
        Compactor::new(&self.store).close_heads();
    }

    /// Moves so many objects, or some more to finish the last victim; answers how long so many
    /// took.
    fn move_objects(&mut self, objects: u64) -> Duration {
        let mut moved = 0;
        let mut elapsed = Duration::ZERO;
        while moved < objects {
            let mut compactor = Compactor::new(&self.store);
            let Some(live) = compactor.choose() else {
                drop(compactor);
                self.make();
                continue;
            };
            let started = Instant::now();
            let copied = compactor.empty();
            elapsed += started.elapsed();
            assert_eq!(copied, live * self.object_bytes, "all that lived was moved");
            moved += live;
        }
        elapsed.mul_f64(objects as f64 / moved as f64)
    }
}
