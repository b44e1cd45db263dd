//! Opening a folder: the manifest's tables, and what logs have beyond them.
//!
//! What the logs have goes into a table at once, and a new manifest that has this table takes the
//! place of the old one. Only then is anything removed. So a crash at any moment leaves either the
//! old state or the new one, and recovery may begin again.

use std::sync::Arc;

use crate::cache::Cache;
use crate::config::{Config, SESSIONS_MAX, Scheme, SnapshotOrder};
use crate::error::Error;
use crate::files::Files;
use crate::frame::Frames;
use crate::log::{Component, Log, Logged};
use crate::manifest::{self, Manifest, Recorded};
use crate::memtable::{Kind as What, Memtable, words_for};
use crate::mutant::{Mutant, mutated};
use crate::names::{CURRENT, CURRENT_NEXT, Kind};
use crate::parts::{Begin, Parts};
use crate::printed::Printed;
use crate::schemes::{Clsm, Global, Sync};
use crate::table::{Builder, Entry, Graveyard, Meta, Shape, Table};
use crate::version::Version;
use crate::view::View;

/// Opens what is in the folder, or begins an empty store.
///
/// # Errors
/// [`Error::Storage`] if a file cannot be read or written, [`Error::Corrupt`] if one is damaged
/// that was durable.
pub(crate) fn open(files: Arc<dyn Files>, config: Config) -> Result<Parts, Error> {
    let mut recorded = manifest::read(&*files)?.unwrap_or_default();
    let names = files.list().map_err(|error| Error::storage("list", "the folder", &error))?;
    let numbers: Vec<(Kind, u64)> = names.iter().filter_map(|name| Kind::parse(name)).collect();
    let largest = numbers.iter().map(|&(_, number)| number).max().unwrap_or(0);
    let mut next_number = recorded.next_number.max(largest + 1);
    let mut number = || {
        next_number += 1;
        next_number - 1
    };

    let mut logs: Vec<u64> = numbers
        .iter()
        .filter(|&&(kind, log)| kind == Kind::Log && log >= recorded.log_number)
        .map(|&(_, log)| log)
        .collect();
    logs.sort_unstable();
    let shape =
        Shape { block_bytes: config.block_bytes, bloom_bits_per_key: config.bloom_bits_per_key };
    if let Some(meta) = replay(&*files, &logs, shape, &mut number)? {
        recorded.newest = recorded.newest.max(meta.newest);
        recorded.levels[0].push(meta);
    }

    let log = Log::create(&*files, number())?;
    recorded.log_number = log.number();
    let manifest_number = number();
    recorded.next_number = next_number;
    let manifest = Manifest::begin(&*files, manifest_number, &recorded)?;

    let graveyard = Arc::new(Graveyard::default());
    let disk = open_tables(&*files, &recorded, &graveyard)?;
    remove_orphans(&*files, &names, &recorded, manifest.name());
    let newest = if mutated(Mutant::ClockRestarted) { 0 } else { recorded.newest };
    let memtable = Memtable::new(config.write_buffer_bytes, 0, Printed::default());
    let memtable = memtable.map_err(|error| Error::storage("map", "a memtable", &error))?;
    let view = View {
        memory: Arc::new(Component::new(memtable, log, None)),
        merging: None,
        disk: Arc::new(disk),
    };
    let sync = match config.scheme {
        Scheme::GlobalLock => Sync::Global(Global::new(newest)),
        Scheme::Clsm => {
            let is_linearizable = config.snapshots == SnapshotOrder::Linearizable;
            Sync::Clsm(Box::new(Clsm::new(newest, SESSIONS_MAX, is_linearizable)))
        }
    };
    let cache = Arc::new(Cache::new(config.block_cache_bytes));
    Ok(Parts::new(Begin { config, files, cache, graveyard, view, sync, next_number, manifest }))
}

fn open_tables(
    files: &dyn Files,
    recorded: &Recorded,
    graveyard: &Arc<Graveyard>,
) -> Result<Version, Error> {
    let mut added = Vec::new();
    for (level, metas) in recorded.levels.iter().enumerate() {
        for meta in metas {
            added.push((level, Arc::new(Table::open(files, meta.clone(), graveyard)?)));
        }
    }
    let disk = Version::default().edited(&[], &added);
    disk.check()?;
    Ok(disk)
}

/// Removes what no manifest that counts leads to. What cannot be removed, the next opening removes.
fn remove_orphans(files: &dyn Files, names: &[String], recorded: &Recorded, manifest: &str) {
    let is_used = |name: &str| match Kind::parse(name) {
        Some((Kind::Log, number)) => number >= recorded.log_number,
        Some((Kind::Table, number)) => {
            recorded.levels.iter().flatten().any(|meta| meta.number == number)
        }
        Some((Kind::Manifest, _)) => name == manifest,
        None => name == CURRENT || name != CURRENT_NEXT,
    };
    for name in names.iter().filter(|name| !is_used(name)) {
        _ = files.remove(name);
    }
}

/// Puts what logs have into a table. Records may be out of order; each has its time.
fn replay(
    files: &dyn Files,
    logs: &[u64],
    shape: Shape,
    number: &mut dyn FnMut() -> u64,
) -> Result<Option<Meta>, Error> {
    let mut bytes = Vec::with_capacity(logs.len());
    for &log in logs {
        bytes.push(manifest::read_all(files, &Kind::Log.name(log))?);
    }
    let records = || bytes.iter().flat_map(|bytes| Frames::new(bytes)).map(Logged::read);
    let words: u64 =
        records().flatten().map(|record| words_for(record.key.len(), record.value.len())).sum();
    if words == 0 {
        return Ok(None);
    }
    let memtable = Memtable::new(0, words, Printed::default());
    let memtable = memtable.map_err(|error| Error::storage("map", "a memtable", &error))?;
    let mut replay = Replay { memtable: &memtable, batch: Vec::new() };
    for bytes in &bytes {
        let mut frames = Frames::new(bytes);
        for payload in &mut frames {
            let Some(record) = Logged::read(payload) else { break };
            replay.add(record);
        }
        replay.batch.clear();
        // A log is whole before the next one is begun, so nothing that counts follows a torn one.
        if frames.rest_bytes() > 0 {
            break;
        }
    }
    if memtable.is_empty() {
        return Ok(None);
    }
    let mut builder = Builder::create(files, number(), shape)?;
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let mut version = memtable.first();
    while let Some(present) = version {
        present.read_key(&mut key);
        present.read_value(&mut value);
        let kind = What { has_value: present.kind().has_value, ..What::default() };
        let (key, value, timestamp) = (&key, &value, present.timestamp());
        builder.add(&Entry { key, timestamp, kind, value })?;
        version = present.next();
    }
    builder.finish().map(Some)
}

/// What logs have so far.
struct Replay<'all> {
    memtable: &'all Memtable,
    /// A batch whose last record has not come.
    batch: Vec<Logged<'all>>,
}

impl<'all> Replay<'all> {
    fn add(&mut self, record: Logged<'all>) {
        self.batch.push(record);
        if record.kind.continues && !mutated(Mutant::BatchInPart) {
            return;
        }
        for record in self.batch.drain(..) {
            let value = record.kind.has_value.then_some(record.value);
            let pending = self.memtable.reserve(record.key, value, What::of(value));
            let timestamp = match mutated(Mutant::PlaceForTime) {
                true => self.memtable.used_bytes(),
                false => record.timestamp,
            };
            pending.expect("room for all records").link(timestamp);
        }
    }
}
