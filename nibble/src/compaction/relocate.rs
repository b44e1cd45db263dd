//! Empties one segment, in steps: moves live objects and passes over dead ones.
//!
//! If there is no block left to copy to, or the victim is long, the blocks emptied so far are
//! retired and the rest waits. So a segment far larger than the reserve can be compacted in steps.

use crate::address::SegmentId;
use crate::index::hash::Hash;
use crate::knobs::Survivors;
use crate::log::Log;
use crate::raw::Custody;
use crate::segment::{Cursor, Run};

use super::pace::Budget;
use super::reclaim::Limbo;
use super::survivors::{Mover, Output, Place, Walked};

/// How many objects are examined together, so that their index lines are fetched together.
const BATCH: usize = 8;
/// How many bytes are examined together, unless one object is larger.
const BATCH_BYTES: u64 = 64 << 10;
/// How many blocks a paused victim releases at a time. Each time costs a scan of all epochs.
const RETIRED_BLOCKS: u64 = 16;
/// How many objects ahead of the walk headers are prefetched.
const AHEAD: u64 = 4;

/// A segment that this worker is emptying.
#[derive(Debug)]
pub(crate) struct Victim {
    pub(crate) id: SegmentId,
    cursor: Cursor,
    /// The cursor's offset in the segment.
    walked: u64,
    used: u64,
    /// Offset up to which blocks have been retired.
    retired: u64,
    custody: Custody,
}

/// What a worker uses to move objects.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) output: Output,
    pub(crate) mover: Mover,
    pub(crate) limbo: Limbo,
    batch: Vec<Walked>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The victim is empty and retired.
    Finished,
    /// The budget is spent.
    Paused,
    /// There was no block to copy to; what was emptied is retired nevertheless.
    Suspended,
}

impl Victim {
    /// `None` if somebody writes into a hole there.
    pub(crate) fn pick(id: SegmentId, log: &Log) -> Option<Self> {
        let info = &log.segments[id];
        if !info.pick() {
            return None;
        }
        let custody = Custody::of_compacting_segment();
        let (cursor, used) = (Cursor::at(info.first()), info.used());
        Some(Self { id, cursor, walked: 0, used, retired: 0, custody })
    }

    /// Moves live objects until the victim ends, the budget is spent, or no block is left.
    pub(crate) fn empty(
        &mut self,
        place: Place<'_>,
        tools: &mut Tools,
        survivors: Survivors,
        budget: &mut Budget,
    ) -> Step {
        while self.walked < self.used {
            if place.log.segments[self.id].is_dead() {
                budget.spend(self.used - self.walked, 0);
                self.walked = self.used;
                break;
            }
            if budget.is_spent() {
                self.retire_front_if_long(place, &mut tools.limbo);
                return Step::Paused;
            }
            self.look_ahead(place, &mut tools.batch);
            let before = (self.walked, tools.mover.copied_bytes);
            let Tools { output, mover, batch, .. } = tools;
            let moved = match survivors {
                Survivors::Separate => mover.move_to_output(place, output, batch, &self.custody),
                Survivors::Mixed => {
                    let turn = place.log.turn_here();
                    let moved = mover.move_to_head(place, turn, batch, &self.custody);
                    // Only the output may use the reserve.
                    moved + mover.move_to_output(place, output, &batch[moved..], &self.custody)
                }
            };
            for walked in &tools.batch[..moved] {
                let bytes = walked.header.extent_bytes();
                self.cursor.settle(&place.log.memory);
                self.cursor.advance(&place.log.memory, bytes);
                self.walked += bytes;
            }
            let copied = tools.mover.copied_bytes - before.1;
            budget.spend((self.walked - before.0).saturating_sub(copied), copied);
            if moved < tools.batch.len() {
                self.retire_front(place.log, &mut tools.limbo);
                return Step::Suspended;
            }
        }
        self.retire_all(place.log, &mut tools.limbo);
        Step::Finished
    }

    fn look_ahead(&self, place: Place<'_>, batch: &mut Vec<Walked>) {
        let Place { log, index, .. } = place;
        batch.clear();
        let (mut cursor, mut walked) = (self.cursor, self.walked);
        while walked < self.used && batch.len() < BATCH && walked - self.walked < BATCH_BYTES {
            cursor.settle(&log.memory);
            let address = log.memory.region.address(cursor.block, cursor.offset);
            let header = log.memory.header(address, &self.custody);
            let hash = Hash::of(header.key);
            index.prefetch(hash);
            let bytes = header.extent_bytes();
            // Where an object begins is known only after the previous one has been read, but
            // neighbours often have the same size.
            log.memory.region.prefetch(address.ahead(AHEAD * bytes));
            batch.push(Walked { address, header, hash });
            cursor.advance(&log.memory, bytes);
            walked += bytes;
        }
        assert!(walked <= self.used, "objects tile their segment");
    }

    fn retire_front_if_long(&mut self, place: Place<'_>, limbo: &mut Limbo) {
        if self.walked - self.retired >= RETIRED_BLOCKS * place.log.memory.region.block_bytes() {
            self.retire_front(place.log, limbo);
        }
    }

    /// Retires the blocks before the cursor.
    fn retire_front(&mut self, log: &Log, limbo: &mut Limbo) {
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
        info.advance(block, self.walked, left);
        self.retired = self.walked;
        if !runs.is_empty() {
            limbo.retire(log, runs, None);
        }
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
