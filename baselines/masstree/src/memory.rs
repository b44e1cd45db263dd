//! Memory of a tree: blocks of the heap under test for rows and suffixes, a pool for nodes.
//!
//! Addresses are exposed here, so that a block can be freed by the number recorded for it.

use std::ptr::{self, NonNull};

use engine::Heap;

use crate::pool::NodePool;

/// Bytes of a cache line, the alignment of nodes.
pub(crate) const LINE_BYTES: usize = 64;

/// A block of the heap, or a node, identified by its address.
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

/// The heap under test, and the pool of nodes.
#[derive(Debug)]
pub(crate) struct Memory {
    heap: &'static dyn Heap,
    pub(crate) nodes: NodePool,
}

impl Memory {
    pub(crate) fn new(heap: &'static dyn Heap, nodes: NodePool) -> Self {
        Self { heap, nodes }
    }

    pub(crate) fn heap(&self) -> &'static dyn Heap {
        self.heap
    }

    /// Allocates a block of the heap; `None` if the heap is exhausted.
    #[inline]
    pub(crate) fn allocate(&self, bytes: usize) -> Option<(NonNull<u8>, Block)> {
        let start = self.heap.allocate(bytes)?;
        Some((start, Block { address: start.as_ptr().expose_provenance(), bytes }))
    }

    /// Bytes that the heap lets a block use, if it tells.
    ///
    /// # Safety
    /// The block must be live, and of the heap.
    pub(crate) unsafe fn usable_bytes(&self, block: Block) -> Option<usize> {
        // SAFETY: passed on; the block comes from this heap.
        unsafe { self.heap.usable_bytes(start_of(block)) }
    }

    /// Frees a block of the heap.
    ///
    /// # Safety
    /// The block must be live, and of the heap, and nobody may use it any more.
    pub(crate) unsafe fn free(&self, block: Block) {
        // SAFETY: passed on; the block comes from this heap and knows its size.
        unsafe { self.heap.free(start_of(block), block.bytes) };
    }

    /// Gives a node back to the pool.
    ///
    /// # Safety
    /// The node must be live, and of the pool, and nobody may use it any more.
    pub(crate) unsafe fn free_node(&self, node: Block) {
        // SAFETY: passed on.
        unsafe { self.nodes.free(node.address) };
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
