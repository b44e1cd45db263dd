//! What the store requires of a map, and what it offers to one.

use std::fmt;

use engine::{Hashing, Keys, OpenError, Rmw, ScanRange, Scans};
use kit::key::{Key, Length};

use crate::bound::Bound;
use crate::config::Config;
use crate::raw::{Row, RowRef, Rows};

/// A key of a map as an operation is given it.
pub(crate) type Asked<'k, M> = <<M as Map>::Key as Key>::Asked<'k>;

/// A concurrent map from keys to rows, which it owns.
pub trait Map: Sized + Send + Sync + fmt::Debug + 'static {
    /// What leads to rows.
    type Key: Key;

    /// The store's name.
    const NAME: &'static str;
    /// The store's one-line description.
    const DESCRIPTION: &'static str;
    /// Keys for which the map can be compiled.
    const KEYS: Keys = Keys::Word;
    const SCANS: Scans = Scans::No;
    /// Whether operations need a guard; a batch then takes one for all its operations.
    const GUARDS: bool = false;
    /// Whether a program may be built without it.
    const MAY_BE_MISSING: bool = false;
    /// Where keys are hashed.
    const HASHING: Hashing = Hashing::Store;
    /// Whether `put` decides on the old row and puts the new one in one step, for all that is offered.
    const RMW: Rmw = Rmw::GetThenPut;

    /// What a thread registers with the map.
    type Thread: fmt::Debug;
    /// Keeps rows that are being read from being freed. It is created, and therefore dropped, on
    /// threads that have announced themselves to the heap, because the end of a guard may free
    /// rows.
    type Guard<'a>
    where
        Self: 'a;

    /// What this program lacks of it.
    #[must_use]
    fn lacking() -> Option<OpenError> {
        None
    }

    /// An empty map.
    fn open(config: &Config) -> Result<Self, OpenError>;

    /// Registers the calling thread.
    fn thread(&self) -> Self::Thread;

    /// Begins an operation, or a batch.
    fn guard<'a>(&'a self, thread: &'a Self::Thread) -> Self::Guard<'a>;

    /// Frees rows that are no longer read, as far as this thread can.
    fn reclaim(&self, guard: &mut Self::Guard<'_>) {
        let _ = guard;
    }

    /// Returns table memory that is not needed.
    fn shrink(&self) {}

    /// Reads the value of `key`.
    fn get<R>(
        &self,
        key: Asked<'_, Self>,
        guard: &Self::Guard<'_>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R>;

    /// Puts the offered row in place of whatever is under `key` at that moment.
    fn put(
        &self,
        key: Asked<'_, Self>,
        offer: &mut impl Offering,
        guard: &Self::Guard<'_>,
    ) -> Placed;

    /// Removes `key` and returns the length of the value that this call, and no other, removed.
    fn remove(&self, key: Asked<'_, Self>, guard: &Self::Guard<'_>) -> Option<usize>;

    /// Passes every key and row to `visit`, in order if the map is ordered. `visit` must not use
    /// the map.
    fn for_each(&self, guard: &Self::Guard<'_>, visit: impl FnMut(Asked<'_, Self>, RowRef<'_>));

    /// As [`engine::KvSession::scan`], in the orders that [`Self::SCANS`] names.
    fn scan(
        &self,
        range: ScanRange<Asked<'_, Self>>,
        guard: &Self::Guard<'_>,
        visit: &mut dyn FnMut(Asked<'_, Self>, &[u8]),
    ) -> Option<usize> {
        let _ = (range, guard, visit);
        None
    }

    /// Number of entries by the map's own count.
    fn entries(&self) -> usize;

    /// Number of entries it can take before it grows, if it tells.
    fn capacity_entries(&self) -> Option<usize> {
        None
    }

    /// Its number of shards, if it has shards.
    fn shards(&self) -> Option<usize> {
        None
    }
}

/// The outcome of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The key is new.
    Inserted,
    /// The row replaced one with a value of this length.
    Updated { old_value_bytes: usize },
    /// There was no room; the map is unchanged.
    Refused,
}

/// A row on its way into a map, as the map sees it.
pub trait Offering {
    /// Whether the bound admits the row in place of `old`; pays for it. If a row fits with no old
    /// row to replace, it fits in every case.
    fn admits(&mut self, old: Option<RowRef<'_>>) -> bool;

    /// The row to put in place of `old`; `None` if it must not be put.
    ///
    /// A map that asks again without [`take_back`](Self::take_back) has dropped, or will drop, the
    /// previous row; it gets a copy, or `None` if the heap is exhausted.
    fn row_for(&mut self, old: Option<RowRef<'_>>) -> Option<Row>;

    /// A copy of the row that stays, for a map that must put a row. It takes the place of the
    /// offered row, which is longer, for otherwise the bound would have admitted it.
    ///
    /// # Panics
    /// If the heap has no block for it, after it got a longer one back.
    fn copy_instead(&mut self, stays: RowRef<'_>) -> Row;

    /// Takes back a row that was not used.
    fn take_back(&mut self, row: Row);
}

/// A row with a given value. A map that retries may ask again with what it finds then; what was
/// paid for one answer counts towards the next.
#[derive(Debug)]
pub(crate) struct Offer<'a, L> {
    rows: &'a Rows,
    bound: &'a Bound,
    key: L,
    value: &'a [u8],
    row: Option<Row>,
    paid_bytes: u64,
}

impl<'a, L: Length> Offer<'a, L> {
    /// Offers `row`, which holds `value`, for a key of this length.
    #[inline]
    pub(crate) fn new(
        (rows, bound): (&'a Rows, &'a Bound),
        key: L,
        value: &'a [u8],
        row: Row,
    ) -> Self {
        Self { rows, bound, key, value, row: Some(row), paid_bytes: 0 }
    }

    /// Ends the offer: frees the overpaid credit and the credit of the old row.
    #[inline]
    pub(crate) fn settle(self, placed: Placed) {
        settle(self.bound, self.paid_bytes, (self.key, self.value.len()), placed);
    }
}

impl<L: Length> Offering for Offer<'_, L> {
    #[inline]
    fn admits(&mut self, old: Option<RowRef<'_>>) -> bool {
        pay(self.bound, &mut self.paid_bytes, (self.key, self.value.len()), old)
    }

    #[inline]
    fn row_for(&mut self, old: Option<RowRef<'_>>) -> Option<Row> {
        if !self.admits(old) {
            return None;
        }
        self.row.take().or_else(|| self.rows.row(self.value))
    }

    #[cold]
    fn copy_instead(&mut self, stays: RowRef<'_>) -> Row {
        self.row = None;
        let copy = self.rows.row(stays.value());
        copy.expect("a heap with room for a row has room for a shorter one")
    }

    fn take_back(&mut self, row: Row) {
        self.row = Some(row);
    }
}

/// Whether the bound admits a value and its key in place of `old`, after `paid_bytes` were paid for it; pays the rest.
#[inline]
pub(crate) fn pay(
    bound: &Bound,
    paid_bytes: &mut u64,
    (key, value_bytes): (impl Length, usize),
    old: Option<RowRef<'_>>,
) -> bool {
    let old_bytes = old.map_or(0, |old| footprint_bytes(key, old.value_bytes()));
    let owed_bytes = footprint_bytes(key, value_bytes).saturating_sub(old_bytes);
    let missing_bytes = owed_bytes.saturating_sub(*paid_bytes);
    let paid = bound.pay(missing_bytes);
    if paid {
        *paid_bytes += missing_bytes;
    }
    paid
}

/// Frees what was paid too much for a value of `value_bytes`, and the credit of the row it replaced.
#[inline]
pub(crate) fn settle(
    bound: &Bound,
    paid_bytes: u64,
    (key, value_bytes): (impl Length, usize),
    placed: Placed,
) {
    let (gained_bytes, owed_bytes) = match placed {
        Placed::Inserted => (0, footprint_bytes(key, value_bytes)),
        Placed::Updated { old_value_bytes } => {
            (footprint_bytes(key, old_value_bytes), footprint_bytes(key, value_bytes))
        }
        Placed::Refused => (0, 0),
    };
    bound.refund(paid_bytes + gained_bytes - owed_bytes);
}

/// What a value and its key count for in the bound.
#[inline]
pub(crate) fn footprint_bytes(key: impl Length, value_bytes: usize) -> u64 {
    value_bytes as u64 + key.bytes()
}
