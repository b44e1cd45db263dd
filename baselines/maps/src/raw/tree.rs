//! Rows in a radix tree that maps words to words: the word of a key is the address of its row's
//! block.
//!
//! The tree copies words out and drops none, so this file keeps who owns what. A word in the tree
//! is a row that belongs to the tree. Whoever gets it back from an update or a removal, which only
//! one thread does, frees it when no guard is left that may have seen it.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use congee::{Congee, DefaultAllocator};
use crossbeam_epoch::{Collector, Guard, LocalHandle};

use super::{Row, RowRef, free_after_readers};
use crate::map::{Offering, Placed};

/// How many pairs a walk copies at a time.
const PAIRS: usize = 512;
// A key takes one word of the tree.
const _: () = assert!(size_of::<usize>() == size_of::<u64>());

/// The tree, and the collector to which all of its guards belong.
pub(crate) struct Tree {
    /// Dropping it drops every row in it.
    words: Congee<usize, usize>,
    collector: Collector,
}

impl fmt::Debug for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tree").finish_non_exhaustive()
    }
}

impl Tree {
    pub(crate) fn new() -> Self {
        // SAFETY: the tree owned the row, and is gone.
        let drop_row = |_, word| drop(unsafe { Row::from_block(block(word)) });
        Self {
            words: Congee::new_with_drainer(DefaultAllocator {}, drop_row),
            collector: Collector::new(),
        }
    }

    pub(crate) fn register(&self) -> LocalHandle {
        self.collector.register()
    }

    /// A guard of another collector would keep nothing alive.
    #[inline]
    fn check(&self, guard: &Guard) {
        assert!(guard.collector() == Some(&self.collector), "a guard of another tree");
    }

    #[inline]
    pub(crate) fn get<'guard>(&self, key: u64, guard: &'guard Guard) -> Option<RowRef<'guard>> {
        self.check(guard);
        self.words.get(&(key as usize), guard).map(|word| view(word, guard))
    }

    /// Puts an offered row under `key`.
    #[inline]
    pub(crate) fn put(&self, key: u64, offer: &mut impl Offering, guard: &Guard) -> Placed {
        self.check(guard);
        if !offer.admits(None) {
            return self.replace(key, offer, guard);
        }
        let Some(row) = offer.row_for(None) else { return Placed::Refused };
        let new = row.into_block();
        match self.words.insert(key as usize, word(new), guard) {
            Ok(None) => Placed::Inserted,
            Ok(Some(old)) => updated(old, guard),
            Err(_) => {
                // SAFETY: it did not get into the tree, so it is a row once.
                offer.take_back(unsafe { Row::from_block(new) });
                Placed::Refused
            }
        }
    }

    /// Puts an offered row in place of a row, if the bound admits it there.
    #[cold]
    fn replace(&self, key: u64, offer: &mut impl Offering, guard: &Guard) -> Placed {
        let mut tried = None;
        // The tree asks again when another thread was faster.
        let decide = |old| {
            take_back(&mut tried, offer);
            tried = offer.row_for(Some(view(old, guard))).map(Row::into_block);
            Some(tried.map_or(old, word))
        };
        match self.words.compute_if_present(&(key as usize), decide, guard) {
            Some((old, Some(new))) if tried.map(word) == Some(new) => updated(old, guard),
            _ => {
                take_back(&mut tried, offer);
                Placed::Refused
            }
        }
    }

    /// Removes `key` and its row; returns the size of the value.
    #[inline]
    pub(crate) fn remove(&self, key: u64, guard: &Guard) -> Option<usize> {
        self.check(guard);
        let old = self.words.remove(&(key as usize), guard)?;
        let value_bytes = view(old, guard).value_bytes();
        free_after_readers(block(old), guard);
        Some(value_bytes)
    }

    /// Passes keys and rows from `first` upwards to `visit`, in order, until it answers `false`.
    pub(crate) fn walk<'guard>(
        &self,
        first: u64,
        guard: &'guard Guard,
        mut visit: impl FnMut(u64, RowRef<'guard>) -> bool,
    ) {
        self.check(guard);
        let mut pairs = [(0, 0); PAIRS];
        let mut from = first as usize;
        loop {
            let copied = self.words.range(&from, &usize::MAX, &mut pairs, guard);
            for &(key, word) in &pairs[..copied] {
                if !visit(key as u64, view(word, guard)) {
                    return;
                }
            }
            if copied < PAIRS {
                break;
            }
            from = pairs[PAIRS - 1].0 + 1;
        }
        // Ranges end before their last key.
        if let Some(row) = self.get(u64::MAX, guard) {
            visit(u64::MAX, row);
        }
    }

    /// The number of keys, by the tree's own list of them.
    #[cfg(test)]
    pub(crate) fn listed(&self) -> usize {
        self.words.keys().len()
    }
}

/// A word of the tree.
fn word(block: NonNull<u8>) -> usize {
    block.expose_provenance().get()
}

/// The block whose word was in the tree.
fn block(word: usize) -> NonNull<u8> {
    let start = ptr::with_exposed_provenance_mut(word);
    NonNull::new(start).expect("the address of a block")
}

/// The row whose word was in the tree while `guard` was there: it is freed only after that guard.
#[inline]
fn view(word: usize, _: &Guard) -> RowRef<'_> {
    RowRef { start: block(word), row: PhantomData }
}

/// What is to be done with the word that an update took out of the tree.
#[inline]
fn updated(old: usize, guard: &Guard) -> Placed {
    let old_value_bytes = view(old, guard).value_bytes();
    free_after_readers(block(old), guard);
    Placed::Updated { old_value_bytes }
}

/// Gives a row that did not get into the tree back to its offer.
fn take_back(tried: &mut Option<NonNull<u8>>, offer: &mut impl Offering) {
    if let Some(block) = tried.take() {
        // SAFETY: it did not get into the tree, so it is a row once.
        offer.take_back(unsafe { Row::from_block(block) });
    }
}

#[cfg(test)]
mod tests {
    use kit::key::EightBytes;

    use super::*;
    use crate::bound::Bound;
    use crate::map::Offer;
    use crate::raw::{EPOCHS_TO_FREE, Rows};
    use engine::ThreadUse;
    use kit::testing::{Random, TestHeap};

    /// A tree on a heap that is empty again at the end.
    fn with_tree(test: impl FnOnce(&Tree, &Rows, &Guard)) {
        let heap: &TestHeap = TestHeap::leaked();
        let _use = ThreadUse::of(heap);
        let (rows, tree) = (Rows::new(heap), Tree::new());
        let thread = tree.register();
        test(&tree, &rows, &thread.pin());
        drop((thread, tree));
        let totals = rows.ledger().totals();
        assert_eq!(totals.rows_freed, totals.rows_allocated);
        assert_eq!(heap.allocated_bytes(), 0);
    }

    fn put(tree: &Tree, rows: &Rows, key: u64, bound: &Bound, guard: &Guard) -> Placed {
        let value = key.to_le_bytes();
        let mut offer = Offer::new((rows, bound), EightBytes, &value, rows.row(&value).unwrap());
        let placed = tree.put(key, &mut offer, guard);
        offer.settle(placed);
        placed
    }

    /// Keys whose nodes are of every size, and both ends.
    fn keys() -> Vec<u64> {
        let mut random = Random(1);
        let dense = (0..3 * PAIRS as u64).map(|key| key + (1 << 40));
        let sparse = (0..1000).map(|_| random.below(u64::MAX));
        let mut keys: Vec<u64> =
            dense.chain(sparse).chain([0, 1, u64::MAX - 1, u64::MAX]).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    #[test]
    fn a_walk_finds_every_key_in_order_from_anywhere() {
        with_tree(|tree, rows, guard| {
            let (keys, bound) = (keys(), Bound::new(None));
            for &key in &keys {
                assert_eq!(put(tree, rows, key, &bound, guard), Placed::Inserted);
            }
            assert_eq!(tree.listed(), keys.len());
            for first in [0, 1, keys[keys.len() / 2], keys[700] + 1, u64::MAX - 1, u64::MAX] {
                let mut walked = Vec::new();
                tree.walk(first, guard, |key, row| {
                    assert_eq!(row.value(), key.to_le_bytes());
                    walked.push(key);
                    true
                });
                let expected: Vec<u64> = keys.iter().copied().filter(|key| *key >= first).collect();
                assert!(walked == expected, "{} of {} from {first}", walked.len(), expected.len());
            }
            let mut walked = 0;
            tree.walk(0, guard, |_, _| {
                walked += 1;
                walked < PAIRS + 3
            });
            assert_eq!(walked, PAIRS + 3, "it ends when it is told to");
        });
    }

    #[test]
    fn keys_come_and_go_through_nodes_of_every_size() {
        with_tree(|tree, rows, guard| {
            let (keys, bound) = (keys(), Bound::new(None));
            for _ in 0..2 {
                for &key in &keys {
                    assert_eq!(put(tree, rows, key, &bound, guard), Placed::Inserted);
                    let placed = put(tree, rows, key, &bound, guard);
                    assert_eq!(placed, Placed::Updated { old_value_bytes: 8 });
                }
                for &key in keys.iter().rev() {
                    assert_eq!(tree.remove(key, guard), Some(8));
                    assert_eq!(tree.remove(key, guard), None);
                    assert!(tree.get(key, guard).is_none());
                }
                assert_eq!(tree.listed(), 0);
            }
        });
    }

    #[test]
    fn what_the_bound_does_not_admit_changes_nothing() {
        with_tree(|tree, rows, guard| {
            let bound = Bound::new(Some(16));
            assert_eq!(put(tree, rows, 1, &bound, guard), Placed::Inserted);
            assert_eq!(put(tree, rows, 2, &bound, guard), Placed::Refused);
            let placed = put(tree, rows, 1, &bound, guard);
            assert_eq!(placed, Placed::Updated { old_value_bytes: 8 }, "as long as the old value");
            let mut offer = Offer::new(
                (rows, &bound),
                EightBytes,
                b"nine long",
                rows.row(b"nine long").unwrap(),
            );
            assert_eq!(tree.put(1, &mut offer, guard), Placed::Refused);
            offer.settle(Placed::Refused);
            assert_eq!(tree.get(1, guard).unwrap().value(), 1_u64.to_le_bytes());
            assert_eq!((tree.listed(), bound.unfilled_bytes()), (1, 0));
        });
    }

    #[test]
    fn a_row_that_is_read_outlives_its_update_and_its_removal() {
        let heap: &TestHeap = TestHeap::leaked();
        let _use = ThreadUse::of(heap);
        let (rows, tree, bound) = (Rows::new(heap), Tree::new(), Bound::new(None));
        let (reader, writer) = (tree.register(), tree.register());
        let mut writing = writer.pin();
        let freed = |writing: &mut Guard| {
            for _ in 0..2 * EPOCHS_TO_FREE {
                writing.flush();
                writing.repin();
            }
            rows.ledger().totals().rows_freed
        };
        for key in [0, 1] {
            put(&tree, &rows, key, &bound, &writing);
        }
        let reading = reader.pin();
        let held = [0, 1].map(|key| tree.get(key, &reading).unwrap());
        assert_eq!(put(&tree, &rows, 0, &bound, &writing), Placed::Updated { old_value_bytes: 8 });
        assert_eq!(tree.remove(1, &writing), Some(8));
        assert_eq!(freed(&mut writing), 0);
        // A freed block of this heap is overwritten.
        assert_eq!(
            held.map(|row| row.value().to_vec()),
            [0_u64, 1].map(|key| key.to_le_bytes().to_vec())
        );
        drop(reading);
        assert_eq!(freed(&mut writing), 2);
    }

    #[test]
    #[should_panic(expected = "a guard of another tree")]
    fn a_guard_of_another_tree_is_refused() {
        let thread = Tree::new().register();
        Tree::new().get(1, &thread.pin());
    }
}
