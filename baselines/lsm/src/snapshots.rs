//! The list of snapshots that are in use, which merges read to know what must stay.
//!
//! A handle leaves the list when it is dropped, or when it is older than the retention. In the
//! latter case it is marked before any merge acts on it. So who takes the components first and looks
//! at the mark afterwards either finds the mark, or has components in which all is there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::mutant::{Mutant, mutated};
use crate::sync::lock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Snapshots in use.
#[derive(Debug)]
pub(crate) struct Snapshots {
    list: Mutex<List>,
    /// How long a snapshot is kept, if there is a limit.
    retention: Option<Duration>,
}

#[derive(Debug, Default)]
struct List {
    /// By time, then by number.
    entries: BTreeMap<(u64, u64), Arc<Entry>>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    taken: Instant,
    is_expired: AtomicBool,
}

/// A consistent state of the whole store: every write up to a time, and none after it. Merges keep
/// the versions that it needs until it is dropped, or older than the retention.
#[derive(Debug)]
pub struct Snapshot {
    timestamp: u64,
    number: u64,
    entry: Arc<Entry>,
    snapshots: Arc<Snapshots>,
}

impl Snapshot {
    /// Its time, in writes: later snapshots of a store never have a smaller one.
    #[must_use]
    pub fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// Whether its versions are still kept. To be asked when the components are held.
    pub(crate) fn check(&self) -> Result<(), Error> {
        // EXPIRE, to: who holds components without the versions finds the mark.
        if !self.entry.is_expired.load(Ordering::Acquire) {
            return Ok(());
        }
        let retention = self.snapshots.retention.unwrap_or_default();
        let retention_ms = retention.as_millis() as u64;
        Err(Error::SnapshotExpired { timestamp: self.timestamp, retention_ms })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        lock(&self.snapshots.list).entries.remove(&(self.timestamp, self.number));
    }
}

impl Snapshots {
    pub(crate) fn new(retention: Option<Duration>) -> Self {
        Self { list: Mutex::default(), retention }
    }

    /// Puts a snapshot into the list. The caller keeps components from being swapped since before
    /// the time was chosen.
    pub(crate) fn add(self: &Arc<Self>, timestamp: u64) -> Snapshot {
        let entry = Arc::new(Entry { taken: Instant::now(), is_expired: AtomicBool::new(false) });
        let mut list = lock(&self.list);
        let number = list.next;
        list.next += 1;
        list.entries.insert((timestamp, number), Arc::clone(&entry));
        drop(list);
        Snapshot { timestamp, number, entry, snapshots: Arc::clone(self) }
    }

    /// The times that merges must keep, upwards. Marks and leaves out what is too old.
    pub(crate) fn live(&self) -> Vec<u64> {
        if mutated(Mutant::SnapshotsUnread) {
            return Vec::new();
        }
        let mut list = lock(&self.list);
        if let Some(retention) = self.retention {
            list.entries.retain(|_, entry| {
                let is_live = entry.taken.elapsed() <= retention;
                if !is_live {
                    // EXPIRE, from: see `Snapshot::check`.
                    entry.is_expired.store(true, Ordering::Release);
                }
                is_live
            });
        }
        let mut times: Vec<u64> = list.entries.keys().map(|(timestamp, _)| *timestamp).collect();
        times.dedup();
        times
    }

    /// How many are in use.
    pub(crate) fn count(&self) -> usize {
        lock(&self.list).entries.len()
    }
}

/// Which versions a merge must keep: of each key the newest, and for each snapshot the newest that
/// it contains. Later snapshots have later times than all that is merged, so they need the newest.
#[derive(Clone, Debug)]
pub(crate) struct Retained {
    times: Vec<u64>,
}

impl Retained {
    /// `times` go upwards.
    pub(crate) fn new(times: Vec<u64>) -> Self {
        Self { times }
    }

    /// Whether a version stays, whose next newer version of the same key is `newer`.
    pub(crate) fn keeps(&self, timestamp: u64, newer: Option<u64>) -> bool {
        newer.is_none_or(|newer| {
            let first = self.times.partition_point(|&time| time < timestamp);
            self.times.get(first).is_some_and(|&time| time < newer)
        })
    }

    /// Whether no snapshot is before a time: what a tombstone of that time hides nobody can see.
    pub(crate) fn hides_from_all(&self, timestamp: u64) -> bool {
        self.times.first().is_none_or(|&time| time >= timestamp)
    }
}
