//! The load: each connection stores its own records once.

use workloads::key_of;

use super::{Shared, connect, writer_of};
use crate::store::StoreError;

/// Stores all records of this client as version 0; how many they are.
pub(super) fn load(shared: &Shared<'_>) -> Result<u64, StoreError> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            shared.writers().map(|writer| scope.spawn(move || load_of(shared, writer))).collect();
        let loaded = threads.into_iter().map(|thread| thread.join().expect("a thread that loads"));
        loaded.sum()
    })
}

fn load_of(shared: &Shared<'_>, writer: u64) -> Result<u64, StoreError> {
    let job = shared.job;
    let (mut store, mut values) = (connect(job)?, writer_of(job, writer));
    let (mut records, mut room) = (0, shared.keys.room());
    for record in (writer..job.records).step_by(job.writers() as usize) {
        values.number_next(0);
        let bytes = job.workload.loaded_value_bytes(job.seed(), record);
        let key = shared.keys.key(record, &mut room);
        store.set(key, values.value(key_of(record), bytes), job.wait_replicas)?;
        records += 1;
    }
    Ok(records)
}
