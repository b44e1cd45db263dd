//! One thread's use of the store, on byte strings.

use std::sync::{Arc, MutexGuard};

use xxhash_rust::xxh3::xxh3_64;

use crate::config::{ReadModifyWrite, VALUE_BYTES_MAX};
use crate::cursor;
use crate::error::Error;
use crate::memtable::KEY_BYTES_MAX;
use crate::parts::Parts;
use crate::schemes::Sync;
use crate::schemes::global::Waiter;
use crate::snapshots::Snapshot;
use crate::store::Store;
use crate::sync::lock;
use crate::view::{Found, View};

/// What a read-modify-write decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decide {
    /// Leave the key as it is.
    Keep,
    /// Store what was left in the new value.
    Put,
    /// Remove the key.
    Delete,
}

/// Decides on a key: it is passed the value, if there is one, and an empty new value.
pub type Decision<'caller> = dyn FnMut(Option<&[u8]>, &mut Vec<u8>) -> Decide + 'caller;

/// A write of a batch: a key, and its value or that it is removed.
pub type Write<'bytes> = (&'bytes [u8], Option<&'bytes [u8]>);

/// One thread's use of a [`Store`].
#[derive(Debug)]
pub struct Session<'store> {
    store: &'store Store,
    pub(crate) slot: usize,
    pub(crate) waiter: Arc<Waiter>,
    /// Values of read-modify-writes.
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        lock(&self.store.free_slots).push(self.slot);
    }
}

impl<'store> Session<'store> {
    pub(crate) fn new(store: &'store Store, slot: usize) -> Self {
        Self { store, slot, waiter: Arc::default(), old: Vec::new(), new: Vec::new() }
    }

    pub(crate) fn parts(&self) -> &'store Parts {
        &self.store.parts
    }

    fn stripe(&self, key: &[u8]) -> MutexGuard<'store, ()> {
        let parts = self.parts();
        let stripe = xxh3_64(key) as usize & (parts.stripes.len() - 1);
        lock(&parts.stripes[stripe])
    }

    fn is_striped(&self) -> bool {
        self.parts().config.read_modify_write == ReadModifyWrite::Striped
    }

    /// Runs `read` on the components, and the time up to which a read sees.
    fn with_view<R>(&self, read: impl FnOnce(&Arc<View>, u64) -> R) -> R {
        let parts = self.parts();
        match &parts.sync {
            Sync::Clsm(_) => read(&parts.view.load(), u64::MAX),
            Sync::Global(global) => {
                let (view, last) = {
                    let queue = global.lock();
                    (parts.view.load_full(), queue.last)
                };
                let done = read(&view, last);
                let _queue = global.lock();
                drop(view);
                done
            }
        }
    }

    /// Passes the value of `key` to `read`; `None` if it is absent.
    pub(crate) fn find<R>(
        &self,
        key: &[u8],
        snapshot: Option<&Snapshot>,
        read: impl FnOnce(&Found<'_>, usize) -> R,
    ) -> Result<Option<R>, Error> {
        self.with_view(|view, newest| {
            snapshot.map_or(Ok(()), Snapshot::check)?;
            let timestamp = snapshot.map_or(newest, Snapshot::timestamp);
            let Some(found) = view.get(key, timestamp, &self.parts().cache)? else {
                return Ok(None);
            };
            Ok(found.value_bytes().map(|value_bytes| read(&found, value_bytes)))
        })
    }

    /// The value of `key`, if there is one. It waits for no writer.
    ///
    /// # Errors
    /// [`Error::Storage`] or [`Error::Corrupt`] if a table cannot be read; likewise below.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.find(key, None, |found, _| to_vec(found))
    }

    /// The value that `key` has in a snapshot.
    ///
    /// # Errors
    /// [`Error::SnapshotExpired`] besides.
    pub fn get_at(&mut self, snapshot: &Snapshot, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.find(key, Some(snapshot), |found, _| to_vec(found))
    }

    /// Calls `visit` with all pairs of a snapshot from `first` on, in order, until it answers
    /// `false`.
    ///
    /// # Errors
    /// [`Error::SnapshotExpired`] besides.
    pub fn scan_at(
        &mut self,
        snapshot: &Snapshot,
        first: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Error> {
        let cursors = self.with_view(|view, _| {
            snapshot.check()?;
            Ok(view.cursors(&self.parts().cache))
        })?;
        cursor::scan(cursors, first, snapshot.timestamp(), visit)
    }

    /// A consistent state of the whole store.
    pub fn snapshot(&mut self) -> Snapshot {
        let parts = self.parts();
        match &parts.sync {
            Sync::Global(global) => {
                let queue = global.lock();
                parts.snapshots.add(queue.last)
            }
            Sync::Clsm(clsm) => {
                // Shared until it is in the list, so that no merge misses it.
                let _shared = clsm.exclusion.share(self.slot);
                parts.snapshots.add(clsm.clock.snapshot(clsm.is_linearizable))
            }
        }
    }

    /// Stores `value` under `key`, whatever was there.
    ///
    /// # Errors
    /// [`Error::KeyTooLong`] and [`Error::ValueTooLong`]; [`Error::Storage`] if it is not
    /// acknowledged as the log's mode asks, or there is no room for it.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let _stripe = self.is_striped().then(|| self.stripe(key));
        self.write_one(key, Some(value))
    }

    /// Removes `key`, whether it is there or not.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub fn delete(&mut self, key: &[u8]) -> Result<(), Error> {
        let _stripe = self.is_striped().then(|| self.stripe(key));
        self.write_one(key, None)
    }

    fn write_one(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
        check_sizes(key, value)?;
        match &self.parts().sync {
            Sync::Global(global) => self.write_global(global, &[(key, value)]),
            Sync::Clsm(clsm) => self.write_clsm(clsm, key, value),
        }
    }

    /// Carries out all writes, or none: for snapshots and for recovery. A read without a snapshot
    /// may see a part of them.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub fn write(&mut self, writes: &[Write<'_>]) -> Result<(), Error> {
        for (key, value) in writes {
            check_sizes(key, *value)?;
        }
        match &self.parts().sync {
            _ if writes.is_empty() => Ok(()),
            Sync::Global(global) => self.write_global(global, writes),
            Sync::Clsm(clsm) => self.batch_clsm(clsm, writes),
        }
    }

    /// Passes the value of `key` and an empty new value to `decide`, and does what it decides, as
    /// one step. It may be called several times, and must not use the store.
    ///
    /// # Errors
    /// [`Error::NoReadModifyWrite`] with `rmw=none`; else as for [`put`](Self::put).
    pub fn read_modify_write(
        &mut self,
        key: &[u8],
        decide: &mut Decision<'_>,
    ) -> Result<Decide, Error> {
        check_sizes(key, None)?;
        let way = self.parts().config.read_modify_write;
        match (way, &self.parts().sync) {
            (ReadModifyWrite::Optimistic, Sync::Clsm(clsm)) => {
                self.read_modify_write_clsm(clsm, key, decide)
            }
            (ReadModifyWrite::Striped, _) => {
                let _stripe = self.stripe(key);
                self.read_then_write(key, decide)
            }
            _ => Err(Error::NoReadModifyWrite),
        }
    }

    /// Reads, decides and writes; it is one step only where the caller keeps other writers away.
    pub(crate) fn read_then_write(
        &mut self,
        key: &[u8],
        decide: &mut Decision<'_>,
    ) -> Result<Decide, Error> {
        let (mut old, mut new) = (std::mem::take(&mut self.old), std::mem::take(&mut self.new));
        let found = self.find(key, None, |found, _| found.read_value(&mut old))?;
        new.clear();
        let decided = decide(found.map(|()| &old[..]), &mut new);
        match decided {
            Decide::Keep => {}
            Decide::Put => {
                check_sizes(key, Some(&new))?;
                self.write_one(key, Some(&new))?;
            }
            Decide::Delete => self.write_one(key, None)?,
        }
        (self.old, self.new) = (old, new);
        Ok(decided)
    }

    /// Stores `value` unless `key` is there. Whether it did.
    ///
    /// # Errors
    /// As for [`read_modify_write`](Self::read_modify_write).
    pub fn put_if_absent(&mut self, key: &[u8], value: &[u8]) -> Result<bool, Error> {
        let decided = self.read_modify_write(key, &mut |old, new| {
            if old.is_some() {
                return Decide::Keep;
            }
            new.extend_from_slice(value);
            Decide::Put
        })?;
        Ok(decided == Decide::Put)
    }
}

fn to_vec(found: &Found<'_>) -> Vec<u8> {
    let mut value = Vec::new();
    found.read_value(&mut value);
    value
}

pub(crate) fn check_sizes(key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
    if key.len() > KEY_BYTES_MAX {
        return Err(Error::KeyTooLong { key_bytes: key.len(), limit_bytes: KEY_BYTES_MAX });
    }
    let value_bytes = value.map_or(0, <[u8]>::len);
    if value_bytes > VALUE_BYTES_MAX {
        return Err(Error::ValueTooLong { value_bytes, limit_bytes: VALUE_BYTES_MAX });
    }
    Ok(())
}
