//! Single operations of one thread, as clients call them, on a store so empty that compaction
//! rests: `cargo bench -p nibble --bench operations`. One iteration of `operation/get-batch/…` is a
//! batch of 64 GETs.

mod setting;

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nibble::{Buffers, Config, Operation, Store, Update};
use setting::{DRAWN, Random, scaled};

const KEYS: u64 = 200_000;
const KEYS_LITTLE: u64 = 1000;
const VALUE_BYTES: [usize; 2] = [64, 1024];
const BATCH: usize = 64;

/// A store with the keys `0..keys`.
fn loaded(update: Update, keys: u64, value: &[u8]) -> Store {
    let memory = (keys * (value.len() as u64 + 12) * 4).max(64 << 20);
    let store = Store::open(Config { update, ..Config::best(memory) }).expect("memory");
    let session = store.session().expect("the first session");
    for key in 0..keys {
        session.put(key, value).expect("a quarter of the memory");
    }
    drop(session);
    store
}

fn operations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("operation");
    let keys = scaled(KEYS, KEYS_LITTLE);
    for bytes in VALUE_BYTES {
        let value = vec![7; bytes];
        let mut buffer = vec![0; BATCH * bytes];
        let mut random = Random(bytes as u64);
        let store = LazyCell::new(|| loaded(Update::Append, keys, &value));
        let in_place = LazyCell::new(|| loaded(Update::InPlace, keys, &value));
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("get", bytes), |bencher| {
            let session = store.session().expect("few sessions");
            bencher.iter_batched(
                || random.below(keys),
                |key| _ = black_box(session.get(key, &mut buffer)),
                DRAWN,
            );
        });
        group.bench_function(BenchmarkId::new("get-absent", bytes), |bencher| {
            let session = store.session().expect("few sessions");
            bencher.iter_batched(
                || keys + random.below(u64::MAX - keys),
                |key| _ = black_box(session.get(key, &mut buffer)),
                DRAWN,
            );
        });
        group.bench_function(BenchmarkId::new("put", bytes), |bencher| {
            let session = store.session().expect("few sessions");
            bencher.iter_batched(
                || random.below(keys),
                |key| _ = black_box(session.put(key, &value)),
                DRAWN,
            );
        });
        group.bench_function(BenchmarkId::new("put-in-place", bytes), |bencher| {
            let session = in_place.session().expect("few sessions");
            bencher.iter_batched(
                || random.below(keys),
                |key| _ = black_box(session.put(key, &value)),
                DRAWN,
            );
        });
        group.bench_function(BenchmarkId::new("delete-and-put", bytes), |bencher| {
            let session = store.session().expect("few sessions");
            bencher.iter_batched(
                || random.below(keys),
                |key| _ = black_box((session.delete(key), session.put(key, &value))),
                DRAWN,
            );
        });
        group.throughput(Throughput::Elements(BATCH as u64));
        group.bench_function(BenchmarkId::new("get-batch", bytes), |bencher| {
            let session = store.session().expect("few sessions");
            bencher.iter_batched(
                || [(); BATCH].map(|()| random.below(keys)),
                |keys| {
                    let gets = keys.into_iter().map(|key| Operation::Get { key });
                    let mut buffers = Buffers::new(&mut buffer, bytes);
                    session.execute(gets, &mut buffers, |_, answer| _ = black_box(answer));
                },
                BatchSize::NumIterations(16),
            );
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = setting::criterion();
    targets = operations
}
criterion_main!(benches);
