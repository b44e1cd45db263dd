//! A memory node's part of the log: its blocks and segments, the heads that append there, and
//! the workers that compact there.

use platform::mapping::HUGE_PAGE_BYTES;

use super::Log;
use super::head::Head;
use crate::address::SegmentId;
use crate::compaction::{Crew, Signals};
use crate::config::{Config, Geometry};
use crate::constants::RESERVE_PART;
use crate::epoch::clock;
use crate::instrument::{Mutant, mutated};
use crate::segment::{OpenSegment, Pool, Purse, Run, SegmentState};
use crate::sync::{AtomicUsize, CachePadded, Mutex, Ordering, lock};

/// How many bytes are returned to the system at a time if pages are small.
const SMALL_CHUNK_BYTES: usize = 256 << 10;

/// Everything that belongs to one memory node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) pool: Pool,
    pub(crate) signals: Signals,
    pub(crate) crew: Crew,
    /// Cores to bind background workers to; empty if the machine has one node.
    pub(crate) cores: Vec<usize>,
    heads: Box<[CachePadded<Head>]>,
    /// Closed segments on their way to the worker that will watch them.
    rolled: Box<[Mutex<Vec<SegmentId>>]>,
    turn: AtomicUsize,
    segment_bytes: u64,
    extent_blocks: u64,
    /// Compaction begins when fewer blocks than this are available.
    low_blocks: u64,
    /// If the reserve grows with the objects: its size while nothing is moved.
    tied_blocks: Option<u64>,
    /// The most blocks by which it grows.
    growth_blocks: u64,
    /// Pages of free blocks beyond this number are returned to the system; `u64::MAX` if all are to
    /// stay.
    kept_blocks: u64,
    /// Only writers wait for room, and they compact themselves.
    inline: bool,
}

impl Node {
    /// The blocks of node `turn`.
    pub(super) fn run(geometry: &Geometry, turn: usize) -> Run {
        Run { start: geometry.node_blocks * turn as u32, blocks: geometry.node_blocks }
    }

    pub(super) fn new(config: &Config, geometry: &Geometry, turn: usize) -> Self {
        let plan = &geometry.nodes[turn];
        let ids = geometry.node_segments * turn..geometry.node_segments * (turn + 1);
        let cushion = geometry.reserve_blocks
            + geometry.low_blocks
            + (plan.heads as u64 + 1) * geometry.extent_blocks;
        Self {
            pool: Pool::new(
                Self::run(geometry, turn),
                ids,
                geometry.reserve_blocks,
                chunk_blocks(config),
            ),
            signals: Signals::default(),
            crew: Crew::new(turn, geometry.workers),
            cores: if plan.number.is_some() { plan.cores.clone() } else { Vec::new() },
            heads: (0..plan.heads).map(|_| CachePadded::default()).collect(),
            rolled: (0..geometry.workers).map(|_| Mutex::default()).collect(),
            turn: AtomicUsize::new(0),
            segment_bytes: geometry.segment_bytes,
            extent_blocks: geometry.extent_blocks,
            low_blocks: geometry.low_blocks,
            tied_blocks: geometry.tied_blocks,
            growth_blocks: u64::from(geometry.node_blocks) / RESERVE_PART,
            kept_blocks: if config.return_free_memory { cushion } else { u64::MAX },
            inline: config.compaction == crate::Compaction::Inline,
        }
    }

    pub(crate) fn heads(&self) -> impl Iterator<Item = &Head> {
        self.heads.iter().map(|head| &head.0)
    }

    pub(crate) fn head(&self, turn: usize) -> &Head {
        &self.heads[turn % self.heads.len()]
    }

    pub(crate) fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    pub(crate) fn extent_blocks(&self) -> u64 {
        self.extent_blocks
    }

    pub(crate) fn low_blocks(&self) -> u64 {
        self.low_blocks
    }

    /// Returns some pages of free blocks to the system, if that is configured and there are many;
    /// returns whether it did.
    pub(crate) fn return_idle_memory(&self, log: &Log) -> bool {
        self.pool.has_idle(self.kept_blocks)
            && self.pool.return_chunk(|run| log.memory.region.discard(run))
    }

    pub(crate) fn is_inline(&self) -> bool {
        self.inline
    }

    /// Whether compaction is due.
    #[inline]
    pub(crate) fn is_low(&self) -> bool {
        self.pool.available() < self.low_blocks
    }

    pub(super) fn table_bytes(&self) -> u64 {
        size_of_val(&*self.heads) as u64
    }

    /// Whether the reserve can move an object of `bytes`, when blocks for `lacking` bytes are taken
    /// for it. If the reserve grows with the objects, it grows for this one.
    pub(super) fn can_move(&self, log: &Log, bytes: u64, lacking: u64) -> bool {
        let Some(tied) = self.tied_blocks else { return true };
        let [object, least] = [bytes, lacking].map(|bytes| log.memory.region.blocks_for(bytes));
        let reserve = tied + object.min(self.growth_blocks);
        mutated(Mutant::ReserveStaysSmall) || self.pool.widen_reserve(reserve, least)
    }

    /// Takes blocks for `bytes` more, and as many further blocks as the segment's plan and `extent`
    /// allow.
    pub(crate) fn extend(
        &self,
        log: &Log,
        open: &mut OpenSegment,
        bytes: u64,
        extent: u64,
        purse: Purse,
    ) -> bool {
        let least = log.memory.region.blocks_for(bytes - open.room());
        let wish = log.memory.region.blocks_for(open.unplanned()).min(extent);
        let Some(runs) = self.pool.take(least, wish, Some(open.last()), purse) else {
            return false;
        };
        open.extend(&runs, &log.memory, &log.segments);
        true
    }

    /// Opens a new segment with room for `bytes`.
    pub(crate) fn open(
        &self,
        log: &Log,
        bytes: u64,
        planned: u64,
        extent: u64,
        purse: Purse,
    ) -> Option<OpenSegment> {
        let id = self.pool.take_id()?;
        let wish = log.memory.region.blocks_for(planned).min(extent);
        let least = log.memory.region.blocks_for(bytes);
        let Some(runs) = self.pool.take(least, wish, None, purse) else {
            self.pool.give_id(id);
            return None;
        };
        Some(OpenSegment::new(id, planned, &runs, &log.memory, &log.segments))
    }

    /// Closes a segment; its age begins.
    pub(crate) fn close(&self, log: &Log, mut open: OpenSegment) -> SegmentId {
        let spare = open.trim(&log.memory, &log.segments);
        self.pool.give(&spare);
        let info = &log.segments[open.id];
        // CLOSE, from: whoever reserved room here announced itself before this stamp.
        info.set_closed(log.clock.stamp(), clock::ticks());
        info.become_state(SegmentState::Closed);
        open.id
    }

    /// Hands a closed head segment to the next worker in turn.
    pub(crate) fn hand_over(&self, id: SegmentId) {
        if mutated(Mutant::RolledSegmentLost) {
            return;
        }
        // Relaxed: any distribution will do.
        let worker = self.turn.fetch_add(1, Ordering::Relaxed) % self.rolled.len();
        lock(&self.rolled[worker]).push(id);
    }

    /// Takes the segments handed to `worker`.
    pub(crate) fn take_rolled(&self, worker: usize, to: &mut Vec<SegmentId>) {
        to.append(&mut lock(&self.rolled[worker]));
    }

    /// The segments on their way to workers. For `check`.
    pub(crate) fn rolled_ids(&self) -> Vec<SegmentId> {
        self.rolled.iter().flat_map(|rolled| lock(rolled).clone()).collect()
    }

    pub(super) fn nothing_rolled(&self) -> bool {
        self.rolled.iter().all(|rolled| lock(rolled).is_empty())
    }

    /// Wakes background workers when memory runs low.
    pub(super) fn wake_if_low(&self) {
        if !self.inline && self.is_low() {
            self.signals.kick();
        }
    }
}

/// Pages are returned to the system in pieces that split no large page.
fn chunk_blocks(config: &Config) -> u32 {
    let bytes = if config.huge_pages { HUGE_PAGE_BYTES } else { SMALL_CHUNK_BYTES };
    (bytes as u64 / config.block_bytes).max(1) as u32
}
