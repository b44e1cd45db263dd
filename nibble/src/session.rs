//! One thread's access to the store.

use std::cell::Cell;
use std::fmt;

use crate::address::{ObjectRef, VirtualAddress};
use crate::batch::{Answer, Answers, Buffers, Group, IN_FLIGHT, Operation};
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
pub struct Session<'store> {
    shared: &'store Shared,
    slot: &'store Slot,
    /// Whether updates overwrite values in place even while there is room.
    in_place: bool,
    /// Length of the last value seen, as an estimate of how much of an object to prefetch.
    value_bytes_seen: Cell<usize>,
    debt: Debt,
    holes: Holes,
}

/// The most lines of an object to prefetch; for longer objects the processor's own prefetchers take
/// over.
const LINES_AHEAD: usize = 17;

impl<'store> Session<'store> {
    pub(crate) fn new(shared: &'store Shared, slot: &'store Slot) -> Self {
        let in_place = shared.update == Update::InPlace;
        let debt = Debt::new(shared.inline);
        let holes = Holes::new(shared.holes);
        Self { shared, slot, in_place, value_bytes_seen: Cell::new(0), debt, holes }
    }

    /// The number of this session among those that are open. [`PutError::Stalled`] names it.
    #[must_use]
    pub fn number(&self) -> usize {
        self.slot.number()
    }

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
        let hash = Hash::of(key);
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
    fn get_pinned(
        &self,
        hash: Hash,
        key: u64,
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
    fn get_from_wide(
        &self,
        table: &impl Table,
        hash: Hash,
        key: u64,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        self.get_from(table, hash, key, buffer, pin)
    }

    #[inline(always)]
    fn get_from(
        &self,
        table: &impl Table,
        hash: Hash,
        key: u64,
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
    fn get_once(
        &self,
        table: &impl Table,
        hash: Hash,
        key: u64,
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
        let value_bytes = header.value_bytes as usize;
        let copied = match buffer.get_mut(..value_bytes) {
            Some(value) if in_place => {
                memory.read_value_racing(address, header, value, pin);
                Ok(Some(value_bytes))
            }
            Some(value) => {
                memory.read_value(address, value, pin);
                Ok(Some(value_bytes))
            }
            None => Err(BufferTooShort { value_bytes, buffer_bytes: buffer.len() }),
        };
        (!in_place || seen.is_still()).then_some(copied)
    }

    /// Copies the value again until nobody overwrites it meanwhile.
    #[cold]
    #[inline(never)]
    fn get_again(
        &self,
        table: &impl Table,
        hash: Hash,
        key: u64,
        buffer: &mut [u8],
        pin: &Pin<'_>,
    ) -> Result<Option<usize>, BufferTooShort> {
        loop {
            if let Some(done) = self.get_once(table, hash, key, buffer, true, pin) {
                return done;
            }
        }
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
        self.check_put(value)?;
        let hash = Hash::of(key);
        if !self.in_place {
            // The index is asked after the value is appended.
            self.shared.index.prefetch(hash);
            return self.put_appending(hash, key, value, self.enter_to(hash));
        }
        let pin = self.enter_to(hash);
        match self.overwrite(hash, key, value, &pin) {
            Overwrite::Done => Ok(Put::Updated),
            Overwrite::Impossible => self.put_appending(hash, key, value, pin),
            Overwrite::Roomy => self.put_tightly(hash, key, value, pin),
        }
    }

    /// Kept apart: an overwritten value needs none of its registers.
    #[inline(never)]
    fn put_appending(
        &self,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: Pin<'_>,
    ) -> Result<Put, PutError> {
        let attempt = self.append_pinned(hash, key, value, &pin);
        drop(pin);
        let done = attempt.unwrap_or_else(|| self.put_patiently(hash, key, value));
        self.tidy();
        done
    }

    /// Kept apart, as [`Self::put_appending`].
    #[cold]
    #[inline(never)]
    fn put_tightly(
        &self,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: Pin<'_>,
    ) -> Result<Put, PutError> {
        let Some(done) = self.overwrite_tightly(hash, key, value, &pin) else {
            return self.put_appending(hash, key, value, pin);
        };
        drop(pin);
        self.tidy();
        done
    }

    /// Overwrites the value of `key`, if it has one in whose room `value` fits; while there are holes,
    /// only if it does not leave much of that room.
    #[inline(always)]
    fn overwrite(&self, hash: Hash, key: u64, value: &[u8], pin: &Pin<'_>) -> Overwrite {
        let Shared { log, index, .. } = self.shared;
        let tight = self.holes.are_ready(log);
        index.overwrite(hash, key, value, tight, &log.memory, &log.segments, pin)
    }

    /// Writes a value that is much shorter than its room into a hole that it fills better, if there is
    /// one: then the room becomes a hole itself. Otherwise overwrites it.
    fn overwrite_tightly(
        &self,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let Shared { log, index, .. } = self.shared;
        if let Some(hole) = self.holes.take_tight(value.len(), log) {
            return Some(self.put_into(&hole, hash, key, value, pin));
        }
        let done = index.overwrite(hash, key, value, false, &log.memory, &log.segments, pin);
        (done == Overwrite::Done).then_some(Ok(Put::Updated))
    }

    /// Writes a value into a hole.
    fn put_into(
        &self,
        hole: &Leased<'_>,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Result<Put, PutError> {
        reach(Point::Leased);
        let memory = &self.shared.log.memory;
        let header = memory.write_into_room(hole.object.address(), hole.room, key, value);
        self.publish(hash, hole.object, header, pin)
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
    fn check_put(&self, value: &[u8]) -> Result<(), PutError> {
        self.check_open()?;
        let limit_bytes = self.shared.value_limit;
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        Ok(())
    }

    /// One attempt; `None` if the log has no room now.
    #[inline]
    fn put_pinned(
        &self,
        hash: Hash,
        key: u64,
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
    fn append_pinned(
        &self,
        hash: Hash,
        key: u64,
        value: &[u8],
        pin: &Pin<'_>,
    ) -> Option<Result<Put, PutError>> {
        let log = &self.shared.log;
        if let Some(hole) = self.holes.take(value.len(), log) {
            return Some(self.put_into(&hole, hash, key, value, pin));
        }
        let Some(room) = log.append(value.len(), hash.bits(), pin) else {
            return self.overwrite_when_full(hash, key, value, pin);
        };
        let (object, header) = room.write(key, value);
        self.debt.owe(header.object_bytes());
        Some(self.publish(hash, object, header, pin))
    }

    /// Makes the key of an object that is written lead to it.
    #[inline(always)]
    fn publish(
        &self,
        hash: Hash,
        object: ObjectRef,
        header: Header,
        pin: &Pin<'_>,
    ) -> Result<Put, PutError> {
        let Shared { log, index, .. } = self.shared;
        reach(Point::Written);
        match index.publish(hash, object, header, &log.memory, &log.segments, pin) {
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
    fn overwrite_when_full(
        &self,
        hash: Hash,
        key: u64,
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
    fn begin_to_overwrite(&self, hash: Hash, key: u64, value: &[u8]) -> Result<bool, PutError> {
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
    fn put_patiently(&self, hash: Hash, key: u64, value: &[u8]) -> Result<Put, PutError> {
        reach(Point::NoRoom);
        let bytes = HEADER_BYTES + value.len() as u64;
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

    /// Removes `key`; returns whether it had a value.
    ///
    /// # Errors
    /// [`PutError::Closed`], and no other.
    #[inline]
    pub fn delete(&self, key: u64) -> Result<bool, PutError> {
        self.check_open()?;
        let hash = Hash::of(key);
        let pin = self.enter_to(hash);
        let was_present = self.delete_pinned(hash, key, &pin);
        drop(pin);
        self.tidy();
        Ok(was_present)
    }

    #[inline]
    fn delete_pinned(&self, hash: Hash, key: u64, pin: &Pin<'_>) -> bool {
        let Shared { log, index, .. } = self.shared;
        let removed = index.remove(hash, key, &log.memory, &log.segments, pin);
        if let Some((old, header)) = removed {
            self.holes.note(old, header.room, log);
        }
        removed.is_some()
    }

    /// Executes a batch, in groups of 64 operations that overlap their cache misses.
    ///
    /// Each operation is drawn from `operations` once. Operations take effect in their order, and
    /// each is linearisable by itself; a batch is not a transaction. A GET copies its value to its
    /// slot of `buffers`. `answers` receives the position of every operation in the batch, counted
    /// from 0, and its answer, in order.
    ///
    /// A group is drawn before it is executed and answered afterwards, both outside the epoch. So
    /// the iterator and `answers` may use this session, and may panic: then the groups executed so
    /// far have taken effect, and the rest has not.
    ///
    /// ```
    /// use nibble::{Answer, Buffers, Config, Operation, Put, Store};
    ///
    /// let store = Store::open(Config::best(16 << 20))?;
    /// let session = store.session()?;
    /// let batch = [Operation::Put { key: 7, value: b"seven" }, Operation::Get { key: 7 }];
    /// let mut bytes = [0; 2 * 64];
    /// let mut buffers = Buffers::new(&mut bytes, 64);
    /// let mut answers = Vec::new();
    /// session.execute(batch, &mut buffers, |_, answer| answers.push(answer));
    /// assert_eq!(answers, [Answer::Stored(Put::Inserted), Answer::Found(5)]);
    /// assert_eq!(&bytes[64..][..5], b"seven");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a GET has no slot in `buffers`.
    pub fn execute<'value>(
        &self,
        operations: impl IntoIterator<Item = Operation<'value>>,
        buffers: &mut Buffers<'_>,
        mut answers: impl FnMut(usize, Answer),
    ) {
        let mut operations = operations.into_iter();
        let mut group = Group::new();
        let mut answered = Answers::new();
        let mut first = 0;
        loop {
            group.clear();
            group.extend(operations.by_ref().take(IN_FLIGHT).map(|operation| {
                let hash = Hash::of(operation.key());
                self.shared.index.prefetch(hash);
                (hash, operation)
            }));
            if group.is_empty() {
                return;
            }
            self.execute_group(&group, first, buffers, &mut answered);
            for (place, answer) in answered.drain(..).enumerate() {
                answers(first + place, answer);
            }
            self.tidy();
            if !group.is_full() {
                return;
            }
            first += IN_FLIGHT;
        }
    }

    /// Executes the operations of a group within one epoch. A PUT that must wait for memory leaves
    /// the epoch while it waits.
    #[inline]
    fn execute_group(
        &self,
        group: &[(Hash, Operation<'_>)],
        first: usize,
        buffers: &mut Buffers<'_>,
        answered: &mut Answers,
    ) {
        let backwards = mutated(Mutant::BatchReordersKey);
        let mut pin = self.enter();
        for &(hash, operation) in group {
            self.fetch_object(hash, operation);
        }
        for turn in 0..group.len() {
            let place = if backwards { group.len() - 1 - turn } else { turn };
            let (hash, operation) = group[place];
            let (answer, inside) = self.execute_one(hash, operation, first + place, buffers, pin);
            answered.push(answer);
            pin = inside;
        }
        drop(pin);
        if backwards {
            answered.reverse();
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
        hash: Hash,
        operation: Operation<'_>,
        index: usize,
        buffers: &mut Buffers<'_>,
        pin: Pin<'store>,
    ) -> (Answer, Pin<'store>) {
        let answer = match operation {
            Operation::Get { key } => match self.get_pinned(hash, key, buffers.slot(index), &pin) {
                Ok(Some(value_bytes)) => {
                    self.value_bytes_seen.set(value_bytes);
                    Answer::Found(value_bytes)
                }
                Ok(None) => Answer::Absent,
                Err(error) => Answer::TooShort { value_bytes: error.value_bytes },
            },
            Operation::Delete { key } => match self.check_open() {
                Ok(()) => Answer::Deleted(self.delete_pinned(hash, key, &pin)),
                Err(error) => Answer::Refused(error),
            },
            Operation::Put { key, value } => {
                let attempt = match self.check_put(value) {
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
                return (stored.map_or_else(Answer::Refused, Answer::Stored), pin);
            }
        };
        (answer, pin)
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("slot", self.slot).finish_non_exhaustive()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.holes.report(&self.shared.reused_bytes);
        if !mutated(Mutant::SlotNotReturned) {
            self.slot.release();
        }
    }
}
