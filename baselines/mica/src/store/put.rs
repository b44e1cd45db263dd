//! PUT on a partition, for any mode.
//!
//! The usual PUT overwrites a value by one of the same length. It is short, and calls nothing: the
//! processor works ahead into the next operations while this one waits for memory, as far as their
//! instructions fit its window. What it knows stays in registers, because its stores leave the
//! processor in order, behind the value's, which wait for memory. All other PUTs are a function of
//! their own.

use engine::PutOutcome;
use platform::racy::copy_in;

use super::Mica;
use super::bucket::Entry;
use super::chunk::{Arena, HEADER_WORDS, words_of};
use super::counters::SessionCounters;
use super::index::{Place, Slot};
use super::named::{KeyKind, Named};
use super::operations::{Target, item_in};
use super::partition::{Partition, Writing};
use crate::mode::Mode;

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    /// Stores a value that would fit into an empty partition.
    #[inline(always)]
    pub(super) fn put<N: Named>(
        &self,
        target: Target<N>,
        value: &[u8],
        counters: &SessionCounters,
    ) -> PutOutcome {
        let main = self.main(target);
        let arena = self.arena(target.partition);
        let _writing = Writing::<M>::enter(main);
        match item_in(main, target, arena) {
            Some((at, tag)) if tag.value_bytes() == target.key.room_bytes(value) => {
                write_value(arena, at, target.key, value);
                PutOutcome::Updated
            }
            _ => self.put_otherwise(target.key, value, counters),
        }
    }

    /// Stores a value in a chain that this writer has entered, where the main bucket leads to none
    /// of the key's and of its length.
    #[inline(never)]
    fn put_otherwise<N: Named>(
        &self,
        key: N,
        value: &[u8],
        counters: &SessionCounters,
    ) -> PutOutcome {
        let target = self.target(key);
        let room_bytes = key.room_bytes(value);
        let partition = &self.partitions[target.partition];
        let arena = self.arena(target.partition);
        match self.place(target, self.main(target), arena) {
            Place::Found(slot) => self.update(target, slot, value, counters),
            Place::Hole(slot) => {
                let at = {
                    let _entered = partition.enter::<M>();
                    partition.heap.allocate(arena, words_of(room_bytes), room_bytes)
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
                let at = partition.heap.allocate(arena, words_of(room_bytes), room_bytes);
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

    /// Replaces the value in a slot: in place if it fits the chunk, otherwise in a new one.
    fn update<N: Named>(
        &self,
        target: Target<N>,
        slot: Slot<'_>,
        value: &[u8],
        counters: &SessionCounters,
    ) -> PutOutcome {
        let partition = &self.partitions[target.partition];
        let arena = self.arena(target.partition);
        let at = slot.entry().offset();
        let tag = arena.tag(at);
        let room_bytes = target.key.room_bytes(value);
        if tag.value_room_bytes() >= room_bytes {
            if tag.value_bytes() != room_bytes {
                // The heap changes the same word when a neighbour is allocated or freed.
                let _entered = partition.enter::<M>();
                partition.heap.set_value_bytes(arena, at, room_bytes);
                counters.resized_updates.add(1);
            }
            write_value(arena, at, target.key, value);
            return PutOutcome::Updated;
        }
        let Some(new) = replace::<M>(partition, arena, at, room_bytes) else {
            counters.refused_no_space.add(1);
            return PutOutcome::Full;
        };
        write_item(arena, new, target.key, value);
        slot.set(Entry::new(target.tag, new));
        counters.moved_updates.add(1);
        PutOutcome::Updated
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
    room_bytes: usize,
) -> Option<usize> {
    let _entered = partition.enter::<M>();
    let new = partition.heap.allocate(arena, words_of(room_bytes), room_bytes)?;
    partition.heap.free(arena, old);
    Some(new)
}

#[inline]
fn write_item(arena: Arena<'_>, at: usize, key: impl Named, value: &[u8]) {
    arena.set_word(at + 1, key.word());
    for number in 0..key.prefix_words() {
        arena.set_word(at + HEADER_WORDS + number, key.prefix_word(number));
    }
    write_value(arena, at, key, value);
}

#[inline]
fn write_value(arena: Arena<'_>, at: usize, key: impl Named, value: &[u8]) {
    let words = arena.value(at, key.prefix_words(), value.len());
    let words = words.expect("a chunk lies in its partition");
    copy_in(words, value);
}
