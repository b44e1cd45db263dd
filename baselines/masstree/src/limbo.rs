//! Limbo: blocks that a session has retired and that others may still read. They return to the heap
//! after a grace period.
//!
//! Blocks gather until there are enough of them, by number or size, and are then *sealed* with the
//! current epoch. Two epochs later nobody reads them.

use std::collections::VecDeque;

use crate::counters::{Counter, Counters};
use crate::memory::{Block, Memory};

/// Epochs after which sealed blocks are free.
const GRACE_EPOCHS: u64 = 2;
/// A session seals after this many blocks.
const BLOCKS_MAX: usize = 64;
/// A session seals after this many bytes.
const BYTES_MAX: usize = 64 << 10;

/// What a block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Row,
    /// A node, or the suffixes of one.
    Node,
}

#[derive(Debug)]
struct Sealed {
    epoch: u64,
    blocks: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Limbo {
    /// Oldest first: sealed blocks, then the others.
    blocks: VecDeque<(Block, Kind)>,
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
        if self.open_blocks > 0 {
            self.sealed.push_back(Sealed { epoch, blocks: self.open_blocks });
            (self.open_blocks, self.open_bytes) = (0, 0);
        }
    }

    /// Frees what was sealed long enough before `epoch`.
    pub(crate) fn collect(&mut self, epoch: u64, memory: &Memory, counters: &Counters) {
        while let Some(sealed) = self.sealed.front() {
            if sealed.epoch + GRACE_EPOCHS > epoch {
                return;
            }
            let blocks = sealed.blocks;
            self.sealed.pop_front();
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
            match kind {
                Kind::Row => {
                    self.rows -= 1;
                    self.row_bytes -= block.bytes as u64;
                    counters.add(Counter::RowsFreed, 1);
                }
                Kind::Node => {
                    counters.add(Counter::NodesFreed, 1);
                    counters.subtract(Counter::NodeBytes, block.bytes as u64);
                }
            }
            // SAFETY: `retire`'s callers vouch that no link to the block was left, and its grace
            // period is over: all operations that may have read a link before have ended.
            unsafe { memory.free(block) };
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
