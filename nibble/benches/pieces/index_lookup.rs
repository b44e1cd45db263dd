//! Key look-ups in the index, per layout: present and absent keys.
//!
//! A hit reads the index and the header of the object, a miss only the index. Keys are newly drawn
//! for every look-up, and look-ups do not depend on each other: the processor overlaps them as far
//! as it can.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use nibble::pieces::Client;
use nibble::{Config, IndexLayout, Store};

use crate::setting::{DRAWN, Random, scaled};

/// Keys in the index: a few MiB with their objects, which the caches hold, or at least half a GiB.
const KEYS: [u64; 2] = [1 << 16, 1 << 24];
/// The most keys when nothing is measured.
const KEYS_LITTLE: u64 = 1 << 12;
const VALUE: [u8; 8] = [7; 8];
/// Memory per object of this size, with room to spare.
const OBJECT_MEMORY_BYTES: u64 = 32;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("index-lookup");
    group.throughput(Throughput::Elements(1));
    for &layout in IndexLayout::ALL {
        for named in KEYS {
            let keys = scaled(named, KEYS_LITTLE);
            // Built only if one of its benchmarks is selected.
            let store = LazyCell::new(|| loaded(layout, keys));
            let mut random = Random(1);
            group.bench_function(BenchmarkId::new(format!("{layout}/hit"), named), |bencher| {
                let mut client = Client::new(&store).expect("few sessions");
                let inside = client.enter();
                bencher.iter_batched(
                    || random.below(keys),
                    |key| _ = black_box(inside.lookup(key)),
                    DRAWN,
                );
            });
            group.bench_function(BenchmarkId::new(format!("{layout}/miss"), named), |bencher| {
                let mut client = Client::new(&store).expect("few sessions");
                let inside = client.enter();
                bencher.iter_batched(
                    || absent(&mut random, keys),
                    |key| _ = black_box(inside.lookup(key)),
                    DRAWN,
                );
            });
        }
    }
    group.finish();
}

fn absent(random: &mut Random, keys: u64) -> u64 {
    keys + random.below(u64::MAX - keys)
}

/// A store with the keys `0..keys`.
fn loaded(layout: IndexLayout, keys: u64) -> Store {
    let memory = (keys * OBJECT_MEMORY_BYTES).max(16 << 20);
    let store = Store::open(Config { index: layout, ..Config::best(memory) }).expect("memory");
    let session = store.session().expect("the first session");
    for key in 0..keys {
        session.put(key, &VALUE).expect("room for all");
    }
    drop(session);
    let mut client = Client::new(&store).expect("few sessions");
    let inside = client.enter();
    let mut random = Random(2);
    for _ in 0..keys.min(10_000) {
        assert!(inside.lookup(random.below(keys)).is_some(), "it was put");
        assert!(inside.lookup(absent(&mut random, keys)).is_none(), "it was not");
    }
    drop(inside);
    drop(client);
    store
}
