//! Single operations of one thread, at a fill where compaction rests: `cargo bench -p nibble`.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use nibble::{Answer, Batch, Config, Operation, Session, Store, Update};

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

/// GETs of keys that are drawn anew for every batch.
struct Gets {
    keys: [u64; 64],
    buffer: Vec<u8>,
    bytes: usize,
}

impl Batch for Gets {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn operation(&self, index: usize) -> Operation<'_> {
        Operation::Get { key: self.keys[index] }
    }

    fn buffer(&mut self, index: usize) -> &mut [u8] {
        &mut self.buffer[index * self.bytes..(index + 1) * self.bytes]
    }

    fn answer(&mut self, _index: usize, answer: Answer) {
        black_box(answer);
    }
}

fn with_session(update: Update, bytes: usize, run: impl FnOnce(&Session<'_>, &[u8])) {
    let memory = (KEYS * (bytes as u64 + 12) * 4).max(64 << 20);
    let config = Config { update, ..Config::best(memory) };
    let store = Store::open(config).expect("memory for the benchmark");
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
        with_session(Update::InPlace, bytes, |session, value| {
            let mut keys = Keys(88_172_645_463_325_252);
            group.bench_function("put in place", |bencher| {
                bencher.iter(|| black_box(session.put(keys.next(), value)));
            });
        });
        with_session(Update::Append, bytes, |session, value| {
            let mut keys = Keys(88_172_645_463_325_252);
            let mut buffer = vec![0; bytes];
            group.bench_function("get", |bencher| {
                bencher.iter(|| black_box(session.get(keys.next(), &mut buffer)));
            });
            group.bench_function("get, missing", |bencher| {
                bencher.iter(|| black_box(session.get(KEYS + keys.next(), &mut buffer)));
            });
            group.bench_function("64 gets in a batch", |bencher| {
                let mut gets = Gets { keys: [0; 64], buffer: vec![0; 64 * bytes], bytes };
                bencher.iter(|| {
                    gets.keys.fill_with(|| keys.next());
                    session.execute(&mut gets);
                });
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
