//! The logs: circular, in persistent memory, each with one writer at a time and one gleaner.
//!
//! ```text
//! head ≤ done ≤ published ≤ tail
//! ```
//!
//! *Head* and *tail* persist. All before *done* is reflected by the back table, or by newer records.
//! A gleaner reads up to *published*, which follows the tail once the key's pair names the record
//! (B1). Between done and head the space is not reclaimed yet.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | BULLET-PUBLISH | `Log::publish` | `Log::published` | a gleaner sees the record, and the pair that names it |
//! | BULLET-HEAD | `Log::set_head` | `Log::head` | a writer reuses space after it was reclaimed for good |
//! | BULLET-OWNER | release of owner or gleaner | the next one's claim | it continues where the last stopped |

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::padded::Padded;
use platform::persist::{LINE_WORDS, Region};

use crate::layout::Layout;
use crate::record::{Reference, Ring};

/// One log.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) number: u64,
    pub(crate) ring: Ring,
    head_at: u64,
    head: Padded<AtomicU64>,
    published: Padded<AtomicU64>,
    writer: Padded<Writer>,
    gleaner: Padded<Gleaner>,
}

/// What the writer changes: on lines of its own, as what the gleaner changes is.
#[derive(Debug)]
struct Writer {
    tail: AtomicU64,
    owned: AtomicBool,
}

#[derive(Debug)]
struct Gleaner {
    done: AtomicU64,
    gleaned: AtomicBool,
}

impl Log {
    /// The log as it is in the region.
    pub(crate) fn of(region: &Region, layout: &Layout, number: u64) -> Self {
        let head_at = layout.log_state_at(number);
        let (head, tail) = Self::bounds(region, layout, number);
        Self {
            number,
            ring: Ring::of(layout, number),
            head_at,
            head: Padded(head.into()),
            published: Padded(tail.into()),
            writer: Padded(Writer { tail: tail.into(), owned: false.into() }),
            gleaner: Padded(Gleaner { done: head.into(), gleaned: false.into() }),
        }
    }

    /// Its persistent head and tail.
    pub(crate) fn bounds(region: &Region, layout: &Layout, number: u64) -> (u64, u64) {
        let head_at = layout.log_state_at(number);
        (region.load(head_at), region.load(head_at + LINE_WORDS))
    }

    pub(crate) fn head(&self) -> u64 {
        // BULLET-HEAD, to: the head is durable, and what was applied before it.
        self.head.load(Ordering::Acquire)
    }

    pub(crate) fn done(&self) -> u64 {
        // Acquire: pairs with the release in `set_done`.
        self.gleaner.done.load(Ordering::Acquire)
    }

    pub(crate) fn set_done(&self, place: u64) {
        // Release: what is before the place has been applied.
        self.gleaner.done.store(place, Ordering::Release);
    }

    pub(crate) fn published(&self) -> u64 {
        // BULLET-PUBLISH, to: the record, and the pair's name of it.
        self.published.load(Ordering::Acquire)
    }

    /// The durable tail, its writer's.
    pub(crate) fn tail(&self) -> u64 {
        // Relaxed: only its writer needs it exact.
        self.writer.tail.load(Ordering::Relaxed)
    }

    /// Words that its writer may append.
    pub(crate) fn room(&self) -> u64 {
        self.ring.words - (self.tail() - self.head())
    }

    /// Words that are not gleaned yet.
    pub(crate) fn backlog(&self) -> u64 {
        let done = self.done();
        self.published().saturating_sub(done)
    }

    /// Where the next record goes.
    pub(crate) fn next(&self) -> Reference {
        Reference::new(self.number, self.tail())
    }

    /// Writes a record at the tail and makes it durable: the first barrier of a put.
    pub(crate) fn write(&self, region: &Region, record: &[u64]) {
        self.ring.write(region, self.tail(), record);
        region.fence();
    }

    /// Moves the tail behind the record, durably: the second barrier, after which it counts.
    pub(crate) fn commit(&self, region: &Region, words: u64) {
        let tail = self.tail() + words;
        let at = self.head_at + LINE_WORDS;
        region.store(at, tail);
        region.flush(at, 1);
        region.fence();
        // Relaxed: as for loads.
        self.writer.tail.store(tail, Ordering::Relaxed);
    }

    /// Lets gleaners have what was committed. The pair names the newest record.
    pub(crate) fn publish(&self) {
        // BULLET-PUBLISH, from: the record, and the pair's name of it.
        self.published.store(self.tail(), Ordering::Release);
    }

    /// Stores a new head, which is durable with the next fence.
    pub(crate) fn store_head(&self, region: &Region, head: u64) {
        region.store(self.head_at, head);
        region.flush(self.head_at, 1);
    }

    /// Lets writers have the space before a durable head.
    pub(crate) fn set_head(&self, head: u64) {
        // BULLET-HEAD, from: the fence of the persistent head.
        self.head.store(head, Ordering::Release);
    }

    /// Becomes its writer, if it has none.
    pub(crate) fn claim(&self) -> bool {
        // BULLET-OWNER, to: what the last writer appended.
        !self.writer.owned.load(Ordering::Relaxed)
            && !self.writer.owned.swap(true, Ordering::Acquire)
    }

    pub(crate) fn disown(&self) {
        // BULLET-OWNER, from: what this writer appended.
        self.writer.owned.store(false, Ordering::Release);
    }

    pub(crate) fn is_owned(&self) -> bool {
        // Relaxed: only looks.
        self.writer.owned.load(Ordering::Relaxed)
    }

    /// Becomes its gleaner until the claim is dropped, if it has none.
    pub(crate) fn glean(&self) -> Option<Gleaning<'_>> {
        // BULLET-OWNER, to: how far the last gleaner came.
        let free = !self.gleaner.gleaned.load(Ordering::Relaxed)
            && !self.gleaner.gleaned.swap(true, Ordering::Acquire);
        free.then_some(Gleaning(self))
    }
}

/// The right to glean a log.
#[derive(Debug)]
pub(crate) struct Gleaning<'a>(&'a Log);

impl Drop for Gleaning<'_> {
    fn drop(&mut self) {
        // BULLET-OWNER, from: how far this gleaner came.
        self.0.gleaner.gleaned.store(false, Ordering::Release);
    }
}
