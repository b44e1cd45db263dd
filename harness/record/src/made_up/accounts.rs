//! Made-up traces: one like Postmark's, one of a cache, one of an allocator.

use std::collections::BTreeMap;
use std::path::Path;

use workloads::trace::statistics::{AllocationAccumulator, Statistics, StatisticsOptions};
use workloads::trace::{Allocation, AllocationKind, Operation, OperationKind};
use workloads::{Rng, Seed, key_of};

use crate::{TraceAccount, TraceContents};

const FILES: u64 = 1000;
const TRANSACTIONS: u64 = 16_000;

/// The accounts of all made-up traces, as in a run's folder.
pub fn accounts() -> Vec<TraceAccount> {
    let parameters = BTreeMap::from(
        [("files", FILES), ("transactions", TRANSACTIONS)]
            .map(|(name, value)| (name.to_owned(), value)),
    );
    vec![
        TraceAccount { parameters, ..account("postmark-made-up", requests(postmark())) },
        account("allocator", allocations()),
        account("cache", requests(cache())),
    ]
}

/// An account of this many GETs, each for another key.
pub fn account_of_gets(name: &str, operations: usize) -> TraceAccount {
    let gets = (0..operations).map(|time| operation(time, OperationKind::Get, time as u64, 0));
    account(name, requests(gets.collect()))
}

fn account(name: &str, contents: TraceContents) -> TraceAccount {
    TraceAccount {
        name: name.to_owned(),
        source: "made up".to_owned(),
        digest: "0123456789abcdef".to_owned(),
        parameters: BTreeMap::new(),
        contents,
    }
}

/// Writes all accounts into a run's `folder`.
pub fn write_accounts(folder: &Path) {
    for account in accounts() {
        account.write(folder).expect("an account's file");
    }
}

fn requests(operations: Vec<Operation>) -> TraceContents {
    let mut statistics = Statistics::new(StatisticsOptions::default());
    operations.iter().for_each(|operation| statistics.add(operation));
    TraceContents::Requests(Box::new(statistics.finish()))
}

fn operation(time: usize, kind: OperationKind, record: u64, value_bytes: u64) -> Operation {
    let (time_ns, value_bytes) = (time as u64 * 1000, value_bytes as u32);
    Operation { time_ns, kind, key: key_of(record), value_bytes, key_bytes: 0 }
}

/// Files are created, read, appended to, deleted and replaced; in the end all are deleted.
fn postmark() -> Vec<Operation> {
    let mut rng = Seed(1).rng();
    let mut trace: Vec<Operation> = Vec::new();
    let mut files: Vec<u64> = Vec::new();
    let mut born = 0;
    let put = |trace: &mut Vec<Operation>, record, rng: &mut Rng| {
        trace.push(operation(trace.len(), OperationKind::Get, record, 0));
        let value_bytes = 500 + rng.below(3597);
        trace.push(operation(trace.len(), OperationKind::Put, record, value_bytes));
    };
    let mut create = |trace: &mut Vec<Operation>, files: &mut Vec<u64>, rng: &mut Rng| {
        files.push(born);
        put(trace, born, rng);
        born += 1;
    };
    for _ in 0..FILES {
        create(&mut trace, &mut files, &mut rng);
    }
    for transaction in 0..TRANSACTIONS {
        let record = files[rng.below(files.len() as u64) as usize];
        trace.push(operation(trace.len(), OperationKind::Get, record, 0));
        trace.push(operation(trace.len(), OperationKind::Get, record, 0));
        // Half of the transactions append.
        if rng.below(2) == 0 {
            trace.push(operation(trace.len(), OperationKind::Put, record, 500 + rng.below(3597)));
        }
        if transaction % 2 == 0 {
            create(&mut trace, &mut files, &mut rng);
        } else {
            let record = files.swap_remove(rng.below(files.len() as u64) as usize);
            trace.push(operation(trace.len(), OperationKind::Get, record, 0));
            trace.push(operation(trace.len(), OperationKind::Delete, record, 0));
        }
    }
    for record in files {
        trace.push(operation(trace.len(), OperationKind::Get, record, 0));
        trace.push(operation(trace.len(), OperationKind::Delete, record, 0));
    }
    trace
}

/// A few keys get most requests, and none is put: sizes are those of GETs.
fn cache() -> Vec<Operation> {
    let mut rng = Seed(2).rng();
    let mut one = |time| {
        let keys = 1 << rng.below(14);
        let record = rng.below(keys);
        operation(time, OperationKind::Get, record, 40 + record % 97)
    };
    (0..40_000).map(&mut one).collect()
}

/// One thread allocates, grows and frees; another thread frees some of the objects.
fn allocations() -> TraceContents {
    let mut rng = Seed(3).rng();
    let mut all = AllocationAccumulator::new(StatisticsOptions::default());
    let mut live: Vec<u64> = Vec::new();
    let mut object = 0;
    for turn in 0..30_000_u64 {
        let wanted = if turn < 20_000 { 2000 } else { 500 };
        let (thread, number, kind) = if (live.len() as u64) < rng.below(2 * wanted) {
            live.push(object);
            object += 1;
            let bytes = 16 << rng.below(8);
            (0, object - 1, AllocationKind::Allocate { bytes, alignment: 0 })
        } else if rng.below(5) == 0 {
            (0, live[live.len() - 1], AllocationKind::Reallocate { bytes: 5000 })
        } else {
            let number = live.swap_remove(rng.below(live.len() as u64) as usize);
            (u32::from(rng.below(4) == 0), number, AllocationKind::Free)
        };
        all.add(&Allocation { thread, object: number, kind });
    }
    TraceContents::Allocations(Box::new(all.finish()))
}
