//! Opening: which files an instance has says its manifest. Filters and indexes are loaded, logs are
//! read again (§2.3), and files that no manifest names are removed.

use std::sync::Arc;

use crate::counters::{Counter, Counters};
use crate::error::Error;
use crate::files::Files;
use crate::hash_store::HashStore;
use crate::instance::{Instance, State};
use crate::log_store::{LogStore, Replayed};
use crate::manifest::{self, Manifest};
use crate::params::Params;
use crate::sorted_store::SortedStore;

/// Opens all instances, or makes them.
pub(crate) fn open(
    files: &dyn Files,
    params: &Params,
    counters: &Counters,
) -> Result<Vec<Instance>, Error> {
    let names = files.list()?;
    // Instance 0 is made last: without its manifest nothing was ever put.
    let is_new = !names.contains(&manifest::name(0));
    if !is_new {
        // Others may not exist: the number of instances is one of the parameters.
        Manifest::read(files, 0, params)?;
    }
    let mut instances = Vec::new();
    for number in (0..params.instances).rev() {
        if is_new {
            make(files, number, params)?;
        }
        // What an instance has says its manifest, read before anything is removed.
        let listed = Manifest::read(files, number, params)?;
        remove_unlisted(files, &names, number, &listed)?;
        instances.push(Instance::new(number, open_one(files, number, &listed, params, counters)?));
    }
    instances.reverse();
    Ok(instances)
}

fn make(files: &dyn Files, instance: usize, params: &Params) -> Result<(), Error> {
    let manifest = Manifest { next: 1, ..Manifest::default() };
    LogStore::create(files, instance, manifest.active, params)?;
    manifest.write(files, instance, params)?;
    Manifest::switch(files, instance)
}

fn remove_unlisted(
    files: &dyn Files,
    names: &[String],
    instance: usize,
    manifest: &Manifest,
) -> Result<(), Error> {
    let (listed, prefix) = (manifest.files(instance), format!("{instance}-"));
    for name in names.iter().filter(|name| name.starts_with(&prefix)) {
        if !listed.contains(name) && *name != manifest::name(instance) {
            files.remove(name)?;
        }
    }
    Ok(())
}

fn open_one(
    files: &dyn Files,
    instance: usize,
    manifest: &Manifest,
    params: &Params,
    counters: &Counters,
) -> Result<State, Error> {
    let count = |replayed: Replayed| {
        counters.add(Counter::Replayed, replayed.records);
        counters.add(Counter::Torn, replayed.torn);
    };
    let sorted = manifest.sorted.map(|sorted| SortedStore::open(files, instance, sorted, params));
    let hashes = manifest
        .hashes
        .iter()
        .map(|&number| HashStore::open(files, instance, number, params).map(Arc::new));
    let (sorted, hashes) = (sorted.transpose()?, hashes.collect::<Result<_, _>>()?);
    let frozen = manifest
        .frozen
        .map(|(number, records)| LogStore::replay(files, instance, number, Some(records), params));
    let frozen = frozen.transpose()?.map(|(log, replayed)| {
        count(replayed);
        Arc::new(log)
    });
    let known = manifest.closed;
    let (log, replayed) = LogStore::replay(files, instance, manifest.active, known, params)?;
    count(replayed);
    let state = State { log, frozen, hashes, sorted: sorted.map(Arc::new), next: manifest.next };
    if known.is_some() {
        // From now on the log grows.
        state.manifest(false).write(files, instance, params)?;
        Manifest::switch(files, instance)?;
    }
    Ok(state)
}
