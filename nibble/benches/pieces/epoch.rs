//! Entering and leaving an epoch, per clock, and finding the head of the current core, per source.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use nibble::pieces::Client;
use nibble::{Config, CoreSource, EpochClock, Store};

const MEMORY_BYTES: u64 = 16 << 20;

/// On other architectures, other instructions stand in for those of x86-64.
const X86_64: bool = cfg!(target_arch = "x86_64");

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("epoch");
    group.throughput(Throughput::Elements(1));
    for &epoch in EpochClock::ALL {
        if epoch == EpochClock::ThreadTicks && !X86_64 {
            println!("epoch/{epoch}: skipped, this processor has no time-stamp counter to read");
            continue;
        }
        let store = open(Config { epoch, ..Config::best(MEMORY_BYTES) });
        let mut client = Client::new(&store).expect("few sessions");
        group.bench_function(BenchmarkId::from_parameter(epoch), |bencher| {
            bencher.iter(|| drop(client.enter()));
        });
    }
    group.finish();
}

pub(crate) fn core_lookups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("core-lookup");
    group.throughput(Throughput::Elements(1));
    for &core_source in CoreSource::ALL {
        let missing = match core_source {
            CoreSource::Rdtscp if !X86_64 => "this processor lacks the instruction",
            CoreSource::Rdpid if !platform::cpu::has_rdpid() => {
                "this processor lacks the instruction"
            }
            CoreSource::Rseq if !platform::cpu::has_rseq() => {
                "kernel and C library keep no area of restartable sequences"
            }
            _ => "",
        };
        if !missing.is_empty() {
            println!("core-lookup/{core_source}: skipped, {missing}");
            continue;
        }
        let store = open(Config { core_source, ..Config::best(MEMORY_BYTES) });
        let client = Client::new(&store).expect("few sessions");
        group.bench_function(BenchmarkId::from_parameter(core_source), |bencher| {
            bencher.iter(|| black_box(client.turn_here()));
        });
    }
    group.finish();
}

fn open(config: Config) -> Store {
    Store::open(config).expect("memory")
}
