//! Failure-atomic transactions by a redo log (§3): all words that one writes are there after a crash,
//! or none.
//!
//! A transaction keeps its words to itself until it commits:
//!
//! 1. words and addresses to the redo area; fence (this also covers blocks that it has filled);
//! 2. their number, which is the commit; fence;
//! 3. the words to their places; fence;
//! 4. the number back to 0; fence. Without that one, entries of the next transaction could persist
//!    under the number of this.
//!
//! It isolates nothing: who writes a word holds its lock until step 4 is done. So redo areas that a
//! crash leaves committed have no word in common, and are replayed in any order.

use platform::persist::{LINE_WORDS, Region, Touched};

use crate::cells::Cells;
use crate::digest::hash;
use crate::heap::{Heap, Held};
use crate::layout::{Layout, REDO_ENTRIES};

/// What one thread runs transactions with.
#[derive(Debug)]
pub(crate) struct Transactor {
    /// Its redo area, and its arena in both heaps.
    pub(crate) slot: usize,
    pub(crate) touched: Touched,
    writes: Vec<(u64, u64)>,
    /// A bit for each address written, many addresses to a bit.
    written: u64,
    frees: Vec<(u64, u64)>,
    held: Held,
}

impl Transactor {
    pub(crate) fn new(slot: usize) -> Self {
        Self {
            slot,
            touched: Touched::default(),
            writes: Vec::with_capacity(REDO_ENTRIES as usize),
            written: 0,
            frees: Vec::new(),
            held: Held::default(),
        }
    }

    /// Begins a transaction. One that is dropped has never been.
    pub(crate) fn begin<'a>(&'a mut self, region: &'a Region, heap: &'a Heap) -> Tx<'a> {
        self.writes.clear();
        self.written = 0;
        self.frees.clear();
        Tx { region, heap, own: self }
    }
}

fn bit(at: u64) -> u64 {
    1 << (hash(at) >> 58)
}

/// A transaction in progress.
#[derive(Debug)]
pub(crate) struct Tx<'a> {
    pub(crate) region: &'a Region,
    heap: &'a Heap,
    own: &'a mut Transactor,
}

impl Cells for Tx<'_> {
    fn read(&mut self, at: u64) -> u64 {
        if self.own.written & bit(at) != 0
            && let Some(&(_, value)) = self.own.writes.iter().find(|write| write.0 == at)
        {
            return value;
        }
        self.region.charge(&mut self.own.touched, at, 1);
        self.region.load(at)
    }

    fn write(&mut self, at: u64, value: u64) {
        if self.own.written & bit(at) != 0
            && let Some(write) = self.own.writes.iter_mut().find(|write| write.0 == at)
        {
            write.1 = value;
            return;
        }
        self.own.written |= bit(at);
        self.own.writes.push((at, value));
    }
}

impl Tx<'_> {
    /// The slot of its transactor.
    pub(crate) fn slot(&self) -> usize {
        self.own.slot
    }

    /// Whether nothing was written yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.writes.is_empty() && self.own.frees.is_empty()
    }

    /// A block that becomes the caller's when this commits; `None` if no memory is left.
    pub(crate) fn take(&mut self, words: u64) -> Option<u64> {
        let (heap, slot) = (self.heap, self.own.slot);
        // The heap's locks are kept in the transactor, and cells are this transaction.
        let mut held = std::mem::take(&mut self.own.held);
        let block = heap.take(self, &mut held, slot, words);
        self.own.held = held;
        block
    }

    /// Frees a block when this commits; not before, as nobody must fill it while it may still live.
    pub(crate) fn give(&mut self, block: u64, words: u64) {
        self.own.frees.push((block, words));
    }

    /// Charges the lines of a block that is going to be read.
    pub(crate) fn touch(&mut self, at: u64, words: u64) {
        self.region.charge(&mut self.own.touched, at, words);
    }

    /// Makes all of it durable, and begins anew.
    ///
    /// # Panics
    /// If it wrote more words than a redo area holds.
    pub(crate) fn commit(&mut self, layout: &Layout) {
        let (heap, slot) = (self.heap, self.own.slot);
        let mut held = std::mem::take(&mut self.own.held);
        for (block, words) in std::mem::take(&mut self.own.frees) {
            heap.give(self, &mut held, slot, block, words);
        }
        self.own.held = held;
        let (region, writes) = (self.region, &self.own.writes);
        let count = writes.len() as u64;
        assert!(count <= REDO_ENTRIES, "a transaction of {count} words");
        let number_at = layout.redo_at(slot as u64);
        let entries_at = number_at + LINE_WORDS;
        if count > 0 {
            for (at, &(to, value)) in (entries_at..).step_by(2).zip(writes) {
                region.store(at, to);
                region.store(at + 1, value);
            }
            region.flush(entries_at, 2 * count);
            region.fence();
            region.store(number_at, count);
            region.flush(number_at, 1);
            region.fence();
            for &(to, value) in writes {
                region.store(to, value);
                region.flush(to, 1);
            }
            region.fence();
            region.store(number_at, 0);
            region.flush(number_at, 1);
            region.fence();
        }
        self.own.writes.clear();
        self.own.written = 0;
        heap.release(&mut self.own.held);
    }
}

impl Drop for Tx<'_> {
    fn drop(&mut self) {
        self.heap.release(&mut self.own.held);
    }
}

/// Replays what a crash left committed; returns how many transactions that were.
///
/// # Errors
/// The slot whose redo area holds what no transaction writes.
pub(crate) fn replay(region: &Region, layout: &Layout) -> Result<u64, u64> {
    let committed = |slot| (slot, region.load(layout.redo_at(slot)));
    let entries = |slot, count: u64| {
        let first = layout.redo_at(slot) + LINE_WORDS;
        let at = (first..).step_by(2).take(count as usize);
        at.map(|at| (region.load(at), region.load(at + 1)))
    };
    for (slot, count) in (0..layout.slots).map(committed) {
        if count > REDO_ENTRIES || entries(slot, count).any(|(to, _)| to >= layout.words) {
            return Err(slot);
        }
    }
    let mut replayed = 0;
    for (slot, count) in (0..layout.slots).map(committed).filter(|&(_, count)| count > 0) {
        for (to, value) in entries(slot, count) {
            region.store(to, value);
            region.flush(to, 1);
        }
        region.fence();
        let number_at = layout.redo_at(slot);
        region.store(number_at, 0);
        region.flush(number_at, 1);
        replayed += 1;
    }
    if replayed > 0 {
        region.fence();
    }
    Ok(replayed)
}
