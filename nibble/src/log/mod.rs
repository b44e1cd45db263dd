//! The log: object memory, divided among memory nodes, each with its own heads.
//!
//! Blocks and segments are numbered across nodes, so an index entry, and everything that follows
//! from it, need not know about nodes. Each node owns a range of both.

pub(crate) mod append;
pub(crate) mod head;
pub(crate) mod node;
pub(crate) mod select;
pub(crate) mod topology;

use std::io;
use std::sync::Arc;

use platform::Pages;

use crate::address::SegmentId;
use crate::compaction::SpaceBell;
use crate::config::{Config, Geometry};
use crate::epoch::Clock;
use crate::raw::{Memory, Region};
use crate::segment::{BlockTable, SegmentTable};
use crate::sync::CachePadded;

use node::Node;
use select::Choice;

/// Object memory and its nodes.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) memory: Memory,
    pub(crate) segments: SegmentTable,
    pub(crate) clock: Arc<Clock>,
    pub(crate) nodes: Box<[Node]>,
    /// Rung when there may be room, on whichever node.
    pub(crate) space: CachePadded<SpaceBell>,
    choice: Choice,
    node_segments: usize,
}

impl Log {
    pub(crate) fn new(config: &Config, geometry: &Geometry, clock: Arc<Clock>) -> io::Result<Self> {
        let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
        let count = geometry.nodes.len();
        let blocks = geometry.node_blocks * count as u32;
        let region = Region::map(blocks, geometry.block_shift, pages)?;
        for (turn, node) in geometry.nodes.iter().enumerate() {
            if let Some(number) = node.number {
                region.bind(Node::run(geometry, turn), number)?;
            }
        }
        if config.resident {
            region.populate();
        }
        let Config { core_source, head_choice, placement, .. } = *config;
        Ok(Self {
            memory: Memory { region, blocks: BlockTable::new(blocks), routine: config.copy },
            segments: SegmentTable::new(geometry.node_segments * count),
            clock,
            nodes: (0..count).map(|turn| Node::new(config, geometry, turn)).collect(),
            space: CachePadded::default(),
            choice: Choice::new(&geometry.nodes, core_source, head_choice, placement),
            node_segments: geometry.node_segments,
        })
    }

    /// The node that the calling thread runs on, then all others.
    pub(crate) fn nodes_from_here(&self) -> impl Iterator<Item = &Node> {
        self.nodes_from(usize::from(self.choice.here().node))
    }

    /// The number of the head that a thread on this core appends to, on any node.
    pub(crate) fn turn_here(&self) -> usize {
        usize::from(self.choice.here().turn)
    }

    /// Whether compaction is due on the node that the calling thread runs on.
    #[inline]
    pub(crate) fn is_low_here(&self) -> bool {
        self.nodes[usize::from(self.choice.here().node)].is_low()
    }

    /// Whether a segment lies on the node that the calling thread runs on, and compaction is due there.
    #[inline]
    pub(crate) fn is_low_here_at(&self, id: SegmentId) -> bool {
        let here = usize::from(self.choice.here().node);
        id.index() / self.node_segments == here && self.nodes[here].is_low()
    }

    /// Node `first`, then all others.
    pub(crate) fn nodes_from(&self, first: usize) -> impl Iterator<Item = &Node> {
        self.nodes[first..].iter().chain(&self.nodes[..first])
    }

    /// Free blocks of all nodes, including the reserves.
    pub(crate) fn free_blocks(&self) -> u64 {
        self.nodes.iter().map(|node| node.pool.free()).sum()
    }

    /// Whether no closed segment is on its way to a worker.
    pub(crate) fn nothing_rolled(&self) -> bool {
        self.nodes.iter().all(Node::nothing_rolled)
    }

    /// Size of the tables besides object memory.
    pub(crate) fn table_bytes(&self) -> u64 {
        let nodes: u64 = self.nodes.iter().map(Node::table_bytes).sum();
        self.memory.blocks.bytes() + self.segments.bytes() + nodes
    }
}
