//! One thread's access to the store.

mod batches;
mod byte_keys;

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use crate::address::ObjectRef;
use crate::compaction::{Debt, patience::Patience};
use crate::constants::HEADER_BYTES;
use crate::epoch::{Pin, Slot};
use crate::error::{BufferTooShort, PutError};
use crate::holes::{Holes, Leased};
use crate::index::hash::Hash;
use crate::index::table::Table;
use crate::index::{Found, Index, Overwrite, Want};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::knobs::Update;
use crate::name::Name;
use crate::overwriting::Overwriting;
use crate::raw::Header;
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
///
/// `K` is what its keys are: words, or `[u8]`, byte strings of any length.
pub struct Session<'store, K: ?Sized = u64> {
    shared: &'store Shared,
    slot: &'store Slot,
    /// Whether updates overwrite values in place even while there is room.
    in_place: bool,
    /// Length of the last value seen, as an estimate of how much of an object to prefetch.
    value_bytes_seen: Cell<usize>,
    debt: Debt,
    holes: Holes,
    keys: PhantomData<fn(&K)>,
}

impl<'store, K: ?Sized> Session<'store, K> {
    pub(crate) fn new(shared: &'store Shared, slot: &'store Slot) -> Self {
        let in_place = shared.update == Update::InPlace;
        let debt = Debt::new(shared.inline);
        let holes = Holes::new(shared.holes);
        Self {
            shared,
            slot,
            in_place,
            value_bytes_seen: Cell::new(0),
            debt,
            holes,
            keys: PhantomData,
        }
    }

    /// The number of this session among those that are open. [`PutError::Stalled`] names it.
    #[must_use]
    pub fn number(&self) -> usize {
        self.slot.number()
    }

    #[inline(always)]
    pub(crate) fn get_named<N: Name>(
        &self,
        key: N,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BufferTooShort> {
        let hash = Hash::of(key.word());
        let pin = self.enter_to(hash);
        let found = self.get_pinned(hash, key, buffer, &pin);
        if mutated(Mutant::PinnedOnMiss) && found == Ok(None) {
            std::mem::forget(pin);
        }
        found
    }

    /// Announces an operation on this hash. If that takes a barrier, the index is prefetched before it.
    #[inline(always)]
    fn enter_to(&self, hash: Hash) -> Pin<'store> {
        if self.shared.epochs.clock.takes_a_barrier() {
            self.shared.index.prefetch(hash);
        }
        self.enter()
    }

    #[inline(always)]
    fn enter(&self) -> Pin<'store> {
        self.slot.enter(&self.shared.epochs.clock)
    }

    #[inline(always)]
    fn get_pinned<N: Name>(
        &self,
        hash: Hash,
        key: N,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        match &self.shared.index {
            Index::Tagged(table) => self.get_from(table, hash, key, buffer, pin),
            Index::Text(table) => self.get_from_wide(table, hash, key, buffer, pin),
            Index::Keyed(table) => self.get_from_wide(table, hash, key, buffer, pin),
        }
    }

    /// Kept apart: the registers of a GET belong to the tagged layout.
    #[inline(never)]
    fn get_from_wide<N: Name>(
        &self,
        table: &impl Table,
        hash: Hash,
        key: N,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        self.get_from(table, hash, key, buffer, pin)
    }

    #[inline(always)]
    fn get_from<N: Name>(
        &self,
        table: &impl Table,
        hash: Hash,
        key: N,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        let in_place = self.shared.overwriting.is_announced();
        match self.get_once(table, hash, key, buffer, in_place, pin) {
            Some(done) => done,
            None => self.get_again(table, hash, key, buffer, pin),
        }
    }

    /// `None` if the value was overwritten while it was copied.
    #[inline(always)]
    fn get_once<N: Name>(
        &self,
        table: &impl Table,
        hash: Hash,
        key: N,
        buffer: &mut [u8],
        in_place: bool,
        pin: &Pin<'_>,
    ) -> Option<Result<Option<usize>, BufferTooShort>> {
        let memory = &self.shared.log.memory;
        let Some(seen) = table.find(hash, Want::Key(key), memory, pin) else {
            return Some(Ok(None));
        };
        reach(Point::Found);
        let Found { address, header } = seen.found;
        // Saturating: while a value is overwritten, its length may be anything.
        let from = key.prefix_bytes();
        let value_bytes = (header.value_bytes as usize).saturating_sub(from);
        let copied = match buffer.get_mut(..value_bytes) {
            Some(value) if in_place => {
                memory.read_value_racing(address, header, from, value, pin);
                Ok(Some(value_bytes))
            }
            Some(value) => {
                memory.read_value(address, from, value, pin);
                Ok(Some(value_bytes))
            }
            None => Err(BufferTooShort { value_bytes, buffer_bytes: buffer.len() }),
        };
        (!in_place || seen.is_still()).then_some(copied)
    }

    /// Copies the value again until nobody overwrites it meanwhile.
    #[cold]
    #[inline(never)]
    fn get_again<N: Name>(
        &self,
        table: &impl Table,
        hash: Hash,
        key: N,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        loop {
            if let Some(done) = self.get_once(table, hash, key, buffer, true, pin) {
                return done;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn put_named<N: Name>(&self, key: N, value: &[u8]) -> Result<Put, PutError> {
        self.check_put(key, value)?;
        let hash = Hash::of(key.word());
        if !self.in_place {
            // The index is asked after the value is appended.
            self.shared.index.prefetch(hash);
            return self.put_elsewhere(hash, key, value, false, self.enter_to(hash));
        }
        let pin = self.enter_to(hash);
        match self.overwrite(hash, key, value, &pin) {
            Overwrite::Done => Ok(Put::Updated),
            Overwrite::Impossible => self.put_elsewhere(hash, key, value, false, pin),
            Overwrite::Roomy => self.put_elsewhere(hash, key, value, true, pin),
        }
    }

    /// Puts a value that is not to be overwritten, or would leave much of its room. Kept apart: an
    /// overwritten value needs none of its registers.
    #[inline(never)]
    fn put_elsewhere<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        is_roomy: bool,
        pin: Pin<'_>,
    ) -> Result<Put, PutError> {
        let tight = if is_roomy { self.overwrite_tightly(hash, key, value, &pin) } else { None };
        let attempt = tight.or_else(|| self.append_pinned(hash, key, value, &pin));
        drop(pin);
        let done = attempt.unwrap_or_else(|| self.put_patiently(hash, key, value));
        self.tidy();
        done
    }

    /// Overwrites the value of `key`, if it has one in whose room `value` fits; while there are holes,
    /// only if it does not leave much of that room.
    #[inline(always)]
    fn overwrite<N: Name>(&self, hash: Hash, key: N, value: &[u8], pin: &Pin<'_>) -> Overwrite {
        let Shared { log, index, .. } = self.shared;
        let tight = self.holes.are_ready(log);
        index.overwrite(hash, key, value, tight, &log.memory, &log.segments, pin)
    }

    /// Writes a value that is much shorter than its room into a hole that it fills better, if there is
    /// one: then the room becomes a hole itself. Otherwise overwrites it.
    #[cold]
    #[inline(never)]
    fn overwrite_tightly<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let Shared { log, index, .. } = self.shared;
        if let Some(hole) = self.holes.take_tight(key.room_for(value), log) {
            return Some(self.put_into(&hole, hash, key, value, pin));
        }
        let done = index.overwrite(hash, key, value, false, &log.memory, &log.segments, pin);
        (done == Overwrite::Done).then_some(Ok(Put::Updated))
    }

    /// Writes a value into a hole.
    fn put_into<N: Name>(
        &self,
        hole: &Leased<'_>,
        hash: Hash,
        key: N,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Result<Put, PutError> {
        reach(Point::Leased);
        let memory = &self.shared.log.memory;
        let address = hole.object.address();
        let header = memory.write_into_room(address, hole.room, key.word(), key.prefix(), value);
        self.publish(hash, key, hole.object, header, pin)
    }

    /// What operations leave to be done now and then: compacts for what this client has appended, if
    /// writers compact; makes holes usable. Must not be called within an epoch.
    #[inline]
    fn tidy(&self) {
        if self.debt.is_due() {
            self.debt.pay(self.shared);
        }
        if self.holes.is_due() {
            self.holes.age(&self.shared.epochs, &self.shared.reused_bytes);
        }
    }

    #[inline]
    fn check_open(&self) -> Result<(), PutError> {
        if self.shared.is_closed() { Err(PutError::Closed) } else { Ok(()) }
    }

    #[inline]
    fn check_put<N: Name>(&self, key: N, value: &[u8]) -> Result<(), PutError> {
        self.check_open()?;
        let limit_bytes = self.shared.value_limit.saturating_sub(key.prefix_bytes());
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        Ok(())
    }

    /// One attempt; `None` if the log has no room now.
    #[inline]
    fn put_pinned<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        if self.in_place {
            let done = match self.overwrite(hash, key, value, pin) {
                Overwrite::Done => Some(Ok(Put::Updated)),
                Overwrite::Impossible => None,
                Overwrite::Roomy => self.overwrite_tightly(hash, key, value, pin),
            };
            if done.is_some() {
                return done;
            }
        }
        self.append_pinned(hash, key, value, pin)
    }

    /// Like [`Self::put_pinned`], of a value that is not to be overwritten.
    ///
    /// The pin spans append and publication: otherwise a worker could find the object dead before
    /// it is in the index, and free its segment.
    #[inline]
    fn append_pinned<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let log = &self.shared.log;
        if let Some(hole) = self.holes.take(key.room_for(value), log) {
            return Some(self.put_into(&hole, hash, key, value, pin));
        }
        let Some(room) = log.append(key.room_for(value), hash.bits(), pin) else {
            return self.overwrite_when_full(hash, key, value, pin);
        };
        let (object, header) = room.write(key, value);
        self.debt.owe(header.object_bytes());
        Some(self.publish(hash, key, object, header, pin))
    }

    /// Makes the key of an object that is written lead to it.
    #[inline(always)]
    fn publish<N: Name>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        header: Header,
        pin: &Pin<'_>,
    ) -> Result<Put, PutError> {
        let Shared { log, index, .. } = self.shared;
        reach(Point::Written);
        match index.publish(hash, key, object, header, &log.memory, &log.segments, pin) {
            Ok(Some((old, header))) => {
                self.holes.note(old, header.room, log);
                Ok(Put::Updated)
            }
            Ok(None) => Ok(Put::Inserted),
            Err(_) => Err(PutError::Full),
        }
    }

    /// In a store that may overwrite, an update without room needs none if it fits where the old
    /// value is.
    #[cold]
    fn overwrite_when_full<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let overwriting = &self.shared.overwriting;
        let allowed = !self.in_place && overwriting.is_allowed();
        let done = allowed && self.overwrite(hash, key, value, pin) == Overwrite::Done;
        done.then(|| {
            overwriting.count();
            Ok(Put::Updated)
        })
    }

    /// Lets the store overwrite if that helps this PUT: its key has a value in whose room it fits.
    /// Returns whether it does. Must not be called within an epoch.
    fn begin_to_overwrite<N: Name>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
    ) -> Result<bool, PutError> {
        let Shared { log, index, .. } = self.shared;
        let pin = self.enter();
        let room = index.find(hash, key, &log.memory, &pin).map(|found| found.header.room);
        drop(pin);
        let fits = room.is_some_and(|room| value.len() <= room as usize);
        if fits {
            Overwriting::begin(self.shared)?;
        }
        Ok(fits && !mutated(Mutant::FullRefusesUpdates))
    }

    /// Waits outside the epoch, or reclamation would wait for this wait.
    #[cold]
    fn put_patiently<N: Name>(&self, hash: Hash, key: N, value: &[u8]) -> Result<Put, PutError> {
        reach(Point::NoRoom);
        let bytes = HEADER_BYTES + key.room_for(value) as u64;
        // Relaxed: a statistic.
        self.shared.put_waits.fetch_add(1, Ordering::Relaxed);
        let mut patience = Patience::begin(self.shared, bytes);
        loop {
            // Before the attempt: another PUT may allow it meanwhile.
            let overwrites = self.shared.overwriting.is_allowed();
            let pin = self.enter();
            if let Some(done) = self.put_pinned(hash, key, value, &pin) {
                return done;
            }
            drop(pin);
            let Err(refusal) = patience.again() else { continue };
            let is_last = overwrites || refusal != PutError::Full;
            if is_last || !self.begin_to_overwrite(hash, key, value)? {
                return Err(refusal);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn delete_named<N: Name>(&self, key: N) -> Result<bool, PutError> {
        self.check_open()?;
        let hash = Hash::of(key.word());
        let pin = self.enter_to(hash);
        let was_present = self.delete_pinned(hash, key, &pin);
        drop(pin);
        self.tidy();
        Ok(was_present)
    }

    #[inline]
    fn delete_pinned<N: Name>(&self, hash: Hash, key: N, pin: &Pin<'_>) -> bool {
        let Shared { log, index, .. } = self.shared;
        let removed = index.remove(hash, key, &log.memory, &log.segments, pin);
        if let Some((old, header)) = removed {
            self.holes.note(old, header.room, log);
        }
        removed.is_some()
    }
}

impl Session<'_> {
    /// Copies the value of `key` to the front of `buffer` and returns its length; `None` if the key
    /// has no value.
    ///
    /// The rest of the buffer is unspecified, and all of it after `None` or an error: where values
    /// are overwritten in place, a copy that raced with a PUT or DELETE is discarded.
    ///
    /// # Errors
    /// [`BufferTooShort`] with the length needed.
    #[inline]
    pub fn get(&self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, BufferTooShort> {
        self.get_named(key, buffer)
    }

    /// Stores `value` under `key`.
    ///
    /// If memory is full, the call compacts, and waits for sessions that are inside an operation,
    /// as long as that frees memory ([`crate::Config::full_wait_ms`]). If nothing can be freed, and
    /// `value` is no longer than the one it replaces, that one is overwritten.
    ///
    /// # Errors
    /// [`PutError`]; the old value stays, whichever it is.
    #[inline]
    pub fn put(&self, key: u64, value: &[u8]) -> Result<Put, PutError> {
        self.put_named(key, value)
    }

    /// Removes `key`; returns whether it had a value.
    ///
    /// # Errors
    /// [`PutError::Closed`], and no other.
    #[inline]
    pub fn delete(&self, key: u64) -> Result<bool, PutError> {
        self.delete_named(key)
    }
}

impl<K: ?Sized> fmt::Debug for Session<'_, K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("slot", self.slot).finish_non_exhaustive()
    }
}

impl<K: ?Sized> Drop for Session<'_, K> {
    fn drop(&mut self) {
        self.holes.report(&self.shared.reused_bytes);
        if !mutated(Mutant::SlotNotReturned) {
            self.slot.release();
        }
    }
}
