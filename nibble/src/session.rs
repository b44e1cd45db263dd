//! One thread's way into the store.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::compaction::{Debt, patience::Patience};
use crate::constants::HEADER_BYTES;
use crate::epoch::Slot;
use crate::error::{BufferTooShort, PutError};
use crate::index::hash::Hash;
use crate::store::Shared;
use crate::sync::Ordering;

/// What a PUT did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The key was new.
    Inserted,
    /// The key had a value, which is replaced.
    Updated,
}

/// One thread's way into a store: it owns a slot of the epoch table, and gives it back on drop.
///
/// A session may move between threads but serves one at a time.
#[derive(Debug)]
pub struct Session<'store> {
    shared: &'store Shared,
    slot: &'store Slot,
    debt: Debt,
    /// Two threads in one slot would hide each other's epochs.
    not_sync: PhantomData<Cell<()>>,
}

impl<'store> Session<'store> {
    pub(crate) fn new(shared: &'store Shared, slot: &'store Slot) -> Self {
        Self { shared, slot, debt: Debt::new(shared.inline), not_sync: PhantomData }
    }

    /// Copies the value of `key` to the front of `buffer` and answers its length; `None` when the
    /// key has no value.
    ///
    /// # Errors
    /// [`BufferTooShort`] with the length needed; the buffer is unchanged.
    #[inline]
    pub fn get(&self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, BufferTooShort> {
        let hash = Hash::of(key);
        self.shared.index.prefetch(hash);
        let pin = self.slot.enter();
        let memory = &self.shared.log.memory;
        let Some(found) = self.shared.index.get(hash, key, memory, &pin) else {
            return Ok(None);
        };
        let value_bytes = found.header.value_bytes as usize;
        let buffer_bytes = buffer.len();
        let value =
            buffer.get_mut(..value_bytes).ok_or(BufferTooShort { value_bytes, buffer_bytes })?;
        memory.read_value(found.object, value, &pin);
        Ok(Some(value_bytes))
    }

    /// Stores `value` under `key`.
    ///
    /// When memory is full the call waits for compaction, at most the configured time and only as
    /// long as there is something to compact.
    ///
    /// # Errors
    /// [`PutError::Full`] and [`PutError::ValueTooLarge`]; either way the old value stays.
    #[inline]
    pub fn put(&self, key: u64, value: &[u8]) -> Result<Put, PutError> {
        let limit_bytes = self.shared.value_limit;
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        let hash = Hash::of(key);
        self.shared.index.prefetch(hash);
        let done = match self.try_put(hash, key, value) {
            Some(done) => done,
            None => self.put_patiently(hash, key, value),
        };
        if self.debt.owe(HEADER_BYTES + value.len() as u64) {
            self.debt.pay(self.shared);
        }
        done
    }

    /// One attempt; `None` when the log has no room now.
    ///
    /// The pin spans append and publication: without it a worker could find the object dead
    /// before it is in the index, and free the segment under it.
    #[inline]
    fn try_put(&self, hash: Hash, key: u64, value: &[u8]) -> Option<Result<Put, PutError>> {
        let Shared { log, index, .. } = self.shared;
        let pin = self.slot.enter();
        let (object, header) = log.append(value.len(), hash.low(63), &pin)?.write(key, value);
        let published = index.publish(hash, object, header, &log.memory, &log.segments, &pin);
        Some(match published {
            Ok(true) => Ok(Put::Updated),
            Ok(false) => Ok(Put::Inserted),
            Err(_) => Err(PutError::Full),
        })
    }

    /// Waits outside the epoch, or reclamation would wait for the waiting.
    #[cold]
    fn put_patiently(&self, hash: Hash, key: u64, value: &[u8]) -> Result<Put, PutError> {
        let bytes = HEADER_BYTES + value.len() as u64;
        // Relaxed: a statistic.
        self.shared.put_waits.fetch_add(1, Ordering::Relaxed);
        let mut patience = Patience::begin(self.shared, bytes).ok_or(PutError::Full)?;
        loop {
            if let Some(done) = self.try_put(hash, key, value) {
                return done;
            }
            if !patience.again() {
                return Err(PutError::Full);
            }
        }
    }

    /// Removes `key`; answers whether it had a value.
    #[inline]
    pub fn delete(&self, key: u64) -> bool {
        let hash = Hash::of(key);
        let Shared { log, index, .. } = self.shared;
        index.prefetch(hash);
        let _pin = self.slot.enter();
        index.remove(hash, key, &log.memory, &log.segments)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.slot.release();
    }
}
