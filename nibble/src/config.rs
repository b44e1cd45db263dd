//! The configuration of a store, and how it is converted to numbers of blocks.

use crate::constants::{
    BLOCK_BYTES_DEFAULT, BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, BLOCKS_SCALED, EXTENT_BLOCKS,
    EXTENTS_MIN, FREE_LOW_PERCENT_MAX, HEADS_MAX, NODES_MAX, OBJECT_BYTES_SCALED, OBJECT_PART,
    PARTITIONS_MAX, RESERVE_PERCENT_MAX, SEGMENT_BYTES_INLINE_MIN, SEGMENT_BYTES_MAX,
    SEGMENT_BYTES_SCALED, SEGMENT_IDS, SEGMENTS_INLINE_MIN, SEGMENTS_MAX, SEGMENTS_MIN,
    SEGMENTS_SCALED, SEGMENTS_SCALED_INLINE, WORKERS_MAX,
};
use crate::error::OpenError;
use crate::holes::Limits;
use crate::index::IndexPlan;
use crate::knobs::{
    Compaction, CopyRoutine, CoreSource, EpochClock, HeadChoice, HoleUse, IndexLayout, Placement,
    Selection, Survivors, Update,
};
use crate::log::topology::{NodePlan, topology};

/// Configuration of a [`crate::Store`]: every knob of the papers' evaluation. Fields set to 0 where
/// 0 makes no sense are scaled automatically. Start from [`Config::best`] or [`Config::paper`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bytes for objects on all nodes: all blocks, including the compaction reserve, but not the
    /// index and tables. Rounded down to whole blocks.
    pub object_memory_bytes: u64,
    /// Memory nodes. Each has its own log: blocks, heads, workers and a share of the index, bound
    /// to the node's memory. 0: the nodes of the machine; otherwise this many virtual nodes,
    /// unbound, to which the cores are dealt in turn.
    pub virtual_nodes: usize,
    /// Size of a segment in bytes, rounded up to whole blocks. Larger segments hold larger values
    /// and need fewer table entries; smaller ones are compacted in smaller steps. 0: scaled to
    /// object memory (N17 section 5: 32 MiB). Where writers compact, a store of at least 4 MiB then
    /// has at least 256 segments, and values may be longer than one: up to 1 MiB, or a quarter of a
    /// node's memory.
    pub segment_bytes: u64,
    /// Size of a block in bytes, a power of two from 4 KiB to 2 MiB. Memory moves between segments
    /// in blocks. Small blocks cost time; large blocks are wasted at the ends of segments (N17
    /// section 5: 64 KiB; DISS Fig. 21). 0: scaled to object memory, from 4 to 64 KiB.
    pub block_bytes: u64,
    /// Number of heads per node, the open segments to which its threads append (N17 Fig. 8c). 0:
    /// the number of the node's cores.
    pub heads: usize,
    /// Which head a PUT appends to.
    pub head_choice: HeadChoice,
    /// How the current core is found.
    pub core_source: CoreSource,
    /// Which node a PUT appends to.
    pub placement: Placement,
    /// Where epochs come from.
    pub epoch: EpochClock,
    /// Who compacts.
    pub compaction: Compaction,
    /// Number of compaction workers per node: background threads (N17: 8 for each socket of 15
    /// cores; DISS Fig. 24) or, inline, how many clients may compact at the same time.
    pub compaction_workers: usize,
    /// Compaction begins when less than this percentage of a node's object memory is free. An early
    /// start means more copying; after a late start PUTs may have to wait (N17 section 4.3: 20).
    /// Inline it is a maximum: a few free blocks per head are enough, because compaction is paid as
    /// one goes, and any further free memory makes victims less empty.
    pub free_low_percent: u32,
    /// Percentage of object memory that only compaction may use; at least a few blocks (N17 section
    /// 4.3: 1 to 2). 0: as many blocks as moving the largest object takes that the store has held,
    /// and two for each worker.
    pub reserve_percent: u32,
    /// Which segment is compacted next.
    pub selection: Selection,
    /// Where compaction copies to.
    pub survivors: Survivors,
    /// How bytes are copied into the log.
    pub copy: CopyRoutine,
    /// What a PUT of an existing key does: Nibble or Nibble-2.
    pub update: Update,
    /// What becomes of the room of dead objects while memory is short. Only where values are overwritten
    /// in place: a store that appends leaves what it has written.
    pub holes: HoleUse,
    /// Layout of the index.
    pub index: IndexLayout,
    /// Number of index partitions, rounded up to a power of two. Partitions grow independently;
    /// more of them grow in smaller steps and take a page each. 0: scaled to object memory.
    pub index_partitions: usize,
    /// Makes all object memory resident when the store opens, so that no operation takes a page
    /// fault there.
    pub resident: bool,
    /// Requests 2 MiB pages for objects and for the filled part of the index. If the system
    /// refuses, pages are small; [`crate::Store::huge_page_bytes`] tells.
    pub huge_pages: bool,
    /// Returns pages of free blocks to the system even without [`crate::Store::trim`], beyond a
    /// cushion, in pieces of 2 MiB (256 KiB with small pages). This happens as blocks become free
    /// and, inline, as clients write.
    pub return_free_memory: bool,
    /// How long a PUT waits while another session is inside one operation and nothing is freed, in
    /// milliseconds. Then it returns [`crate::PutError::Stalled`]. It returns
    /// [`crate::PutError::Full`] as soon as waiting is useless. As long as memory is freed or
    /// sessions move on, the time begins again; if others take all that is freed, the PUT gives up
    /// after another minute.
    pub full_wait_ms: u64,
}

impl Config {
    /// The structure and defaults of the paper (N17 sections 3 to 5), scaled to this much object
    /// memory and to the available cores.
    #[must_use]
    pub fn paper(object_memory_bytes: u64) -> Self {
        let cores = platform::cpu::allowed_cores().len().max(1);
        Self {
            object_memory_bytes,
            virtual_nodes: 0,
            segment_bytes: 0,
            block_bytes: BLOCK_BYTES_DEFAULT,
            heads: 0,
            head_choice: HeadChoice::Core,
            core_source: CoreSource::Rdtscp,
            placement: Placement::Local,
            epoch: EpochClock::ThreadTicks,
            compaction: Compaction::Background,
            compaction_workers: cores.min(2),
            free_low_percent: 20,
            reserve_percent: 2,
            selection: Selection::CostBenefit,
            survivors: Survivors::Separate,
            copy: CopyRoutine::Memcpy,
            update: Update::Append,
            holes: HoleUse::Left,
            index: IndexLayout::Text,
            index_partitions: 0,
            resident: false,
            huge_pages: false,
            return_free_memory: false,
            full_wait_ms: 1000,
        }
    }

    /// The best configuration found: the one-line index, epochs that cost a load and a store (where the
    /// system has no barrier for them, an exchange), compaction by the writers, many segments and a
    /// reserve of a few blocks, updates in place where the value fits, new objects in the room of dead
    /// ones while memory is short, large pages.
    #[must_use]
    pub fn best(object_memory_bytes: u64) -> Self {
        Self {
            block_bytes: 0,
            core_source: CoreSource::Rseq,
            epoch: EpochClock::ThreadCounter,
            compaction: Compaction::Inline,
            free_low_percent: 4,
            reserve_percent: 0,
            selection: Selection::RamCloud,
            update: Update::InPlace,
            holes: HoleUse::Reused,
            index: IndexLayout::Tagged,
            huge_pages: true,
            ..Self::paper(object_memory_bytes)
        }
    }

    /// How many rooms of dead objects a session keeps for new ones, if it does. With several nodes, only
    /// if it would append on its own node.
    pub(crate) fn holes(&self, nodes: usize) -> Option<Limits> {
        let is_local = nodes == 1 || self.placement == Placement::Local;
        let reused = self.holes == HoleUse::Reused && self.update == Update::InPlace && is_local;
        reused.then(|| Limits::scaled(self.object_memory_bytes))
    }

    /// The configuration that a store opened with this one reports: every 0 replaced by the value
    /// chosen for it, every size as it is used. It opens nothing.
    ///
    /// # Errors
    /// [`OpenError`], as [`crate::Store::open`] answers.
    pub fn in_use(&self) -> Result<Self, OpenError> {
        self.geometry().map(|geometry| self.resolved(&geometry))
    }

    pub(crate) fn geometry(&self) -> Result<Geometry, OpenError> {
        self.check_ranges()?;
        let nodes = topology(self.virtual_nodes, self.heads);
        let count = nodes.len() as u64;
        let block = self.block_bytes_in_use();
        let node_blocks = self.object_memory_bytes / block / count;
        let segment_bytes = self.segment_bytes_in_use();
        let object_memory_bytes = self.object_memory_bytes;
        if segment_bytes > SEGMENT_BYTES_MAX {
            return Err(OpenError::SegmentTooLarge { segment_bytes, limit: SEGMENT_BYTES_MAX });
        }
        let needed = segment_bytes * SEGMENTS_MIN * count;
        if node_blocks * block * count < needed {
            return Err(OpenError::TooLittleMemory { object_memory_bytes, needed, segment_bytes });
        }
        let limit = segment_bytes * (SEGMENTS_MAX / count) * count;
        let blocks = node_blocks * count;
        if blocks * block > limit || blocks > u64::from(u32::MAX) / 2 {
            return Err(OpenError::TooManySegments { object_memory_bytes, limit, segment_bytes });
        }
        // Each worker may at the same time fill one block and keep one half-emptied.
        let tied_blocks = 2 * self.compaction_workers as u64;
        let percent = (node_blocks * u64::from(self.reserve_percent)).div_ceil(100);
        let reserve = percent.max(tied_blocks + 1);
        let heads = nodes.iter().map(|node| node.heads as u64).max().unwrap_or(1);
        if reserve + heads > node_blocks / 2 {
            let set_aside = reserve + heads;
            return Err(OpenError::NothingLeft {
                blocks: node_blocks,
                set_aside,
                block_bytes: block,
            });
        }
        let segment_blocks = segment_bytes / block;
        let extent_blocks = (segment_blocks / EXTENTS_MIN).clamp(1, EXTENT_BLOCKS);
        let percent = node_blocks * u64::from(self.free_low_percent) / 100;
        let low_blocks = match self.compaction {
            Compaction::Background => percent,
            // What heads and outputs may take at once, and the same again while that is being
            // freed.
            Compaction::Inline => {
                percent.min(2 * (heads + self.compaction_workers as u64) * extent_blocks)
            }
        };
        // Small segments are no reason to refuse a value, unless they were asked for.
        let object_bytes = match self.segment_bytes {
            0 => segment_bytes.max(OBJECT_BYTES_SCALED.min(node_blocks / OBJECT_PART * block)),
            _ => segment_bytes,
        };
        let index = self.index_plan(&nodes);
        Ok(Geometry {
            nodes,
            node_blocks: node_blocks as u32,
            node_segments: node_blocks.min(SEGMENT_IDS / count) as usize,
            block_shift: block.trailing_zeros(),
            segment_bytes,
            object_bytes,
            extent_blocks,
            reserve_blocks: reserve,
            tied_blocks: (self.reserve_percent == 0).then_some(tied_blocks),
            low_blocks,
            workers: self.compaction_workers,
            index,
        })
    }

    /// The configuration with every 0 replaced by the value chosen for it, and sizes as they are
    /// used.
    pub(crate) fn resolved(&self, geometry: &Geometry) -> Self {
        let mut config = self.clone();
        let blocks = u64::from(geometry.node_blocks) * geometry.nodes.len() as u64;
        config.block_bytes = 1 << geometry.block_shift;
        config.object_memory_bytes = blocks * config.block_bytes;
        config.segment_bytes = geometry.segment_bytes;
        config.heads = geometry.nodes.iter().map(|node| node.heads).max().unwrap_or(1);
        config.index_partitions = geometry.index.partitions;
        config
    }

    fn segment_bytes_in_use(&self) -> u64 {
        let (block, memory) = (self.block_bytes_in_use(), self.object_memory_bytes);
        let (least, most) = SEGMENT_BYTES_SCALED;
        match (self.segment_bytes, self.compaction) {
            (0, Compaction::Background) => {
                (memory / SEGMENTS_SCALED).clamp(least, most).next_multiple_of(block)
            }
            (0, Compaction::Inline) => {
                let least = (memory / SEGMENTS_INLINE_MIN).clamp(SEGMENT_BYTES_INLINE_MIN, least);
                let wished = (memory / SEGMENTS_SCALED_INLINE).clamp(least, most);
                // Rounded down: otherwise there would be fewer of them.
                (wished / block * block).max(block)
            }
            (bytes, _) => bytes.next_multiple_of(block),
        }
    }

    fn block_bytes_in_use(&self) -> u64 {
        match self.block_bytes {
            0 => {
                let wished = (self.object_memory_bytes / BLOCKS_SCALED).max(1);
                (1_u64 << wished.ilog2()).clamp(BLOCK_BYTES_MIN, BLOCK_BYTES_DEFAULT)
            }
            bytes => bytes,
        }
    }

    fn check_ranges(&self) -> Result<(), OpenError> {
        let block_bytes = self.block_bytes_in_use();
        if !block_bytes.is_power_of_two()
            || !(BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes)
        {
            return Err(OpenError::BlockSize { block_bytes });
        }
        let range = |name, value: u64, least: u64, most: u64| {
            let inside = (least..=most).contains(&value);
            if inside { Ok(()) } else { Err(OpenError::OutOfRange { name, value, least, most }) }
        };
        range("compaction_workers", self.compaction_workers as u64, 1, WORKERS_MAX as u64)?;
        range("virtual_nodes", self.virtual_nodes as u64, 0, NODES_MAX as u64)?;
        range("heads", self.heads as u64, 0, HEADS_MAX as u64)?;
        range(
            "free_low_percent",
            u64::from(self.free_low_percent),
            0,
            FREE_LOW_PERCENT_MAX.into(),
        )?;
        range("reserve_percent", u64::from(self.reserve_percent), 0, RESERVE_PERCENT_MAX.into())?;
        range("index_partitions", self.index_partitions as u64, 0, PARTITIONS_MAX as u64)
    }

    /// The wide layouts double one partition at a time, so many small partitions keep the steps
    /// small. The tagged layout grows by single buckets, and a few large partitions fill huge
    /// pages.
    fn index_plan(&self, nodes: &[NodePlan]) -> IndexPlan {
        let scaled = |unit: u64, least, most| {
            ((self.object_memory_bytes / unit) as usize).next_power_of_two().clamp(least, most)
        };
        let partitions = match (self.index_partitions, self.index) {
            (0, IndexLayout::Tagged) => scaled(256 << 20, 4, 1024),
            (0, _) => scaled(1 << 20, 16, 8192),
            (partitions, _) => partitions.next_power_of_two(),
        };
        let limit_bytes = index_share(self.index) * self.object_memory_bytes / partitions as u64;
        IndexPlan {
            layout: self.index,
            partitions,
            limit_bytes: limit_bytes.max(INDEX_LIMIT_MIN).next_power_of_two(),
            huge_pages: self.huge_pages,
            nodes: nodes.iter().filter_map(|node| node.number).collect(),
        }
    }
}

/// Address space of the index for each byte of object memory: what object memory full of empty
/// values, 12 bytes each, can make it use.
///
/// A tagged bucket has 64 bytes and ten entries, of which nine are in use: that makes 0.6 bytes. A
/// text bucket has 128 bytes and fifteen entries. Its partition doubles when a bucket gets one key
/// too many, usually when a third of all entries are in use: that makes up to four bytes, and with
/// bad luck eight. Keyed buckets are twice as large.
fn index_share(layout: IndexLayout) -> u64 {
    match layout {
        IndexLayout::Tagged => 1,
        IndexLayout::Text => 8,
        IndexLayout::Keyed => 16,
    }
}

/// The least address space of a partition: the shares of very small partitions are uneven.
const INDEX_LIMIT_MIN: u64 = 64 << 10;

/// A validated configuration, in blocks.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) nodes: Vec<NodePlan>,
    pub(crate) node_blocks: u32,
    /// Number of segment ids per node.
    pub(crate) node_segments: usize,
    pub(crate) block_shift: u32,
    pub(crate) segment_bytes: u64,
    /// Size of the largest object, header included.
    pub(crate) object_bytes: u64,
    /// Number of blocks by which an open segment grows.
    pub(crate) extent_blocks: u64,
    /// Reserve per node, at first.
    pub(crate) reserve_blocks: u64,
    /// If the reserve grows with the objects: how many of its blocks workers may have in use while
    /// they move none.
    pub(crate) tied_blocks: Option<u64>,
    /// Compaction of a node begins when fewer blocks than this are available there.
    pub(crate) low_blocks: u64,
    /// Number of workers per node.
    pub(crate) workers: usize,
    pub(crate) index: IndexPlan,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(change: impl FnOnce(&mut Config)) -> Result<Geometry, OpenError> {
        let mut config = Config::paper(256 << 20);
        config.virtual_nodes = 1;
        change(&mut config);
        config.geometry()
    }

    #[test]
    fn segments_are_scaled_to_object_memory() {
        let segment = |bytes| geometry(|c| c.object_memory_bytes = bytes).unwrap().segment_bytes;
        assert_eq!(segment(256 << 20), 8 << 20);
        assert_eq!(segment(4 << 20), 1 << 20);
        assert_eq!(segment(1 << 40), 32 << 20);
    }

    #[test]
    fn small_stores_have_small_segments_rather_than_few() {
        let best = |bytes: u64| {
            let config = Config { virtual_nodes: 1, heads: 2, ..Config::best(bytes) };
            (config.in_use().unwrap(), config.geometry().unwrap().object_bytes)
        };
        for mib in [4, 8, 16, 50, 64, 200, 256, 500, 1 << 10, 64 << 10] {
            let (used, object_bytes) = best(mib << 20);
            assert!(used.object_memory_bytes / used.segment_bytes >= 256, "{mib} MiB: {used:?}");
            assert!(used.segment_bytes / used.block_bytes >= 4, "{mib} MiB: {used:?}");
            assert!(object_bytes >= 1 << 20, "{mib} MiB: objects of {object_bytes} bytes");
        }
        let sizes = |bytes| {
            let (used, object_bytes) = best(bytes);
            (used.block_bytes, used.segment_bytes, object_bytes)
        };
        assert_eq!(sizes(1 << 20), (4 << 10, 16 << 10, 256 << 10), "the smallest");
        assert_eq!(sizes(8 << 20), (4 << 10, 32 << 10, 1 << 20));
        assert_eq!(sizes(256 << 20), (64 << 10, 1 << 20, 1 << 20));
        assert_eq!(sizes(4 << 30), (64 << 10, 8 << 20, 8 << 20));
    }

    #[test]
    fn the_reserve_is_as_it_was_asked_for_or_a_few_blocks() {
        let reserve = |percent| {
            let geometry = geometry(|c| c.reserve_percent = percent).unwrap();
            (geometry.reserve_blocks, geometry.tied_blocks)
        };
        assert_eq!(reserve(2), (4096_u64.div_ceil(50), None), "of 256 MiB");
        let tied_blocks = 2 * Config::paper(0).compaction_workers as u64;
        assert_eq!(reserve(0), (tied_blocks + 1, Some(tied_blocks)));
    }

    #[test]
    fn nodes_share_the_memory_evenly() {
        let geometry = geometry(|c| c.virtual_nodes = 3).unwrap();
        assert_eq!(geometry.nodes.len(), 3);
        assert_eq!(geometry.node_blocks, 4096 / 3);
        assert!(geometry.nodes.iter().all(|node| node.heads >= 1 && node.number.is_none()));
    }

    #[test]
    fn sizes_in_use_are_whole_blocks() {
        let config = Config { virtual_nodes: 3, ..Config::paper((256 << 20) + 1) };
        let used = config.in_use().unwrap();
        assert_eq!(used.object_memory_bytes, 4096 / 3 * 3 * BLOCK_BYTES_DEFAULT);
        assert_eq!((used.segment_bytes, used.virtual_nodes), (8 << 20, 3));
    }

    #[test]
    fn the_trigger_of_inline_compaction_is_small() {
        let low = |bytes: u64| {
            let inline = |c: &mut Config| (c.compaction, c.heads) = (Compaction::Inline, 2);
            geometry(|c| (inline(c), c.object_memory_bytes = bytes).1).unwrap().low_blocks
        };
        assert_eq!(low(16 << 30), low(64 << 30), "bounded by what heads take, not by memory");
        assert!(low(256 << 20) * 50 < 4096, "less than 2 %");
    }

    #[test]
    fn the_index_reserves_what_it_can_use() {
        let reserved = |object_memory_bytes, index, index_partitions| {
            let paper = Config::paper(object_memory_bytes);
            let config = Config { virtual_nodes: 1, index, index_partitions, ..paper };
            let plan = config.geometry().unwrap().index;
            plan.limit_bytes * plan.partitions as u64
        };
        assert_eq!(reserved(256 << 20, IndexLayout::Tagged, 0), 256 << 20);
        assert_eq!(reserved(256 << 20, IndexLayout::Text, 0), 2 << 30);
        assert_eq!(reserved(256 << 20, IndexLayout::Keyed, 0), 4 << 30);
        let between = reserved(300 << 20, IndexLayout::Tagged, 0);
        assert_eq!(between, 512 << 20, "partitions are powers of two");
        assert_eq!(reserved(256 << 20, IndexLayout::Tagged, PARTITIONS_MAX), 4 << 30);
    }

    #[test]
    fn nonsense_is_refused_with_numbers() {
        let message = |change: fn(&mut Config)| geometry(change).unwrap_err().to_string();
        assert!(message(|c| c.block_bytes = 5000).contains("5000"));
        assert!(message(|c| c.object_memory_bytes = 1 << 20).contains("at least 4194304"));
        assert!(message(|c| c.segment_bytes = 1 << 30).contains("67108864"));
        assert!(message(|c| c.compaction_workers = 0).contains("compaction_workers = 0"));
        assert!(message(|c| c.reserve_percent = 90).contains("between 0 and 25"));
        assert!(message(|c| c.object_memory_bytes = 1 << 42).contains("larger segments"));
    }
}
