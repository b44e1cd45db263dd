//! One client's use of a store: get, put and delete on every rung.

use std::sync::atomic::Ordering;

use engine::{GetError, KvSession, PutError, PutOutcome, SessionError};
use kit::spin::Spin;

use crate::back::{Back, Value};
use crate::counts::add;
use crate::faults::{Fault, Step};
use crate::front::{Found, Front, Locked, Pair};
use crate::glean;
use crate::logs::Log;
use crate::record::{self, Header, Opcode, Reference};
use crate::rung::Rung;
use crate::store::Shared;
use crate::tx::Transactor;

/// A session of a [`Bullet`](crate::Bullet).
#[derive(Debug)]
pub struct BulletSession<'a> {
    shared: &'a Shared,
    slot: usize,
    me: Transactor,
    log: Option<&'a Log>,
    /// The value of a put, as words.
    words: Vec<u64>,
    record: Vec<u64>,
}

impl<'a> BulletSession<'a> {
    pub(crate) fn open(shared: &'a Shared) -> Result<Self, SessionError> {
        let limit = shared.sessions.len();
        let free = shared.sessions.iter().position(|taken| {
            // Relaxed: only looks. Acquire: pairs with the release of the last owner's drop.
            !taken.load(Ordering::Relaxed) && !taken.swap(true, Ordering::Acquire)
        });
        let slot = free.ok_or(SessionError::TooManySessions { limit })?;
        let mut session = Self {
            shared,
            slot,
            me: Transactor::new(slot),
            log: None,
            words: Vec::new(),
            record: Vec::new(),
        };
        session.log = session.any_log();
        Ok(session)
    }

    /// A session in the place of one that is idle, with its slot and its log.
    #[cfg(test)]
    pub(crate) fn stranger(shared: &'a Shared, slot: usize) -> std::mem::ManuallyDrop<Self> {
        std::mem::ManuallyDrop::new(Self {
            shared,
            slot,
            me: Transactor::new(slot),
            log: shared.logs.get(slot),
            words: Vec::new(),
            record: Vec::new(),
        })
    }

    /// A log without writer: there are as many as sessions. Its number is the session's, unless
    /// sessions have changed their logs.
    fn any_log(&self) -> Option<&'a Log> {
        let logs = &self.shared.logs;
        if logs.is_empty() {
            return None;
        }
        let mut spin = Spin::default();
        loop {
            let own = (0..logs.len()).map(|index| &logs[(self.slot + index) % logs.len()]);
            if let Some(log) = own.into_iter().find(|log| log.claim()) {
                return Some(log);
            }
            // A session that changes its log holds two for a moment.
            spin.wait();
        }
    }

    fn log(&self) -> &'a Log {
        self.log.expect("a rung with logs")
    }

    /// Makes sure that the log has room, before anything is locked (B5). Where it has none, another
    /// log is taken, or this writer becomes a gleaner until it has. `false` if there is nothing left
    /// to glean into.
    fn reserve(&mut self, words: u64) -> bool {
        if self.log().room() >= words {
            return true;
        }
        let shared = self.shared;
        add(&shared.counters.full_logs, 1);
        let mut spin = Spin::default();
        loop {
            if self.log().room() >= words || (shared.rung.is_dynamic() && self.switch(words)) {
                return true;
            }
            let first = self.log().number as usize;
            let gleaned = glean::all(shared, &mut self.me, first);
            let moved = glean::advance(shared, false);
            if gleaned == 0 && !moved {
                // Relaxed: set by whoever found nothing, long before.
                if shared.is_back_full.load(Ordering::Relaxed) {
                    return false;
                }
                spin.wait();
            }
        }
    }

    /// Takes a log that has room and no writer.
    fn switch(&mut self, words: u64) -> bool {
        let logs = &self.shared.logs;
        let first = self.log().number as usize;
        for index in 1..logs.len() {
            let log = &logs[(first + index) % logs.len()];
            if log.room() < words || !log.claim() {
                continue;
            }
            if log.room() >= words {
                self.log().disown();
                self.log = Some(log);
                add(&self.shared.counters.log_switches, 1);
                return true;
            }
            log.disown();
        }
        false
    }

    /// B5 as the text has it: waits for room with the bucket taken. A test ends it when nobody can
    /// make room any more.
    #[cold]
    fn wait_with_bucket(&mut self, words: u64) {
        let first = self.log().number as usize;
        while self.log().room() < words {
            let gleaned = glean::all(self.shared, &mut self.me, first);
            let moved = glean::advance(self.shared, false);
            assert!(gleaned > 0 || moved, "stuck: a full log, and its bucket is taken");
        }
    }

    /// The length of a key's live value, under its bucket's lock.
    fn old_bytes(&mut self, pair: Option<&Pair>, key: u64) -> Option<u64> {
        match pair {
            Some(pair) => (!pair.buried).then_some(pair.bytes),
            None if self.shared.is_complete => None,
            None => self.shared.back().value_bytes(&mut self.me.touched, key),
        }
    }

    /// Puts or removes through the log. `None` if there is no room.
    fn append(&mut self, key: u64, value: &[u8], opcode: Opcode) -> Option<PutOutcome> {
        let shared = self.shared;
        let record_words = record::record_words(value.len() as u64);
        let waits_late = shared.faults.has(Fault::WaitsWithBucket);
        if !waits_late && !self.reserve(record_words) {
            // The region is three times as large as what puts may fill.
            assert!(opcode == Opcode::Put, "no persistent memory is left to glean into");
            return None;
        }
        let front = shared.front();
        let bucket = front.lock(key);
        if waits_late {
            self.wait_with_bucket(record_words);
        }
        let pair = bucket.find(key);
        let old = self.old_bytes(pair.as_ref(), key).map(Shared::size);
        let removes = opcode == Opcode::Remove;
        let new = Shared::size(value.len() as u64);
        if removes {
            old?;
        } else if !shared.live.admit(old, new, shared.object_bytes) {
            return None;
        }
        // A tombstone is the pair itself, if there is one.
        let block = match pair {
            Some(_) if removes => Some(0),
            _ => front.fill(self.slot, key, value, removes),
        };
        let base = shared.rung.links_the_back();
        let entry = self.log().next();
        let previous = pair.map_or(Reference::NONE, |pair| pair.entry);
        let named = match (block, base) {
            (None, _) => false,
            (Some(_), false) => {
                self.write(key, value, opcode, previous);
                true
            }
            (Some(_), true) => self.write_and_name(key, value, opcode, previous, entry),
        };
        if !named {
            if let Some(block) = block.filter(|&block| block != 0) {
                front.free(self.slot, block, value.len() as u64);
            }
            if !removes {
                shared.live.replace(Some(new), old);
            }
            return None;
        }
        self.name(&bucket, pair, block.unwrap_or_default(), entry);
        if removes {
            shared.live.replace(old, None);
        }
        shared.faults.at(Step::Named);
        // Only now may gleaners have it: the pair names it (B1).
        self.log().publish();
        drop(bucket);
        Some(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    /// Lets the front show what is durable.
    fn name(&self, bucket: &Locked<'_>, pair: Option<Pair>, block: u64, entry: Reference) {
        match pair {
            Some(pair) if block == 0 => bucket.bury(pair, entry),
            _ => bucket.link(self.slot, pair, block, entry),
        }
    }

    /// Writes a record, then the tail behind it: two barriers.
    fn write(&mut self, key: u64, value: &[u8], opcode: Opcode, previous: Reference) {
        let shared = self.shared;
        let (region, log) = (&shared.back().region, self.log());
        let header = Header {
            value_bytes: value.len() as u64,
            opcode,
            applied: false,
            // Relaxed: any recent epoch.
            epoch: shared.epoch.load(Ordering::Relaxed) as u32,
            checksum: 0,
            previous,
            key,
        };
        to_words(value, &mut self.words);
        header.encode(&self.words, &mut self.record);
        log.write(region, &self.record);
        shared.faults.at(Step::RecordDurable);
        log.commit(region, self.record.len() as u64);
        shared.faults.at(Step::TailDurable);
    }

    /// The same with a base put's additions: the persistent pair is found, or made, and names the
    /// record. `false` if there is no memory for the pair; then nothing is written.
    fn write_and_name(
        &mut self,
        key: u64,
        value: &[u8],
        opcode: Opcode,
        previous: Reference,
        entry: Reference,
    ) -> bool {
        let back = self.shared.back();
        back.exclusively(key, || {
            let mut tx = self.me.begin(&back.region, &back.heap);
            let Ok(block) = back.pair_in(&mut tx, key) else { return false };
            if !tx.is_empty() {
                tx.commit(&back.layout);
            }
            drop(tx);
            self.write(key, value, opcode, previous);
            back.name(block, entry.word());
            true
        })
    }

    /// Reads a key that the front does not have from the back, and copies it to the front.
    #[cold]
    fn promote(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let (front, back) = (self.shared.front(), self.shared.back());
        if self.shared.faults.has(Fault::StaleMiss) {
            return self.promote_unlocked(front, back, key, buffer);
        }
        // The bucket is taken before the back is read: what is inserted is not stale (B6).
        let bucket = front.lock(key);
        if bucket.find(key).is_some() {
            drop(bucket);
            return found(front.get(key, buffer, true), buffer.len());
        }
        let Some(bytes) = back.value_bytes(&mut self.me.touched, key) else { return Ok(None) };
        let mut value = vec![0; bytes as usize];
        back.get(&mut self.me.touched, key, &mut value);
        self.shared.faults.at(Step::BackRead);
        if let Some(block) = front.fill(self.slot, key, &value, false) {
            bucket.link(self.slot, None, block, Reference::NONE);
            add(&self.shared.counters.promoted, 1);
        }
        drop(bucket);
        copied(&value, buffer)
    }

    /// B6 as the text leaves it open.
    fn promote_unlocked(
        &mut self,
        front: &Front,
        back: &Back,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        let Some(bytes) = back.value_bytes(&mut self.me.touched, key) else { return Ok(None) };
        let mut value = vec![0; bytes as usize];
        back.get(&mut self.me.touched, key, &mut value);
        self.shared.faults.at(Step::BackRead);
        if let Some(block) = front.fill(self.slot, key, &value, false) {
            let bucket = front.lock(key);
            bucket.link(self.slot, bucket.find(key), block, Reference::NONE);
        }
        copied(&value, buffer)
    }

    /// Puts into the front alone.
    fn put_in_front(&mut self, front: &Front, key: u64, value: &[u8]) -> PutOutcome {
        let shared = self.shared;
        let bucket = front.lock(key);
        let pair = bucket.find(key);
        let (old, new) =
            (pair.map(|pair| Shared::size(pair.bytes)), Shared::size(value.len() as u64));
        if !shared.live.admit(old, new, shared.object_bytes) {
            return PutOutcome::Full;
        }
        let Some(block) = front.fill(self.slot, key, value, false) else {
            shared.live.replace(Some(new), old);
            return PutOutcome::Full;
        };
        bucket.link(self.slot, pair, block, Reference::NONE);
        if pair.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Puts into the back alone.
    fn put_in_back(&mut self, key: u64, value: &[u8]) -> PutOutcome {
        let shared = self.shared;
        let back = shared.back();
        to_words(value, &mut self.words);
        let bytes = value.len() as u64;
        let (words, me, slot) = (&self.words, &mut self.me, self.slot);
        back.exclusively(key, || {
            // Who counts before it stores finds the old length first.
            let value = Value { words, bytes };
            let directly = shared.rung == Rung::HikvHt;
            let stored = if directly {
                admit(shared, back.length(&mut me.touched, key), bytes, || {
                    back.put_directly(&mut me.touched, slot, key, value).is_ok()
                })
            } else {
                let old = back.length(&mut me.touched, key);
                admit(shared, old, bytes, || {
                    let mut tx = me.begin(&back.region, &back.heap);
                    let stored = back.put_in(&mut tx, key, value, 0).is_ok();
                    if stored {
                        tx.commit(&back.layout);
                    }
                    stored
                })
            };
            stored.unwrap_or(PutOutcome::Full)
        })
    }

    /// Removes from the back alone.
    fn remove_from_back(&mut self, key: u64) -> bool {
        let shared = self.shared;
        let back = shared.back();
        let (me, slot) = (&mut self.me, self.slot);
        let old = back.exclusively(key, || {
            if shared.rung == Rung::HikvHt {
                return back.remove_directly(&mut me.touched, slot, key);
            }
            let mut tx = me.begin(&back.region, &back.heap);
            let old = back.remove_in(&mut tx, key, 0);
            if !tx.is_empty() {
                tx.commit(&back.layout);
            }
            old
        });
        if let Some(bytes) = old {
            shared.live.replace(Some(Shared::size(bytes)), None);
        }
        old.is_some()
    }

    /// Removes from the front alone.
    fn remove_from_front(&mut self, front: &Front, key: u64) -> bool {
        let bucket = front.lock(key);
        let Some(pair) = bucket.find(key) else { return false };
        bucket.unlink(self.slot, pair);
        self.shared.live.replace(Some(Shared::size(pair.bytes)), None);
        true
    }
}

/// Counts a value in the place of another, and stores it; takes the count back if that fails.
fn admit(
    shared: &Shared,
    old: Option<u64>,
    bytes: u64,
    store: impl FnOnce() -> bool,
) -> Option<PutOutcome> {
    let (old, new) = (old.map(Shared::size), Shared::size(bytes));
    if !shared.live.admit(old, new, shared.object_bytes) {
        return None;
    }
    if !store() {
        shared.live.replace(Some(new), old);
        return None;
    }
    Some(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
}

fn found(found: Found, buffer_bytes: usize) -> Result<Option<usize>, GetError> {
    match found {
        Found::Value(value_bytes) if value_bytes > buffer_bytes => {
            Err(GetError::BufferTooShort { value_bytes, buffer_bytes })
        }
        Found::Value(value_bytes) => Ok(Some(value_bytes)),
        Found::Buried | Found::Missing => Ok(None),
    }
}

fn copied(value: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
    if let Some(front) = buffer.get_mut(..value.len()) {
        front.copy_from_slice(value);
    }
    found(Found::Value(value.len()), buffer.len())
}

/// Replaces `words` by a value's, the last one padded with zeros.
fn to_words(value: &[u8], words: &mut Vec<u64>) {
    let (whole, rest) = value.as_chunks::<8>();
    words.clear();
    words.extend(whole.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
}

impl KvSession for BulletSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let Some(front) = &self.shared.front else {
            self.me.touched.begin();
            let bytes = self.shared.back().get(&mut self.me.touched, key, buffer);
            return found(
                bytes.map_or(Found::Missing, |bytes| Found::Value(bytes as usize)),
                buffer.len(),
            );
        };
        let with_lock = !self.shared.rung.reads_without_locks();
        match front.get(key, buffer, with_lock) {
            Found::Missing if !self.shared.is_complete => {
                self.me.touched.begin();
                self.promote(key, buffer)
            }
            other => found(other, buffer.len()),
        }
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.shared.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        self.me.touched.begin();
        Ok(match &self.shared.front {
            None => self.put_in_back(key, value),
            Some(front) if !self.shared.rung.has_logs() => self.put_in_front(front, key, value),
            Some(_) => self.append(key, value, Opcode::Put).unwrap_or(PutOutcome::Full),
        })
    }

    fn delete(&mut self, key: u64) -> bool {
        self.me.touched.begin();
        match &self.shared.front {
            None => self.remove_from_back(key),
            Some(front) if !self.shared.rung.has_logs() => self.remove_from_front(front, key),
            Some(_) => self.append(key, &[], Opcode::Remove).is_some(),
        }
    }
}

impl Drop for BulletSession<'_> {
    fn drop(&mut self) {
        if let Some(log) = self.log {
            log.disown();
        }
        // Release: pairs with the acquire of the next owner's claim.
        self.shared.sessions[self.slot].store(false, Ordering::Release);
    }
}
