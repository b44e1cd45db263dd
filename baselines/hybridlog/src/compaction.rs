//! Compaction: what lives in the oldest page goes to the tail, and the page is used again.
//!
//! A turn walks the page from the begin. A dead record is stepped over. A live one is locked,
//! copied to the tail and published there by its entry, and is dead from then on. A tombstone goes
//! if its chain begins with it: nothing older is left that it would have to hide, since records are
//! taken in the order of their addresses. Then the begin moves, all operations in progress are
//! waited for, and the page is free.
//!
//! Whether a record lives stands in the record itself, because whoever replaces one marks it dead
//! under its lock. The original asks the index, and follows the chain.
//!
//! The walk needs records that are completely written. It stays below an address that the tail had
//! before the last wait for all operations.

use platform::racy::WORD_BYTES;

use crate::address::Address;
use crate::guard::State;
use crate::hash::KeyHash;
use crate::record::{Locked, Record, words_of};
use crate::store::Shared;

/// How many records of a page have their buckets fetched together.
const IN_FLIGHT: usize = 16;

/// What turns have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) pages: u64,
    pub(crate) copied_records: u64,
    pub(crate) copied_bytes: u64,
    /// Slack that copies left behind.
    pub(crate) trimmed_bytes: u64,
    pub(crate) dropped_tombstones: u64,
}

/// The state of compaction, for one thread at a time.
#[derive(Debug)]
pub(crate) struct Compaction {
    /// Everything below is completely written.
    written: Address,
    pub(crate) counts: Counts,
}

impl Compaction {
    /// For an empty log.
    pub(crate) fn new(begin: Address) -> Self {
        Self { written: begin, counts: Counts::default() }
    }

    /// Empties the oldest page and frees it; `false` if there was nothing to empty. The caller is
    /// outside of operations.
    pub(crate) fn turn(&mut self, shared: &Shared) -> bool {
        let log = &shared.log;
        let begin = log.begin();
        let end = log.page_behind(begin);
        if self.written < end {
            self.wait(shared);
        }
        let begin_then = self.empty(shared, begin, end.min(self.written));
        if begin_then == begin {
            return false;
        }
        log.set_begin(begin_then);
        self.wait(shared);
        log.free_below(begin_then);
        self.counts.pages += 1;
        true
    }

    /// Waits for all operations in progress. Whatever was reserved before is written then.
    fn wait(&mut self, shared: &Shared) {
        let tail = shared.log.tail();
        shared.epochs.wait_for_all();
        self.written = tail;
    }

    /// Moves what lives from `at` up to the first piece that begins at or behind `end`; returns
    /// where that begins.
    fn empty(&mut self, shared: &Shared, mut at: Address, end: Address) -> Address {
        while at < end {
            let mut batch = [(at, KeyHash::of(0)); IN_FLIGHT];
            let mut length = 0;
            while at < end && length < IN_FLIGHT {
                let (record, next) = shared.log.piece(at);
                if let Some(record) = record.filter(|record| record.guard().state() != State::Dead)
                {
                    let hash = KeyHash::of(record.key());
                    shared.index.prefetch(hash);
                    batch[length] = (at, hash);
                    length += 1;
                }
                at = next;
            }
            for &(from, hash) in &batch[..length] {
                if !self.take(shared, from, hash) {
                    return from;
                }
            }
        }
        at
    }

    /// Takes one record away, if anything is left of it; `false` if there is no room for a copy.
    /// The reserve suffices unless addresses end, or others append to the same chain again and again.
    fn take(&mut self, shared: &Shared, at: Address, hash: KeyHash) -> bool {
        let record = shared.log.record(at);
        let mut locked = record.lock();
        match locked.state() {
            State::Dead => true,
            State::Tombstone => {
                let found = shared.index.find(hash).filter(|it| it.entry.address() == at);
                if found.is_some_and(|found| found.clear()) {
                    locked.set_state(State::Dead);
                    self.counts.dropped_tombstones += 1;
                }
                true
            }
            State::Live => self.copy(shared, at, hash, record, &mut locked),
        }
    }

    /// Copies a locked record to the tail, lets its chain begin there, and marks it dead.
    fn copy(
        &mut self,
        shared: &Shared,
        at: Address,
        hash: KeyHash,
        record: Record<'_>,
        locked: &mut Locked<'_>,
    ) -> bool {
        let words = words_of(locked.value_bytes());
        let log = &shared.log;
        let mut copy: Option<Address> = None;
        loop {
            // As long as the record is locked and live, its tag keeps its entry.
            let found = shared.index.find(hash).expect("a live record has an entry");
            let head = found.entry.address();
            // Addresses fall along every chain, so a chain cut at the begin loses nothing that
            // lives. A copy older than what it would be linked to is of no use.
            let to = match copy.filter(|&to| to > head) {
                Some(to) => to,
                None => {
                    if let Some(useless) = copy.take() {
                        log.record(useless).abandon();
                    }
                    let Some(reserved) = log.reserve_for_compaction(words) else { return false };
                    log.record(reserved.at).write_copy(locked);
                    copy = Some(reserved.at);
                    reserved.at
                }
            };
            let previous = if head == at { record.previous() } else { head };
            log.record(to).set_previous(previous);
            if found.replace(to) {
                break;
            }
        }
        locked.set_state(State::Dead);
        self.counts.trimmed_bytes += (locked.extent_words() - words) * WORD_BYTES as u64;
        self.counts.copied_records += 1;
        self.counts.copied_bytes += words * WORD_BYTES as u64;
        true
    }
}
