//! Moving the live objects of compacted segments: look-up, copy and publication, including the walk
//! over the dead objects between them and the choice of victims.
//!
//! Half the objects of a victim are dead, at random. The benchmark times [`Store::settle`] while
//! there are several victims, and divides by the number of objects moved. The victims are larger
//! than the first-level cache, and the index holds other keys as well.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use nibble::pieces::{Address, Client};
use nibble::{Config, Store, Update};

use crate::append::{HEADER_BYTES, OBJECT_BYTES};
use crate::setting::{Random, scaled};

const MEMORY_BYTES: u64 = 128 << 20;
const SEGMENT_BYTES: u64 = 512 << 10;
/// The most objects, of which half die, and the most bytes of them.
const VICTIM_OBJECTS: u64 = 1 << 17;
const VICTIM_BYTES: u64 = 8 << 20;
const VICTIM_BYTES_LITTLE: u64 = 2 << 20;
/// Size of the objects that stay.
const OTHER_BYTES: u64 = 16 << 20;
/// The share of free memory below which compaction begins; the other objects alone take more than
/// the rest.
const FREE_LOW_PERCENT: u32 = 90;
const _: () = assert!(OTHER_BYTES * 100 > MEMORY_BYTES * (100 - FREE_LOW_PERCENT as u64));

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("relocation");
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(1));
    for &update in Update::ALL {
        for object_bytes in OBJECT_BYTES {
            let name = BenchmarkId::new(update.to_string(), object_bytes);
            let victims = RefCell::new(None);
            group.bench_function(name, |bencher| {
                let mut victims = victims.borrow_mut();
                let victims = victims.get_or_insert_with(|| Victims::checked(update, object_bytes));
                bencher.iter_custom(|objects| victims.move_objects(objects));
            });
        }
    }
    group.finish();
}

/// A store of objects of one size, and the keys of those to be moved or already moved.
struct Victims {
    store: Store,
    object_bytes: u64,
    random: Random,
    next_key: u64,
    survivors: Vec<u64>,
}

impl Victims {
    fn checked(update: Update, object_bytes: u64) -> Self {
        let config = Config {
            update,
            virtual_nodes: 1,
            compaction_workers: 1,
            segment_bytes: SEGMENT_BYTES,
            // The trigger is this share of memory, unless a few blocks per head are less.
            free_low_percent: FREE_LOW_PERCENT,
            heads: 512,
            ..Config::best(MEMORY_BYTES)
        };
        let store = Store::open(config).expect("memory");
        let random = Random(object_bytes);
        let mut victims = Self { store, object_bytes, random, next_key: 0, survivors: Vec::new() };
        victims.append(OTHER_BYTES);
        victims.make();
        victims.check();
        victims
    }

    /// Appends this many bytes of objects under new keys, and publishes them. Unlike a PUT, it does
    /// not pay with compaction.
    fn append(&mut self, bytes: u64) {
        let mut client = Client::new(&self.store).expect("few sessions");
        let mut value = vec![0; (self.object_bytes - HEADER_BYTES) as usize];
        let first = self.next_key;
        self.next_key += bytes / self.object_bytes;
        for key in first..self.next_key {
            value.fill(key as u8);
            let inside = client.enter();
            let appended = inside.append(key, &value).expect("room in the log");
            appended.publish().expect("room in the index");
        }
    }

    /// Drops what was moved last, and makes new victims.
    fn make(&mut self) {
        let session = self.store.session().expect("few sessions");
        for key in self.survivors.drain(..) {
            assert_eq!(session.delete(key), Ok(true));
        }
        drop(session);
        self.settle();
        let first = self.next_key;
        let bytes = scaled(VICTIM_BYTES, VICTIM_BYTES_LITTLE);
        self.append(bytes.min(VICTIM_OBJECTS * self.object_bytes));
        let session = self.store.session().expect("few sessions");
        for key in first..self.next_key {
            if self.random.below(2) == 0 {
                assert_eq!(session.delete(key), Ok(true));
            } else {
                self.survivors.push(key);
            }
        }
    }

    /// Compacts what there is; returns how many objects were moved.
    fn settle(&self) -> u64 {
        let copied_before = self.store.statistics().copied_bytes;
        assert!(self.store.settle(), "nobody keeps segments from being freed");
        let copied_bytes = self.store.statistics().copied_bytes - copied_before;
        assert!(copied_bytes.is_multiple_of(self.object_bytes), "whole objects were moved");
        copied_bytes / self.object_bytes
    }

    /// Checks that as many objects have a new place as are said to be moved, and that every value
    /// is unchanged.
    fn check(&self) {
        let before = self.addresses();
        let moved = self.settle();
        let after = self.addresses();
        let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count();
        assert_eq!(changed as u64, moved, "the index leads to the new places");
        assert!(moved * 2 > self.survivors.len() as u64, "most are not in the head");
        let session = self.store.session().expect("few sessions");
        let mut value = vec![0; (self.object_bytes - HEADER_BYTES) as usize];
        for &key in &self.survivors {
            assert_eq!(session.get(key, &mut value), Ok(Some(value.len())));
            assert!(value.iter().all(|&byte| byte == key as u8), "the value of key {key}");
        }
        self.store.check().expect("whole segments");
    }

    /// The addresses of the objects of all keys.
    fn addresses(&self) -> Vec<Option<Address>> {
        let mut client = Client::new(&self.store).expect("few sessions");
        let inside = client.enter();
        (0..self.next_key).map(|key| inside.lookup(key)).collect()
    }

    /// Moves at least this many objects, to the end of the victims; returns how long this many
    /// took.
    fn move_objects(&mut self, objects: u64) -> Duration {
        let mut moved = 0;
        let mut elapsed = Duration::ZERO;
        while moved < objects {
            self.make();
            let started = Instant::now();
            moved += self.settle();
            elapsed += started.elapsed();
        }
        elapsed.mul_f64(objects as f64 / moved as f64)
    }
}
