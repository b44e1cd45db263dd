//! Memory for nodes: blocks of 2 MiB that belong to the tree, as in the original.
//!
//! A descent reads a node of another page at every level. On pages of 4 KiB nearly each of those
//! reads also misses the processor's table of pages; a block is one page of 2 MiB, where the system
//! provides one. It is resident as a whole once it is obtained, and stays until the tree is dropped.
//!
//! A block is cut into nodes from its front. Freed nodes are in a list, linked through their first
//! words, and are handed out before anything is cut.
//!
//! One lock guards all of it. Nodes are taken where nodes split: once in several insertions, and
//! never by a put that finds its key.

use std::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, PoisonError};

use platform::mapping::HUGE_PAGE_BYTES;
use platform::{Mapping, Pages};

use crate::node::NODE_BYTES;

/// Bytes of a block.
const BLOCK_BYTES: usize = HUGE_PAGE_BYTES;
const NODES_PER_BLOCK: usize = BLOCK_BYTES / NODE_BYTES;

/// The address that stands for no node.
const NOBODY: usize = 0;

/// The nodes of a tree.
#[derive(Debug)]
pub(crate) struct NodePool {
    pages: Pages,
    nodes_max: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    blocks: Vec<Mapping>,
    /// Blocks on one page each.
    huge_blocks: usize,
    /// Nodes cut from the last block.
    cut: usize,
    /// The address of the first freed node.
    freed: usize,
    in_use: usize,
}

impl NodePool {
    /// A pool without blocks, of at most `nodes_max` nodes.
    pub(crate) fn new(pages: Pages, nodes_max: usize) -> Self {
        let state = State { blocks: Vec::new(), huge_blocks: 0, cut: 0, freed: NOBODY, in_use: 0 };
        Self { pages, nodes_max, state: Mutex::new(state) }
    }

    /// Uninitialised memory for a node, on cache lines of its own; `None` if there are as many
    /// nodes as there may be, or the system has no memory. Its address is exposed.
    pub(crate) fn allocate(&self) -> Option<NonNull<u8>> {
        let mut state = self.lock();
        if state.in_use == self.nodes_max {
            return None;
        }
        let node = match state.take_freed() {
            Some(node) => node,
            None => state.cut(self.pages)?,
        };
        state.in_use += 1;
        Some(node)
    }

    /// Takes a node back.
    ///
    /// # Safety
    /// The address is that of a node from [`allocate`](Self::allocate) of this pool, which nobody
    /// uses any more, and which was not freed since.
    pub(crate) unsafe fn free(&self, address: usize) {
        let node = ptr::with_exposed_provenance_mut::<usize>(address);
        let mut state = self.lock();
        // SAFETY: by contract the node is ours alone; it is aligned to lines, and longer than a
        // word.
        unsafe { node.write(state.freed) };
        state.freed = address;
        state.in_use -= 1;
    }

    /// Bytes of blocks, all of them resident.
    pub(crate) fn held_bytes(&self) -> u64 {
        (self.lock().blocks.len() * BLOCK_BYTES) as u64
    }

    /// Bytes of blocks that are not part of a node in use.
    pub(crate) fn spare_bytes(&self) -> u64 {
        let state = self.lock();
        (state.blocks.len() * BLOCK_BYTES - state.in_use * NODE_BYTES) as u64
    }

    /// Bytes of blocks that were on 2 MiB pages when they were obtained.
    pub(crate) fn huge_bytes(&self) -> u64 {
        (self.lock().huge_blocks * BLOCK_BYTES) as u64
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state changes only by steps that do not panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_freed(&mut self) -> Option<NonNull<u8>> {
        let node = NonNull::new(ptr::with_exposed_provenance_mut::<usize>(self.freed))?;
        // SAFETY: a node in the list, whose first word `free` has written.
        self.freed = unsafe { node.read() };
        Some(node.cast())
    }

    /// Cuts a node from the last block, or from a new one.
    fn cut(&mut self, pages: Pages) -> Option<NonNull<u8>> {
        if self.blocks.is_empty() || self.cut == NODES_PER_BLOCK {
            let block = Mapping::anonymous(BLOCK_BYTES, pages).ok()?;
            match pages {
                Pages::Huge => self.huge_blocks += usize::from(block.populate_huge(0)),
                Pages::Small | Pages::SmallUntilCollapsed => block.populate(0, BLOCK_BYTES),
            }
            // Nodes are freed by their addresses.
            let _ = block.start().as_ptr().expose_provenance();
            self.blocks.push(block);
            self.cut = 0;
        }
        let block = self.blocks.last()?;
        // SAFETY: a block has more nodes than were cut, so this one ends inside.
        let node = unsafe { block.start().add(self.cut * NODE_BYTES) };
        self.cut += 1;
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::memory::LINE_BYTES;

    const ALL: usize = usize::MAX;

    fn address(node: NonNull<u8>) -> usize {
        node.addr().get()
    }

    /// Frees a node of this pool.
    fn free(pool: &NodePool, node: NonNull<u8>) {
        // SAFETY: the tests that call this take each node from this pool, and free it once.
        unsafe { pool.free(address(node)) };
    }

    #[test]
    fn nodes_are_on_lines_of_their_own_in_blocks_on_large_pages() {
        let pool = NodePool::new(Pages::Huge, ALL);
        assert_eq!((pool.held_bytes(), pool.spare_bytes()), (0, 0));
        let nodes: Vec<_> = (0..NODES_PER_BLOCK + 1).map(|_| pool.allocate().unwrap()).collect();
        for &node in &nodes {
            assert!(address(node).is_multiple_of(LINE_BYTES));
            // SAFETY: the node is ours alone.
            unsafe { node.write_bytes(0xab, NODE_BYTES) };
        }
        assert!(address(nodes[0]).is_multiple_of(BLOCK_BYTES));
        assert!(address(nodes[NODES_PER_BLOCK]).is_multiple_of(BLOCK_BYTES), "a second block");
        let places: HashSet<_> = nodes.iter().map(|&node| address(node) / NODE_BYTES).collect();
        assert_eq!(places.len(), nodes.len(), "no two nodes overlap");
        assert_eq!(pool.held_bytes(), 2 * BLOCK_BYTES as u64);
        assert!(pool.huge_bytes() <= pool.held_bytes());
    }

    #[test]
    fn what_is_freed_is_used_again_and_counted() {
        for pages in [Pages::Small, Pages::Huge] {
            let pool = NodePool::new(pages, ALL);
            let nodes: Vec<_> = (0..100).map(|_| pool.allocate().unwrap()).collect();
            let held_bytes = BLOCK_BYTES as u64;
            assert_eq!(pool.spare_bytes(), held_bytes - 100 * NODE_BYTES as u64);
            nodes.iter().skip(40).for_each(|&node| free(&pool, node));
            assert_eq!(pool.spare_bytes(), held_bytes - 40 * NODE_BYTES as u64);
            let freed: HashSet<_> = nodes.iter().skip(40).map(|&node| address(node)).collect();
            let again: HashSet<_> = (0..60).map(|_| address(pool.allocate().unwrap())).collect();
            assert_eq!(again, freed, "what was freed comes before what was never used");
            assert!(!freed.contains(&address(pool.allocate().unwrap())));
            assert_eq!(pool.held_bytes(), held_bytes);
        }
    }

    #[test]
    fn a_full_pool_refuses_until_a_node_is_freed() {
        let pool = NodePool::new(Pages::Small, 3);
        let nodes = [(); 3].map(|()| pool.allocate().unwrap());
        assert_eq!(pool.allocate(), None);
        free(&pool, nodes[1]);
        assert_eq!(pool.allocate(), Some(nodes[1]));
        assert_eq!(pool.allocate(), None);
        assert_eq!(NodePool::new(Pages::Small, 0).allocate(), None);
    }

    #[test]
    fn threads_take_and_free_without_losing_any() {
        let pool = NodePool::new(Pages::Small, ALL);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for round in 1..200 {
                        let nodes: Vec<_> =
                            (0..round % 17).map(|_| pool.allocate().unwrap()).collect();
                        nodes.into_iter().for_each(|node| free(&pool, node));
                    }
                });
            }
        });
        assert_eq!(pool.spare_bytes(), pool.held_bytes());
        assert_eq!(pool.held_bytes(), BLOCK_BYTES as u64);
    }
}
