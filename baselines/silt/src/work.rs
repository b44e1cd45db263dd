//! How an instance changes: appending, freezing a full log, converting it, merging.
//!
//! Each change of stores is: new files on the disk, a manifest that names them, exchange, removal
//! of what is no longer named. Whatever a crash leaves unnamed is removed on opening.

use std::sync::{Arc, PoisonError};

use crate::convert;
use crate::counters::Counter;
use crate::error::Error;
use crate::instance::{Instance, State};
use crate::key::Key;
use crate::log_store::LogStore;
use crate::manifest::{Manifest, file_name};
use crate::merge::{self, Inputs};
use crate::record::Entry;
use crate::scratch::{Found, Scratch};
use crate::shared::Shared;
use crate::step::Step;

/// Appends a record to its instance's log; makes room for it if need be. If `tells`, the key is
/// looked up first, and what was there is in `scratch`.
pub(crate) fn append(
    shared: &Shared,
    key: &Key,
    entry: Entry<'_>,
    scratch: &mut Scratch,
    tells: bool,
) -> Result<Option<Found>, Error> {
    let instance = shared.instance(key);
    loop {
        let seen = shared.signal.now();
        shared.still_works()?;
        let mut state = instance.write();
        scratch.reads = 0;
        let in_log = state.log.find(key, scratch)?;
        shared.counters.add(Counter::WriteReads, std::mem::take(&mut scratch.reads));
        let before = match in_log {
            Some((_, found)) => Some(found),
            None if tells => state.find_behind(key, scratch, &shared.counters)?,
            None => None,
        };
        if state.log.has_room(&shared.params) {
            let slot = in_log.map(|(slot, _)| slot);
            let put = state.log.put(key, entry, slot, shared.params.acknowledge);
            shared.counters.add(Counter::LogBytes, state.log.writer().take_written());
            if put?.is_ok() {
                shared.counters.add(Counter::Appended, 1);
                let record_bytes = shared.params.layout().record_bytes as u64;
                shared.counters.add(Counter::AppendedBytes, record_bytes);
                return Ok(before);
            }
        }
        if state.frozen.is_none() {
            freeze(shared, instance.number, &mut state)?;
            drop(state);
            shared.signal.changed();
            if !shared.params.threads {
                catch_up(shared, instance)?;
            }
        } else {
            drop(state);
            shared.counters.add(Counter::Stalls, 1);
            if shared.params.threads {
                shared.signal.wait(seen);
            } else {
                catch_up(shared, instance)?;
            }
        }
    }
}

/// Converts and merges what is due, on this thread.
pub(crate) fn catch_up(shared: &Shared, instance: &Instance) -> Result<(), Error> {
    convert(shared, instance)?;
    merge(shared, instance, shared.params.merge_entries)?;
    Ok(())
}

/// Whether a log waits for conversion, or HashStores have enough entries for a merge.
pub(crate) fn is_due(shared: &Shared, instance: &Instance) -> bool {
    let state = instance.read();
    state.frozen.is_some() || state.hash_entries() >= shared.params.merge_entries
}

/// Puts a manifest in force.
pub(crate) fn list(shared: &Shared, instance: usize, manifest: &Manifest) -> Result<(), Error> {
    let bytes = manifest.write(&*shared.files, instance, &shared.params)?;
    shared.counters.add(Counter::OtherBytes, bytes);
    shared.steps.reached(Step::ManifestWritten);
    Manifest::switch(&*shared.files, instance)
}

/// Begins a new log; the full one goes on answering until it is converted.
fn freeze(shared: &Shared, instance: usize, state: &mut State) -> Result<(), Error> {
    let synced = state.log.writer().sync();
    shared.counters.add(Counter::LogBytes, state.log.writer().take_written());
    synced?;
    let number = state.take_number();
    let log = LogStore::create(&*shared.files, instance, number, &shared.params)?;
    shared.steps.reached(Step::LogMade);
    let mut manifest = state.manifest(false);
    manifest.frozen = Some((state.log.number, state.log.records()));
    manifest.active = number;
    list(shared, instance, &manifest)?;
    state.frozen = Some(Arc::new(std::mem::replace(&mut state.log, log)));
    shared.steps.reached(Step::Frozen);
    Ok(())
}

/// Makes the frozen log a HashStore. Returns whether there was one.
pub(crate) fn convert(shared: &Shared, instance: &Instance) -> Result<bool, Error> {
    let turn = instance.turn();
    let (log, number) = {
        let mut state = instance.write();
        let Some(log) = state.frozen.clone() else { return Ok(false) };
        (log, state.take_number())
    };
    let (files, params) = (&*shared.files, &shared.params);
    let hash = convert::convert(files, instance.number, number, &log, params, &shared.counters)?;
    shared.steps.reached(Step::Converted);
    {
        let mut state = instance.write();
        let mut manifest = state.manifest(false);
        manifest.frozen = None;
        manifest.hashes.push(number);
        list(shared, instance.number, &manifest)?;
        state.hashes.push(Arc::new(hash));
        state.frozen = None;
    }
    shared.steps.reached(Step::ConversionListed);
    files.remove(&file_name(instance.number, "log", log.number))?;
    shared.steps.reached(Step::LogRemoved);
    drop(turn);
    shared.signal.changed();
    Ok(true)
}

/// Merges the HashStores if they have `entries` or more. Returns whether they had.
pub(crate) fn merge(shared: &Shared, instance: &Instance, entries: u64) -> Result<bool, Error> {
    if instance.read().hash_entries() < entries {
        return Ok(false);
    }
    let one_at_a_time = shared.merging.lock().unwrap_or_else(PoisonError::into_inner);
    let (hashes, sorted, number) = {
        let mut state = instance.write();
        if state.hash_entries() < entries {
            return Ok(false);
        }
        (state.hashes.clone(), state.sorted.clone(), state.take_number())
    };
    let (files, params) = (&*shared.files, &shared.params);
    let inputs = Inputs { hashes: &hashes, sorted: sorted.as_deref() };
    let tools = (&shared.counters, &shared.steps);
    let merged = merge::merge(files, instance.number, number, &inputs, params, tools)?;
    {
        let mut state = instance.write();
        let mut manifest = state.manifest(false);
        // A conversion may have added others, at the end.
        manifest.hashes.drain(..hashes.len());
        manifest.sorted = merged.as_ref().map(|sorted| (sorted.number, sorted.items()));
        list(shared, instance.number, &manifest)?;
        state.hashes.drain(..hashes.len());
        state.sorted = merged.map(Arc::new);
    }
    shared.steps.reached(Step::MergeListed);
    let of = |kind, number| file_name(instance.number, kind, number);
    let old = hashes.iter().flat_map(|hash| [of("hash", hash.number), of("filter", hash.number)]);
    let old_sorted = sorted.map(|sorted| [of("sorted", sorted.number), of("index", sorted.number)]);
    for name in old.chain(old_sorted.into_iter().flatten()) {
        files.remove(&name)?;
    }
    shared.steps.reached(Step::MergedRemoved);
    drop(one_at_a_time);
    shared.signal.changed();
    Ok(true)
}
