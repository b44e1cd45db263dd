//! Limbo: blocks that a session has retired and that others may still read. They are freed after a
//! grace period.
//!
//! Blocks gather until there are enough of them, by number or size, and are then *sealed* with the
//! current epoch. Two epochs later nobody reads them. An epoch takes several sealings, because to
//! begin one interrupts the other cores; what one epoch has sealed is freed in several steps, so
//! that a heap can hand it out again before the next comes.

use std::collections::VecDeque;

use crate::counters::{Counter, Counters};
use crate::memory::{Block, Memory};

/// Epochs after which sealed blocks are free.
const GRACE_EPOCHS: u64 = 2;
/// A session seals after this many blocks.
const BLOCKS_MAX: usize = 64;
/// A session seals after this many bytes.
const BYTES_MAX: usize = 64 << 10;
/// An epoch is long enough when a session has sealed as much as in this many sealings.
const SEALINGS_PER_EPOCH: usize = 4;
/// The most blocks that one step frees: twice as many as one sealing gathers, so that steps catch
/// up.
pub(crate) const STEP_BLOCKS: usize = 2 * BLOCKS_MAX;

/// What a block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Row,
    /// The suffixes of a node.
    Bag,
    /// A node, which is of the pool.
    Node,
}

/// The oldest blocks not freed yet that were sealed in one epoch.
#[derive(Debug)]
struct Sealed {
    epoch: u64,
    blocks: usize,
    /// Of all that were sealed, freed or not.
    bytes: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Limbo {
    /// Oldest first: sealed blocks, then the others.
    blocks: VecDeque<(Block, Kind)>,
    /// One entry for each epoch.
    sealed: VecDeque<Sealed>,
    open_blocks: usize,
    open_bytes: usize,
    rows: u64,
    row_bytes: u64,
}

impl Limbo {
    #[inline]
    pub(crate) fn retire(&mut self, block: Block, kind: Kind) {
        self.blocks.push_back((block, kind));
        self.open_blocks += 1;
        self.open_bytes += block.bytes;
        if kind == Kind::Row {
            self.rows += 1;
            self.row_bytes += block.bytes as u64;
        }
    }

    /// Whether enough blocks have gathered to seal them.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.open_blocks >= BLOCKS_MAX || self.open_bytes >= BYTES_MAX
    }

    /// Seals what was retired so far. `epoch` must have been read after the blocks were unlinked.
    pub(crate) fn seal(&mut self, epoch: u64) {
        let (blocks, bytes) = (self.open_blocks, self.open_bytes);
        (self.open_blocks, self.open_bytes) = (0, 0);
        if let Some(newest) = self.sealed.back_mut().filter(|newest| newest.epoch == epoch) {
            newest.blocks += blocks;
            newest.bytes += bytes;
        } else if blocks > 0 {
            self.sealed.push_back(Sealed { epoch, blocks, bytes });
        }
    }

    /// Whether so much was sealed in one epoch that the next should begin.
    pub(crate) fn fills_an_epoch(&self) -> bool {
        self.sealed.back().is_some_and(|newest| {
            newest.blocks >= SEALINGS_PER_EPOCH * BLOCKS_MAX
                || newest.bytes >= SEALINGS_PER_EPOCH * BYTES_MAX
        })
    }

    /// Frees what was sealed long enough before `epoch`, at most `most` blocks.
    pub(crate) fn collect(
        &mut self,
        epoch: u64,
        most: usize,
        memory: &Memory,
        counters: &Counters,
    ) {
        let mut left = most;
        while let Some(oldest) = self.sealed.front_mut() {
            if left == 0 || oldest.epoch + GRACE_EPOCHS > epoch {
                return;
            }
            let blocks = oldest.blocks.min(left);
            oldest.blocks -= blocks;
            left -= blocks;
            if oldest.blocks == 0 {
                self.sealed.pop_front();
            }
            self.free(blocks, memory, counters);
        }
    }

    /// Frees everything, because nobody reads the store any more.
    pub(crate) fn empty(&mut self, memory: &Memory, counters: &Counters) {
        self.sealed.clear();
        (self.open_blocks, self.open_bytes) = (0, 0);
        self.free(self.blocks.len(), memory, counters);
    }

    fn free(&mut self, blocks: usize, memory: &Memory, counters: &Counters) {
        for (block, kind) in self.blocks.drain(..blocks) {
            if kind == Kind::Row {
                self.rows -= 1;
                self.row_bytes -= block.bytes as u64;
                counters.add(Counter::RowsFreed, 1);
            } else {
                counters.add(Counter::NodesFreed, 1);
                counters.subtract(Counter::NodeBytes, block.bytes as u64);
            }
            match kind {
                // SAFETY: `retire`'s callers vouch that no link to the block was left, and its
                // grace period is over: all operations that may have read a link before have
                // ended.
                Kind::Row | Kind::Bag => unsafe { memory.free(block) },
                // SAFETY: as above, of a node.
                Kind::Node => unsafe { memory.free_node(block) },
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn row_bytes(&self) -> u64 {
        self.row_bytes
    }
}
