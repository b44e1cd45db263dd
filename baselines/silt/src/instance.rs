//! One instance: a LogStore, one more that is being converted, HashStores and a SortedStore. GETs
//! share it, PUTs have it to themselves; conversion and merging only when they exchange stores.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::sync::{Mutex, MutexGuard};

use crate::counters::{Counter, Counters};
use crate::error::Error;
use crate::hash_store::HashStore;
use crate::key::Key;
use crate::log_store::LogStore;
use crate::manifest::Manifest;
use crate::scratch::{Found, Scratch};
use crate::sorted_store::SortedStore;

/// An instance, and who may change it.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) number: usize,
    state: RwLock<State>,
    /// Held while a log is converted.
    turn: Mutex<()>,
}

/// The stores of an instance.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) log: LogStore,
    pub(crate) frozen: Option<Arc<LogStore>>,
    /// The oldest first.
    pub(crate) hashes: Vec<Arc<HashStore>>,
    pub(crate) sorted: Option<Arc<SortedStore>>,
    /// The number of the next file.
    pub(crate) next: u64,
}

impl Instance {
    pub(crate) fn new(number: usize, state: State) -> Self {
        Self { number, state: RwLock::new(state), turn: Mutex::new(()) }
    }

    /// A panic elsewhere leaves the stores as they were: they are exchanged as a whole.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a number for a new file.
    pub(crate) fn take_number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// What the manifest of these stores says.
    pub(crate) fn manifest(&self, closed: bool) -> Manifest {
        Manifest {
            next: self.next,
            active: self.log.number,
            closed: closed.then(|| self.log.records()),
            frozen: self.frozen.as_ref().map(|log| (log.number, log.records())),
            hashes: self.hashes.iter().map(|hash| hash.number).collect(),
            sorted: self.sorted.as_ref().map(|sorted| (sorted.number, sorted.items())),
        }
    }

    /// Entries in HashStores.
    pub(crate) fn hash_entries(&self) -> u64 {
        self.hashes.iter().map(|hash| hash.filter().entries()).sum()
    }

    /// Memory of tables, filters and the index, in bytes.
    pub(crate) fn index_bytes(&self) -> u64 {
        let logs = std::iter::once(&self.log).chain(self.frozen.as_deref());
        let logs: u64 = logs.map(|log| log.table().bytes()).sum();
        let hashes: u64 = self.hashes.iter().map(|hash| hash.filter().bytes()).sum();
        logs + hashes + self.sorted.as_ref().map_or(0, |sorted| sorted.index().memory_bytes())
    }

    /// Asks the stores in turn, the newest first. A deletion ends the search.
    pub(crate) fn find(
        &self,
        key: &Key,
        scratch: &mut Scratch,
        counters: &Counters,
    ) -> Result<bool, Error> {
        scratch.reads = 0;
        let in_log = self.log.find(key, scratch)?;
        count(counters, Counter::LogReads, scratch);
        let found = match in_log {
            Some((_, found)) => Some(found),
            None => self.find_behind(key, scratch, counters)?,
        };
        Ok(found == Some(Found::Value))
    }

    /// Asks the stores behind the log.
    pub(crate) fn find_behind(
        &self,
        key: &Key,
        scratch: &mut Scratch,
        counters: &Counters,
    ) -> Result<Option<Found>, Error> {
        scratch.reads = 0;
        if let Some(log) = &self.frozen {
            let found = log.find(key, scratch)?;
            count(counters, Counter::LogReads, scratch);
            if let Some((_, found)) = found {
                return Ok(Some(found));
            }
        }
        for hash in self.hashes.iter().rev() {
            let found = hash.find(key, scratch)?;
            count(counters, Counter::HashReads, scratch);
            if found.is_some() {
                return Ok(found);
            }
        }
        let Some(sorted) = &self.sorted else { return Ok(None) };
        let found = sorted.find(key, scratch)?;
        count(counters, Counter::SortedReads, scratch);
        Ok(found)
    }
}

fn count(counters: &Counters, counter: Counter, scratch: &mut Scratch) {
    let reads = std::mem::take(&mut scratch.reads);
    if reads > 0 {
        counters.add(counter, reads);
    }
}
