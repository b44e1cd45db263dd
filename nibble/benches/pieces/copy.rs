//! The copy routines alone, from random places to consecutive ones, as compaction copies objects.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use nibble::CopyRoutine;

use crate::setting::{DRAWN, Random, scaled};

const COPY_BYTES: [u64; 6] = [64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
/// Size of the source and of the target: more than most caches hold.
const MEMORY_BYTES: u64 = 64 << 20;
const MEMORY_BYTES_LITTLE: u64 = 1 << 20;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copy");
    let memory_bytes = scaled(MEMORY_BYTES, MEMORY_BYTES_LITTLE);
    let mut random = Random(1);
    let from = LazyCell::new(|| {
        let mut random = Random(2);
        (0..memory_bytes).map(|_| random.next() as u8).collect::<Vec<u8>>()
    });
    let mut to = LazyCell::new(|| vec![1; memory_bytes as usize]);
    for &routine in CopyRoutine::ALL {
        if routine != CopyRoutine::Memcpy && !cfg!(target_arch = "x86_64") {
            println!("copy/{routine}: skipped, this processor lacks the instructions");
            continue;
        }
        for copy_bytes in COPY_BYTES {
            let places = memory_bytes - copy_bytes;
            let mut target = 0;
            group.throughput(Throughput::Bytes(copy_bytes));
            let name = BenchmarkId::new(routine.to_string(), copy_bytes);
            group.bench_function(name, |bencher| {
                let (from, to) = (&from[..], &mut to[..]);
                bencher.iter_batched(
                    || {
                        target = if target > places - copy_bytes { 0 } else { target + copy_bytes };
                        (random.below(places) as usize, target as usize)
                    },
                    |(source, target)| {
                        let from = &from[source..source + copy_bytes as usize];
                        routine.copy(from, &mut to[target..]);
                        black_box(&mut to[target]);
                    },
                    DRAWN,
                );
            });
        }
    }
    group.finish();
}
