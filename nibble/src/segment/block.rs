//! The table of blocks: which segment a block belongs to, and which block follows it there.

use crate::address::{BlockId, SegmentId};
use crate::sync::{AtomicU32, Ordering};

const NONE: u32 = u32::MAX;

/// ```text
/// offset  size  field  written by                             read by
///      0     4  owner  whoever links or frees the block       check
///      4     4  next   the writer that extends the segment    everybody
/// ```
///
/// Both fields are relaxed: a thread that follows `next` got here through a reference published
/// after the link was made (edge PUBLISH), or owns the segment.
#[repr(C)]
#[derive(Debug)]
struct BlockInfo {
    owner: AtomicU32,
    next: AtomicU32,
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<BlockInfo>() == 8);

/// One [`BlockInfo`] per block of object memory.
#[derive(Debug)]
pub(crate) struct BlockTable(Box<[BlockInfo]>);

impl BlockTable {
    pub(crate) fn new(blocks: u32) -> Self {
        Self(
            (0..blocks)
                .map(|_| BlockInfo { owner: AtomicU32::new(NONE), next: AtomicU32::new(NONE) })
                .collect(),
        )
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }

    /// The block after `block` in its segment.
    ///
    /// # Panics
    /// If there is none: an object never extends beyond its segment.
    #[inline]
    pub(crate) fn next(&self, block: BlockId) -> BlockId {
        self.try_next(block).expect("an object ends inside its segment")
    }

    #[inline]
    pub(crate) fn try_next(&self, block: BlockId) -> Option<BlockId> {
        // Relaxed: see `BlockInfo`.
        let next = self.0[block.index()].next.load(Ordering::Relaxed);
        (next != NONE).then_some(BlockId(next))
    }

    pub(crate) fn owner(&self, block: BlockId) -> Option<SegmentId> {
        // Relaxed: only `check` reads it, and holds the locks of everyone who writes it.
        let owner = self.0[block.index()].owner.load(Ordering::Relaxed);
        (owner != NONE).then_some(SegmentId(owner as u16))
    }

    /// Makes `block` the last block of `segment`, after `previous`.
    pub(crate) fn link(&self, segment: SegmentId, previous: Option<BlockId>, block: BlockId) {
        let info = &self.0[block.index()];
        // Relaxed: see `BlockInfo`.
        info.owner.store(u32::from(segment.0), Ordering::Relaxed);
        // Relaxed: as above.
        info.next.store(NONE, Ordering::Relaxed);
        if let Some(previous) = previous {
            self.cut_after(previous, Some(block));
        }
    }

    /// Sets the block that follows `block`.
    pub(crate) fn cut_after(&self, block: BlockId, next: Option<BlockId>) {
        // Relaxed: see `BlockInfo`.
        self.0[block.index()].next.store(next.map_or(NONE, |next| next.0), Ordering::Relaxed);
    }

    /// Clears the owner of a block that returns to the pool.
    pub(crate) fn disown(&self, block: BlockId) {
        // Relaxed: the pool's lock orders it before the next owner.
        self.0[block.index()].owner.store(NONE, Ordering::Relaxed);
    }
}
