//! The pool: free blocks, the part of them set aside for compaction, and free segment ids.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

use crate::address::{BlockId, SegmentId};
use crate::sync::{AtomicU64, Ordering, lock};

/// How many runs are looked at for one that is long enough.
const FIT_ATTEMPTS: usize = 32;

/// Consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) blocks: u32,
}

impl Run {
    pub(crate) fn blocks(self) -> impl Iterator<Item = BlockId> {
        (self.start..self.start + self.blocks).map(BlockId)
    }

    /// Adds `block` to `runs`, lengthening the last run if it follows it.
    pub(crate) fn push(runs: &mut Vec<Self>, block: BlockId) {
        match runs.last_mut() {
            Some(last) if last.start + last.blocks == block.0 => last.blocks += 1,
            _ => runs.push(Self { start: block.0, blocks: 1 }),
        }
    }
}

/// Who pays for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purse {
    /// A head: leaves the reserve alone.
    Client,
    /// A compaction worker: may take the last block.
    Compaction,
}

/// Free blocks.
///
/// The reserve is an account, not a place: heads are refused once no more than `reserve` blocks
/// are free, workers are not. What is freed therefore refills the reserve first.
///
/// Low addresses go first, so blocks that were never used stay untouched as long as possible.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Mirror of the free blocks for readers without the lock.
    free: AtomicU64,
    reserve: u64,
}

#[derive(Debug)]
struct State {
    /// Start and length of every free run; neighbours are merged.
    runs: BTreeMap<u32, u32>,
    free: u64,
    ids: Vec<SegmentId>,
}

impl Pool {
    /// A pool of the blocks of `run` and of segment ids.
    pub(crate) fn new(run: Run, ids: Range<usize>, reserve: u64) -> Self {
        Self {
            state: Mutex::new(State {
                runs: BTreeMap::from([(run.start, run.blocks)]),
                free: u64::from(run.blocks),
                ids: ids.rev().map(|id| SegmentId(id as u16)).collect(),
            }),
            free: AtomicU64::new(u64::from(run.blocks)),
            reserve,
        }
    }

    /// Free blocks, the reserve included.
    #[inline]
    pub(crate) fn free(&self) -> u64 {
        // Relaxed: an estimate; whoever acts on it takes the lock.
        self.free.load(Ordering::Relaxed)
    }

    /// Free blocks that heads may have.
    #[inline]
    pub(crate) fn available(&self) -> u64 {
        self.free().saturating_sub(self.reserve)
    }

    /// Takes between `least` and `wish` blocks, preferably behind `after` and in one run.
    pub(crate) fn take(
        &self,
        least: u64,
        wish: u64,
        after: Option<BlockId>,
        purse: Purse,
    ) -> Option<Vec<Run>> {
        let mut state = lock(&self.state);
        let kept = if purse == Purse::Client { self.reserve } else { 0 };
        let available = state.free.saturating_sub(kept);
        if available < least.max(1) {
            return None;
        }
        let mut missing = wish.max(least).min(available) as u32;
        state.free -= u64::from(missing);
        self.free.store(state.free, Ordering::Relaxed); // Relaxed: see `free`.
        let mut taken = Vec::new();
        let mut near = after.map(|block| block.0 + 1);
        while missing > 0 {
            let start = near.take().filter(|next| state.runs.contains_key(next));
            let start = start.unwrap_or_else(|| state.fitting(missing));
            let run = state.cut(start, missing);
            missing -= run.blocks;
            taken.push(run);
        }
        Some(taken)
    }

    /// Gives blocks back.
    pub(crate) fn give(&self, runs: &[Run]) {
        let mut state = lock(&self.state);
        for &run in runs {
            state.insert(run);
            state.free += u64::from(run.blocks);
        }
        self.free.store(state.free, Ordering::Relaxed); // Relaxed: see `free`.
    }

    pub(crate) fn take_id(&self) -> Option<SegmentId> {
        lock(&self.state).ids.pop()
    }

    pub(crate) fn give_id(&self, id: SegmentId) {
        lock(&self.state).ids.push(id);
    }

    /// Calls `visit` for every free run while nobody can take blocks.
    pub(crate) fn for_each_run(&self, mut visit: impl FnMut(Run)) {
        let state = lock(&self.state);
        for (&start, &blocks) in &state.runs {
            visit(Run { start, blocks });
        }
    }
}

impl State {
    /// The start of the run to serve `blocks` blocks from.
    fn fitting(&self, blocks: u32) -> u32 {
        let mut runs = self.runs.iter();
        let fits = runs.by_ref().take(FIT_ATTEMPTS).find(|&(_, &length)| length >= blocks);
        let first = || self.runs.iter().next().expect("as many free blocks as counted");
        *fits.unwrap_or_else(first).0
    }

    /// Takes at most `blocks` blocks from the front of the run at `start`.
    fn cut(&mut self, start: u32, blocks: u32) -> Run {
        let length = self.runs.remove(&start).expect("a free run starts here");
        let taken = length.min(blocks);
        if taken < length {
            self.runs.insert(start + taken, length - taken);
        }
        Run { start, blocks: taken }
    }

    fn insert(&mut self, run: Run) {
        let Run { mut start, mut blocks } = run;
        if let Some((&before, &length)) = self.runs.range(..start).next_back() {
            assert!(before + length <= start, "block {start} was freed twice");
            if before + length == start {
                self.runs.remove(&before);
                (start, blocks) = (before, length + blocks);
            }
        }
        if let Some(length) = self.runs.remove(&(start + blocks)) {
            blocks += length;
        }
        self.runs.insert(start, blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_for_compaction_and_refills_first() {
        let pool = Pool::new(Run { start: 0, blocks: 10 }, 0..4, 3);
        assert_eq!(pool.take(7, 7, None, Purse::Client).unwrap(), [Run { start: 0, blocks: 7 }]);
        assert_eq!(pool.take(1, 1, None, Purse::Client), None);
        let reserve = pool.take(1, 3, None, Purse::Compaction).unwrap();
        assert_eq!(pool.free(), 0);
        pool.give(&reserve);
        assert_eq!(pool.take(1, 1, None, Purse::Client), None, "three blocks: the reserve again");
        pool.give(&[Run { start: 2, blocks: 2 }]);
        assert_eq!(pool.take(1, 9, None, Purse::Client).unwrap(), [Run { start: 2, blocks: 2 }]);
    }

    #[test]
    fn neighbours_merge_and_the_block_behind_is_preferred() {
        let pool = Pool::new(Run { start: 0, blocks: 16 }, 0..4, 0);
        let all = pool.take(16, 16, None, Purse::Client).unwrap();
        assert_eq!(all, [Run { start: 0, blocks: 16 }]);
        for start in [1, 3, 2, 9, 8] {
            pool.give(&[Run { start, blocks: 1 }]);
        }
        let mut runs = Vec::new();
        pool.for_each_run(|run| runs.push(run));
        assert_eq!(runs, [Run { start: 1, blocks: 3 }, Run { start: 8, blocks: 2 }]);
        let near = pool.take(2, 2, Some(BlockId(7)), Purse::Client).unwrap();
        assert_eq!(near, [Run { start: 8, blocks: 2 }]);
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_noticed() {
        let pool = Pool::new(Run { start: 0, blocks: 16 }, 0..4, 0);
        pool.give(&[Run { start: 5, blocks: 1 }]);
    }
}
