//! The index: main buckets, and spare buckets chained to those that overflow.
//!
//! Within a chain every bucket but the last is full: a removed entry is replaced by the last one,
//! and a spare bucket that becomes empty returns to its partition's pool. The pool is a list
//! through the headers of unused spare buckets.
//!
//! One thread at a time writes a chain, and one at a time a pool. Readers that race with them
//! validate with the main bucket's version.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use kit::bits::bits;
use platform::Pages;
use platform::racy::Words;

use super::bucket::{BUCKET_WORDS, Entry, Header, matches};
use super::config::Sizes;
use super::heap::Counter;

pub(super) type Bucket = [AtomicU64; BUCKET_WORDS];

/// The buckets of all partitions: first the main buckets of each, then the spare buckets of each.
#[derive(Debug)]
pub(super) struct Index {
    words: Words,
    partitions: usize,
    main_buckets: usize,
    spare_buckets: usize,
}

/// The unused spare buckets of a partition.
#[derive(Debug)]
pub(super) struct Pool {
    partition: usize,
    /// A header whose next spare bucket is the first of the list.
    head: AtomicU64,
    pub(super) used: Counter,
}

/// The position of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'store> {
    bucket: &'store Bucket,
    /// Below [`BUCKET_ENTRIES`](super::bucket::BUCKET_ENTRIES).
    number: usize,
}

impl Slot<'_> {
    #[inline]
    pub(super) fn set(self, entry: Entry) {
        entry.store(&self.bucket[1 + self.number]);
    }

    #[inline]
    pub(super) fn entry(self) -> Entry {
        Entry::load(&self.bucket[1 + self.number])
    }
}

/// What a writer finds for a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'store> {
    /// The key's entry.
    Found(Slot<'store>),
    /// The key is absent; contains an empty entry.
    Hole(Slot<'store>),
    /// The key is absent and its chain is full; contains the last bucket.
    Full(&'store Bucket),
}

impl Index {
    pub(super) fn map(
        sizes: &Sizes,
        partitions: usize,
        pages: Pages,
        resident: bool,
    ) -> io::Result<Self> {
        let Sizes { main_buckets, spare_buckets, .. } = *sizes;
        let words = (main_buckets + spare_buckets)
            .checked_mul(partitions * BUCKET_WORDS)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let words = Words::map(words, pages, resident)?;
        Ok(Self { words, partitions, main_buckets, spare_buckets })
    }

    pub(super) fn words(&self) -> &Words {
        &self.words
    }

    pub(super) fn main_buckets(&self) -> usize {
        self.main_buckets
    }

    pub(super) fn spare_buckets(&self) -> usize {
        self.spare_buckets
    }

    #[inline]
    fn bucket(&self, number: usize) -> &Bucket {
        &self.words.all().as_chunks::<BUCKET_WORDS>().0[number]
    }

    /// A main bucket of a partition.
    #[inline]
    pub(super) fn main(&self, partition: usize, number: usize) -> &Bucket {
        self.bucket(partition * self.main_buckets + number)
    }

    /// Prefetches a main bucket of a partition.
    #[inline]
    pub(super) fn prefetch(&self, partition: usize, number: usize) {
        self.words.prefetch((partition * self.main_buckets + number) * BUCKET_WORDS);
    }

    /// A spare bucket of a partition.
    #[inline]
    pub(super) fn spare(&self, partition: usize, number: usize) -> &Bucket {
        let mains = self.partitions * self.main_buckets;
        self.bucket(mains + partition * self.spare_buckets + number)
    }

    /// The spare bucket that follows a bucket in its chain.
    #[inline]
    pub(super) fn next(&self, partition: usize, bucket: &Bucket) -> Option<&Bucket> {
        // Relaxed: writers have the chain to themselves, and readers validate.
        let next = Header::load(&bucket[0], Ordering::Relaxed).next()?;
        Some(self.spare(partition, next))
    }

    /// Finds where a key is or may go, for a writer of the chain. `is_key` tells whether the item
    /// at an offset has the key.
    #[inline]
    pub(super) fn find<'store>(
        &'store self,
        partition: usize,
        main: &'store Bucket,
        tag: u16,
        is_key: impl Fn(usize) -> bool,
    ) -> Place<'store> {
        let mut bucket = main;
        loop {
            for number in bits(matches(bucket, tag)) {
                let slot = Slot { bucket, number };
                if is_key(slot.entry().offset()) {
                    return Place::Found(slot);
                }
            }
            let Some(next) = self.next(partition, bucket) else { break };
            bucket = next;
        }
        // Only the last bucket has empty entries.
        match bits(matches(bucket, 0)).next() {
            Some(number) => Place::Hole(Slot { bucket, number }),
            None => Place::Full(bucket),
        }
    }

    /// Whether there is a spare bucket left.
    #[inline]
    pub(super) fn has_spare(&self, pool: &Pool) -> bool {
        pool.first().is_some()
    }

    /// Moves a spare bucket from the pool to the end of a chain; returns its first entry. `None` if
    /// the pool is empty.
    pub(super) fn extend<'store>(&'store self, pool: &Pool, last: &Bucket) -> Option<Slot<'store>> {
        let number = pool.first()?;
        let bucket = self.spare(pool.partition, number);
        pool.set_first(Header::load(&bucket[0], Ordering::Relaxed).next());
        pool.used.add(1);
        set_next(bucket, None);
        set_next(last, Some(number));
        Some(Slot { bucket, number: 0 })
    }

    /// Empties an entry of a chain and fills the gap with the chain's last entry. A spare bucket
    /// that becomes empty returns to the pool.
    #[inline]
    pub(super) fn remove(&self, pool: &Pool, main: &Bucket, slot: Slot<'_>) {
        let partition = pool.partition;
        let Some(mut last) = self.next(partition, main) else {
            slot.set(Entry::EMPTY);
            return;
        };
        let mut before = main;
        while let Some(next) = self.next(partition, last) {
            before = last;
            last = next;
        }
        // Spare buckets are filled from the front and emptied from the back.
        let entries = 1..BUCKET_WORDS;
        let filled = entries.rev().find(|&word| !Entry::load(&last[word]).is_empty());
        let filled = filled.expect("a spare bucket in use has entries");
        slot.set(Entry::load(&last[filled]));
        Entry::EMPTY.store(&last[filled]);
        if filled == 1 {
            // Relaxed: as in `next`.
            let number = Header::load(&before[0], Ordering::Relaxed).next();
            set_next(before, None);
            set_next(last, pool.first());
            pool.set_first(number);
            pool.used.sub(1);
        }
    }
}

/// Links a spare bucket behind `bucket`, whose version stays.
fn set_next(bucket: &Bucket, next: Option<usize>) {
    // Relaxed: as in `Index::next`.
    let header = Header::load(&bucket[0], Ordering::Relaxed).with_next(next);
    bucket[0].store(header.word(), Ordering::Relaxed);
}

impl Pool {
    /// A pool of all spare buckets of a partition, in order.
    pub(super) fn new(index: &Index, partition: usize) -> Self {
        let pool = Self { partition, head: AtomicU64::new(0), used: Counter::default() };
        for number in (0..index.spare_buckets).rev() {
            set_next(index.spare(partition, number), pool.first());
            pool.set_first(Some(number));
        }
        pool
    }

    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        // Relaxed: there is one writer at a time.
        Header::load(&self.head, Ordering::Relaxed).next()
    }

    fn set_first(&self, number: Option<usize>) {
        // Relaxed: as above.
        let header = Header::load(&self.head, Ordering::Relaxed).with_next(number);
        self.head.store(header.word(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Config;
    use crate::store::bucket::BUCKET_ENTRIES;

    const SPARES: usize = 2;
    /// The second of two, so that mixed-up partitions show.
    const PARTITION: usize = 1;

    fn index() -> (Index, Pool) {
        let config = Config { partitions: 2, ..Config::new(1 << 20, 1) };
        let sizes = Sizes { spare_buckets: SPARES, ..Sizes::of(&config).unwrap() };
        let index = Index::map(&sizes, 2, Pages::Small, false).unwrap();
        let pool = Pool::new(&index, PARTITION);
        (index, pool)
    }

    /// Entries of one chain, whose offsets are their keys.
    fn insert(index: &Index, pool: &Pool, key: usize) -> bool {
        let main = index.main(PARTITION, 0);
        let slot = match index.find(PARTITION, main, 7, |offset| offset == key) {
            Place::Found(_) => panic!("key {key} is there"),
            Place::Hole(slot) => slot,
            Place::Full(last) => match index.extend(pool, last) {
                Some(slot) => slot,
                None => return false,
            },
        };
        slot.set(Entry::new(7, key));
        true
    }

    fn remove(index: &Index, pool: &Pool, key: usize) -> bool {
        let main = index.main(PARTITION, 0);
        let place = index.find(PARTITION, main, 7, |offset| offset == key);
        let Place::Found(slot) = place else { return false };
        index.remove(pool, main, slot);
        true
    }

    #[test]
    fn overfull_buckets_take_spares_and_give_them_back() {
        let (index, pool) = index();
        let holds = (1 + SPARES) * BUCKET_ENTRIES;
        for key in 0..holds {
            assert!(insert(&index, &pool, key), "key {key}");
            assert_eq!(pool.used.get() as usize, key / BUCKET_ENTRIES);
        }
        assert!(!index.has_spare(&pool));
        assert!(!insert(&index, &pool, holds), "the chain is full and so is the pool");
        // From the front, so that the last entry fills every gap.
        for key in 0..holds {
            assert!(remove(&index, &pool, key), "key {key}");
            assert!(!remove(&index, &pool, key), "key {key} again");
            let left = holds - key - 1;
            assert_eq!(
                pool.used.get() as usize,
                left.div_ceil(BUCKET_ENTRIES).saturating_sub(1),
                "{left} entries are left"
            );
            let main = index.main(PARTITION, 0);
            for other in key + 1..holds {
                let place = index.find(PARTITION, main, 7, |offset| offset == other);
                assert!(matches!(place, Place::Found(_)), "key {other} after {key}");
            }
        }
        assert!((0..holds).all(|key| insert(&index, &pool, key)), "spares are used again");
    }

    #[test]
    fn another_tag_finds_nothing() {
        let (index, pool) = index();
        (0..10).for_each(|key| assert!(insert(&index, &pool, key)));
        let main = index.main(PARTITION, 0);
        assert!(matches!(index.find(PARTITION, main, 8, |_| true), Place::Hole(_)));
    }
}
