//! Blocks of whole lines by classes of size, from arenas that threads have to themselves.
//!
//! Both tables use it, so that they differ in nothing but where the words are: state and free lists
//! are words too. In persistent memory they change within the transaction that uses the block, so
//! after a crash no block is lost or has two owners.
//!
//! A block's first word links it to the next free one. Whoever has the block leaves that word alone:
//! before its transaction is committed, the block is still on the list that a crash brings back.

use std::sync::atomic::{AtomicBool, Ordering};

use kit::padded::Padded;
use kit::spin::Spin;
use platform::persist::LINE_WORDS;

use crate::cells::Cells;

/// Classes of up to 16 lines in steps of one, then four for each doubling.
const SMALL_LINES: u64 = 16;
const STEPS: u64 = 4;
const DOUBLINGS: u64 = 8;
pub(crate) const CLASSES: usize = (SMALL_LINES + STEPS * DOUBLINGS) as usize;
/// Lines of the largest block.
pub(crate) const BLOCK_LINES_MAX: u64 = SMALL_LINES << DOUBLINGS;

/// What an arena takes at a time for small blocks.
const CHUNK_WORDS: u64 = (64 << 10) / 8;
/// Blocks above an eighth of a chunk are taken alone.
const IN_CHUNK_WORDS_MAX: u64 = CHUNK_WORDS / 8;

const CHUNK_AT: u64 = 0;
const CHUNK_END: u64 = 1;
const LISTS: u64 = 2;
/// Words of an arena's state.
pub(crate) const ARENA_WORDS: u64 = (LISTS + CLASSES as u64).next_multiple_of(LINE_WORDS);

/// The class of blocks with at least so many lines.
pub(crate) fn class_of(lines: u64) -> usize {
    debug_assert!((1..=BLOCK_LINES_MAX).contains(&lines), "{lines} lines");
    if lines <= SMALL_LINES {
        return (lines - 1) as usize;
    }
    let doubling = ((lines - 1) / SMALL_LINES).ilog2();
    let (from, step) = (SMALL_LINES << doubling, (SMALL_LINES << doubling) / STEPS);
    (SMALL_LINES + STEPS * u64::from(doubling) + (lines - from).div_ceil(step) - 1) as usize
}

/// Lines of a class's blocks.
pub(crate) fn lines_of(class: usize) -> u64 {
    let class = class as u64;
    if class < SMALL_LINES {
        return class + 1;
    }
    let (doubling, step) = ((class - SMALL_LINES) / STEPS, (class - SMALL_LINES) % STEPS);
    (SMALL_LINES << doubling) + (step + 1) * ((SMALL_LINES << doubling) / STEPS)
}

/// Words of the block that holds so many.
pub(crate) fn block_words(words: u64) -> u64 {
    lines_of(class_of(words.div_ceil(LINE_WORDS))) * LINE_WORDS
}

/// Where a heap's state and blocks are, and the locks of its state.
#[derive(Debug)]
pub(crate) struct Heap {
    /// The word that says how far blocks were ever handed out.
    bump_at: u64,
    end: u64,
    arenas_at: u64,
    bump_lock: AtomicBool,
    arena_locks: Box<[Padded<AtomicBool>]>,
}

/// Locks of a heap that a thread holds: until its transaction is committed, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Held {
    bump: bool,
    own: Option<usize>,
    others: Vec<usize>,
}

impl Heap {
    pub(crate) fn new(bump_at: u64, end: u64, arenas_at: u64, arenas: usize) -> Self {
        let arena_locks = (0..arenas).map(|_| Padded::default()).collect();
        Self { bump_at, end, arenas_at, bump_lock: AtomicBool::new(false), arena_locks }
    }

    /// Whether nobody is in the middle of taking new words.
    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        !self.bump_lock.load(Ordering::Relaxed)
    }

    fn arena_at(&self, arena: usize) -> u64 {
        self.arenas_at + arena as u64 * ARENA_WORDS
    }

    fn list_at(&self, arena: usize, class: usize) -> u64 {
        self.arena_at(arena) + LISTS + class as u64
    }

    /// Takes the caller's own arena. Whoever waits for it holds no other lock of the heap.
    fn hold(&self, held: &mut Held, arena: usize) {
        if held.own.is_none() {
            let mut spin = Spin::default();
            while !take(&self.arena_locks[arena]) {
                spin.wait();
            }
            held.own = Some(arena);
        }
        debug_assert_eq!(held.own, Some(arena), "a thread has one arena");
    }

    fn try_hold(&self, held: &mut Held, arena: usize) -> bool {
        if held.own == Some(arena) || held.others.contains(&arena) {
            return true;
        }
        let taken = take(&self.arena_locks[arena]);
        if taken {
            held.others.push(arena);
        }
        taken
    }

    /// Gives all locks back.
    pub(crate) fn release(&self, held: &mut Held) {
        for arena in held.own.take().into_iter().chain(held.others.drain(..)) {
            give(&self.arena_locks[arena]);
        }
        if held.bump {
            give(&self.bump_lock);
            held.bump = false;
        }
    }

    /// A block of at least `words` words; `None` if no memory is left. The caller's own arena must
    /// be the first that it uses.
    pub(crate) fn take(
        &self,
        cells: &mut impl Cells,
        held: &mut Held,
        arena: usize,
        words: u64,
    ) -> Option<u64> {
        let class = class_of(words.div_ceil(LINE_WORDS));
        let words = lines_of(class) * LINE_WORDS;
        self.hold(held, arena);
        if let Some(block) = self.pop(cells, arena, class) {
            return Some(block);
        }
        if words > IN_CHUNK_WORDS_MAX {
            return self
                .bump(cells, held, words)
                .or_else(|| self.take_from_others(cells, held, class));
        }
        let state = self.arena_at(arena);
        let (at, end) = (cells.read(state + CHUNK_AT), cells.read(state + CHUNK_END));
        if at + words <= end {
            cells.write(state + CHUNK_AT, at + words);
            return Some(at);
        }
        if let Some(chunk) = self.bump(cells, held, CHUNK_WORDS) {
            cells.write(state + CHUNK_AT, chunk + words);
            cells.write(state + CHUNK_END, chunk + CHUNK_WORDS);
            return Some(chunk);
        }
        self.bump(cells, held, words).or_else(|| self.take_from_others(cells, held, class))
    }

    /// Words that were never a block's.
    fn bump(&self, cells: &mut impl Cells, held: &mut Held, words: u64) -> Option<u64> {
        if !held.bump {
            let mut spin = Spin::default();
            while !take(&self.bump_lock) {
                spin.wait();
            }
            held.bump = true;
        }
        let at = cells.read(self.bump_at);
        if at + words > self.end {
            return None;
        }
        cells.write(self.bump_at, at + words);
        Some(at)
    }

    /// A free block of any arena, at least as large as the class's.
    #[cold]
    fn take_from_others(
        &self,
        cells: &mut impl Cells,
        held: &mut Held,
        class: usize,
    ) -> Option<u64> {
        for arena in 0..self.arena_locks.len() {
            if !self.try_hold(held, arena) {
                continue;
            }
            let found = (class..CLASSES).find_map(|class| self.pop(cells, arena, class));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn pop(&self, cells: &mut impl Cells, arena: usize, class: usize) -> Option<u64> {
        let list = self.list_at(arena, class);
        let block = cells.read(list);
        if block == 0 {
            return None;
        }
        let next = cells.read(block);
        cells.write(list, next);
        Some(block)
    }

    /// Gives back a block for `words` words. A larger one that was taken for them becomes one of
    /// their class.
    pub(crate) fn give(
        &self,
        cells: &mut impl Cells,
        held: &mut Held,
        arena: usize,
        block: u64,
        words: u64,
    ) {
        self.hold(held, arena);
        let list = self.list_at(arena, class_of(words.div_ceil(LINE_WORDS)));
        let next = cells.read(list);
        cells.write(block, next);
        cells.write(list, block);
    }

    /// Calls `visit` with every free block and its words.
    pub(crate) fn for_each_free(&self, cells: &mut impl Cells, mut visit: impl FnMut(u64, u64)) {
        for arena in 0..self.arena_locks.len() {
            for class in 0..CLASSES {
                let mut block = cells.read(self.list_at(arena, class));
                while block != 0 {
                    visit(block, lines_of(class) * LINE_WORDS);
                    block = cells.read(block);
                }
            }
        }
    }
}

fn take(lock: &AtomicBool) -> bool {
    // Relaxed: only looks. Acquire: pairs with the release of `give`.
    !lock.load(Ordering::Relaxed) && !lock.swap(true, Ordering::Acquire)
}

fn give(lock: &AtomicBool) {
    // Release: pairs with the acquire of `take`.
    lock.store(false, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use platform::Pages;
    use platform::racy::Words;

    use super::*;
    use crate::cells::Dram;

    #[test]
    fn classes_hold_what_they_are_for_and_waste_a_quarter_at_most() {
        for lines in 1..=BLOCK_LINES_MAX {
            let got = lines_of(class_of(lines));
            assert!(got >= lines && (got - lines) * 4 <= lines, "{lines} lines get {got}");
        }
        assert_eq!(class_of(BLOCK_LINES_MAX), CLASSES - 1);
        assert!((1..CLASSES).all(|class| lines_of(class - 1) < lines_of(class)));
    }

    #[test]
    fn blocks_do_not_overlap_and_come_back_from_other_arenas() {
        let arenas_at = 8;
        let from = arenas_at + 2 * ARENA_WORDS;
        let words = Words::map(20_000, Pages::Small, false).unwrap();
        let heap = Heap::new(0, 20_000, arenas_at, 2);
        let mut cells = Dram(&words);
        cells.write(0, from);
        let mut held = Held::default();
        let mut blocks = Vec::new();
        while let Some(block) = {
            let block = heap.take(&mut cells, &mut held, blocks.len() % 2, 20);
            heap.release(&mut held);
            block
        } {
            assert!(block >= from && block + 24 <= 20_000);
            blocks.push(block);
        }
        heap.release(&mut held);
        blocks.sort_unstable();
        assert!(blocks.windows(2).all(|pair| pair[0] + 24 <= pair[1]));
        assert!(blocks.len() > 700, "{} blocks", blocks.len());
        for &block in &blocks {
            heap.give(&mut cells, &mut held, 0, block, 20);
        }
        heap.release(&mut held);
        let mut again = 0;
        while heap.take(&mut cells, &mut held, 1, 20).is_some() {
            again += 1;
        }
        assert_eq!(again, blocks.len());
    }
}
