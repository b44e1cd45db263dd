//! Counts the rows of a store, so that the rows retired but not yet freed are known.
//!
//! Each thread counts on its own cache lines, with plain loads and stores. Threads beyond
//! [`EXCLUSIVE`] share one line and pay for that.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::Heap;

use crate::thread_index::{EXCLUSIVE, SHARED, thread_index};

/// The heap of a store's rows, and how much was allocated and freed.
#[derive(Debug)]
pub(crate) struct Ledger {
    heap: &'static dyn Heap,
    counts: [Counts; EXCLUSIVE + 1],
}

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counts {
    rows_allocated: AtomicU64,
    allocated_bytes: AtomicU64,
    rows_freed: AtomicU64,
    freed_bytes: AtomicU64,
}

/// Sums over all threads; bytes as requested from the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) rows_allocated: u64,
    pub(crate) allocated_bytes: u64,
    pub(crate) rows_freed: u64,
    pub(crate) freed_bytes: u64,
}

impl Ledger {
    pub(crate) fn new(heap: &'static dyn Heap) -> Self {
        Self { heap, counts: std::array::from_fn(|_| Counts::default()) }
    }

    #[inline]
    pub(crate) fn heap(&self) -> &'static dyn Heap {
        self.heap
    }

    #[inline]
    pub(crate) fn count_allocated(&self, bytes: usize) {
        let index = thread_index();
        let counts = &self.counts[index];
        add(&counts.allocated_bytes, bytes as u64, index);
        add(&counts.rows_allocated, 1, index);
    }

    /// Must be the row's last use of the ledger.
    #[inline]
    pub(crate) fn count_freed(&self, bytes: usize) {
        let index = thread_index();
        let counts = &self.counts[index];
        add(&counts.freed_bytes, bytes as u64, index);
        add(&counts.rows_freed, 1, index);
    }

    /// Exact while no thread allocates or frees; never shows more freed than allocated.
    pub(crate) fn totals(&self) -> Totals {
        // Frees first: who sees that a row is freed also sees that it was allocated, because the
        // row went from the one thread to the other.
        // ROW-COUNT, to: what the counting threads did before, so that a ledger whose rows are
        // all counted as freed is used by none of them.
        let sum = |counter: fn(&Counts) -> &AtomicU64| {
            self.counts.iter().map(|counts| counter(counts).load(Ordering::Acquire)).sum()
        };
        let rows_freed = sum(|counts| &counts.rows_freed);
        let freed_bytes = sum(|counts| &counts.freed_bytes);
        let rows_allocated = sum(|counts| &counts.rows_allocated);
        let allocated_bytes = sum(|counts| &counts.allocated_bytes);
        Totals { rows_allocated, allocated_bytes, rows_freed, freed_bytes }
    }
}

#[inline]
fn add(counter: &AtomicU64, addend: u64, index: usize) {
    // ROW-COUNT, from: the row's use of the ledger.
    if index == SHARED {
        counter.fetch_add(addend, Ordering::Release);
    } else {
        // Only this thread writes the counter.
        counter.store(counter.load(Ordering::Relaxed) + addend, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;
    use kit::testing::TestHeap;

    #[test]
    fn nothing_is_lost_between_more_threads_than_have_lines() {
        let ledger = Ledger::new(TestHeap::leaked());
        // Two rounds, so that threads take over from threads that have ended.
        for round in 1..=2_u64 {
            let begin = Barrier::new(EXCLUSIVE + 8);
            thread::scope(|scope| {
                for _ in 0..EXCLUSIVE + 8 {
                    scope.spawn(|| {
                        thread_index();
                        begin.wait();
                        for _ in 0..1000 {
                            ledger.count_allocated(3);
                            ledger.count_freed(2);
                        }
                    });
                }
            });
            let rows = round * (EXCLUSIVE as u64 + 8) * 1000;
            let expected = Totals {
                rows_allocated: rows,
                allocated_bytes: 3 * rows,
                rows_freed: rows,
                freed_bytes: 2 * rows,
            };
            assert_eq!(ledger.totals(), expected);
        }
    }
}
