//! Trace records written and read per second: `cargo bench -p workloads`.

#[path = "../src/tests/common.rs"]
mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{PostMark, Program};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use workloads::Seed;
use workloads::trace::{Allocation, Header, Operation, Record, TraceReader, TraceWriter};

const RECORDS: usize = 1 << 21;

fn write<R: Record>(records: &[R]) -> Vec<u8> {
    let mut writer =
        TraceWriter::new(Vec::new(), &Header::new::<R>("a benchmark")).expect("a header in memory");
    records.iter().for_each(|&record| writer.push(record).expect("a block in memory"));
    writer.finish().expect("an end in memory").0
}

fn measure<R: Record>(criterion: &mut Criterion, name: &str, records: &[R]) {
    let trace = write(records);
    println!("{name}: {:.2} bytes a record", trace.len() as f64 / records.len() as f64);
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).measurement_time(Duration::from_secs(4));
    group.throughput(Throughput::Elements(records.len() as u64));
    group.bench_function("write", |bencher| bencher.iter(|| write(black_box(records))));
    group.bench_function("read blocks", |bencher| {
        bencher.iter(|| {
            let mut reader = TraceReader::<R, _>::new(&trace[..], name).expect("a header");
            let mut block = Vec::new();
            while reader.next_block(&mut block).expect("a block") {
                black_box(&block);
            }
        });
    });
    group.bench_function("read one by one", |bencher| {
        bencher.iter(|| {
            let mut reader = TraceReader::<R, _>::new(&trace[..], name).expect("a header");
            for record in reader.records() {
                black_box(record.expect("a record"));
            }
        });
    });
    group.finish();
}

fn traces(criterion: &mut Criterion) {
    // PostMark first only creates files; transactions come later.
    let operations: Vec<Operation> = PostMark::new(Seed(1)).skip(1 << 20).take(RECORDS).collect();
    measure(criterion, "operations", &operations);
    let allocations: Vec<Allocation> = Program::new(Seed(1)).take(RECORDS).collect();
    measure(criterion, "allocations", &allocations);
}

criterion_group!(benches, traces);
criterion_main!(benches);
