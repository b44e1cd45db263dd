//! What the store asks of a map, and what it offers one.

use std::fmt;

use engine::{Hashing, OpenError, ScanEntry};

use crate::bound::Bound;
use crate::config::Config;
use crate::raw::{Row, RowRef, Rows};

/// Bytes a key counts for in the bound.
pub(crate) const KEY_BYTES: u64 = 8;

/// A concurrent map from keys to rows, which it owns.
pub trait Map: Sized + Send + Sync + fmt::Debug + 'static {
    /// The store's name.
    const NAME: &'static str;
    /// The store's one line.
    const DESCRIPTION: &'static str;
    /// Whether it scans.
    const ORDERED: bool = false;
    /// Whether operations need a guard, which a batch then takes once.
    const GUARDS: bool = false;
    /// Where keys are hashed.
    const HASHING: Hashing = Hashing::Store;

    /// What a thread registers with the map.
    type Thread: fmt::Debug;
    /// What keeps rows that are read from being freed. Made, and so dropped, on threads that
    /// have announced themselves to the heap: the end of a guard may free rows.
    type Guard<'a>
    where
        Self: 'a;

    /// An empty map.
    fn open(config: &Config) -> Result<Self, OpenError>;

    /// Registers the calling thread.
    fn thread(&self) -> Self::Thread;

    /// Begins an operation, or a batch.
    fn guard<'a>(&'a self, thread: &'a Self::Thread) -> Self::Guard<'a>;

    /// Lets rows go that nobody reads any more, as far as this thread can.
    fn reclaim(&self, guard: &mut Self::Guard<'_>) {
        let _ = guard;
    }

    /// Gives table memory back that is not needed.
    fn shrink(&self) {}

    /// Reads the value of `key`.
    fn get<R>(&self, key: u64, guard: &Self::Guard<'_>, read: impl FnOnce(&[u8]) -> R)
    -> Option<R>;

    /// Puts the row that is offered for what is under `key` at that moment.
    fn put(&self, key: u64, offer: &mut Offer<'_>, guard: &Self::Guard<'_>) -> Placed;

    /// Removes `key` and gives the length of the value that this call, and no other, removed.
    fn remove(&self, key: u64, guard: &Self::Guard<'_>) -> Option<usize>;

    /// Every key and row, in order where the map is ordered. `visit` does not use the map.
    fn for_each(&self, guard: &Self::Guard<'_>, visit: impl FnMut(u64, RowRef<'_>));

    /// The first `limit` pairs from `first` upwards, where the map is ordered.
    fn scan(&self, first: u64, limit: usize, guard: &Self::Guard<'_>) -> Option<Vec<ScanEntry>> {
        let _ = (first, limit, guard);
        None
    }

    /// Entries by the map's own count.
    fn entries(&self) -> usize;

    /// Entries it can take before it grows, where it tells.
    fn capacity_entries(&self) -> Option<usize> {
        None
    }

    /// Its shards, where it has such.
    fn shards(&self) -> Option<usize> {
        None
    }
}

/// What became of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The key is new.
    Inserted,
    /// The row replaced one with a value of this length.
    Updated {
        /// Bytes of the old value.
        old_value_bytes: usize,
    },
    /// There was no room; the map is unchanged.
    Refused,
}

/// A row on its way into a map. Maps that retry may ask again, with what is there then: what was
/// paid for one answer counts for the next.
#[derive(Debug)]
pub struct Offer<'a> {
    rows: &'a Rows,
    bound: &'a Bound,
    value: &'a [u8],
    row: Option<Row>,
    paid_bytes: u64,
}

impl<'a> Offer<'a> {
    /// Offers `row`, which holds `value`.
    #[inline]
    pub(crate) fn new(rows: &'a Rows, bound: &'a Bound, value: &'a [u8], row: Row) -> Self {
        Self { rows, bound, value, row: Some(row), paid_bytes: 0 }
    }

    /// Whether the bound admits the row in place of `old`; pays for it. What is admitted in place
    /// of nothing is admitted in place of anything.
    #[inline]
    pub(crate) fn admits(&mut self, old: Option<RowRef<'_>>) -> bool {
        let old_bytes = old.map_or(0, |old| footprint_bytes(old.value_bytes()));
        let owed_bytes = footprint_bytes(self.value.len()).saturating_sub(old_bytes);
        let missing_bytes = owed_bytes.saturating_sub(self.paid_bytes);
        let paid = self.bound.pay(missing_bytes);
        if paid {
            self.paid_bytes += missing_bytes;
        }
        paid
    }

    /// The row to put in place of `old`; `None` when the bound does not admit it.
    ///
    /// A map that asks again without [`take_back`](Self::take_back) has dropped, or will drop, the
    /// row it had; it gets a copy, or nothing from a heap that is exhausted.
    #[inline]
    pub(crate) fn row_for(&mut self, old: Option<RowRef<'_>>) -> Option<Row> {
        if !self.admits(old) {
            return None;
        }
        self.row.take().or_else(|| self.rows.row(self.value))
    }

    /// The row was not used.
    pub(crate) fn take_back(&mut self, row: Row) {
        self.row = Some(row);
    }

    /// Ends the offer: what was paid too much, and what the old row had, is free again.
    #[inline]
    pub(crate) fn settle(self, placed: Placed) {
        let (gained_bytes, owed_bytes) = match placed {
            Placed::Inserted => (0, footprint_bytes(self.value.len())),
            Placed::Updated { old_value_bytes } => {
                (footprint_bytes(old_value_bytes), footprint_bytes(self.value.len()))
            }
            Placed::Refused => (0, 0),
        };
        self.bound.refund(self.paid_bytes + gained_bytes - owed_bytes);
    }
}

/// What a value and its key count for in the bound.
#[inline]
pub(crate) fn footprint_bytes(value_bytes: usize) -> u64 {
    value_bytes as u64 + KEY_BYTES
}
