//! GET, PUT and DELETE on a partition, for any mode.

use engine::{GetError, PutOutcome};
use platform::racy::{WORD_BYTES, copy_in, copy_out};

use super::Mica;
use super::bucket::{Entry, bits, matches};
use super::chunk::{Arena, HEADER_WORDS, words_of};
use super::counters::SessionCounters;
use super::index::{Bucket, Place};
use super::partition::{Partition, Reading, Writing};
use crate::keyhash::KeyHash;
use crate::mode::Mode;

/// How many lines of an item are prefetched: those of 1 KiB at any alignment. For longer items the
/// processor's own prefetchers take over.
const LINES_AHEAD: usize = 17;
/// How many lines of an item are prefetched before its length is known.
const LINES_BLIND: usize = 2;
const LINE_WORDS: usize = 64 / WORD_BYTES;

/// Where a key belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) key: u64,
    pub(super) partition: usize,
    bucket: usize,
    tag: u16,
}

/// The result of a read, small enough for registers.
#[derive(Clone, Copy, Debug)]
enum Read {
    Absent,
    /// The value's length; the value is in the buffer.
    Copied(usize),
    /// The length of a value that does not fit into the buffer.
    TooLong(usize),
}

impl Default for Target {
    fn default() -> Self {
        Self { key: 0, partition: 0, bucket: 0, tag: 1 }
    }
}

impl<M: Mode> Mica<M> {
    /// Hashes a key.
    #[inline]
    pub(super) fn target(&self, key: u64) -> Target {
        self.target_of(key, self.hasher.hash(key))
    }

    #[inline]
    pub(super) fn target_of(&self, key: u64, hash: KeyHash) -> Target {
        let partition = hash.partition(self.sizes.partition_bits);
        Target { key, partition, bucket: hash.bucket(self.sizes.main_buckets), tag: hash.tag() }
    }

    #[inline]
    fn main(&self, target: Target) -> &Bucket {
        self.index.main(target.partition, target.bucket)
    }

    /// Object memory of a partition.
    #[inline]
    pub(super) fn arena(&self, partition: usize) -> Arena<'_> {
        let words = self.sizes.arena_words;
        Arena(&self.objects.all()[partition * words..][..words])
    }

    /// Stage 1 of a prefetch: the key's main bucket.
    #[inline]
    pub(super) fn prefetch_bucket(&self, target: Target) {
        self.index.prefetch(target.partition, target.bucket);
    }

    /// Stage 2: the first lines of the item that the main bucket leads to; returns its offset. It
    /// does no harm if the item is another key's, or gone by then.
    #[inline]
    pub(super) fn prefetch_item(&self, target: Target) -> Option<usize> {
        let main = self.main(target);
        let number = bits(matches(main, target.tag)).next()?;
        let offset = Entry::load(&main[1 + number]).offset();
        self.prefetch_lines(target.partition, offset, LINES_BLIND);
        Some(offset)
    }

    /// Stage 3: the further lines that the item's length calls for.
    #[inline]
    pub(super) fn prefetch_rest(&self, target: Target, offset: usize) {
        let Some((tag, _)) = self.arena(target.partition).header(offset) else { return };
        self.prefetch_behind(target.partition, offset, tag.value_bytes());
    }

    #[inline]
    fn prefetch_lines(&self, partition: usize, offset: usize, lines: usize) {
        let at = partition * self.sizes.arena_words + offset;
        (0..lines).for_each(|line| self.objects.prefetch(at + line * LINE_WORDS));
    }

    /// Prefetches the rest of an item beyond the lines fetched blindly.
    #[inline]
    fn prefetch_behind(&self, partition: usize, offset: usize, value_bytes: usize) {
        let words = HEADER_WORDS + value_bytes.div_ceil(WORD_BYTES);
        if words > LINES_BLIND * LINE_WORDS {
            self.prefetch_long(partition * self.sizes.arena_words + offset, words);
        }
    }

    /// A separate function, so that operations on short items stay short.
    #[inline(never)]
    fn prefetch_long(&self, at: usize, words: usize) {
        const BLIND_WORDS: usize = LINES_BLIND * LINE_WORDS;
        let lines_max = LINES_AHEAD - LINES_BLIND;
        self.objects.prefetch_lines(at + BLIND_WORDS, words - BLIND_WORDS, lines_max);
    }

    /// Copies a value out of one consistent state of its chain.
    #[inline]
    pub(super) fn get(
        &self,
        target: Target,
        buffer: &mut [u8],
        counters: &SessionCounters,
    ) -> Result<Option<usize>, GetError> {
        let main = self.main(target);
        loop {
            let reading = Reading::<M>::begin(main);
            let read = self.read(target, main, &reading, buffer);
            if reading.is_valid() {
                return match read {
                    Read::Absent => Ok(None),
                    Read::Copied(value_bytes) => Ok(Some(value_bytes)),
                    Read::TooLong(value_bytes) => {
                        let buffer_bytes = buffer.len();
                        Err(GetError::BufferTooShort { value_bytes, buffer_bytes })
                    }
                };
            }
            counters.reader_restarts.add(1);
        }
    }

    /// Reads a value; the result means nothing unless the reading is still valid afterwards.
    #[inline]
    fn read(
        &self,
        target: Target,
        main: &Bucket,
        reading: &Reading<'_, M>,
        buffer: &mut [u8],
    ) -> Read {
        let arena = self.arena(target.partition);
        let mut bucket = main;
        loop {
            for number in bits(matches(bucket, target.tag)) {
                let offset = Entry::load(&bucket[1 + number]).offset();
                self.prefetch_lines(target.partition, offset, LINES_BLIND);
                // While racing with a writer, offset and length may be anything, so both are
                // checked.
                let Some((tag, key)) = arena.header(offset) else { continue };
                if key != target.key {
                    continue;
                }
                let value_bytes = tag.value_bytes();
                let Some(value) = arena.value(offset, value_bytes) else { continue };
                let Some(front) = buffer.get_mut(..value_bytes) else {
                    return Read::TooLong(value_bytes);
                };
                self.prefetch_behind(target.partition, offset, value_bytes);
                copy_out(value, front);
                return Read::Copied(value_bytes);
            }
            match self.index.next(target.partition, bucket) {
                // Links are followed only while the chain is unchanged: a changed chain may lead
                // around the pool.
                Some(next) if reading.is_valid() => bucket = next,
                _ => return Read::Absent,
            }
        }
    }

    /// Stores a value that would fit into an empty partition.
    #[inline]
    pub(super) fn put(
        &self,
        target: Target,
        value: &[u8],
        counters: &SessionCounters,
    ) -> PutOutcome {
        let main = self.main(target);
        let partition = &self.partitions[target.partition];
        let arena = self.arena(target.partition);
        let _writing = Writing::<M>::enter(main);
        match self.place(target, main, arena) {
            Place::Found(slot) => {
                let at = slot.entry().offset();
                let tag = arena.tag(at);
                if tag.value_room_bytes() >= value.len() {
                    if tag.value_bytes() != value.len() {
                        // The heap changes the same word when a neighbour is allocated or freed.
                        let _entered = partition.enter::<M>();
                        partition.heap.set_value_bytes(arena, at, value.len());
                    }
                    write_value(arena, at, value);
                    counters.in_place_updates.add(1);
                    return PutOutcome::Updated;
                }
                let Some(new) = replace::<M>(partition, arena, at, value.len()) else {
                    counters.refused_no_space.add(1);
                    return PutOutcome::Full;
                };
                write_item(arena, new, target.key, value);
                slot.set(Entry::new(target.tag, new));
                counters.moved_updates.add(1);
                PutOutcome::Updated
            }
            Place::Hole(slot) => {
                let at = {
                    let _entered = partition.enter::<M>();
                    partition.heap.allocate(arena, words_of(value.len()), value.len())
                };
                let Some(at) = at else {
                    counters.refused_no_space.add(1);
                    return PutOutcome::Full;
                };
                write_item(arena, at, target.key, value);
                slot.set(Entry::new(target.tag, at));
                PutOutcome::Inserted
            }
            Place::Full(last) => {
                let entered = partition.enter::<M>();
                if !self.index.has_spare(&partition.pool) {
                    counters.refused_no_spare.add(1);
                    return PutOutcome::Full;
                }
                let at = partition.heap.allocate(arena, words_of(value.len()), value.len());
                let Some(at) = at else {
                    counters.refused_no_space.add(1);
                    return PutOutcome::Full;
                };
                let slot = self.index.extend(&partition.pool, last).expect("there is a spare");
                drop(entered);
                write_item(arena, at, target.key, value);
                slot.set(Entry::new(target.tag, at));
                PutOutcome::Inserted
            }
        }
    }

    /// Removes a key; returns whether it was present.
    #[inline]
    pub(super) fn delete(&self, target: Target) -> bool {
        let main = self.main(target);
        let partition = &self.partitions[target.partition];
        let arena = self.arena(target.partition);
        let _writing = Writing::<M>::enter(main);
        let Place::Found(slot) = self.place(target, main, arena) else { return false };
        let at = slot.entry().offset();
        let _entered = partition.enter::<M>();
        self.index.remove(&partition.pool, main, slot);
        partition.heap.free(arena, at);
        true
    }

    #[inline]
    fn place<'store>(
        &'store self,
        target: Target,
        main: &'store Bucket,
        arena: Arena<'_>,
    ) -> Place<'store> {
        self.index.find(target.partition, main, target.tag, |offset| {
            self.prefetch_lines(target.partition, offset, LINES_BLIND);
            arena.header(offset).is_some_and(|(_, key)| key == target.key)
        })
    }
}

/// Takes a chunk for the value's new length and frees the old chunk, in one visit to the heap.
///
/// The new chunk is taken first, so that a refusal leaves the old value as it is. Nobody may read
/// the old value, because the chain is being written.
fn replace<M: Mode>(
    partition: &Partition,
    arena: Arena<'_>,
    old: usize,
    value_bytes: usize,
) -> Option<usize> {
    let _entered = partition.enter::<M>();
    let new = partition.heap.allocate(arena, words_of(value_bytes), value_bytes)?;
    partition.heap.free(arena, old);
    Some(new)
}

#[inline]
fn write_item(arena: Arena<'_>, at: usize, key: u64, value: &[u8]) {
    arena.set_word(at + 1, key);
    write_value(arena, at, value);
}

#[inline]
fn write_value(arena: Arena<'_>, at: usize, value: &[u8]) {
    let words = arena.value(at, value.len()).expect("a chunk lies in its partition");
    copy_in(words, value);
}
