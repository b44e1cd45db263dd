//! Single operations of one thread, at a fill where compaction rests: `cargo bench -p nibble`.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use nibble::{Config, Session, Store};

const KEYS: u64 = 200_000;

/// A cheap stream of keys in use.
struct Keys(u64);

impl Keys {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % KEYS
    }
}

fn with_session(bytes: usize, run: impl FnOnce(&Session<'_>, &[u8])) {
    let memory = (KEYS * (bytes as u64 + 12) * 4).max(64 << 20);
    let store = Store::open(Config::best(memory)).expect("memory for the benchmark");
    let session = store.session().expect("the first session");
    let value = vec![7; bytes];
    for key in 0..KEYS {
        session.put(key, &value).expect("a quarter of the memory");
    }
    run(&session, &value);
}

fn operations(criterion: &mut Criterion) {
    for bytes in [64, 1024] {
        let mut group = criterion.benchmark_group(format!("{bytes} B"));
        group.throughput(Throughput::Elements(1));
        with_session(bytes, |session, value| {
            let mut keys = Keys(88_172_645_463_325_252);
            let mut buffer = vec![0; bytes];
            group.bench_function("get", |bencher| {
                bencher.iter(|| black_box(session.get(keys.next(), &mut buffer)));
            });
            group.bench_function("get, missing", |bencher| {
                bencher.iter(|| black_box(session.get(KEYS + keys.next(), &mut buffer)));
            });
            group.bench_function("put", |bencher| {
                bencher.iter(|| black_box(session.put(keys.next(), value)));
            });
            group.bench_function("delete and put", |bencher| {
                bencher.iter_batched(
                    || keys.next(),
                    |key| (session.delete(key), session.put(key, value)),
                    BatchSize::SmallInput,
                );
            });
        });
        group.finish();
    }
}

criterion_group!(benches, operations);
criterion_main!(benches);
