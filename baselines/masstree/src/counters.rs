//! Counters that each session keeps for itself; whoever needs a sum adds them up.

use std::cell::Cell;

/// What is counted. Differences wrap, because a session may remove what another inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    LayersCreated,
    LayersCollapsed,
    BorderSplits,
    InteriorSplits,
    Removals,
    NodesAllocated,
    NodesFreed,
    RowsAllocated,
    RowsFreed,
    ReaderRetries,
    /// Keys inserted minus keys removed.
    LiveObjects,
    LiveKeyBytes,
    LiveValueBytes,
    /// Blocks of nodes and suffixes not yet returned to the heap.
    NodeBytes,
}

const COUNTERS: usize = Counter::NodeBytes as usize + 1;

#[derive(Debug, Default)]
pub(crate) struct Counters([Cell<u64>; COUNTERS]);

impl Counters {
    #[inline]
    pub(crate) fn add(&self, counter: Counter, amount: u64) {
        let cell = &self.0[counter as usize];
        cell.set(cell.get().wrapping_add(amount));
    }

    #[inline]
    pub(crate) fn subtract(&self, counter: Counter, amount: u64) {
        self.add(counter, amount.wrapping_neg());
    }

    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize].get()
    }
}
