//! GET, PUT and DELETE of one session.
//!
//! A key has at most one record that is neither dead nor locked. Who changes what a key is, locks
//! that record first. So writers of one key come one after the other, and readers see the state
//! before or after:
//!
//! * An overwrite in place changes the value under the lock.
//! * An overwrite at the tail locks the old record, exchanges the entry, and marks the old one dead.
//! * A delete marks the record a tombstone; or it removes the entry, where nothing else hangs on it,
//!   and marks the record dead.
//!
//! Who finds a dead record has an old view of the chain: whoever marked it has changed the entry
//! before. The next look finds what has taken its place.

use engine::{GetError, PutOutcome};
use kit::spin::Spin;
use platform::racy::WORD_BYTES;

use crate::address::Address;
use crate::counters::Counter;
use crate::guard::State;
use crate::index::Inserted;
use crate::record::{Locked, Read, Record, Standing, words_of};
use crate::session::HybridLogSession;
use crate::store::{Chain, Target};

/// What came of one attempt at a PUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Done(PutOutcome),
    /// Another thread was faster: look again.
    Again,
    /// The log is full up to its limit.
    NoRoom,
}

/// The newest record of a key, which an append is to replace.
#[derive(Clone, Copy, Debug)]
struct Old<'store> {
    at: Address,
    record: Record<'store>,
    standing: Standing,
}

/// What the bound on live data counts for a value.
fn bytes_of(value_bytes: usize) -> u64 {
    words_of(value_bytes) * WORD_BYTES as u64
}

impl HybridLogSession<'_> {
    #[inline]
    pub(crate) fn get_at(
        &self,
        target: Target,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        let log = &self.shared.log;
        let _pin = self.claim.enter();
        loop {
            let newest = self.shared.chain(target).and_then(|chain| chain.newest);
            let Some((at, record)) = newest else { return Ok(None) };
            match record.read(buffer, |value_bytes| log.prefetch_rest(at, value_bytes)) {
                Read::Copied(value_bytes) => return Ok(Some(value_bytes)),
                Read::Absent => return Ok(None),
                Read::TooLong(value_bytes) => {
                    return Err(GetError::BufferTooShort {
                        value_bytes,
                        buffer_bytes: buffer.len(),
                    });
                }
                Read::Dead => self.counters.count(Counter::Restarts),
            }
        }
    }

    /// Stores a value that is not too long.
    #[inline]
    pub(crate) fn put_at(&self, target: Target, value: &[u8]) -> PutOutcome {
        let mut spin = Spin::default();
        loop {
            match self.attempt(target, value) {
                Attempt::Done(outcome) => return outcome,
                Attempt::Again => {
                    self.counters.count(Counter::Restarts);
                    spin.wait();
                }
                // Outside of the operation: who makes room waits for all that are inside one.
                Attempt::NoRoom => {
                    if !self.shared.make_room(words_of(value.len())) {
                        self.counters.count(Counter::RefusedNoRoom);
                        return PutOutcome::Full;
                    }
                }
            }
        }
    }

    #[inline]
    fn attempt(&self, target: Target, value: &[u8]) -> Attempt {
        let log = &self.shared.log;
        let _pin = self.claim.enter();
        let chain = self.shared.chain(target);
        if let Some((at, record)) = chain.and_then(|chain| chain.newest)
            && log.is_mutable(at)
        {
            log.prefetch_rest(at, value.len());
            let mut locked = record.lock();
            if locked.state() == State::Live && locked.fits(value.len()) {
                if locked.value_bytes() != value.len() && !self.resize(&locked, value.len()) {
                    return Attempt::Done(PutOutcome::Full);
                }
                locked.overwrite(value);
                drop(locked);
                self.counters.count(Counter::InPlaceUpdates);
                return Attempt::Done(PutOutcome::Updated);
            }
        }
        self.append(target, value, chain)
    }

    /// Accounts for a value that changes its length in place; `false` if live data has reached its
    /// bound.
    fn resize(&self, locked: &Locked<'_>, value_bytes: usize) -> bool {
        let old_value_bytes = locked.value_bytes();
        let (old_bytes, new_bytes) = (bytes_of(old_value_bytes), bytes_of(value_bytes));
        if !self.pay(new_bytes.saturating_sub(old_bytes)) {
            return false;
        }
        self.refund(old_bytes.saturating_sub(new_bytes));
        self.counters.add(Counter::PaidBytes, new_bytes.wrapping_sub(old_bytes));
        self.count_value(old_value_bytes, value_bytes);
        true
    }

    /// Appends a record for the value, and publishes it in place of what the chain has of the key.
    fn append(&self, target: Target, value: &[u8], chain: Option<Chain<'_>>) -> Attempt {
        let log = &self.shared.log;
        let old = chain.and_then(|chain| chain.newest).map(|(at, record)| {
            let standing = record.standing();
            Old { at, record, standing }
        });
        let replaced = match old.map(|old| old.standing) {
            Some(Standing { state: State::Live, value_bytes, .. }) => Some(value_bytes),
            Some(Standing { state: State::Tombstone, .. }) | None => None,
            Some(Standing { state: State::Dead, .. }) => return Attempt::Again,
        };
        let (old_bytes, new_bytes) = (replaced.map_or(0, bytes_of), bytes_of(value.len()));
        let paid_bytes = new_bytes.saturating_sub(old_bytes);
        if !self.pay(paid_bytes) {
            return Attempt::Done(PutOutcome::Full);
        }
        let Some(reserved) = log.reserve(words_of(value.len())) else {
            self.refund(paid_bytes);
            return Attempt::NoRoom;
        };
        if reserved.turns_page {
            self.shared.page_turned();
        }
        let new = log.record(reserved.at);
        new.write(target.key, value);
        self.counters.add(Counter::AppendedBytes, new_bytes);
        if let Err(attempt) = self.publish(target, chain, old, new, reserved.at) {
            new.abandon();
            self.refund(paid_bytes);
            return attempt;
        }
        self.refund(old_bytes.saturating_sub(new_bytes));
        self.counters.add(Counter::PaidBytes, new_bytes.wrapping_sub(old_bytes));
        self.count_value(replaced.unwrap_or(0), value.len());
        Attempt::Done(if replaced.is_some() {
            self.counters.count(Counter::AppendedUpdates);
            PutOutcome::Updated
        } else {
            self.counters.count(Counter::LiveObjects);
            PutOutcome::Inserted
        })
    }

    /// Lets the chain begin with a new record, if chain and old record are still as they were read.
    fn publish(
        &self,
        target: Target,
        chain: Option<Chain<'_>>,
        old: Option<Old<'_>>,
        new: Record<'_>,
        at: Address,
    ) -> Result<(), Attempt> {
        let Some(Chain { found, .. }) = chain else {
            return match self.shared.index.insert(target.hash, at) {
                Inserted::Done => Ok(()),
                Inserted::Taken => Err(Attempt::Again),
                Inserted::NoBucket => {
                    self.counters.count(Counter::RefusedNoBucket);
                    Err(Attempt::Done(PutOutcome::Full))
                }
            };
        };
        // Older than the new record, which was reserved after the entry was read: addresses fall
        // along every chain, so a chain cut at the begin loses nothing that lives.
        let head = found.entry.address();
        let Some(old) = old else {
            new.set_previous(head);
            return if found.replace(at) { Ok(()) } else { Err(Attempt::Again) };
        };
        let mut locked = old.record.lock();
        let Standing { state, value_bytes, .. } = old.standing;
        if (locked.state(), locked.value_bytes()) != (state, value_bytes) {
            return Err(Attempt::Again);
        }
        // A record at the head that dies is left out of the chain.
        new.set_previous(if head == old.at { old.record.previous() } else { head });
        if !found.replace(at) {
            return Err(Attempt::Again);
        }
        locked.set_state(State::Dead);
        Ok(())
    }

    /// Pays for live data; `false`, and counted, if it has reached its bound.
    #[inline]
    fn pay(&self, bytes: u64) -> bool {
        let is_paid = self.credit.pay(&self.shared.pool, bytes);
        if !is_paid {
            self.counters.count(Counter::RefusedNoBound);
        }
        is_paid
    }

    #[inline]
    fn refund(&self, bytes: u64) {
        self.credit.refund(&self.shared.pool, bytes);
    }

    fn count_value(&self, old_bytes: usize, new_bytes: usize) {
        let more = (new_bytes as u64).wrapping_sub(old_bytes as u64);
        self.counters.add(Counter::LiveValueBytes, more);
    }

    /// Removes a key; returns whether it was present. It needs no memory.
    #[inline]
    pub(crate) fn delete_at(&self, target: Target) -> bool {
        let _pin = self.claim.enter();
        loop {
            let Some(chain) = self.shared.chain(target) else { return false };
            let Some((at, record)) = chain.newest else { return false };
            let mut locked = record.lock();
            match locked.state() {
                State::Live => {}
                State::Tombstone => return false,
                State::Dead => {
                    self.counters.count(Counter::Restarts);
                    continue;
                }
            }
            let is_alone = chain.found.entry.address() == at && record.previous() < chain.begin;
            let is_elided = is_alone && chain.found.clear();
            locked.set_state(if is_elided { State::Dead } else { State::Tombstone });
            let value_bytes = locked.value_bytes();
            drop(locked);
            let kind = if is_elided { Counter::ElidedDeletes } else { Counter::Tombstones };
            self.counters.count(kind);
            self.counters.subtract(Counter::LiveObjects, 1);
            self.counters.subtract(Counter::LiveValueBytes, value_bytes as u64);
            self.counters.subtract(Counter::PaidBytes, bytes_of(value_bytes));
            self.refund(bytes_of(value_bytes));
            return true;
        }
    }
}
