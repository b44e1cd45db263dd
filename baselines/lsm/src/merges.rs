//! Merges: the memory component into level 0, and levels into deeper ones. One thread does them.

use std::sync::Arc;

use crate::cursor::{Cursor, Merged};
use crate::error::Error;
use crate::memtable::Kind as What;
use crate::mutant::{Mutant, mutated};
use crate::names::Kind;
use crate::parts::{Counters, Parts};
use crate::snapshots::Retained;
use crate::sync::lock;
use crate::table::{Builder, Entry, Meta, Table};
use crate::version::{Edit, LEVELS, Version};

/// Size of a level, as a multiple of the one above.
const LEVEL_RATIO: u64 = 10;
/// Entries between two looks at whether a memory component waits.
const LOOK_EVERY: u64 = 512;

/// Tables to be merged, and the level that they go to.
#[derive(Debug)]
struct Job {
    level: usize,
    inputs: Vec<Arc<Table>>,
    /// Of the next level, what overlaps.
    below: Vec<Arc<Table>>,
}

/// The thread's memory between merges.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    /// The largest key of the last merge of each level: the next begins behind it.
    ends: [Vec<u8>; LEVELS],
}

impl Parts {
    /// Puts the memory component that waits into a table of level 0. Whether there was one.
    ///
    /// # Errors
    /// [`Error::Storage`]; the component then still waits.
    pub(crate) fn merge_memory(&self) -> Result<bool, Error> {
        let view = self.view.load_full();
        let Some(component) = &view.merging else { return Ok(false) };
        let log = Kind::Log.name(component.log.number());
        if mutated(Mutant::LogRemovedEarly) {
            _ = self.files.remove(&log);
            _ = self.files.sync_folder();
        }
        // Snapshots that are not in the list yet were begun after the swap, and see the newest.
        let mut merge = Merge::new(self, 0, None);
        let mut merged = Merged::from(vec![Cursor::memory(component)], &[], u64::MAX)?;
        while let Some(entry) = merged.entry() {
            merge.add(&entry)?;
            merged.next()?;
        }
        let added = merge.finish()?;
        let flushed: u64 = added.iter().map(|table| table.meta().file_bytes).sum();
        let log_number = Some(view.memory.log.number());
        self.install(0, &[], added, log_number)?;
        view.memory.forget_before();
        self.graveyard.bury(log);
        Counters::add(&self.counters.flushed_bytes, flushed);
        Counters::add(&self.counters.log_bytes, component.log.file_bytes());
        Ok(true)
    }

    /// Records that `removed` are replaced by `added`, and publishes it. A `log_number` says that
    /// the component that waited is among what was added.
    fn install(
        &self,
        level: usize,
        removed: &[Arc<Table>],
        added: Vec<Arc<Table>>,
        log_number: Option<u64>,
    ) -> Result<(), Error> {
        let removed_numbers: Vec<u64> = removed.iter().map(|table| table.meta().number).collect();
        let metas = added.iter().map(|table| (level, table.meta().clone()));
        let edit = Edit {
            log_number,
            next_number: self.number(),
            newest: added.iter().map(|table| table.meta().newest).max().unwrap_or(0),
            removed: removed_numbers.clone(),
            added: metas.collect(),
        };
        let synced = self.files.sync_folder();
        synced.map_err(|error| Error::storage("sync", "the folder", &error))?;
        lock(&self.manifest).append(&edit)?;
        let added: Vec<_> = added.into_iter().map(|table| (level, table)).collect();
        let disk = Arc::new(self.view.load().disk.edited(&removed_numbers, &added));
        self.swap(|view| view.with_disk(disk, log_number.is_some()));
        Ok(())
    }

    /// Removes files that nobody needs. What cannot be removed, the next opening removes.
    pub(crate) fn bury_dead(&self) {
        for name in self.graveyard.empty() {
            _ = self.files.remove(&name);
        }
    }

    /// How full levels are: the one that is due most, and by how much, in multiples of its size.
    fn due(&self, disk: &Version) -> Option<usize> {
        let mut size = self.config.level1_bytes as f64;
        let mut best = (0, disk.levels[0].len() as f64 / self.config.level0_tables as f64);
        for level in 1..LEVELS - 1 {
            let fullness = disk.level_bytes(level) as f64 / size;
            if fullness > best.1 {
                best = (level, fullness);
            }
            size *= LEVEL_RATIO as f64;
        }
        (best.1 >= 1.0).then_some(best.0)
    }

    /// Whether a level is to be merged.
    pub(crate) fn is_merge_due(&self) -> bool {
        let view = self.view.load();
        view.merging.is_some() || self.due(&view.disk).is_some()
    }

    /// Merges one job, if one is due. Whether there was one.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`]; then nothing has changed.
    pub(crate) fn merge_level(&self, merger: &mut Merger) -> Result<bool, Error> {
        let disk = Arc::clone(&self.view.load().disk);
        let Some(level) = self.due(&disk) else { return Ok(false) };
        let job = pick(&disk, level, &mut merger.ends);
        self.run(&job)?;
        Ok(true)
    }

    /// Merges each level into the next, as far as there are tables.
    ///
    /// # Errors
    /// As for [`merge_level`](Self::merge_level).
    pub(crate) fn merge_everything(&self) -> Result<(), Error> {
        for level in 0..LEVELS - 1 {
            let disk = Arc::clone(&self.view.load().disk);
            let is_last = (level + 1..LEVELS).all(|deeper| disk.levels[deeper].is_empty());
            if disk.levels[level].is_empty() || (level > 0 && is_last) {
                continue;
            }
            let (inputs, below) = (disk.levels[level].clone(), disk.levels[level + 1].clone());
            self.run(&Job { level, inputs, below })?;
        }
        Ok(())
    }

    fn run(&self, job: &Job) -> Result<(), Error> {
        let target = job.level + 1;
        if let ([table], []) = (&job.inputs[..], &job.below[..]) {
            // Nothing to merge with: the table only changes its level.
            return self.install(target, &job.inputs, vec![Arc::clone(table)], None);
        }
        let mut cursors = vec![Cursor::level(job.below.clone(), &self.cache)];
        if job.level == 0 {
            let each = job.inputs.iter();
            cursors.extend(each.map(|table| Cursor::level(vec![Arc::clone(table)], &self.cache)));
        } else {
            cursors.push(Cursor::level(job.inputs.clone(), &self.cache));
        }
        let disk = Arc::clone(&self.view.load().disk);
        let mut merge = Merge::new(self, target, Some((disk, self.config.table_bytes)));
        let mut merged = Merged::from(cursors, &[], u64::MAX)?;
        let mut entries = 0_u64;
        while let Some(entry) = merged.entry() {
            merge.add(&entry)?;
            merged.next()?;
            entries += 1;
            if entries.is_multiple_of(LOOK_EVERY) && self.merge_memory()? {
                self.work.change(|state| state.failure = None);
            }
        }
        let added = merge.finish()?;
        let merged_bytes: u64 = added.iter().map(|table| table.meta().file_bytes).sum();
        let removed: Vec<_> = job.inputs.iter().chain(&job.below).cloned().collect();
        self.install(target, &removed, added, None)?;
        for table in &removed {
            table.retire();
        }
        Counters::add(&self.counters.merges, 1);
        Counters::add(&self.counters.merged_bytes, merged_bytes);
        Ok(())
    }
}

/// All of level 0, or the next table of a deeper level, with what overlaps below.
fn pick(disk: &Version, level: usize, ends: &mut [Vec<u8>; LEVELS]) -> Job {
    let inputs = if level == 0 {
        disk.levels[0].clone()
    } else {
        let tables = &disk.levels[level];
        let next = tables.iter().find(|table| table.meta().smallest > ends[level]);
        vec![Arc::clone(next.unwrap_or(&tables[0]))]
    };
    let metas = || inputs.iter().map(|table| table.meta());
    let smallest = metas().map(|meta| &meta.smallest).min().expect("a level that is due");
    let largest = metas().map(|meta| &meta.largest).max().expect("a level that is due");
    ends[level].clone_from(largest);
    let below = disk.overlapping(level + 1, smallest, largest);
    Job { level, inputs, below }
}

/// A merge on its way: decides what stays, and writes it to tables.
struct Merge<'parts> {
    parts: &'parts Parts,
    level: usize,
    retained: Retained,
    /// The disk component, and the size of tables; a memory component goes into one table, and
    /// keeps its tombstones.
    disk: Option<(Arc<Version>, u64)>,
    builder: Option<Builder>,
    finished: Vec<Meta>,
    /// The key of the last entry, and its time.
    key: Vec<u8>,
    newer: Option<u64>,
}

impl<'parts> Merge<'parts> {
    fn new(parts: &'parts Parts, level: usize, disk: Option<(Arc<Version>, u64)>) -> Self {
        Self {
            parts,
            level,
            retained: Retained::new(parts.snapshots.live()),
            disk,
            builder: None,
            finished: Vec::new(),
            key: Vec::new(),
            newer: None,
        }
    }

    /// Takes the next entry in order, which stays or goes.
    fn add(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let is_same_key = self.newer.is_some() && self.key == entry.key;
        let newer = if is_same_key { self.newer } else { None };
        if !is_same_key {
            self.key.clear();
            self.key.extend_from_slice(entry.key);
        }
        self.newer = Some(entry.timestamp);
        if !self.retained.keeps(entry.timestamp, newer) || self.is_pointless(entry) {
            return Ok(());
        }
        self.begin_or_end_table(entry.key)?;
        let kind = What { has_value: entry.kind.has_value, ..What::default() };
        self.builder.as_mut().expect("just begun").add(&Entry { kind, ..*entry })
    }

    /// Whether an entry is a tombstone that hides nothing.
    fn is_pointless(&self, entry: &Entry<'_>) -> bool {
        let Some((disk, _)) = &self.disk else { return false };
        !entry.kind.has_value
            && self.retained.hides_from_all(entry.timestamp)
            && (disk.is_deepest(self.level, entry.key) || mutated(Mutant::TombstoneDropped))
    }

    fn begin_or_end_table(&mut self, key: &[u8]) -> Result<(), Error> {
        let most = self.disk.as_ref().map_or(u64::MAX, |(_, table_bytes)| *table_bytes);
        // Versions of a key stay together, so that tables of a level do not overlap.
        let ends = |builder: &Builder| builder.file_bytes() >= most && !builder.ends_with(key);
        if self.builder.as_ref().is_some_and(ends) {
            self.end_table()?;
        }
        if self.builder.is_none() {
            let parts = self.parts;
            let builder = Builder::create(&*parts.files, parts.number(), parts.shape())?;
            self.builder = Some(builder);
        }
        Ok(())
    }

    fn end_table(&mut self) -> Result<(), Error> {
        if let Some(builder) = self.builder.take() {
            self.finished.push(builder.finish()?);
        }
        Ok(())
    }

    /// Opens what was written.
    fn finish(mut self) -> Result<Vec<Arc<Table>>, Error> {
        self.end_table()?;
        let finished = std::mem::take(&mut self.finished);
        let (files, graveyard) = (&*self.parts.files, &self.parts.graveyard);
        let open = |meta| Ok(Arc::new(Table::open(files, meta, graveyard)?));
        finished.into_iter().map(open).collect()
    }
}

impl Drop for Merge<'_> {
    /// Gives back the space of tables that did not come to be used.
    fn drop(&mut self) {
        let unfinished = self.builder.take().map(|builder| builder.number());
        for number in self.finished.iter().map(|meta| meta.number).chain(unfinished) {
            _ = self.parts.files.remove(&Kind::Table.name(number));
        }
    }
}
