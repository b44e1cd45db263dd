//! One thread's access to the store.

use std::cell::Cell;
use std::fmt;

use crate::address::VirtualAddress;
use crate::batch::{Answer, Batch, IN_FLIGHT, Operation};
use crate::compaction::{Debt, patience::Patience};
use crate::constants::HEADER_BYTES;
use crate::epoch::{Pin, Slot};
use crate::error::{BufferTooShort, PutError};
use crate::index::hash::Hash;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::knobs::Update;
use crate::store::Shared;
use crate::sync::Ordering;

/// What a PUT did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The key was new.
    Inserted,
    /// The key had a value, which was replaced.
    Updated,
}

/// One thread's access to a store. It owns a slot of the epoch table and releases it when dropped.
///
/// A session may move between threads but serves only one at a time: two threads sharing a slot
/// would hide each other's epochs.
pub struct Session<'store> {
    shared: &'store Shared,
    slot: &'store Slot,
    /// Whether any session overwrites values in place.
    in_place: bool,
    /// Length of the last value seen, as an estimate of how much of an object to prefetch.
    value_bytes_seen: Cell<usize>,
    debt: Debt,
}

/// The most lines of an object to prefetch; for longer objects the processor's own prefetchers take
/// over.
const LINES_AHEAD: usize = 17;

impl<'store> Session<'store> {
    pub(crate) fn new(shared: &'store Shared, slot: &'store Slot) -> Self {
        let in_place = shared.update == Update::InPlace;
        let debt = Debt::new(shared.inline);
        Self { shared, slot, in_place, value_bytes_seen: Cell::new(0), debt }
    }

    /// Copies the value of `key` to the front of `buffer` and returns its length; `None` if the key
    /// has no value.
    ///
    /// # Errors
    /// [`BufferTooShort`] with the length needed; the buffer is unchanged.
    #[inline]
    pub fn get(&self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, BufferTooShort> {
        let hash = Hash::of(key);
        self.shared.index.prefetch(hash);
        let pin = self.enter();
        let found = self.get_pinned(hash, key, buffer, &pin);
        if mutated(Mutant::PinnedOnMiss) && found == Ok(None) {
            std::mem::forget(pin);
        }
        found
    }

    #[inline]
    fn enter(&self) -> Pin<'store> {
        self.slot.enter(&self.shared.epochs.clock)
    }

    #[inline]
    fn get_pinned(
        &self,
        hash: Hash,
        key: u64,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        let Shared { log, index, .. } = self.shared;
        let memory = &log.memory;
        let in_place = self.in_place;
        let found = index.read(hash, key, memory, pin, in_place, |found| {
            reach(Point::Found);
            let value_bytes = found.header.value_bytes as usize;
            let buffer_bytes = buffer.len();
            let value = buffer
                .get_mut(..value_bytes)
                .ok_or(BufferTooShort { value_bytes, buffer_bytes })?;
            if in_place {
                memory.read_value_racing(found.address, found.header, value, pin);
            } else {
                memory.read_value(found.address, value, pin);
            }
            Ok(value_bytes)
        });
        found.transpose()
    }

    /// Stores `value` under `key`.
    ///
    /// If memory is full, the call waits for compaction, at most for the configured time and only
    /// as long as there is something to compact.
    ///
    /// # Errors
    /// [`PutError::Full`] or [`PutError::ValueTooLarge`]; the old value stays either way.
    #[inline]
    pub fn put(&self, key: u64, value: &[u8]) -> Result<Put, PutError> {
        self.check_size(value)?;
        let hash = Hash::of(key);
        self.shared.index.prefetch(hash);
        let pin = self.enter();
        let attempt = self.put_pinned(hash, key, value, &pin);
        drop(pin);
        let done = attempt.unwrap_or_else(|| self.put_patiently(hash, key, value));
        self.pay_if_due();
        done
    }

    /// If writers compact: compacts for what this client has appended. Must not be called within an
    /// epoch.
    #[inline]
    fn pay_if_due(&self) {
        if self.debt.is_due() {
            self.debt.pay(self.shared);
        }
    }

    #[inline]
    fn check_size(&self, value: &[u8]) -> Result<(), PutError> {
        let limit_bytes = self.shared.value_limit;
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        Ok(())
    }

    /// One attempt; `None` if the log has no room now.
    ///
    /// The pin spans append and publication: otherwise a worker could find the object dead before
    /// it is in the index, and free its segment.
    #[inline]
    fn put_pinned(
        &self,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let Shared { log, index, .. } = self.shared;
        if self.in_place && index.overwrite(hash, key, value, &log.memory, &log.segments, pin) {
            return Some(Ok(Put::Updated));
        }
        let (object, header) = log.append(value.len(), hash.bits(), pin)?.write(key, value);
        self.debt.owe(header.object_bytes());
        reach(Point::Written);
        let published = index.publish(hash, object, header, &log.memory, &log.segments, pin);
        Some(match published {
            Ok(true) => Ok(Put::Updated),
            Ok(false) => Ok(Put::Inserted),
            Err(_) => Err(PutError::Full),
        })
    }

    /// Waits outside the epoch, or reclamation would wait for this wait.
    #[cold]
    fn put_patiently(&self, hash: Hash, key: u64, value: &[u8]) -> Result<Put, PutError> {
        reach(Point::NoRoom);
        let bytes = HEADER_BYTES + value.len() as u64;
        // Relaxed: a statistic.
        self.shared.put_waits.fetch_add(1, Ordering::Relaxed);
        let mut patience = Patience::begin(self.shared, bytes);
        loop {
            let pin = self.enter();
            if let Some(done) = self.put_pinned(hash, key, value, &pin) {
                return done;
            }
            drop(pin);
            if !patience.again() {
                return Err(PutError::Full);
            }
        }
    }

    /// Removes `key`; returns whether it had a value.
    #[inline]
    pub fn delete(&self, key: u64) -> bool {
        let hash = Hash::of(key);
        self.shared.index.prefetch(hash);
        let pin = self.enter();
        self.delete_pinned(hash, key, &pin)
    }

    #[inline]
    fn delete_pinned(&self, hash: Hash, key: u64, pin: &Pin<'_>) -> bool {
        let Shared { log, index, .. } = self.shared;
        index.remove(hash, key, &log.memory, &log.segments, pin)
    }

    /// Executes a batch; see [`Batch`].
    ///
    /// Each operation is linearisable by itself; a batch is not a transaction. A PUT that must wait
    /// for memory leaves the epoch while it waits.
    pub fn execute(&self, batch: &mut impl Batch) {
        let mut hashes = [Hash::of(0); IN_FLIGHT];
        let mut first = 0;
        let mut pin = self.enter();
        while first < batch.len() {
            let group = (batch.len() - first).min(IN_FLIGHT);
            let hashes = &mut hashes[..group];
            for (index, hash) in hashes.iter_mut().enumerate() {
                *hash = Hash::of(batch.operation(first + index).key());
                self.shared.index.prefetch(*hash);
            }
            for (index, &hash) in hashes.iter().enumerate() {
                self.fetch_object(hash, batch.operation(first + index));
            }
            for turn in 0..group {
                let index = if mutated(Mutant::BatchReordersKey) { group - 1 - turn } else { turn };
                pin = self.execute_one(batch, first + index, hashes[index], pin);
            }
            first += group;
            if self.debt.is_due() {
                drop(pin);
                self.debt.pay(self.shared);
                pin = self.enter();
            }
        }
    }

    /// Prefetches what the operation will need of the object that its key seems to lead to.
    #[inline]
    fn fetch_object(&self, hash: Hash, operation: Operation<'_>) {
        let Shared { log, index, .. } = self.shared;
        let Some(place) = index.hint(hash, &log.memory) else { return };
        let bytes = match operation {
            Operation::Get { .. } => self.value_bytes_seen.get(),
            Operation::Put { value, .. } if self.in_place => value.len(),
            Operation::Put { .. } | Operation::Delete { .. } => 0,
        };
        let lines = (place.raw() as usize % 64 + HEADER_BYTES as usize + bytes).div_ceil(64);
        for line in 0..lines.min(LINES_AHEAD) {
            log.memory.region.prefetch(VirtualAddress::new(place.raw() + 64 * line as u64));
        }
    }

    #[inline]
    fn execute_one(
        &self,
        batch: &mut impl Batch,
        index: usize,
        hash: Hash,
        pin: Pin<'store>,
    ) -> Pin<'store> {
        let answer = match batch.operation(index) {
            Operation::Get { key } => match self.get_pinned(hash, key, batch.buffer(index), &pin) {
                Ok(Some(value_bytes)) => {
                    self.value_bytes_seen.set(value_bytes);
                    Answer::Found(value_bytes)
                }
                Ok(None) => Answer::Absent,
                Err(error) => Answer::TooShort { value_bytes: error.value_bytes },
            },
            Operation::Delete { key } => Answer::Deleted(self.delete_pinned(hash, key, &pin)),
            Operation::Put { key, value } => {
                let attempt = match self.check_size(value) {
                    Ok(()) => self.put_pinned(hash, key, value, &pin),
                    Err(error) => Some(Err(error)),
                };
                let (stored, pin) = match attempt {
                    Some(done) => (done, pin),
                    None => {
                        drop(pin);
                        (self.put_patiently(hash, key, value), self.enter())
                    }
                };
                batch.answer(index, stored.map_or_else(Answer::Refused, Answer::Stored));
                return pin;
            }
        };
        batch.answer(index, answer);
        pin
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("slot", self.slot).finish_non_exhaustive()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !mutated(Mutant::SlotNotReturned) {
            self.slot.release();
        }
    }
}
