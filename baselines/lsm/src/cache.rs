//! Blocks of tables that are kept in memory: in parts, each with a lock for a few instructions, and
//! a clock that gives every block a second chance.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use crate::sync::{AtomicU64, Ordering, lock};
use crate::table::Block;

const PARTS: usize = 16;

/// A table's number, and where the block begins.
type Place = (u64, u64);

/// Blocks in memory.
#[derive(Debug)]
pub(crate) struct Cache {
    parts: [Mutex<Part>; PARTS],
    part_bytes: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug, Default)]
struct Part {
    blocks: HashMap<Place, Kept>,
    /// In the order of their next chance.
    queue: VecDeque<Place>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    block: Arc<Block>,
    was_used: bool,
}

impl Cache {
    /// Keeps about this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            parts: Default::default(),
            part_bytes: bytes / PARTS,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    fn part(&self, (table, at): Place) -> &Mutex<Part> {
        let word = (table ^ at.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.parts[(word >> 60) as usize]
    }

    pub(crate) fn get(&self, table: u64, at: u64) -> Option<Arc<Block>> {
        if self.part_bytes == 0 {
            return None;
        }
        let mut part = lock(self.part((table, at)));
        let kept = part.blocks.get_mut(&(table, at));
        // Relaxed: they are counts.
        let count = if kept.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        kept.map(|kept| {
            kept.was_used = true;
            Arc::clone(&kept.block)
        })
    }

    /// Keeps a block, in place of others that were not used lately.
    pub(crate) fn insert(&self, table: u64, at: u64, block: &Arc<Block>) {
        if block.bytes() > self.part_bytes {
            return;
        }
        let place = (table, at);
        let mut part = lock(self.part(place));
        let kept = Kept { block: Arc::clone(block), was_used: false };
        if let Some(old) = part.blocks.insert(place, kept) {
            part.bytes -= old.block.bytes();
        } else {
            part.queue.push_back(place);
        }
        part.bytes += block.bytes();
        while part.bytes > self.part_bytes {
            part.drop_one();
        }
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| lock(part).bytes).sum()
    }

    /// How often a block was there, and was not.
    pub(crate) fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }
}

impl Part {
    fn drop_one(&mut self) {
        let place = self.queue.pop_front().expect("what has bytes is in the queue");
        let kept = self.blocks.get_mut(&place).expect("what is in the queue is kept");
        if std::mem::take(&mut kept.was_used) {
            self.queue.push_back(place);
        } else {
            self.bytes -= kept.block.bytes();
            self.blocks.remove(&place);
        }
    }
}
