//! A log: all segments of one memory node, their blocks, and the heads that append to them.

pub(crate) mod append;
pub(crate) mod head;
pub(crate) mod select;

use std::io;
use std::sync::{Arc, Mutex};

use platform::Pages;

use crate::address::SegmentId;
use crate::compaction::Signals;
use crate::config::Geometry;
use crate::epoch::{Clock, clock};
use crate::raw::{Memory, Region};
use crate::segment::{BlockTable, OpenSegment, Pool, Purse, SegmentState, SegmentTable};
use crate::sync::{AtomicUsize, CachePadded, Ordering, lock};

use head::Head;
use select::HeadOfCore;

/// Everything that belongs to one memory node.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) memory: Memory,
    pub(crate) segments: SegmentTable,
    pub(crate) pool: Pool,
    pub(crate) signals: Signals,
    pub(crate) clock: Arc<Clock>,
    heads: Box<[CachePadded<Head>]>,
    head_of_core: HeadOfCore,
    /// Closed segments on their way to the worker that will watch them.
    rolled: Box<[Mutex<Vec<SegmentId>>]>,
    turn: AtomicUsize,
    segment_bytes: u64,
    /// Compaction begins when fewer blocks are free.
    low_blocks: u64,
}

impl Log {
    pub(crate) fn new(geometry: &Geometry, clock: Arc<Clock>) -> io::Result<Self> {
        let pages = if geometry.huge_pages { Pages::Huge } else { Pages::Small };
        let region = Region::map(geometry.blocks, geometry.block_shift, pages)?;
        if geometry.resident {
            region.populate();
        }
        Ok(Self {
            memory: Memory { region, blocks: BlockTable::new(geometry.blocks) },
            segments: SegmentTable::new(geometry.segments),
            pool: Pool::new(geometry.blocks, geometry.segments, geometry.reserve_blocks),
            signals: Signals::default(),
            clock,
            heads: (0..geometry.heads).map(|_| CachePadded(Head::default())).collect(),
            head_of_core: HeadOfCore::new(geometry.heads),
            rolled: (0..geometry.workers).map(|_| Mutex::default()).collect(),
            turn: AtomicUsize::new(0),
            segment_bytes: geometry.segment_bytes,
            low_blocks: geometry.low_blocks,
        })
    }

    pub(crate) fn heads(&self) -> impl Iterator<Item = &Head> {
        self.heads.iter().map(|head| &head.0)
    }

    pub(crate) fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    pub(crate) fn low_blocks(&self) -> u64 {
        self.low_blocks
    }

    /// Bytes of the tables beside object memory.
    pub(crate) fn table_bytes(&self) -> u64 {
        self.memory.blocks.bytes() + self.segments.bytes() + size_of_val(&*self.heads) as u64
    }

    /// How many blocks `bytes` need.
    pub(crate) fn blocks_for(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.memory.region.block_bytes())
    }

    /// Blocks for `bytes` more, and as many more as the segment's plan and `extent` allow.
    pub(crate) fn extend(
        &self,
        open: &mut OpenSegment,
        bytes: u64,
        extent: u64,
        purse: Purse,
    ) -> bool {
        let least = self.blocks_for(bytes - open.room());
        let wish = self.blocks_for(open.unplanned()).min(extent);
        let Some(runs) = self.pool.take(least, wish, Some(open.last()), purse) else {
            return false;
        };
        open.extend(&runs, &self.memory, &self.segments);
        true
    }

    /// A new segment with room for `bytes`.
    pub(crate) fn open(
        &self,
        bytes: u64,
        planned: u64,
        extent: u64,
        purse: Purse,
    ) -> Option<OpenSegment> {
        let id = self.pool.take_id()?;
        let wish = self.blocks_for(planned).min(extent);
        let Some(runs) = self.pool.take(self.blocks_for(bytes), wish, None, purse) else {
            self.pool.give_id(id);
            return None;
        };
        Some(OpenSegment::new(id, planned, &runs, &self.memory, &self.segments))
    }

    /// Ends a segment's time of being written; its age begins.
    pub(crate) fn close(&self, mut open: OpenSegment) -> SegmentId {
        let spare = open.trim(&self.memory, &self.segments);
        self.pool.give(&spare);
        let info = &self.segments[open.id];
        // CLOSE, from: whoever reserved room here announced itself before this stamp.
        info.set_closed(self.clock.stamp(), clock::ticks());
        info.become_state(SegmentState::Closed);
        open.id
    }

    /// Hands a closed head segment to the next worker in turn.
    pub(crate) fn hand_over(&self, id: SegmentId) {
        // Relaxed: any distribution will do.
        let worker = self.turn.fetch_add(1, Ordering::Relaxed) % self.rolled.len();
        lock(&self.rolled[worker]).push(id);
    }

    /// Takes what was handed to `worker`.
    pub(crate) fn take_rolled(&self, worker: usize) -> Vec<SegmentId> {
        std::mem::take(&mut *lock(&self.rolled[worker]))
    }

    /// What is on its way to workers. For `check`.
    pub(crate) fn rolled_ids(&self) -> Vec<SegmentId> {
        self.rolled.iter().flat_map(|rolled| lock(rolled).clone()).collect()
    }

    /// Whether nothing is on its way to a worker.
    pub(crate) fn nothing_rolled(&self) -> bool {
        self.rolled.iter().all(|rolled| lock(rolled).is_empty())
    }

    /// Tells the workers when memory runs low.
    fn wake_if_low(&self) {
        if self.pool.available() < self.low_blocks {
            self.signals.kick();
        }
    }
}
