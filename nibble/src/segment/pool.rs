//! The pool: free blocks, some of them reserved for compaction, and free segment ids.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::address::{BlockId, SegmentId};
use crate::instrument::{Mutant, mutated};
use crate::sync::{AtomicU64, Mutex, Ordering, lock};

/// How many runs are examined to find one that is long enough.
const FIT_ATTEMPTS: usize = 32;
/// How many runs are examined to find a chunk to return to the system.
const RETURN_ATTEMPTS: usize = 64;

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

    /// Adds `block` to `runs`; if it follows the last run, lengthens that.
    pub(crate) fn push(runs: &mut Vec<Self>, block: BlockId) {
        match runs.last_mut() {
            Some(last) if last.start + last.blocks == block.0 => last.blocks += 1,
            _ => runs.push(Self { start: block.0, blocks: 1 }),
        }
    }
}

/// On whose behalf blocks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purse {
    /// A head: must leave the reserve alone.
    Client,
    /// A compaction worker: may take the last block.
    Compaction,
}

/// The free blocks of a node.
///
/// The reserve is a number, not a place: heads are refused once no more than `reserve` blocks are
/// free, workers are not. So freed blocks refill the reserve first. It may grow.
///
/// Low addresses are taken first, so blocks that were never used stay untouched as long as
/// possible.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Copy of the number of free blocks, for readers without the lock.
    free: AtomicU64,
    /// Copy of the number of free blocks whose pages were returned to the system.
    returned: AtomicU64,
    reserve: AtomicU64,
    /// How many blocks' pages are returned to the system together.
    chunk: u32,
}

#[derive(Debug)]
struct State {
    /// Start and length of every free run; neighbours are merged.
    runs: BTreeMap<u32, u32>,
    free: u64,
    ids: Vec<SegmentId>,
    /// Chunks whose pages were returned to the system.
    returned: BTreeSet<u32>,
}

impl Pool {
    /// A pool with the blocks of `run` and a range of segment ids; pages are returned to the system
    /// in chunks of `chunk` blocks.
    pub(crate) fn new(run: Run, ids: Range<usize>, reserve: u64, chunk: u32) -> Self {
        Self {
            state: Mutex::new(State {
                runs: BTreeMap::from([(run.start, run.blocks)]),
                free: u64::from(run.blocks),
                ids: ids.rev().map(|id| SegmentId(id as u16)).collect(),
                returned: BTreeSet::new(),
            }),
            free: AtomicU64::new(u64::from(run.blocks)),
            returned: AtomicU64::new(0),
            reserve: AtomicU64::new(reserve),
            chunk,
        }
    }

    /// Number of free blocks, including the reserve.
    #[inline]
    pub(crate) fn free(&self) -> u64 {
        // Relaxed: an estimate; whoever acts on it takes the lock.
        self.free.load(Ordering::Relaxed)
    }

    /// Number of free blocks that heads may take.
    #[inline]
    pub(crate) fn available(&self) -> u64 {
        self.free().saturating_sub(self.reserve())
    }

    #[inline]
    fn reserve(&self) -> u64 {
        // Relaxed: as for `free`.
        self.reserve.load(Ordering::Relaxed)
    }

    /// Whether the reserve is complete.
    pub(crate) fn has_reserve(&self) -> bool {
        self.free() >= self.reserve()
    }

    /// Makes the reserve at least this large if it is then complete with `least` blocks taken;
    /// returns whether it is that large.
    pub(crate) fn widen_reserve(&self, reserve: u64, least: u64) -> bool {
        let state = lock(&self.state);
        if self.reserve() >= reserve {
            return true;
        }
        let affordable = state.free >= reserve + least;
        if affordable {
            // Relaxed: as for `free`.
            self.reserve.store(reserve, Ordering::Relaxed);
        }
        affordable
    }

    /// Takes between `least` and `wish` blocks, preferably directly after `after` and in one run.
    pub(crate) fn take(
        &self,
        least: u64,
        wish: u64,
        after: Option<BlockId>,
        purse: Purse,
    ) -> Option<Vec<Run>> {
        let mut state = lock(&self.state);
        let keeps = purse == Purse::Client && !mutated(Mutant::ReserveToClients);
        let kept = if keeps { self.reserve() } else { 0 };
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
            self.forget_returned(&mut state, run);
            taken.push(run);
        }
        Some(taken)
    }

    /// Returns blocks to the pool.
    pub(crate) fn give(&self, runs: &[Run]) {
        let mut state = lock(&self.state);
        for &run in runs {
            state.insert(run);
            state.free += u64::from(run.blocks);
        }
        self.free.store(state.free, Ordering::Relaxed); // Relaxed: see `free`.
    }

    /// Whether more than `kept` blocks are free with pages not yet returned to the system.
    pub(crate) fn has_idle(&self, kept: u64) -> bool {
        // Relaxed: see `free`.
        let returned = self.returned.load(Ordering::Relaxed);
        self.free().saturating_sub(returned) >= kept.saturating_add(u64::from(self.chunk))
    }

    /// Returns the pages of one chunk to the system through `discard`; high addresses first,
    /// because low ones are taken first. Returns whether there was a chunk.
    pub(crate) fn return_chunk(&self, discard: impl FnOnce(Run)) -> bool {
        let mut state = lock(&self.state);
        let chunks = state.runs.iter().rev().take(RETURN_ATTEMPTS).flat_map(|(&start, &blocks)| {
            (start.div_ceil(self.chunk)..(start + blocks) / self.chunk).rev()
        });
        let mut resident = chunks.filter(|chunk| !state.returned.contains(chunk));
        let Some(chunk) = resident.next() else { return false };
        drop(resident);
        // Under the lock, or another thread could be writing there.
        discard(Run { start: chunk * self.chunk, blocks: self.chunk });
        state.returned.insert(chunk);
        self.count_returned(&state);
        true
    }

    /// The pages of blocks that are taken will become resident again.
    fn forget_returned(&self, state: &mut State, run: Run) {
        if state.returned.is_empty() {
            return;
        }
        for chunk in run.start / self.chunk..=(run.start + run.blocks - 1) / self.chunk {
            state.returned.remove(&chunk);
        }
        self.count_returned(state);
    }

    fn count_returned(&self, state: &State) {
        let blocks = state.returned.len() as u64 * u64::from(self.chunk);
        // Relaxed: see `free`.
        self.returned.store(blocks, Ordering::Relaxed);
    }

    pub(crate) fn take_id(&self) -> Option<SegmentId> {
        lock(&self.state).ids.pop()
    }

    pub(crate) fn give_id(&self, id: SegmentId) {
        lock(&self.state).ids.push(id);
    }

    /// Calls `visit` for every free run, while nobody can take blocks.
    pub(crate) fn for_each_run(&self, mut visit: impl FnMut(Run)) {
        let state = lock(&self.state);
        for (&start, &blocks) in &state.runs {
            visit(Run { start, blocks });
        }
    }
}

impl State {
    /// The start of the run from which to take `blocks` blocks.
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
        let pool = Pool::new(Run { start: 0, blocks: 10 }, 0..4, 3, 4);
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
    fn a_reserve_grows_only_if_it_can_be_complete() {
        let pool = Pool::new(Run { start: 0, blocks: 10 }, 0..4, 3, 4);
        assert!(pool.widen_reserve(2, 10), "it is larger");
        assert!(!pool.widen_reserve(6, 5), "eleven blocks of ten");
        assert_eq!(pool.available(), 7);
        assert!(pool.widen_reserve(6, 4));
        assert_eq!(pool.available(), 4);
        assert_eq!(pool.take(5, 5, None, Purse::Client), None);
        assert!(pool.take(4, 4, None, Purse::Client).is_some());
    }

    #[test]
    fn neighbours_merge_and_the_block_behind_is_preferred() {
        let pool = Pool::new(Run { start: 0, blocks: 16 }, 0..4, 0, 4);
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
    fn chunks_go_back_once_and_high_ones_first() {
        let pool = Pool::new(Run { start: 0, blocks: 19 }, 0..4, 0, 4);
        let all = pool.take(19, 19, None, Purse::Client).unwrap();
        pool.give(&[Run { start: 3, blocks: 16 }]);
        let returned = || {
            let mut run = None;
            pool.return_chunk(|chunk| run = Some(chunk.start));
            run
        };
        assert!(pool.has_idle(12) && !pool.has_idle(13));
        assert_eq!([returned(), returned(), returned()], [Some(12), Some(8), Some(4)]);
        assert!(!pool.has_idle(1), "four blocks are left, in no chunk");
        assert_eq!(returned(), None);
        let again = pool.take(3, 3, None, Purse::Client).unwrap();
        assert_eq!(again, [Run { start: 3, blocks: 3 }]);
        pool.give(&again);
        assert_eq!(returned(), Some(4), "it was taken meanwhile");
        assert_eq!(all, [Run { start: 0, blocks: 19 }]);
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_noticed() {
        let pool = Pool::new(Run { start: 0, blocks: 16 }, 0..4, 0, 4);
        pool.give(&[Run { start: 5, blocks: 1 }]);
    }
}
