//! A segment that a head or a compaction worker is appending to.

use crate::address::{BlockId, ObjectRef, SegmentId};
use crate::raw::Memory;
use crate::segment::{Run, SegmentTable};

/// A position in a segment: a block and an offset in it, possibly just behind its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) block: BlockId,
    pub(crate) offset: u64,
}

impl Cursor {
    /// The start of `block`.
    pub(crate) fn at(block: BlockId) -> Self {
        Self { block, offset: 0 }
    }

    /// Moves from the end of a block to the start of the next. There must be a next block.
    #[inline]
    pub(crate) fn settle(&mut self, memory: &Memory) {
        if self.offset == memory.region.block_bytes() {
            *self = Self::at(memory.blocks.next(self.block));
        }
    }

    /// Moves past `bytes` bytes, which must lie in the segment.
    #[inline]
    pub(crate) fn advance(&mut self, memory: &Memory, bytes: u64) {
        self.offset += bytes;
        while self.offset > memory.region.block_bytes() {
            self.offset -= memory.region.block_bytes();
            self.block = memory.blocks.next(self.block);
        }
    }
}

/// The writing end of an open segment. One thread uses it at a time, as `&mut self` ensures.
///
/// A segment begins short and is extended, run by run, up to its planned size. So an open segment
/// never holds much memory that nobody has requested yet.
///
/// Invariant: `used <= capacity == blocks * block bytes`.
#[derive(Debug)]
pub(crate) struct OpenSegment {
    pub(crate) id: SegmentId,
    pub(crate) planned: u64,
    last: BlockId,
    cursor: Cursor,
    used: u64,
    capacity: u64,
}

/// A position to return to; see [`OpenSegment::rewind`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(Cursor, u64);

impl OpenSegment {
    /// Makes a segment of `runs`.
    pub(crate) fn new(
        id: SegmentId,
        planned: u64,
        runs: &[Run],
        memory: &Memory,
        segments: &SegmentTable,
    ) -> Self {
        let first = BlockId(runs[0].start);
        segments[id].open(first);
        let cursor = Cursor::at(first);
        let mut open = Self { id, planned, last: first, cursor, used: 0, capacity: 0 };
        open.extend(runs, memory, segments);
        open
    }

    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// How many bytes still fit.
    #[inline]
    pub(crate) fn room(&self) -> u64 {
        self.capacity - self.used
    }

    /// How many bytes still fit into the current block.
    pub(crate) fn room_in_block(&self, memory: &Memory) -> u64 {
        memory.region.block_bytes() - self.cursor.offset
    }

    /// How many bytes the planned size exceeds the current capacity by.
    pub(crate) fn unplanned(&self) -> u64 {
        self.planned.saturating_sub(self.capacity)
    }

    /// The last block.
    pub(crate) fn last(&self) -> BlockId {
        self.last
    }

    pub(crate) fn extend(&mut self, runs: &[Run], memory: &Memory, segments: &SegmentTable) {
        for block in runs.iter().flat_map(|run| run.blocks()) {
            let previous = (self.capacity > 0).then_some(self.last);
            memory.blocks.link(self.id, previous, block);
            self.last = block;
            self.capacity += memory.region.block_bytes();
        }
        segments[self.id].set_blocks(self.capacity / memory.region.block_bytes());
    }

    /// Reserves the next `bytes` bytes, which must fit.
    #[inline]
    pub(crate) fn reserve(
        &mut self,
        bytes: u64,
        memory: &Memory,
        segments: &SegmentTable,
    ) -> ObjectRef {
        assert!(bytes <= self.room(), "the caller made room");
        self.cursor.settle(memory);
        let address = memory.region.address(self.cursor.block, self.cursor.offset);
        self.cursor.advance(memory, bytes);
        self.used += bytes;
        segments[self.id].set_used(self.used);
        ObjectRef::new(self.id, address)
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.cursor, self.used)
    }

    /// Takes back everything reserved since `mark`; none of it may have been published.
    pub(crate) fn rewind(&mut self, mark: Mark, segments: &SegmentTable) {
        Mark(self.cursor, self.used) = mark;
        segments[self.id].set_used(self.used);
    }

    /// Cuts off the blocks behind the last used one. They were never handed out, so they may go to
    /// the pool at once.
    pub(crate) fn trim(&mut self, memory: &Memory, segments: &SegmentTable) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut next = memory.blocks.try_next(self.cursor.block);
        memory.blocks.cut_after(self.cursor.block, None);
        self.last = self.cursor.block;
        while let Some(block) = next {
            next = memory.blocks.try_next(block);
            memory.blocks.disown(block);
            Run::push(&mut runs, block);
            self.capacity -= memory.region.block_bytes();
        }
        segments[self.id].set_blocks(self.capacity / memory.region.block_bytes());
        runs
    }
}
