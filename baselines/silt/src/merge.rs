//! The merge (§2.2.4, table 2.3): all HashStores and the SortedStore into a new SortedStore, whose
//! index is built while it is written.
//!
//! The original sorts the HashStores' records with an external sorter on a disk of its own. Here
//! they are read several times, each time for another part of the order of keys, as much as fits
//! into the memory given: keys are uniform hashes, so equal parts have as many. Nothing is written
//! that equation 2.4 does not count.

use std::sync::Arc;

use ect::{Builder, Change, Merge, MergeError, MergeInput};

use crate::convert::WRITE_BYTES;
use crate::counters::{Counter, Counters};
use crate::error::Error;
use crate::files::Files;
use crate::hash_store::HashStore;
use crate::image;
use crate::key::{KEY_BYTES, Key, order_of};
use crate::manifest::file_name;
use crate::pace::Pace;
use crate::params::Params;
use crate::record::Entry;
use crate::sorted_store::SortedStore;
use crate::step::{Step, Steps};
use crate::stream::{Scanner, Writer};

/// What is merged.
pub(crate) struct Inputs<'a> {
    /// The oldest first.
    pub(crate) hashes: &'a [Arc<HashStore>],
    pub(crate) sorted: Option<&'a SortedStore>,
}

/// Writes the new SortedStore; on return it is on the disk. `None` if no item is left.
pub(crate) fn merge(
    files: &dyn Files,
    instance: usize,
    number: u64,
    inputs: &Inputs<'_>,
    params: &Params,
    (counters, steps): (&Counters, &Steps),
) -> Result<Option<SortedStore>, Error> {
    let layout = params.layout();
    let changes = Changes::new(inputs.hashes, params, counters);
    let items_max = changes.entries + inputs.sorted.map_or(0, SortedStore::items);
    let old = Items { scanner: inputs.sorted.map(SortedStore::scanner), counters };
    let name = file_name(instance, "sorted", number);
    let mut writer = Writer::new(files.create(&name)?, layout, WRITE_BYTES)?;
    let mut builder = Builder::new(index_params(params), items_max);
    let mut pace = Pace::new(params.merge_per_s);
    for item in Merge::new(old, changes) {
        let (key, value) = item.map_err(|error| unsorted(instance, error))?;
        builder.push(&key).map_err(|source| Error::Build { file: name.clone(), source })?;
        writer.push(&key, Entry::Value(&value))?;
        if writer.records() == items_max.div_ceil(4) {
            writer.flush()?;
            steps.reached(Step::MergeBegun);
        }
        pace.step();
    }
    writer.sync()?;
    steps.reached(Step::MergeWritten);
    counters.add(Counter::SortedBytes, writer.take_written());
    counters.add(Counter::Merges, 1);
    if writer.records() == 0 {
        files.remove(&name)?;
        return Ok(None);
    }
    let index = builder.finish().map_err(|source| Error::Build { file: name, source })?;
    let index_name = file_name(instance, "index", number);
    counters.add(Counter::OtherBytes, image::write(files, &index_name, &index.image())?);
    steps.reached(Step::MergeIndexed);
    Ok(Some(SortedStore::new(number, writer.shared_file(), index, layout)))
}

/// The index that a SortedStore of these parameters has.
pub(crate) fn index_params(params: &Params) -> ect::Params {
    ect::Params {
        bucket_keys: params.index_bucket_keys,
        per_block: params.layout().per_block(),
        ..ect::Params::new(KEY_BYTES)
    }
}

fn unsorted(instance: usize, error: MergeError<Error>) -> Error {
    match error {
        MergeError::Input(error) => error,
        MergeError::Unsorted { input, ordinal } => {
            let input = match input {
                MergeInput::Old => "the SortedStore",
                MergeInput::New => "the sorted HashStores",
            };
            let what = format!("key {ordinal} of {input} is not above the one before");
            Error::UnsortedMerge { instance, what }
        }
    }
}

/// Items of the SortedStore that is replaced.
struct Items<'a> {
    scanner: Option<Scanner>,
    counters: &'a Counters,
}

impl Iterator for Items<'_> {
    type Item = Result<(Key, Vec<u8>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let scanner = self.scanner.as_mut()?;
        self.counters.add(Counter::ScannedBytes, scanner.take_scanned());
        let item = match scanner.next() {
            Ok(None) => return None,
            Ok(Some((_, Some((key, Entry::Value(value)))))) => {
                return Some(Ok((*key, value.to_vec())));
            }
            Ok(Some((ordinal, _))) => format!("record {ordinal} has no value"),
            Err(error) => return Some(Err(error)),
        };
        Some(Err(Error::Corrupt { file: scanner.file().name().to_owned(), what: item }))
    }
}

/// A key, and what its newest entry does to it.
type Changed = (Key, Change<Vec<u8>>);

/// The newest entry of each key in the HashStores, by key.
struct Changes<'a> {
    hashes: &'a [Arc<HashStore>],
    counters: &'a Counters,
    entries: u64,
    passes: u64,
    next_pass: u64,
    sorted: std::vec::IntoIter<Changed>,
}

impl<'a> Changes<'a> {
    fn new(hashes: &'a [Arc<HashStore>], params: &Params, counters: &'a Counters) -> Self {
        let entries: u64 = hashes.iter().map(|hash| hash.filter().entries()).sum();
        let bytes = entries * params.layout().record_bytes as u64;
        let passes = bytes.div_ceil(params.sort_bytes.max(1) as u64).clamp(1, 1 << 20);
        let sorted = Vec::new().into_iter();
        Self { hashes, counters, entries, passes, next_pass: 0, sorted }
    }

    /// Reads and sorts one part.
    fn pass(&self, pass: u64) -> Result<Vec<Changed>, Error> {
        let mut part = Vec::new();
        for hash in self.hashes.iter().rev() {
            let mut scanner = hash.scanner();
            while let Some((_, record)) = scanner.next()? {
                let Some((key, entry)) = record else { continue };
                if (u64::from(order_of(key)) * self.passes) >> 32 != pass {
                    continue;
                }
                part.push(match entry {
                    Entry::Value(value) => (*key, Change::Put(value.to_vec())),
                    Entry::Deleted => (*key, Change::Delete),
                });
            }
            self.counters.add(Counter::ScannedBytes, scanner.take_scanned());
        }
        // Of equal keys the newest was read first, and stays first.
        part.sort_by_key(|(key, _)| *key);
        part.dedup_by_key(|(key, _)| *key);
        Ok(part)
    }
}

impl Iterator for Changes<'_> {
    type Item = Result<Changed, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(change) = self.sorted.next() {
                return Some(Ok(change));
            }
            if self.next_pass == self.passes {
                return None;
            }
            let pass = self.next_pass;
            self.next_pass += 1;
            match self.pass(pass) {
                Ok(part) => self.sorted = part.into_iter(),
                Err(error) => {
                    self.next_pass = self.passes;
                    return Some(Err(error));
                }
            }
        }
    }
}
