//! Blocks of the heap under test, and nodes aligned to cache lines within them.
//!
//! Heaps align to 16 bytes, but nodes need 64. While the heap returns blocks of a node's size on
//! cache lines, as heaps with size classes do, a node's block has exactly that size. From the first
//! block that is not aligned, blocks are 48 bytes longer and the node begins at the first cache
//! line in them.
//!
//! Addresses are exposed here, so that a block can be freed by the number recorded for it.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Heap;

use crate::node::NODE_BYTES;

/// Alignment of nodes.
pub(crate) const LINE_BYTES: usize = 64;
const HEAP_ALIGNMENT_BYTES: usize = 16;
const SLACK_BYTES: usize = LINE_BYTES - HEAP_ALIGNMENT_BYTES;

/// A block of the heap, identified by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    address: usize,
    pub(crate) bytes: usize,
}

impl Block {
    /// The block of `bytes` bytes that begins at `start`.
    pub(crate) fn at(start: *const u8, bytes: usize) -> Self {
        Self { address: start.addr(), bytes }
    }
}

/// Where a node lies in its block, as recorded in the node. 0: it fills the block. Otherwise: one
/// more than the number of 16-byte units before it in a longer block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin(pub(crate) u8);

impl Origin {
    /// The block of the node at `node`.
    pub(crate) fn block(self, node: usize) -> Block {
        match usize::from(self.0) {
            0 => Block { address: node, bytes: NODE_BYTES },
            units => Block {
                address: node - (units - 1) * HEAP_ALIGNMENT_BYTES,
                bytes: NODE_BYTES + SLACK_BYTES,
            },
        }
    }
}

/// The heap under test.
#[derive(Debug)]
pub(crate) struct Memory {
    heap: &'static dyn Heap,
    /// Whether all blocks of a node's size have been on cache lines so far.
    aligns: AtomicBool,
}

impl Memory {
    pub(crate) fn new(heap: &'static dyn Heap) -> Self {
        Self { heap, aligns: AtomicBool::new(true) }
    }

    pub(crate) fn heap(&self) -> &'static dyn Heap {
        self.heap
    }

    /// Allocates a block; `None` if the heap is exhausted.
    #[inline]
    pub(crate) fn allocate(&self, bytes: usize) -> Option<(NonNull<u8>, Block)> {
        let start = self.heap.allocate(bytes)?;
        Some((start, Block { address: start.as_ptr().expose_provenance(), bytes }))
    }

    /// Allocates uninitialised memory for a node: five cache lines.
    pub(crate) fn allocate_node(&self) -> Option<(NonNull<u8>, Origin)> {
        // Relaxed, here and below: a hint.
        if self.aligns.load(Ordering::Relaxed) {
            let (start, block) = self.allocate(NODE_BYTES)?;
            if block.address.is_multiple_of(LINE_BYTES) {
                return Some((start, Origin(0)));
            }
            self.aligns.store(false, Ordering::Relaxed);
            // SAFETY: allocated above, and known to nobody.
            unsafe { self.free(block) };
        }
        let (start, block) = self.allocate(NODE_BYTES + SLACK_BYTES)?;
        let before = block.address.next_multiple_of(LINE_BYTES) - block.address;
        // SAFETY: at most the slack lies before the node.
        let node = unsafe { start.add(before) };
        Some((node, Origin((before / HEAP_ALIGNMENT_BYTES) as u8 + 1)))
    }

    /// Bytes that the heap lets a block use, if it tells.
    ///
    /// # Safety
    /// The block must be live.
    pub(crate) unsafe fn usable_bytes(&self, block: Block) -> Option<usize> {
        // SAFETY: passed on; blocks come from this heap.
        unsafe { self.heap.usable_bytes(start_of(block)) }
    }

    /// Frees a block.
    ///
    /// # Safety
    /// The block must be live, and nobody may use it any more.
    pub(crate) unsafe fn free(&self, block: Block) {
        // SAFETY: passed on; blocks come from this heap and know their size.
        unsafe { self.heap.free(start_of(block), block.bytes) };
    }
}

fn start_of(block: Block) -> NonNull<u8> {
    let start = ptr::with_exposed_provenance_mut(block.address);
    NonNull::new(start).expect("a block has an address")
}

/// Prefetches the cache lines of `bytes` bytes from `start` on.
#[inline]
pub(crate) fn prefetch(start: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in (0..bytes).step_by(LINE_BYTES) {
        let line = start.wrapping_add(offset);
        // SAFETY: a prefetch reads nothing and never faults.
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(line.cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (start, bytes);
}
