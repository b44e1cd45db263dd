//! Gleaning: applying what is in the logs to the back table (§2.3, §4.4).
//!
//! A gleaner goes through a log in order. Of each record that is not applied yet it takes the key's
//! right, so that one gleaner at a time applies a key, and asks the front which record is the key's
//! newest.
//!
//! * A rung that does not collapse applies the key's chain from the oldest unapplied record to the
//!   newest.
//! * One that collapses applies a record only if it is the newest, and marks it void otherwise. Before
//!   the newest is applied, all older ones are marked, durably. So no older one can come back when the
//!   newest has been applied and its space reclaimed (B3).
//!
//! A record whose key another gleaner has is left for later, and so is all behind it: only what is
//! applied lies before *done*, and heads follow *done* (B2). The marks of one pass are fenced before
//! heads can move, for heads move only when no gleaner is at work.
//!
//! Up to [`BATCH`] records share a transaction, and so its four fences.

use std::sync::atomic::Ordering;

use crate::back::{Back, NoRoom, Value};
use crate::cells::Cells;
use crate::counts::add;
use crate::digest::hash;
use crate::faults::{Fault, Step};
use crate::logs::Log;
use crate::record::{APPLIED_AT, HEADER_WORDS, Header, Opcode, Reference};
use crate::store::Shared;
use crate::tx::{Transactor, Tx};

/// Records of one transaction: each writes at most eight words.
const BATCH: usize = 8;
/// Records of one pass, so that an epoch's end is not waited for long.
const PASS_MAX: u64 = 64;

/// Gleans a log for a while; how many records it is further, if nobody else is at it.
pub(crate) fn pass(shared: &Shared, me: &mut Transactor, log: &Log) -> u64 {
    let _at_work = shared.gate.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(_claim) = log.glean() else { return 0 };
    let mut gleaned = 0;
    while gleaned < PASS_MAX {
        let batch = Batch::new(shared, log).run(me);
        gleaned += batch;
        if batch == 0 {
            break;
        }
    }
    gleaned
}

/// One pass over every log, from one on.
pub(crate) fn all(shared: &Shared, me: &mut Transactor, first: usize) -> u64 {
    let logs = shared.logs.len();
    (0..logs).map(|index| pass(shared, me, &shared.logs[(first + index) % logs])).sum()
}

/// Ends an epoch: heads move behind what is applied, and the space before them is free. `false` if
/// there was nothing to free, or, unless it may wait, a gleaner is at work.
pub(crate) fn advance(shared: &Shared, may_wait: bool) -> bool {
    let stopped = if may_wait {
        Some(shared.gate.write().unwrap_or_else(std::sync::PoisonError::into_inner))
    } else {
        shared.gate.try_write().ok()
    };
    let Some(stopped) = stopped else { return false };
    // Relaxed: records carry it for whoever reads a log.
    shared.epoch.fetch_add(1, Ordering::Relaxed);
    let moves = |log: &&Log| log.done() > log.head();
    let moved = shared.logs.iter().any(|log| moves(&log));
    if moved {
        let region = &shared.back().region;
        for log in shared.logs.iter().filter(moves) {
            log.store_head(region, log.done());
        }
        region.fence();
        for log in shared.logs.iter().filter(moves) {
            log.set_head(log.done());
        }
    }
    drop(stopped);
    let buried = std::mem::take(&mut *lock(&shared.buried));
    for (key, reference) in buried {
        unbury(shared, shared.helper_slot, key, reference);
    }
    moved
}

fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Removes a tombstone from the front, if it is still that of a record just applied. Whoever has the
/// bucket may wait for a gleaner, so this does not wait for it (B5).
fn unbury(shared: &Shared, slot: usize, key: u64, reference: Reference) {
    let Some(bucket) = shared.front().try_lock(key) else {
        let waits = shared.faults.has(Fault::WaitsWithBucket);
        assert!(!waits, "stuck: a gleaner waits for a bucket, whose holder waits for a gleaner");
        lock(&shared.buried).push((key, reference));
        return;
    };
    if let Some(pair) = bucket.find(key)
        && pair.buried
        && pair.entry == reference
    {
        bucket.unlink(slot, pair);
    }
}

/// Records that are gleaned together.
struct Batch<'a> {
    shared: &'a Shared,
    back: &'a Back,
    log: &'a Log,
    stripes: Vec<usize>,
    buckets: Vec<u64>,
    /// Records in the transaction.
    applied: usize,
    removed: Vec<(u64, Reference)>,
    /// Marks that no fence has followed yet.
    marks: u64,
    words: Vec<u64>,
}

impl<'a> Batch<'a> {
    fn new(shared: &'a Shared, log: &'a Log) -> Self {
        Self {
            shared,
            back: shared.back(),
            log,
            stripes: Vec::new(),
            buckets: Vec::new(),
            applied: 0,
            removed: Vec::new(),
            marks: 0,
            words: Vec::new(),
        }
    }

    /// How many records the log is further.
    fn run(mut self, me: &mut Transactor) -> u64 {
        let (shared, log, back) = (self.shared, self.log, self.back);
        me.touched.begin();
        let slot = me.slot;
        let mut tx = me.begin(&back.region, &back.heap);
        let end = match shared.faults.has(Fault::TailBeforeName) {
            true => log.tail(),
            false => log.published(),
        };
        let (mut place, mut passed) = (log.done(), 0);
        while place < end && self.stripes.len() < BATCH {
            let reference = Reference::new(log.number, place);
            let header =
                self.header(&mut tx, reference).expect("a record begins at the last's end");
            if !header.applied {
                match self.glean(&mut tx, reference, &header) {
                    Ok(true) => {}
                    Ok(false) if shared.faults.has(Fault::SkipIfTaken) => {}
                    Ok(false) => break,
                    Err(NoRoom) => {
                        // Relaxed: a writer that finds no room anywhere looks at it.
                        shared.is_back_full.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
            place += header.words();
            passed += 1;
        }
        self.commit(&mut tx, slot);
        if self.marks > 0 {
            back.region.fence();
            add(&shared.counters.collapsed, self.marks);
        }
        self.stripes.drain(..).for_each(|stripe| shared.release_stripe(stripe));
        log.set_done(place);
        passed
    }

    /// Gleans one record; `false` if another gleaner has its key.
    fn glean(
        &mut self,
        tx: &mut Tx<'_>,
        reference: Reference,
        header: &Header,
    ) -> Result<bool, NoRoom> {
        let shared = self.shared;
        let hash = hash(header.key);
        if !self.stripes.contains(&Shared::stripe_of(hash)) {
            let Some(stripe) = shared.try_stripe(hash) else { return Ok(false) };
            self.stripes.push(stripe);
        }
        let newest = shared.front().entry_of(header.key).unwrap_or(Reference::NONE);
        shared.faults.at(Step::NewestRead);
        if !shared.rung.collapses() {
            for older in self.unapplied(tx, newest).into_iter().rev() {
                self.apply(tx, older)?;
            }
            return Ok(true);
        }
        let marks = !shared.faults.has(Fault::OldLeftUnapplied);
        if newest != reference {
            if marks && !shared.faults.has(Fault::TailBeforeName) {
                self.mark(tx, reference);
            }
            return Ok(true);
        }
        if marks {
            self.mark(tx, header.previous);
        }
        self.apply(tx, reference)?;
        Ok(true)
    }

    /// The record that a reference leads to, if it has not been reclaimed.
    fn header(&self, tx: &mut Tx<'_>, reference: Reference) -> Option<Header> {
        let (log, place) = reference.parts()?;
        let log = &self.shared.logs[log as usize];
        if place < log.head() && !self.shared.faults.has(Fault::DanglingReference) {
            return None;
        }
        for part in [place, place + HEADER_WORDS - 1] {
            tx.touch(log.ring.at(part), 1);
        }
        let header = log.ring.header(&self.back.region, place)?;
        // This transaction may be about to mark it.
        let applied = tx.read(log.ring.at(place + APPLIED_AT)) != 0;
        Some(Header { applied, ..header })
    }

    /// The unapplied records of a chain, from the newest.
    fn unapplied(&self, tx: &mut Tx<'_>, newest: Reference) -> Vec<Reference> {
        let mut chain = Vec::new();
        let mut next = newest;
        while let Some(header) = self.header(tx, next)
            && !header.applied
            && !(self.shared.faults.has(Fault::DanglingReference) && chain.contains(&next))
        {
            chain.push(next);
            next = header.previous;
        }
        chain
    }

    /// Marks the records of a chain void, down to one that is marked already: known without a look
    /// at it where it lies before what its log's gleaner has done.
    fn mark(&mut self, tx: &mut Tx<'_>, newest: Reference) {
        let mut next = newest;
        while let Some((log, place)) = next.parts()
            && !self.is_done(log, place)
            && let Some(header) = self.header(tx, next)
            && !header.applied
        {
            let at = self.shared.logs[log as usize].ring.at(place + APPLIED_AT);
            self.back.region.store(at, 1);
            self.back.region.flush(at, 1);
            self.marks += 1;
            next = header.previous;
        }
    }

    fn is_done(&self, log: u64, place: u64) -> bool {
        let is_checked = !self.shared.faults.has(Fault::DanglingReference);
        is_checked && place < self.shared.logs[log as usize].done()
    }

    /// Adds a record to the transaction. A fence follows its older ones' marks before the commit.
    fn apply(&mut self, tx: &mut Tx<'_>, reference: Reference) -> Result<(), NoRoom> {
        let (shared, back) = (self.shared, self.back);
        let Some((log, place)) = reference.parts() else { return Ok(()) };
        let ring = &shared.logs[log as usize].ring;
        let Some(header) = ring.header(&back.region, place) else { return Ok(()) };
        self.hold(tx, header.key);
        match header.opcode {
            Opcode::Put => {
                let (from, count) = (place + HEADER_WORDS, header.words() - HEADER_WORDS);
                if count > 0 {
                    tx.touch(ring.at(from), 1);
                    tx.touch(ring.at(from + count - 1), 1);
                }
                let mut words = std::mem::take(&mut self.words);
                words.clear();
                ring.read(&back.region, from, count, &mut words);
                let value = Value { words: &words, bytes: header.value_bytes };
                let stored = back.put_in(tx, header.key, value, reference.word());
                self.words = words;
                stored?;
            }
            Opcode::Remove => {
                back.remove_in(tx, header.key, reference.word());
                self.removed.push((header.key, reference));
            }
        }
        tx.write(ring.at(place + APPLIED_AT), 1);
        self.applied += 1;
        if self.applied == BATCH {
            let slot = tx.slot();
            self.commit(tx, slot);
        }
        Ok(())
    }

    /// Takes a key's bucket in the back. It waits for one only while it has no other.
    fn hold(&mut self, tx: &mut Tx<'_>, key: u64) {
        let back = self.back;
        let bucket = back.bucket(key);
        if self.buckets.contains(&bucket) {
            return;
        }
        let lock = back.lock_at(bucket);
        if !back.locks.try_exclusive(lock) {
            let slot = tx.slot();
            self.commit(tx, slot);
            back.locks.exclusive(lock);
        }
        self.buckets.push(bucket);
    }

    /// Commits what there is, gives the buckets back, and removes the tombstones that are done.
    fn commit(&mut self, tx: &mut Tx<'_>, slot: usize) {
        if !tx.is_empty() {
            tx.commit(&self.back.layout);
            // The transaction's first fence has followed them.
            add(&self.shared.counters.collapsed, self.marks);
            self.marks = 0;
        }
        add(&self.shared.counters.applied, self.applied as u64);
        self.applied = 0;
        for bucket in self.buckets.drain(..) {
            self.back.locks.release(self.back.lock_at(bucket));
        }
        for (key, reference) in self.removed.drain(..) {
            unbury(self.shared, slot, key, reference);
        }
    }
}
