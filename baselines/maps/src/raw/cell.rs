//! Cells: each skip-list entry holds its row in a cell, so that an update replaces the row without
//! removing the key.
//!
//! The list's own `insert` removes an old entry before it adds the new one. In between, a reader
//! finds nothing, and two concurrent removals may both claim the old entry. A cell changes by
//! compare-and-swap, which exactly one thread wins:
//!
//! ```text
//! Empty ──put──▶ Holds ──put──▶ Holds (another row)
//!                  └──remove──▶ Dead, for ever; the entry is then taken out of the list
//! ```
//!
//! A row that left its cell is freed when no guard is left that may have seen it. Every guard used
//! here was also passed to the list to find the entry, and the list asserts that the guard belongs
//! to its own collector.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use crossbeam_epoch::Guard;
use crossbeam_skiplist::base::{Entry, SkipList};

use kit::key::Key;

use super::{Row, RowRef, free_after_readers};
use crate::map::{Offering, Placed};

/// The list; only this file reads and writes its cells.
pub(crate) type List<K> = SkipList<K, RowCell>;

/// The address of a row's block, or one of two values that no block has.
///
/// | word | state |
/// |---|---|
/// | 0 | `Empty` |
/// | 1 | `Dead` |
/// | other, a multiple of 8 | `Holds` |
#[derive(Debug)]
pub(crate) struct RowCell(AtomicPtr<u8>);

const EMPTY: *mut u8 = ptr::null_mut();
const DEAD: *mut u8 = ptr::without_provenance_mut(1);
const _: () = assert!(size_of::<RowCell>() == size_of::<Row>());

#[derive(Clone, Copy, Debug)]
enum State {
    /// The entry is new; its key has no row.
    Empty,
    /// The key has a row.
    Holds(NonNull<u8>),
    /// The row was removed; the entry will be too.
    Dead,
}

impl State {
    fn of(word: *mut u8) -> Self {
        match NonNull::new(word) {
            None => Self::Empty,
            Some(_) if word == DEAD => Self::Dead,
            Some(start) => Self::Holds(start),
        }
    }
}

/// The row of an entry, if it has one.
#[inline]
pub(crate) fn view<'guard, K>(entry: &Entry<'_, 'guard, K, RowCell>) -> Option<RowRef<'guard>> {
    // CELL-ROW, to: the row's length and value.
    let State::Holds(start) = State::of(entry.value().0.load(Ordering::Acquire)) else {
        return None;
    };
    // The entry's guard keeps the row alive: the row is freed only after every guard that existed
    // when it left the cell.
    Some(RowRef { start, row: PhantomData })
}

/// Puts an offered row under `key`.
pub(crate) fn put<K: Key>(
    list: &List<K>,
    key: K::Asked<'_>,
    offer: &mut impl Offering,
    guard: &Guard,
) -> Placed {
    loop {
        // One search serves both new and old keys if the bound admits a new key.
        if offer.admits(None) {
            // Whoever creates an entry, any thread that finds it may fill it.
            let entry = list.get_or_insert(K::owned(key), RowCell(AtomicPtr::new(EMPTY)), guard);
            let placed = entry.value().put(offer, guard);
            if placed.is_none() {
                // Helps the thread that removed the row, so that the key can get a new entry.
                entry.remove(guard);
            }
            entry.release(guard);
            if let Some(placed) = placed {
                return placed;
            }
        } else {
            let Some(entry) = list.get(K::compared(&key), guard) else { return Placed::Refused };
            if let Some(placed) = entry.value().put(offer, guard) {
                return placed;
            }
            entry.remove();
        }
    }
}

/// Removes `key` and its row; returns the size of the value.
pub(crate) fn remove<K: Key>(list: &List<K>, key: K::Asked<'_>, guard: &Guard) -> Option<usize> {
    let entry = list.get(K::compared(&key), guard)?;
    let value_bytes = entry.value().kill(guard)?;
    entry.remove();
    Some(value_bytes)
}

impl RowCell {
    /// `None` if the cell is dead. `guard` must be the one its entry was found with.
    fn put(&self, offer: &mut impl Offering, guard: &Guard) -> Option<Placed> {
        // CELL-ROW, to: the row's length.
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let old = match State::of(word) {
                State::Dead => return None,
                State::Empty => None,
                // The guard keeps the row alive.
                State::Holds(start) => Some(RowRef { start, row: PhantomData }),
            };
            let Some(row) = offer.row_for(old) else { return Some(Placed::Refused) };
            let new = row.into_block();
            match self.exchange(word, new.as_ptr()) {
                Ok(()) => {
                    let Some(old) = old else { return Some(Placed::Inserted) };
                    let old_value_bytes = old.value_bytes();
                    free_after_readers(old.start, guard);
                    return Some(Placed::Updated { old_value_bytes });
                }
                Err(found) => {
                    // SAFETY: it did not get into the cell, so it is a row once.
                    offer.take_back(unsafe { Row::from_block(new) });
                    word = found;
                }
            }
        }
    }

    /// Takes the row out for good; `None` if another thread did, or there is none.
    fn kill(&self, guard: &Guard) -> Option<usize> {
        // CELL-ROW, to: the row's length.
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let State::Holds(start) = State::of(word) else { return None };
            let value_bytes = RowRef { start, row: PhantomData }.value_bytes();
            match self.exchange(word, DEAD) {
                Ok(()) => {
                    free_after_readers(start, guard);
                    return Some(value_bytes);
                }
                Err(found) => word = found,
            }
        }
    }

    fn exchange(&self, seen: *mut u8, new: *mut u8) -> Result<(), *mut u8> {
        // CELL-ROW, from: the row's length and value.
        // CELL-ROW, to: those of the row that came first, on failure.
        self.0.compare_exchange(seen, new, Ordering::Release, Ordering::Acquire).map(|_| ())
    }
}

impl Drop for RowCell {
    fn drop(&mut self) {
        if let State::Holds(start) = State::of(*self.0.get_mut()) {
            // SAFETY: the cell held it, and is gone.
            drop(unsafe { Row::from_block(start) });
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_epoch::Collector;

    use super::*;
    use crate::bound::Bound;
    use crate::map::Offer;
    use crate::raw::Rows;
    use engine::ThreadUse;
    use kit::key::EightBytes;
    use kit::testing::TestHeap;

    /// A list whose entry under key 1 is in the state that another thread has left it in.
    fn with_entry(word: *mut u8, test: impl FnOnce(&List<u64>, &Rows, &Guard)) {
        let heap: &TestHeap = TestHeap::leaked();
        let _use = ThreadUse::of(heap);
        let collector = Collector::new();
        let (rows, list) = (Rows::new(heap), List::<u64>::new(collector.clone()));
        let thread = collector.register();
        {
            let guard = thread.pin();
            list.get_or_insert(1, RowCell(AtomicPtr::new(word)), &guard).release(&guard);
            let entry = list.get(&1, &guard).unwrap();
            assert!(view(&entry).is_none(), "it has no row");
            assert_eq!(remove(&list, 1, &guard), None);
            test(&list, &rows, &guard);
        }
        drop((list, collector, thread));
        let totals = rows.ledger().totals();
        assert_eq!(totals.rows_freed, totals.rows_allocated);
        assert_eq!(heap.allocated_bytes(), 0);
    }

    fn put_value(list: &List<u64>, rows: &Rows, bound_bytes: u64, guard: &Guard) -> Placed {
        let bound = Bound::new(Some(bound_bytes));
        let mut offer =
            Offer::new((rows, &bound), EightBytes, b"value", rows.row(b"value").unwrap());
        let placed = put(list, 1, &mut offer, guard);
        offer.settle(placed);
        let live_bytes = if placed == Placed::Refused { 0 } else { 5 + 8 };
        assert_eq!(bound.unfilled_bytes(), bound_bytes - live_bytes);
        placed
    }

    #[test]
    fn a_dead_entry_makes_way_for_a_new_one() {
        with_entry(DEAD, |list, rows, guard| {
            assert_eq!(put_value(list, rows, 100, guard), Placed::Inserted);
            assert_eq!(list.len(), 1);
            let entry = list.get(&1, guard).unwrap();
            assert_eq!(view(&entry).unwrap().value(), b"value");
            assert_eq!(remove(list, 1, guard), Some(5));
            assert!(list.is_empty());
            assert_eq!(view(&entry).map(RowRef::value_bytes), None, "it is dead now");
        });
    }

    #[test]
    fn a_new_entry_of_another_thread_is_filled() {
        with_entry(EMPTY, |list, rows, guard| {
            assert_eq!(put_value(list, rows, 100, guard), Placed::Inserted);
            assert_eq!(list.len(), 1);
        });
    }

    #[test]
    fn what_the_bound_does_not_admit_goes_into_no_entry() {
        with_entry(DEAD, |list, rows, guard| {
            assert_eq!(put_value(list, rows, 12, guard), Placed::Refused);
            assert!(list.is_empty(), "the dead entry is gone nevertheless");
            assert_eq!(put_value(list, rows, 12, guard), Placed::Refused);
        });
        with_entry(EMPTY, |list, rows, guard| {
            assert_eq!(put_value(list, rows, 12, guard), Placed::Refused);
        });
    }
}
