//! Cost of drawing records, sizes and requests one at a time: `cargo bench -p workloads --bench
//! generators`.
//!
//! A generator never repeats itself, so the benchmark draws nothing ahead.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use workloads::requests::{RequestStream, Workload};
use workloads::{KeySampler, Seed, SizeDistribution};

const RECORDS: u64 = 1 << 20;

/// Names and texts. Skews below 1 use Gray's formula; from 1 on, rejection-inversion.
const KEYS: [(&str, &str); 7] = [
    ("uniform", "uniform"),
    ("zipfian-0.99", "zipfian:0.99"),
    ("zipfian-1.2", "zipfian:1.2"),
    ("ycsb-scrambled", "ycsb-scrambled"),
    ("latest-0.99", "latest:0.99"),
    ("hotspot", "hotspot:0.2:0.8"),
    ("sequential", "sequential"),
];
const SIZES: [(&str, &str); 3] = [
    ("sizes-uniform", "50-150"),
    ("sizes-zipfian-0.99", "zipfian:50-150:0.99"),
    ("sizes-histogram", "histogram:50=5,100=60,1KiB=25,4KiB=10"),
];
/// Built-in workloads; the last one keeps a list of live records.
const REQUESTS: [&str; 4] = ["get-95", "ycsb-a", "ycsb-d", "churn-resize"];

fn generators(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generators");
    group.throughput(Throughput::Elements(1));
    for (name, text) in KEYS {
        let distribution = text.parse().expect("a distribution of keys");
        let mut sampler = KeySampler::new(distribution, RECORDS, Seed(1).rng());
        group.bench_function(name, |bencher| bencher.iter(|| black_box(sampler.next_record())));
    }
    for (name, text) in SIZES {
        let sizes: SizeDistribution = text.parse().expect("a distribution of sizes");
        let mut rng = Seed(1).rng();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(sizes.sample(&mut rng))));
    }
    for name in REQUESTS {
        let workload = Workload::by_name(name).expect("a built-in workload");
        let mut stream = RequestStream::new(&workload, RECORDS, 0, 1, Seed(1));
        group.bench_function(BenchmarkId::new("requests", name), |bencher| {
            bencher.iter(|| black_box(stream.next_request()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20);
    targets = generators
}
criterion_main!(benches);
