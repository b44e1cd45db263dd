//! The log: a ring of memory whose records are appended at the tail and given up at the begin.
//!
//! ```text
//!  head     begin             read-only                 tail      limit        head + ring
//!   ├─────────┼──────────────────┼────────────────────────┼──────────┼──────────────┤
//!   │ to be   │ read-only:       │ mutable: overwritten   │ free     │ reserve of   │
//!   │ freed   │ copied to the    │ in place               │          │ compaction   │
//!   │         │ tail             │                        │          │              │
//! ```
//!
//! *Begin* is where chains end; *head* follows it when nobody reads below any more. *Read-only*
//! follows the tail, page by page, at the distance that the setting says. *Limit* is how far
//! sessions may append. Compaction may use the rest.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | HLOG-TAIL | `Log::reserve_up_to`, RMW | `Log::tail` | who reserved below is in its slot, or has left it |
//! | HLOG-BEGIN | `Log::set_begin` | `Log::begin` | who sees the begin moved finds the entries changed |
//! | HLOG-REUSE | `Log::free_below` | `Log::limit` | the last reads of memory come before it is written again |

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use kit::padded::Padded;
use platform::Pages;
use platform::racy::{WORD_BYTES, Words};

use crate::address::{Address, Ring};
use crate::config::Sizes;
use crate::record::{HEADER_WORDS, Record, gap, gap_words};

const LINE_WORDS: usize = 64 / WORD_BYTES;
/// How many lines of a record are prefetched before its length is known.
const LINES_BLIND: usize = 2;
/// How many lines of a record are prefetched: those of 1 KiB at any alignment. For longer ones the
/// processor's own prefetchers take over.
const LINES_AHEAD: usize = 17;

/// See the module.
#[derive(Debug)]
pub(crate) struct Log {
    words: Words,
    ring: Ring,
    page_words: u64,
    /// Words behind the tail that are mutable; `None` if none are.
    mutable_words: Option<u64>,
    reserve_words: u64,
    tail: Padded<AtomicU64>,
    marks: Padded<Marks>,
}

/// Addresses that change once in a page, and are read by every operation.
#[derive(Debug)]
struct Marks {
    begin: AtomicU64,
    /// Addresses from here on are mutable; not an address if none ever are.
    read_only: AtomicU64,
    limit: AtomicU64,
    /// Only compaction reads it to append; others for the census.
    head: AtomicU64,
}

/// Reserved words, not yet written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserved {
    pub(crate) at: Address,
    /// Whether the tail has come to another page.
    pub(crate) turns_page: bool,
}

impl Log {
    pub(crate) fn map(sizes: &Sizes, pages: Pages, resident: bool) -> io::Result<Self> {
        let Sizes { ring_words, page_words, mutable_words, reserve_words, .. } = *sizes;
        let length = usize::try_from(ring_words).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let ring = Ring::new(ring_words);
        let first = ring.first().word();
        let read_only = if mutable_words.is_some() { first } else { u64::MAX };
        let limit = ring.at(ring.position(ring.first()) + ring_words - reserve_words);
        Ok(Self {
            words: Words::map(length, pages, resident)?,
            ring,
            page_words,
            mutable_words,
            reserve_words,
            tail: Padded(AtomicU64::new(first)),
            marks: Padded(Marks {
                begin: AtomicU64::new(first),
                read_only: AtomicU64::new(read_only),
                limit: AtomicU64::new(limit.word()),
                head: AtomicU64::new(first),
            }),
        })
    }

    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    pub(crate) fn ring(&self) -> Ring {
        self.ring
    }

    /// Where chains end. Read before the entry, so that a record that is no longer found was
    /// moved before the entry was read.
    #[inline]
    pub(crate) fn begin(&self) -> Address {
        // HLOG-BEGIN, to: what was below has moved, and entries lead to where it is.
        Address::from_word(self.marks.begin.load(Ordering::Acquire))
    }

    /// Gives up everything below an address. What lived there has moved.
    pub(crate) fn set_begin(&self, begin: Address) {
        // HLOG-BEGIN, from: the entries were exchanged before.
        self.marks.begin.store(begin.word(), Ordering::Release);
    }

    /// The end of the log.
    pub(crate) fn tail(&self) -> Address {
        // HLOG-TAIL, to: see `epoch`.
        let tail = Address::from_word(self.tail.load(Ordering::Acquire));
        self.ring.canonical(tail)
    }

    fn head(&self) -> Address {
        // Relaxed: only compaction changes it, and only one compacts at a time.
        Address::from_word(self.marks.head.load(Ordering::Relaxed))
    }

    #[inline]
    fn limit(&self) -> Address {
        // HLOG-REUSE, to: nobody reads what is below the head any more.
        Address::from_word(self.marks.limit.load(Ordering::Acquire))
    }

    /// Whether records at an address are overwritten in place.
    #[inline]
    pub(crate) fn is_mutable(&self, at: Address) -> bool {
        // Relaxed: it decides where an update is made; the record's lock decides the rest.
        at.word() >= self.marks.read_only.load(Ordering::Relaxed)
    }

    /// Words between head and tail.
    pub(crate) fn used_words(&self) -> u64 {
        // Two moments: while sessions append, the head may be a later one.
        let tail = self.ring.position(self.tail());
        tail.saturating_sub(self.ring.position(self.head()))
    }

    /// Words that sessions may still append.
    pub(crate) fn room_words(&self) -> u64 {
        let tail = self.ring.position(self.tail());
        self.ring.position(self.limit()).saturating_sub(tail)
    }

    /// Whether sessions may append `words` words.
    pub(crate) fn has_room(&self, words: u64) -> bool {
        self.ring.fit(self.tail(), words).1 <= self.limit()
    }

    /// Reserves words for a session; `None` if there is no room.
    #[inline]
    pub(crate) fn reserve(&self, words: u64) -> Option<Reserved> {
        self.reserve_up_to(self.limit(), words)
    }

    /// Reserves words for compaction, which may use the whole ring.
    pub(crate) fn reserve_for_compaction(&self, words: u64) -> Option<Reserved> {
        let end = self.ring.at(self.ring.position(self.head()) + self.ring.words());
        self.reserve_up_to(end, words)
    }

    #[inline]
    fn reserve_up_to(&self, limit: Address, words: u64) -> Option<Reserved> {
        // Relaxed: the exchange confirms it.
        let mut tail = self.tail.load(Ordering::Relaxed);
        loop {
            let before = Address::from_word(tail);
            let (at, after) = self.ring.fit(before, words);
            if after > limit {
                return None;
            }
            // HLOG-TAIL, from: the operation is announced. Relaxed on failure: it is tried again.
            let exchanged = self.tail.compare_exchange_weak(
                tail,
                after.word(),
                Ordering::Release,
                Ordering::Relaxed,
            );
            match exchanged {
                Ok(_) => {
                    if at != before {
                        self.skip_to_end(before);
                    }
                    let turns_page = (before.word() ^ after.word()) >= self.page_words;
                    if turns_page {
                        self.shift_read_only(after);
                    }
                    return Some(Reserved { at, turns_page });
                }
                Err(now) => tail = now,
            }
        }
    }

    /// Marks the words up to the ring's end as a gap.
    #[cold]
    fn skip_to_end(&self, from: Address) {
        let place = self.ring.place(from);
        let words = self.ring.words() - place as u64;
        if words > 0 {
            // Relaxed: as a record; see HLOG-TAIL.
            self.words.all()[place].store(gap(words), Ordering::Relaxed);
        }
    }

    /// Lets the read-only region follow the tail.
    fn shift_read_only(&self, tail: Address) {
        if let Some(words) = self.mutable_words {
            let read_only = self.ring.at(self.ring.position(tail) - words);
            // Relaxed: see `is_mutable`.
            self.marks.read_only.fetch_max(read_only.word(), Ordering::Relaxed);
        }
    }

    /// Lets sessions append over everything below an address. Nobody reads there any more.
    pub(crate) fn free_below(&self, head: Address) {
        // Relaxed: see `head`.
        self.marks.head.store(head.word(), Ordering::Relaxed);
        let end = self.ring.position(head) + self.ring.words();
        let limit = self.ring.at(end - self.reserve_words);
        // HLOG-REUSE, from: readers of that memory have left.
        self.marks.limit.store(limit.word(), Ordering::Release);
    }

    /// The address one page behind another.
    pub(crate) fn page_behind(&self, at: Address) -> Address {
        self.ring.at(self.ring.position(at) + self.page_words)
    }

    /// The record at the address of one.
    #[inline]
    pub(crate) fn record(&self, at: Address) -> Record<'_> {
        Record::at(self.words.all(), self.ring.place(at)).expect("an address of a record")
    }

    /// What begins at an address below which everything is written: a record, or a gap. Also tells
    /// where the next one begins.
    pub(crate) fn piece(&self, at: Address) -> (Option<Record<'_>>, Address) {
        // Relaxed: who wrote it has left; see HLOG-LEAVE.
        let word = self.words.all()[self.ring.place(at)].load(Ordering::Relaxed);
        if let Some(words) = gap_words(word) {
            return (None, self.ring.behind(at, words));
        }
        let record = self.record(at);
        let extent_words = record.standing().extent_words;
        (Some(record), self.ring.behind(at, extent_words))
    }

    /// The newest record of a key in the chain that begins at `at`.
    #[inline]
    pub(crate) fn search(
        &self,
        mut at: Address,
        key: u64,
        begin: Address,
    ) -> Option<(Address, Record<'_>)> {
        while at >= begin {
            self.prefetch(at);
            let record = self.record(at);
            if record.key() == key {
                return Some((at, record));
            }
            at = record.previous();
        }
        None
    }

    /// Prefetches the first lines of a record.
    #[inline]
    pub(crate) fn prefetch(&self, at: Address) {
        let place = self.ring.place(at);
        (0..LINES_BLIND).for_each(|line| self.words.prefetch(place + line * LINE_WORDS));
    }

    /// Prefetches the further lines of a record whose value is so long.
    #[inline]
    pub(crate) fn prefetch_rest(&self, at: Address, value_bytes: usize) {
        let words = HEADER_WORDS + value_bytes.div_ceil(WORD_BYTES);
        if words > LINES_BLIND * LINE_WORDS {
            self.prefetch_long(self.ring.place(at), words);
        }
    }

    /// A separate function, so that operations on short records stay short.
    #[inline(never)]
    fn prefetch_long(&self, place: usize, words: usize) {
        const BLIND_WORDS: usize = LINES_BLIND * LINE_WORDS;
        let lines_max = LINES_AHEAD - LINES_BLIND;
        self.words.prefetch_lines(place + BLIND_WORDS, words - BLIND_WORDS, lines_max);
    }

    /// The same for a record that may have gone meanwhile: a guess at its length does no harm.
    #[inline]
    pub(crate) fn prefetch_rest_of(&self, at: Address) {
        if let Some(record) = Record::at(self.words.all(), self.ring.place(at)) {
            self.prefetch_rest(at, record.guard().value_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
