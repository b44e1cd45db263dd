//! Emptying one segment: live objects are copied to the worker's output, dead ones skipped.
//!
//! An object is *copied, then published by compare*: the source cannot change, so the copy needs
//! no lock; afterwards, with the bucket locked, the entry is swapped if it still leads to the
//! source. If it does not, the object has died meanwhile and the copy is taken back.
//!
//! The output stays open from one victim to the next and grows by a few blocks at a time, so the
//! remains of any number of victims share segments without gaps. When no block is left for it,
//! the blocks of the victim that are empty so far are retired and the rest waits: a segment far
//! larger than the reserve can be compacted in steps.

use crate::address::{ObjectRef, SegmentId};
use crate::constants::EXTENT_BLOCKS;
use crate::index::{Index, Relocated, hash::Hash};
use crate::log::Log;
use crate::raw::Custody;
use crate::segment::{Cursor, OpenSegment, Purse, Run, SegmentState};

use super::reclaim::Limbo;

/// Objects looked at together, so that their index lines are fetched together.
const BATCH: usize = 16;

/// A segment that this worker empties.
#[derive(Debug)]
pub(crate) struct Victim {
    pub(crate) id: SegmentId,
    cursor: Cursor,
    /// Offset of the cursor in the segment.
    walked: u64,
    used: u64,
    custody: Custody,
}

/// Where a worker copies to.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) open: Option<OpenSegment>,
    /// Closed outputs, candidates again.
    pub(crate) closed: Vec<SegmentId>,
    /// Bytes copied and published so far.
    pub(crate) copied: u64,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The victim is empty and retired.
    Finished,
    /// There was no block to copy to; `retired` blocks were emptied all the same.
    Suspended {
        /// How many.
        retired: u64,
    },
}

impl Victim {
    pub(crate) fn pick(id: SegmentId, log: &Log) -> Self {
        let info = &log.segments[id];
        info.become_state(SegmentState::Compacting);
        let custody = Custody::of_compacting_segment();
        Self { id, cursor: Cursor::at(info.first()), walked: 0, used: info.used(), custody }
    }

    /// Moves what lives, until the end or until no block is left to move it to.
    pub(crate) fn empty(
        &mut self,
        log: &Log,
        index: &Index,
        output: &mut Output,
        limbo: &mut Limbo,
    ) -> Step {
        let mut batch = Vec::with_capacity(BATCH);
        while self.walked < self.used {
            self.look_ahead(log, index, &mut batch);
            for &(object, hash, bytes) in &batch {
                if !output.relocate(log, index, object, hash, bytes, &self.custody) {
                    let retired = self.retire_front(log, limbo);
                    return Step::Suspended { retired };
                }
                self.cursor.settle(&log.memory);
                self.cursor.advance(&log.memory, bytes);
                self.walked += bytes;
            }
        }
        self.retire_all(log, limbo);
        Step::Finished
    }

    fn look_ahead(&self, log: &Log, index: &Index, batch: &mut Vec<(ObjectRef, Hash, u64)>) {
        batch.clear();
        let (mut cursor, mut walked) = (self.cursor, self.walked);
        while walked < self.used && batch.len() < BATCH {
            cursor.settle(&log.memory);
            let address = log.memory.region.address(cursor.block, cursor.offset);
            let header = log.memory.header(address, &self.custody);
            let hash = Hash::of(header.key);
            index.prefetch(hash);
            let bytes = header.extent_bytes();
            batch.push((ObjectRef::new(self.id, address), hash, bytes));
            cursor.advance(&log.memory, bytes);
            walked += bytes;
        }
        assert!(walked <= self.used, "objects tile their segment");
    }

    /// Retires the blocks in front of the cursor.
    fn retire_front(&mut self, log: &Log, limbo: &mut Limbo) -> u64 {
        if self.walked < self.used {
            self.cursor.settle(&log.memory);
        }
        let info = &log.segments[self.id];
        let mut runs = Vec::new();
        let mut block = info.first();
        let mut left = info.blocks();
        while block != self.cursor.block {
            Run::push(&mut runs, block);
            block = log.memory.blocks.next(block);
            left -= 1;
        }
        let retired = info.blocks() - left;
        info.advance(block, self.walked, left);
        if retired > 0 {
            limbo.retire(log, runs, None);
        }
        retired
    }

    fn retire_all(&mut self, log: &Log, limbo: &mut Limbo) {
        let info = &log.segments[self.id];
        assert_eq!(info.live().bytes(), 0, "{:?} was walked to its end", self.id);
        let mut runs = Vec::new();
        let mut next = Some(info.first());
        while let Some(block) = next {
            Run::push(&mut runs, block);
            next = log.memory.blocks.try_next(block);
        }
        info.advance(info.first(), self.used, 0);
        limbo.retire(log, runs, Some(self.id));
    }
}

impl Output {
    /// Moves one object if it lives; answers whether it is off the source.
    fn relocate(
        &mut self,
        log: &Log,
        index: &Index,
        object: ObjectRef,
        hash: Hash,
        bytes: u64,
        custody: &Custody,
    ) -> bool {
        let from = object.address();
        if !index.holds(hash, from, &log.memory, custody) {
            return true;
        }
        let Some(open) = self.with_room(log, bytes) else {
            return false;
        };
        let mark = open.mark();
        let mut copied = 0;
        let moved =
            index.relocate(hash, from, &log.memory, &log.segments, custody, |header, locked| {
                copied = header.object_bytes();
                let copy = open.reserve(copied, &log.memory, &log.segments);
                log.memory.copy_object(from, header, copy.address(), locked);
                Some(copy)
            });
        match moved {
            Relocated::Moved => self.copied += copied,
            Relocated::Dead | Relocated::NoRoom => open.rewind(mark, &log.segments),
        }
        true
    }

    fn with_room(&mut self, log: &Log, bytes: u64) -> Option<&mut OpenSegment> {
        if self.open.as_ref().is_some_and(|open| open.room() < bytes && open.used() >= open.planned)
        {
            self.close(log);
        }
        match &mut self.open {
            Some(open) => {
                if open.room() < bytes && !log.extend(open, bytes, EXTENT_BLOCKS, Purse::Compaction)
                {
                    return None;
                }
            }
            None => {
                let planned = log.segment_bytes();
                self.open = log.open(bytes, planned, EXTENT_BLOCKS, Purse::Compaction);
            }
        }
        self.open.as_mut()
    }

    /// Gives blocks back that the open segment does not need yet.
    pub(crate) fn trim(&mut self, log: &Log) {
        if let Some(open) = &mut self.open {
            let spare = open.trim(&log.memory, &log.segments);
            log.pool.give(&spare);
        }
    }

    /// Ends the open segment.
    pub(crate) fn close(&mut self, log: &Log) {
        if let Some(open) = self.open.take() {
            self.closed.push(log.close(open));
        }
    }

    /// Whether at least one byte in `divisor` of the open segment is dead.
    pub(crate) fn is_worth_compacting(&self, log: &Log, divisor: u64) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let info = &log.segments[open.id];
            info.dead() > 0 && info.dead() * divisor >= info.used()
        })
    }
}
