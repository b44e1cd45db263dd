//! Appending to the head: reserves room and writes the object there, without publishing it.
//!
//! Heads are extended and rolled as in any store. The appended objects die unpublished, so their
//! segments become free again without being read, outside the timed part. All memory is resident.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use nibble::pieces::Client;
use nibble::{Config, Store, Update};

use crate::setting::{Random, scaled};

/// Size of an object, header and key included.
pub(crate) const OBJECT_BYTES: [u64; 3] = [16, 100, 1 << 10];
/// How much of that is header and key.
pub(crate) const HEADER_BYTES: u64 = 12;

/// Objects appended between two readings of the clock.
const CHUNK: u64 = 256;
/// Object memory. More than most caches hold is appended before it is freed.
const MEMORY_BYTES: u64 = 256 << 20;
const MEMORY_BYTES_LITTLE: u64 = 16 << 20;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("append");
    let memory = scaled(MEMORY_BYTES, MEMORY_BYTES_LITTLE);
    let config = Config { resident: true, update: Update::Append, ..Config::best(memory) };
    let store = LazyCell::new(|| Store::open(config).expect("memory"));
    for object_bytes in OBJECT_BYTES {
        group.throughput(Throughput::Bytes(object_bytes));
        let checked = LazyCell::new(|| check(&store, object_bytes));
        group.bench_function(BenchmarkId::from_parameter(object_bytes), |bencher| {
            LazyCell::force(&checked);
            bencher.iter_custom(|objects| append(&store, object_bytes, objects));
        });
    }
    group.finish();
}

/// Appends this many objects; returns how long that took.
fn append(store: &Store, object_bytes: u64, objects: u64) -> Duration {
    let mut client = Client::new(store).expect("few sessions");
    let value = vec![7; (object_bytes - HEADER_BYTES) as usize];
    let mut random = Random(objects);
    let mut elapsed = Duration::ZERO;
    let appended_before = store.statistics().appended_bytes;
    let room_bytes = store.config().object_memory_bytes / 2;
    let mut unfreed_bytes = room_bytes;
    let mut done = 0;
    while done < objects {
        let keys: Vec<u64> = (done..objects.min(done + CHUNK)).map(|_| random.next()).collect();
        let chunk_bytes = keys.len() as u64 * object_bytes;
        if unfreed_bytes + chunk_bytes > room_bytes {
            assert!(store.settle(), "nobody keeps dead segments from being freed");
            unfreed_bytes = 0;
        }
        let inside = client.enter();
        let started = Instant::now();
        for &key in &keys {
            black_box(inside.append(key, black_box(&value)).is_some());
        }
        elapsed += started.elapsed();
        unfreed_bytes += chunk_bytes;
        done += keys.len() as u64;
    }
    let appended = store.statistics().appended_bytes - appended_before;
    assert_eq!(appended, objects * object_bytes, "there was room for every object");
    elapsed
}

/// Checks that a GET finds an appended object once it is published.
fn check(store: &Store, object_bytes: u64) {
    let session = store.session().expect("few sessions");
    let mut client = Client::new(store).expect("few sessions");
    for key in 0..1000 {
        let value = vec![key as u8; (object_bytes - HEADER_BYTES) as usize];
        let inside = client.enter();
        let address = inside.append(key, &value).expect("room").publish();
        assert!(address.is_some() && inside.lookup(key) == address, "found where it was put");
        drop(inside);
        let mut found = vec![0; value.len()];
        assert_eq!(session.get(key, &mut found), Ok(Some(value.len())));
        assert_eq!(found, value);
        assert_eq!(session.delete(key), Ok(true));
    }
    store.check().expect("whole segments");
}
