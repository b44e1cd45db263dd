//! The index: buckets of entries that sessions change by compare-and-swap, without latches.
//!
//! A tag has at most one final entry in its bucket and the overflow buckets behind it. To insert
//! one takes two steps, as in the original: a thread takes an empty entry tentatively, then looks
//! whether anyone else has the tag. If two threads insert the same tag, at least one of them sees
//! the other and takes its entry back. Here a tentative entry has its address already, so finishing
//! it publishes the record.
//!
//! An entry that is removed can be used again at once. An exchange finds what it expects only if
//! the chain is the one that was read, because no address is used twice.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | HLOG-ENTRY | `Found::replace`, `Index::insert` | `Index::find` | who finds a record sees all of it, and of those behind it |
//! | HLOG-OVERFLOW | `Index::extend` | `Index::next` | who finds a bucket finds it empty or filled, never torn from the chain |

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kit::bits::bits;
use platform::Pages;
use platform::racy::Words;

use crate::address::Address;
use crate::bucket::{BUCKET_ENTRIES, BUCKET_WORDS, Bucket, Entry, OVERFLOW, matches};
use crate::hash::KeyHash;

/// All buckets: first the main buckets, then the overflow buckets.
#[derive(Debug)]
pub(crate) struct Index {
    words: Words,
    main_buckets: usize,
    overflow_buckets: usize,
    /// Overflow buckets in use, from the front on. The lock is held while one is linked.
    used: Mutex<usize>,
}

/// An entry as it was read, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'index> {
    slot: &'index AtomicU64,
    pub(crate) entry: Entry,
}

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    Done,
    /// Someone else has or inserts the tag: look again.
    Taken,
    /// All entries are in use, and there is no other overflow bucket.
    NoBucket,
}

impl Found<'_> {
    /// Lets the chain begin at another record; `false` if the entry is no longer as it was read.
    #[inline]
    pub(crate) fn replace(&self, address: Address) -> bool {
        self.exchange(self.entry.with_address(address))
    }

    /// Removes the entry; `false` if it is no longer as it was read.
    pub(crate) fn clear(&self) -> bool {
        self.exchange(Entry::EMPTY)
    }

    #[inline]
    fn exchange(&self, to: Entry) -> bool {
        let from = self.entry.word();
        // HLOG-ENTRY, from: the record is written. Relaxed on failure: nothing follows.
        self.slot.compare_exchange(from, to.word(), Ordering::Release, Ordering::Relaxed).is_ok()
    }
}

impl Index {
    pub(crate) fn map(
        main_buckets: usize,
        overflow_buckets: usize,
        pages: Pages,
        resident: bool,
    ) -> io::Result<Self> {
        let words = (main_buckets + overflow_buckets)
            .checked_mul(BUCKET_WORDS)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let words = Words::map(words, pages, resident)?;
        Ok(Self { words, main_buckets, overflow_buckets, used: Mutex::default() })
    }

    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    pub(crate) fn main_buckets(&self) -> usize {
        self.main_buckets
    }

    /// Overflow buckets in use.
    pub(crate) fn overflow_used(&self) -> usize {
        *self.used()
    }

    fn used(&self) -> MutexGuard<'_, usize> {
        // It changes by one step that does not panic.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn bucket(&self, number: usize) -> &Bucket {
        let from = number * BUCKET_WORDS;
        self.words.all()[from..from + BUCKET_WORDS].try_into().expect("as many words as a bucket")
    }

    /// A main bucket.
    #[inline]
    pub(crate) fn main(&self, number: usize) -> &Bucket {
        debug_assert!(number < self.main_buckets);
        self.bucket(number)
    }

    #[inline]
    fn main_of(&self, hash: KeyHash) -> &Bucket {
        self.main(hash.bucket(self.main_buckets))
    }

    /// The overflow bucket behind a bucket.
    #[inline]
    pub(crate) fn next(&self, bucket: &Bucket) -> Option<&Bucket> {
        // HLOG-OVERFLOW, to: sequentially consistent for `has_rival`; for others it acquires.
        let number = (bucket[OVERFLOW].load(Ordering::SeqCst) as usize).checked_sub(1)?;
        Some(self.bucket(self.main_buckets + number))
    }

    /// A main bucket and the overflow buckets behind it.
    pub(crate) fn buckets<'index>(
        &'index self,
        main: &'index Bucket,
    ) -> impl Iterator<Item = &'index Bucket> {
        std::iter::successors(Some(main), move |bucket| self.next(bucket))
    }

    /// Prefetches the main bucket of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: KeyHash) {
        self.words.prefetch(hash.bucket(self.main_buckets) * BUCKET_WORDS);
    }

    /// The final entry of a hash's tag.
    #[inline]
    pub(crate) fn find(&self, hash: KeyHash) -> Option<Found<'_>> {
        let tag = hash.tag();
        let mut bucket = self.main_of(hash);
        loop {
            for number in bits(matches(bucket, tag)) {
                let slot = &bucket[number];
                // HLOG-ENTRY, to: what the entry leads to is written.
                let entry = Entry::from_word(slot.load(Ordering::Acquire));
                if entry.is_of(tag) {
                    return Some(Found { slot, entry });
                }
            }
            bucket = self.next(bucket)?;
        }
    }

    /// Inserts an entry for a tag that has none, and so publishes the record that it leads to.
    pub(crate) fn insert(&self, hash: KeyHash, address: Address) -> Inserted {
        let tag = hash.tag();
        let entry = Entry::new(tag, address);
        loop {
            let mut last = self.main_of(hash);
            let mut empty = None;
            for bucket in self.buckets(last) {
                for slot in &bucket[..BUCKET_ENTRIES] {
                    // Relaxed: the exchange confirms an empty entry, and a tag is only avoided.
                    let found = Entry::from_word(slot.load(Ordering::Relaxed));
                    if found.tag() == tag {
                        return Inserted::Taken;
                    }
                    if found.is_empty() && empty.is_none() {
                        empty = Some(slot);
                    }
                }
                last = bucket;
            }
            let Some(slot) = empty else {
                if !self.extend(last) {
                    return Inserted::NoBucket;
                }
                continue;
            };
            // Sequentially consistent, as the loads of `has_rival`: of two threads that insert one
            // tag, the one whose exchange is later finds the other's entry.
            let tentative = entry.tentative().word();
            let taken = slot.compare_exchange(
                Entry::EMPTY.word(),
                tentative,
                Ordering::SeqCst,
                Ordering::Relaxed,
            );
            if taken.is_err() {
                continue;
            }
            let (decided, inserted) = match self.has_rival(hash, slot) {
                true => (Entry::EMPTY, Inserted::Taken),
                false => (entry, Inserted::Done),
            };
            // HLOG-ENTRY, from: the record is written.
            slot.store(decided.word(), Ordering::Release);
            return inserted;
        }
    }

    /// Whether another entry than `own` has the hash's tag, final or tentative.
    fn has_rival(&self, hash: KeyHash, own: &AtomicU64) -> bool {
        let mut slots = self
            .buckets(self.main_of(hash))
            .flat_map(|bucket| &bucket[..BUCKET_ENTRIES])
            .filter(|slot| !std::ptr::eq(*slot, own));
        // Sequentially consistent: see `insert`.
        slots.any(|slot| Entry::from_word(slot.load(Ordering::SeqCst)).tag() == hash.tag())
    }

    /// Links an overflow bucket behind the last one of a chain, unless someone else has; `false` if
    /// there is none left.
    #[cold]
    fn extend(&self, last: &Bucket) -> bool {
        let mut used = self.used();
        // Relaxed: written under the same lock.
        if last[OVERFLOW].load(Ordering::Relaxed) != 0 {
            return true;
        }
        if *used == self.overflow_buckets {
            return false;
        }
        *used += 1;
        // HLOG-OVERFLOW, from: sequentially consistent, so that who misses the link in `has_rival`
        // comes before every exchange in the new bucket.
        last[OVERFLOW].store(*used as u64, Ordering::SeqCst);
        true
    }
}

#[cfg(test)]
mod tests;
