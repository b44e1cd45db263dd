//! Segregated fits over the object memory of one partition.
//!
//! Free chunks are in doubly linked lists, one per size class; two levels of bits say which lists
//! are not empty. An allocation first looks at up to a few chunks of its own class, if chunks there
//! may be too small. Then it takes one from the first class whose chunks all fit. So it takes a
//! bounded number of steps in any case. The rest of a chunk becomes a chunk of its own. A freed
//! chunk merges with both neighbours.
//!
//! One thread at a time writes: the partition's owner, or the holder of its lock.

use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk::{Arena, CHUNK_WORDS_MIN, Tag};
use super::classes::{CLASSES, Classes};
use super::named::prefix_bytes_at;

/// How many chunks of its own class an allocation looks at, if they may be too small.
pub(super) const PEEKED_CHUNKS: u64 = 8;

const BITMAP_WORDS: usize = CLASSES.div_ceil(64);
const SUMMARY_WORDS: usize = BITMAP_WORDS.div_ceil(64);

/// A counter with one writer at a time.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    #[inline]
    pub(super) fn get(&self) -> u64 {
        // Relaxed: a counter orders nothing.
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn add(&self, more: u64) {
        // Relaxed: as above; there is no other writer.
        self.0.store(self.get().wrapping_add(more), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn sub(&self, less: u64) {
        self.add(less.wrapping_neg());
    }
}

/// What a heap has done and contains.
#[derive(Debug, Default)]
pub(super) struct HeapCounters {
    pub(super) free_chunks: Counter,
    pub(super) free_words: Counter,
    pub(super) live_chunks: Counter,
    pub(super) live_value_bytes: Counter,
    pub(super) chunks_split: Counter,
    pub(super) chunks_coalesced: Counter,
    pub(super) allocations: Counter,
    /// Chunks examined by allocations.
    pub(super) chunks_probed: Counter,
}

/// The lists and counters of a heap. Its chunks are in the [`Arena`] that every call receives.
#[derive(Debug)]
pub(super) struct Heap {
    classes: Classes,
    /// Link to the first chunk of each class.
    heads: Box<[AtomicU64]>,
    /// One bit per class, set if its list is not empty.
    bitmap: [AtomicU64; BITMAP_WORDS],
    /// One bit per word of the bitmap, set if it is not zero.
    summary: [AtomicU64; SUMMARY_WORDS],
    pub(super) counters: HeapCounters,
}

/// The stored form of a link; 0 is none.
fn link_of(at: Option<usize>) -> u64 {
    at.map_or(0, |at| at as u64 + 1)
}

/// The chunk that a stored link leads to.
#[inline]
fn linked(link: u64) -> Option<usize> {
    (link as usize).checked_sub(1)
}

/// The most words that a heap of `words` words can hand out: the last word is the tag behind the
/// last chunk.
pub(super) fn usable_words(words: usize) -> usize {
    words - 1
}

impl Heap {
    /// Makes one free chunk of an arena of zeroed words.
    ///
    /// # Panics
    /// If the arena cannot hold the smallest chunk.
    pub(super) fn new(classes: Classes, arena: Arena<'_>) -> Self {
        let zeros = |words: usize| (0..words).map(|_| AtomicU64::new(0)).collect();
        let heap = Self {
            classes,
            heads: zeros(CLASSES),
            bitmap: [const { AtomicU64::new(0) }; BITMAP_WORDS],
            summary: [const { AtomicU64::new(0) }; SUMMARY_WORDS],
            counters: HeapCounters::default(),
        };
        let words = usable_words(arena.0.len());
        assert!(words >= CHUNK_WORDS_MIN, "an arena of {words} words");
        // The end looks live, so that no chunk merges with it.
        arena.set_tag(words, Tag::live(0, 0).with_previous_live(false));
        heap.insert(arena, 0, words);
        heap
    }

    pub(super) fn classes(&self) -> Classes {
        self.classes
    }

    /// Takes a chunk of at least `words` words for a value of `value_bytes` bytes; `None` if there
    /// is none.
    #[inline]
    pub(super) fn allocate(
        &self,
        arena: Arena<'_>,
        words: usize,
        value_bytes: usize,
    ) -> Option<usize> {
        let at = self.find(arena, words)?;
        let found_words = arena.tag(at).words();
        assert!(found_words >= words, "chunk {at} of {found_words} words in a class above {words}");
        self.remove(arena, at, found_words);
        let rest = found_words - words;
        if rest >= CHUNK_WORDS_MIN {
            arena.set_tag(at, Tag::live(words, value_bytes));
            self.insert(arena, at + words, rest);
            self.counters.chunks_split.add(1);
        } else {
            arena.set_tag(at, Tag::live(found_words, value_bytes));
            let behind = at + found_words;
            arena.set_tag(behind, arena.tag(behind).with_previous_live(true));
        }
        self.counters.allocations.add(1);
        self.counters.live_chunks.add(1);
        self.counters.live_value_bytes.add(value_bytes as u64);
        Some(at)
    }

    /// Frees a live chunk and merges it with free neighbours.
    #[inline]
    pub(super) fn free(&self, arena: Arena<'_>, at: usize) {
        let tag = arena.tag(at);
        self.counters.live_chunks.sub(1);
        self.counters.live_value_bytes.sub(tag.value_bytes() as u64);
        let (mut from, mut to) = (at, at + tag.words());
        let behind = arena.tag(to);
        if !behind.is_live() {
            self.remove(arena, to, behind.words());
            self.counters.chunks_coalesced.add(1);
            to += behind.words();
        }
        if !tag.is_previous_live() {
            let words = arena.word(at - 1) as usize;
            from -= words;
            self.remove(arena, from, words);
            self.counters.chunks_coalesced.add(1);
        }
        self.insert(arena, from, to - from);
        arena.set_tag(to, arena.tag(to).with_previous_live(false));
    }

    /// Records a new length for the value of a live chunk; it must fit.
    #[inline]
    pub(super) fn set_value_bytes(&self, arena: Arena<'_>, at: usize, value_bytes: usize) {
        let tag = arena.tag(at);
        arena.set_tag(at, tag.with_value_bytes(value_bytes));
        self.counters.live_value_bytes.add(value_bytes as u64);
        self.counters.live_value_bytes.sub(tag.value_bytes() as u64);
    }

    /// A free chunk of at least `words` words.
    #[inline]
    fn find(&self, arena: Arena<'_>, words: usize) -> Option<usize> {
        let class = self.classes.all_fit(words);
        let own = self.classes.of_chunk(words);
        if own < class {
            let mut chunk = self.head(own);
            for _ in 0..PEEKED_CHUNKS {
                let Some(at) = chunk else { break };
                self.counters.chunks_probed.add(1);
                if arena.tag(at).words() >= words {
                    return Some(at);
                }
                chunk = linked(arena.word(at + 1));
            }
        }
        let class = self.first_from(class)?;
        self.counters.chunks_probed.add(1);
        self.head(class)
    }

    /// The first class, from `class` on, whose list is not empty.
    #[inline]
    fn first_from(&self, class: usize) -> Option<usize> {
        // Relaxed: there is no other writer.
        let bits = |words: &[AtomicU64], number: usize| match words.get(number) {
            Some(word) => word.load(Ordering::Relaxed),
            None => 0,
        };
        let from = class / 64;
        let above = bits(&self.bitmap, from) & (u64::MAX << (class % 64));
        if above != 0 {
            return Some(from * 64 + above.trailing_zeros() as usize);
        }
        let next = from + 1;
        let mut mask = u64::MAX << (next % 64);
        for number in next / 64..SUMMARY_WORDS {
            let summary = bits(&self.summary, number) & mask;
            if summary != 0 {
                let word = number * 64 + summary.trailing_zeros() as usize;
                return Some(word * 64 + bits(&self.bitmap, word).trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    #[inline]
    pub(super) fn head(&self, class: usize) -> Option<usize> {
        // Relaxed: there is no other writer.
        linked(self.heads[class].load(Ordering::Relaxed))
    }

    /// Whether the bits of both levels say that a class has chunks; `None` if they disagree.
    pub(super) fn is_marked(&self, class: usize) -> Option<bool> {
        // Relaxed: there is no other writer.
        let word = self.bitmap[class / 64].load(Ordering::Relaxed);
        let summary = self.summary[class / 64 / 64].load(Ordering::Relaxed);
        let is_word_marked = summary & (1 << (class / 64 % 64)) != 0;
        (is_word_marked == (word != 0)).then_some(word & (1 << (class % 64)) != 0)
    }

    /// At most `limit` chunks of a class, in list order.
    pub(super) fn list<'heap>(
        &'heap self,
        arena: Arena<'heap>,
        class: usize,
        limit: u64,
    ) -> impl Iterator<Item = usize> + 'heap {
        let next = move |&at: &usize| linked(arena.0.get(at + 1)?.load(Ordering::Relaxed));
        std::iter::successors(self.head(class), next).take(usize::try_from(limit).unwrap_or(0))
    }

    /// The chunk before this one in its list.
    pub(super) fn previous(&self, arena: Arena<'_>, at: usize) -> Option<usize> {
        linked(arena.word(at + 2))
    }

    /// Length of the largest free chunk in words.
    pub(super) fn largest_words(&self, arena: Arena<'_>) -> usize {
        let class = (0..CLASSES).rev().find(|&class| self.head(class).is_some());
        let Some(class) = class else { return 0 };
        let chunks = self.list(arena, class, self.counters.free_chunks.get());
        chunks.filter_map(|at| Some(arena.header(at)?.0.words())).max().unwrap_or(0)
    }

    /// Bytes before the values of all items of a store of byte strings: a walk.
    pub(super) fn prefix_bytes(&self, arena: Arena<'_>) -> u64 {
        let end = usable_words(arena.0.len());
        let tags = std::iter::successors(Some(0), |&at| Some(at + arena.tag(at).words().max(1)));
        let live = tags.take_while(|&at| at < end).filter(|&at| arena.tag(at).is_live());
        live.map(|at| prefix_bytes_at(arena, at) as u64).sum()
    }

    /// Size of the lists.
    pub(super) fn table_bytes(&self) -> u64 {
        size_of_val(&*self.heads) as u64
    }

    /// Writes a free chunk and puts it at the front of its list.
    #[inline]
    fn insert(&self, arena: Arena<'_>, at: usize, words: usize) {
        let class = self.classes.of_chunk(words);
        let next = self.head(class);
        arena.set_tag(at, Tag::free(words));
        arena.set_word(at + 1, link_of(next));
        arena.set_word(at + 2, link_of(None));
        arena.set_word(at + words - 1, words as u64);
        if let Some(next) = next {
            arena.set_word(next + 2, link_of(Some(at)));
        } else {
            self.mark(class, true);
        }
        // Relaxed: there is no other writer.
        self.heads[class].store(link_of(Some(at)), Ordering::Relaxed);
        self.counters.free_chunks.add(1);
        self.counters.free_words.add(words as u64);
    }

    /// Removes a free chunk from its list.
    #[inline]
    fn remove(&self, arena: Arena<'_>, at: usize, words: usize) {
        let (next, previous) = (arena.word(at + 1), arena.word(at + 2));
        if let Some(next) = linked(next) {
            arena.set_word(next + 2, previous);
        }
        if let Some(previous) = linked(previous) {
            arena.set_word(previous + 1, next);
        } else {
            let class = self.classes.of_chunk(words);
            // Relaxed: there is no other writer.
            self.heads[class].store(next, Ordering::Relaxed);
            if next == link_of(None) {
                self.mark(class, false);
            }
        }
        self.counters.free_chunks.sub(1);
        self.counters.free_words.sub(words as u64);
    }

    /// Records in both levels whether a class has chunks.
    #[inline]
    fn mark(&self, class: usize, any: bool) {
        let (word, bit) = (class / 64, 1 << (class % 64));
        if set_bits(&self.bitmap[word], bit, any) == 0 {
            set_bits(&self.summary[word / 64], 1 << (word % 64), false);
        } else {
            set_bits(&self.summary[word / 64], 1 << (word % 64), true);
        }
    }
}

/// Sets or clears bits; returns the resulting word.
#[inline]
fn set_bits(word: &AtomicU64, bits: u64, set: bool) -> u64 {
    // Relaxed: there is no other writer.
    let old = word.load(Ordering::Relaxed);
    let new = if set { old | bits } else { old & !bits };
    word.store(new, Ordering::Relaxed);
    new
}

#[cfg(test)]
mod tests;
