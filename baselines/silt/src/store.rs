//! The store's operations: opening, GET, PUT and DELETE, closing; what it tells of itself.

use std::path::Path;
use std::sync::Arc;

use crate::counters::{Counter, Counters};
use crate::error::Error;
use crate::files::{Direct, Files};
use crate::instance::Instance;
use crate::key::Key;
use crate::params::Params;
use crate::record::Entry;
use crate::recover;
use crate::scratch::{Found, Scratch};
use crate::shared::Shared;
use crate::step::Steps;
use crate::threads::Threads;
use crate::work;

/// A SILT store. Operations take a [`Scratch`], one for each thread.
#[derive(Debug)]
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    threads: Option<Threads>,
}

impl Store {
    /// Opens the store in `folder`, by direct I/O; an empty folder gets an empty store.
    ///
    /// # Errors
    /// [`Error::OtherParameters`] if the store was made with others; [`Error::Corrupt`] if a file
    /// is damaged; [`Error::Io`], also where the file system has no direct I/O.
    pub fn open(folder: &Path, params: Params) -> Result<Self, Error> {
        Self::open_in(Arc::new(Direct::new(folder)), params, Steps::default())
    }

    /// Opens the store in some files; `steps` is told of what happens to them.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_in(files: Arc<dyn Files>, params: Params, steps: Steps) -> Result<Self, Error> {
        params.check()?;
        let counters = Counters::default();
        let instances = recover::open(&*files, &params, &counters)?;
        let shared = Arc::new(Shared::new(params, files, counters, steps, instances));
        for instance in shared.instances.iter().filter(|_| !params.threads) {
            work::catch_up(&shared, instance)?;
        }
        let threads = if params.threads { Some(Threads::start(&shared)?) } else { None };
        Ok(Self { shared, threads })
    }

    /// Finds a key; its value is lent until the next operation with this `scratch`.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Corrupt`], of the record that was read.
    pub fn get<'a>(&self, key: &Key, scratch: &'a mut Scratch) -> Result<Option<&'a [u8]>, Error> {
        let state = self.shared.instance(key).read();
        let is_there = state.find(key, scratch, &self.shared.counters)?;
        Ok(is_there.then_some(&scratch.value))
    }

    /// Stores a value. Nothing is read unless the log seems to have the key.
    ///
    /// # Errors
    /// [`Error::ValueTooLong`]; [`Error::Io`] or [`Error::Corrupt`], after which the value may or
    /// may not be stored.
    pub fn put(&self, key: &Key, value: &[u8], scratch: &mut Scratch) -> Result<(), Error> {
        self.check_length(value)?;
        work::append(&self.shared, key, Entry::Value(value), scratch, false).map(|_| ())
    }

    /// Removes a key, whether it is there or not.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub fn delete(&self, key: &Key, scratch: &mut Scratch) -> Result<(), Error> {
        work::append(&self.shared, key, Entry::Deleted, scratch, false).map(|_| ())
    }

    /// Stores a value, or removes the key if it is `None`; returns the length of the value that was
    /// there. This looks the key up, as a GET does.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub fn exchange(
        &self,
        key: &Key,
        value: Option<&[u8]>,
        scratch: &mut Scratch,
    ) -> Result<Option<usize>, Error> {
        value.map_or(Ok(()), |value| self.check_length(value))?;
        let entry = value.map_or(Entry::Deleted, Entry::Value);
        let before = work::append(&self.shared, key, entry, scratch, true)?;
        Ok((before == Some(Found::Value)).then_some(scratch.value.len()))
    }

    fn check_length(&self, value: &[u8]) -> Result<(), Error> {
        let (value_bytes, limit_bytes) = (value.len(), self.shared.params.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(Error::ValueTooLong { value_bytes, limit_bytes });
        }
        Ok(())
    }

    /// Writes and synchronises what logs have in their buffers: everything put before survives.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn flush(&self) -> Result<(), Error> {
        for instance in &self.shared.instances {
            let mut state = instance.write();
            let writer = state.log.writer();
            let synced = writer.sync();
            self.shared.counters.add(Counter::LogBytes, writer.take_written());
            synced?;
        }
        Ok(())
    }

    /// Ends the store's threads after what they are at, flushes, and notes that nothing is missing
    /// from the logs, so that a damaged last record is recognised on opening. A store that is
    /// dropped instead is as one whose process has ended.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Background`] if earlier work failed.
    pub fn close(mut self) -> Result<(), Error> {
        self.threads = None;
        self.flush()?;
        for instance in &self.shared.instances {
            let state = instance.write();
            work::list(&self.shared, instance.number, &state.manifest(true))?;
        }
        self.shared.still_works()
    }

    /// Waits until nothing is left to convert and no merge is due, if threads do that.
    ///
    /// # Errors
    /// [`Error::Background`].
    pub fn settle(&self) -> Result<(), Error> {
        loop {
            let seen = self.shared.signal.now();
            self.shared.still_works()?;
            let is_idle = |instance| !work::is_due(&self.shared, instance);
            if self.threads.is_none() || self.shared.instances.iter().all(is_idle) {
                return Ok(());
            }
            self.shared.signal.wait(seen);
        }
    }

    /// Merges all HashStores of all instances now, due or not.
    ///
    /// # Errors
    /// [`Error`], of the first merge that fails.
    pub fn merge(&self) -> Result<(), Error> {
        for instance in &self.shared.instances {
            work::merge(&self.shared, instance, 1)?;
        }
        Ok(())
    }

    /// Memory of tables, filters and indexes, in bytes; buffers are not counted.
    #[must_use]
    pub fn index_bytes(&self) -> u64 {
        self.shared.instances.iter().map(|instance| instance.read().index_bytes()).sum()
    }

    /// Memory of the SortedStores' indexes alone, in bytes.
    #[must_use]
    pub fn sorted_index_bytes(&self) -> u64 {
        let of = |instance: &Instance| {
            instance.read().sorted.as_ref().map_or(0, |sorted| sorted.index().memory_bytes())
        };
        self.shared.instances.iter().map(of).sum()
    }

    /// HashStores of all instances.
    #[must_use]
    pub fn hash_stores(&self) -> usize {
        self.shared.instances.iter().map(|instance| instance.read().hashes.len()).sum()
    }

    /// One of the store's counts.
    #[must_use]
    pub fn count(&self, counter: Counter) -> u64 {
        self.shared.counters.get(counter)
    }

    /// Bytes of records written to logs, HashStores and SortedStores: what write amplification
    /// counts (equation 2.4). Filters, indexes and manifests are counted apart.
    #[must_use]
    pub fn written_bytes(&self) -> u64 {
        [Counter::LogBytes, Counter::HashBytes, Counter::SortedBytes]
            .map(|counter| self.count(counter))
            .iter()
            .sum()
    }

    /// Reads that GETs have made.
    #[must_use]
    pub fn reads(&self) -> u64 {
        [Counter::LogReads, Counter::HashReads, Counter::SortedReads]
            .map(|counter| self.count(counter))
            .iter()
            .sum()
    }

    /// The store's parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.shared.params
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.threads.as_ref().map_or(0, Threads::count)
    }
}
