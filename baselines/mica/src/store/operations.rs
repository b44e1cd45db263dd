//! Where a key belongs; GET and DELETE on a partition, for any mode.

use engine::GetError;
use kit::bits::bits;
use platform::racy::{WORD_BYTES, copy_out};

use super::Mica;
use super::bucket::{Entry, matches};
use super::chunk::{Arena, Tag};
use super::counters::SessionCounters;
use super::index::{Bucket, Place};
use super::named::{KeyKind, Named};
use super::partition::{Reading, Writing};
use crate::mode::Mode;

/// Where a key belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<N> {
    pub(super) key: N,
    pub(super) partition: usize,
    pub(super) bucket: usize,
    pub(super) tag: u16,
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

impl<N: Default> Default for Target<N> {
    fn default() -> Self {
        Self { key: N::default(), partition: 0, bucket: 0, tag: 1 }
    }
}

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    /// Hashes a key.
    #[inline(always)]
    pub(super) fn target<N: Named>(&self, key: N) -> Target<N> {
        let hash = self.hasher.hash(key.word());
        let partition = hash.partition(self.sizes.partition_bits);
        Target { key, partition, bucket: hash.bucket(self.sizes.main_buckets), tag: hash.tag() }
    }

    #[inline(always)]
    pub(super) fn main<N>(&self, target: Target<N>) -> &Bucket {
        self.index.main(target.partition, target.bucket)
    }

    /// Object memory of a partition.
    #[inline]
    pub(super) fn arena(&self, partition: usize) -> Arena<'_> {
        let words = self.sizes.arena_words;
        Arena(&self.objects.all()[partition * words..][..words])
    }

    /// Copies a value out of one consistent state of its chain.
    #[inline(always)]
    pub(super) fn get<N: Named>(
        &self,
        target: Target<N>,
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
    #[inline(always)]
    fn read<N: Named>(
        &self,
        target: Target<N>,
        main: &Bucket,
        reading: &Reading<'_, M>,
        buffer: &mut [u8],
    ) -> Read {
        let arena = self.arena(target.partition);
        let mut bucket = main;
        loop {
            if let Some((at, tag)) = item_in(bucket, target, arena) {
                let prefix_words = target.key.prefix_words();
                // While racing with a writer, the length may be anything.
                let value_bytes = tag.value_bytes().saturating_sub(prefix_words * WORD_BYTES);
                let Some(value) = arena.value(at, prefix_words, value_bytes) else {
                    return Read::Absent;
                };
                let Some(front) = buffer.get_mut(..value_bytes) else {
                    return Read::TooLong(value_bytes);
                };
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

    /// Removes a key; returns whether it was present.
    #[inline]
    pub(super) fn delete<N: Named>(&self, target: Target<N>) -> bool {
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

    /// Where a key is or may go, for a writer of its chain.
    #[inline]
    pub(super) fn place<'store, N: Named>(
        &'store self,
        target: Target<N>,
        main: &'store Bucket,
        arena: Arena<'_>,
    ) -> Place<'store> {
        self.index.find(target.partition, main, target.tag, |offset| {
            arena.header(offset).is_some_and(|(_, word)| target.key.is_of(arena, offset, word))
        })
    }
}

/// The item of a key that one bucket leads to: its offset, and its tag.
///
/// While racing with a writer, both may be anything; it is certain only that a header fits there.
#[inline(always)]
pub(super) fn item_in<N: Named>(
    bucket: &Bucket,
    target: Target<N>,
    arena: Arena<'_>,
) -> Option<(usize, Tag)> {
    bits(matches(bucket, target.tag)).find_map(|number| {
        let offset = Entry::load(&bucket[1 + number]).offset();
        let (tag, word) = arena.header(offset)?;
        target.key.is_of(arena, offset, word).then_some((offset, tag))
    })
}
