//! Warming up: from what recovery finds to a store whose front has it.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use engine::OpenError;
use platform::Pages;
use platform::persist::{Latency, Medium, Region};

use crate::config::spread_words;
use crate::counts::add;
use crate::layout::Layout;
use crate::record::{HEADER_WORDS, Opcode, Reference};
use crate::recovery::{self, RecoverError, Recovered};
use crate::store::Shared;

/// Recovers the store in a file.
pub(crate) fn recover(
    path: &Path,
    medium: Medium,
    latency: Latency,
) -> Result<Shared, RecoverError> {
    let from = Instant::now();
    let file = File::options().read(true).write(true).open(path).map_err(RecoverError::File)?;
    let region = Region::of_file(&file, medium, latency).map_err(RecoverError::File)?;
    let layout = recovery::layout(&region)?;
    let recovered = recovery::recover(&region, &layout)?;
    let read_ns = from.elapsed().as_nanos() as u64;
    let front_words = spread_words(layout.object_bytes);
    let mut shared = warm(&layout, region, &recovered, front_words, Pages::Huge)?;
    (shared.medium, shared.latency) = (medium, latency);
    add(&shared.counters.recovery_log_ns, read_ns);
    Ok(shared)
}

/// The store in a region that was recovered.
pub(crate) fn warm(
    layout: &Layout,
    region: Region,
    recovered: &Recovered,
    front_words: u64,
    pages: Pages,
) -> Result<Shared, RecoverError> {
    let from = Instant::now();
    let shared = Shared::on(layout, Some(region), front_words, pages);
    let mut shared = shared.map_err(|error| match error {
        OpenError::OutOfMemory { wanted_bytes } => RecoverError::OutOfMemory { wanted_bytes },
        other => RecoverError::Chains(other.to_string()),
    })?;
    shared.is_complete = !layout.rung.has_front();
    add(&shared.counters.recovered_records, recovered.records);
    add(&shared.counters.replayed_transactions, recovered.replayed);
    fill_front(&shared, recovered)?;
    add(&shared.counters.recovery_log_ns, from.elapsed().as_nanos() as u64);
    let from = Instant::now();
    count(&shared, recovered)?;
    add(&shared.counters.recovery_walk_ns, from.elapsed().as_nanos() as u64);
    Ok(shared)
}

/// Puts the newest records into the front, each named by its pair.
fn fill_front(shared: &Shared, recovered: &Recovered) -> Result<(), RecoverError> {
    let slot = shared.helper_slot;
    for &(reference, header) in &recovered.newest {
        let value = value(shared, reference, header.value_bytes, header.words());
        let front = shared.front();
        let bucket = front.lock(header.key);
        let buried = header.opcode == Opcode::Remove;
        let block = front.fill(slot, header.key, &value, buried);
        let wanted_bytes = header.value_bytes;
        let block = block.ok_or(RecoverError::OutOfMemory { wanted_bytes })?;
        bucket.link(slot, None, block, reference);
    }
    Ok(())
}

fn value(shared: &Shared, reference: Reference, bytes: u64, words: u64) -> Vec<u8> {
    let mut found = Vec::new();
    if let Some((log, place)) = reference.parts() {
        let ring = &shared.logs[log as usize].ring;
        ring.read(&shared.back().region, place + HEADER_WORDS, words - HEADER_WORDS, &mut found);
    }
    let mut value: Vec<u8> = found.into_iter().flat_map(u64::to_ne_bytes).collect();
    value.truncate(bytes as usize);
    value
}

/// Counts live pairs: those of the back, but for keys that have a newer record.
fn count(shared: &Shared, recovered: &Recovered) -> Result<(), RecoverError> {
    let newer: std::collections::HashSet<u64> =
        recovered.newest.iter().map(|(_, header)| header.key).collect();
    let each = shared.back().for_each(|_, _, key, bytes, _| {
        if let Some(bytes) = bytes.filter(|_| !newer.contains(&key)) {
            shared.live.replace(None, Some(Shared::size(bytes)));
        }
    });
    each.map_err(RecoverError::Chains)?;
    for (_, header) in &recovered.newest {
        if header.opcode == Opcode::Put {
            shared.live.replace(None, Some(Shared::size(header.value_bytes)));
        }
    }
    Ok(())
}
