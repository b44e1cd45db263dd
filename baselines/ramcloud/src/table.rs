//! The hash table: cache-line buckets, each with a lock, chained when they overflow.
//!
//! Invariants: in a chain every bucket but the last is full, and an overflow bucket has at least
//! two entries. So `n` entries need fewer than `n / 7` overflow buckets. As many are mapped as the
//! log can hold objects for; they are touched on first use, and reused.

use std::hint;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;

use platform::Pages;

use crate::hash::Hash;
use crate::log::Reference;
use crate::raw::{Bucket, Buckets};
use crate::word::{MARK, Word};

/// Words of a bucket; the last may be a chain.
const WORDS: usize = 8;
const LAST: usize = WORDS - 1;

/// How often to check a locked bucket before yielding: its owner may have lost the processor.
const SPINS: u32 = 128;

/// The hash table of an instance.
#[derive(Debug)]
pub(crate) struct Table {
    heads: Buckets,
    overflow: Buckets,
    spare: Mutex<Spare>,
}

/// Which overflow buckets are unused.
#[derive(Debug, Default)]
struct Spare {
    returned: Vec<u32>,
    /// Buckets from here on were never used.
    touched: usize,
}

impl Table {
    /// An empty table of `buckets` buckets, a power of two, for at most `objects_max` objects.
    pub(crate) fn map(
        buckets: usize,
        objects_max: usize,
        pages: Pages,
        resident: bool,
    ) -> io::Result<Self> {
        assert!(buckets.is_power_of_two());
        Ok(Self {
            heads: Buckets::map(buckets, pages, resident)?,
            overflow: Buckets::map(objects_max / LAST + 1, Pages::Small, false)?,
            spare: Mutex::default(),
        })
    }

    #[inline]
    fn index(&self, hash: Hash) -> usize {
        hash.bucket(self.heads.all().len() - 1)
    }

    /// Prefetches a key's bucket.
    #[inline]
    pub(crate) fn prefetch(&self, hash: Hash) {
        self.heads.prefetch(self.index(hash));
    }

    /// Locks a key's bucket.
    #[inline]
    pub(crate) fn lock(&self, hash: Hash) -> LockedBucket<'_> {
        self.lock_at(self.index(hash))
    }

    #[inline]
    fn lock_at(&self, index: usize) -> LockedBucket<'_> {
        let head = &self.heads.all()[index];
        // Acquire: pairs with the release of the previous owner, in `LockedBucket::drop`.
        if head.0[0].fetch_or(MARK, Ordering::Acquire) & MARK != 0 {
            wait_for(head);
        }
        LockedBucket { table: self, head }
    }

    /// Size of all buckets in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.heads.all().len() + self.overflow_in_use()) * size_of::<Bucket>()
    }

    /// Number of overflow buckets in use.
    pub(crate) fn overflow_in_use(&self) -> usize {
        let spare = self.spare();
        spare.touched - spare.returned.len()
    }

    /// Passes each word that leads to an entry, with the index of its head bucket, and checks the
    /// invariants.
    pub(crate) fn check(&self, mut entry: impl FnMut(usize, Word)) -> Result<(), String> {
        let mut overflow = 0;
        for index in 0..self.heads.all().len() {
            let bucket = self.lock_at(index);
            let mut part = bucket.head;
            loop {
                let words = (0..WORDS).map(|at| bucket.word(part, at));
                let entries = words.filter(|word| word.reference().is_some());
                let count = entries.inspect(|word| entry(index, *word)).count();
                let next = bucket.next(part);
                let is_head = std::ptr::eq(part, bucket.head);
                overflow += usize::from(!is_head);
                let least = match (is_head, next) {
                    (_, Some(_)) => LAST,
                    (true, None) => 0,
                    (false, None) => 2,
                };
                if count < least {
                    return Err(format!("{count} entries in a bucket of chain {index}"));
                }
                match next {
                    Some(next) => part = next,
                    None => break,
                }
            }
        }
        let in_use = self.overflow_in_use();
        if overflow != in_use {
            return Err(format!("{overflow} overflow buckets in chains, {in_use} in use"));
        }
        Ok(())
    }

    fn take_overflow(&self) -> usize {
        let mut spare = self.spare();
        if let Some(index) = spare.returned.pop() {
            return index as usize;
        }
        spare.touched += 1;
        spare.touched - 1
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Spare> {
        // No step under the lock panics half-way.
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cold]
fn wait_for(head: &Bucket) {
    let mut looks = 0_u32;
    loop {
        // Relaxed: only a check; the lock is taken below.
        if head.0[0].load(Ordering::Relaxed) & MARK == 0
            // Acquire: as in `lock_at`.
            && head.0[0].fetch_or(MARK, Ordering::Acquire) & MARK == 0
        {
            return;
        }
        looks += 1;
        if looks.is_multiple_of(SPINS) {
            thread::yield_now();
        } else {
            hint::spin_loop();
        }
    }
}

/// A bucket and its chain; until this is dropped nobody else reads or changes them.
#[derive(Debug)]
pub(crate) struct LockedBucket<'a> {
    table: &'a Table,
    head: &'a Bucket,
}

/// The position of a word; valid while its bucket stays locked and nothing is inserted or removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    bucket: &'a Bucket,
    at: usize,
    pub(crate) reference: Reference,
}

impl<'a> LockedBucket<'a> {
    /// The entry with this tag that `matches` confirms.
    #[inline]
    pub(crate) fn find(
        &self,
        tag: u64,
        mut matches: impl FnMut(Reference) -> bool,
    ) -> Option<Found<'a>> {
        let mut bucket = self.head;
        loop {
            // Relaxed: the lock orders all words. A chain's tag is 0, and the lock bit is not part
            // of a tag.
            let words: [u64; WORDS] =
                std::array::from_fn(|at| bucket.0[at].load(Ordering::Relaxed));
            let mut candidates = words
                .iter()
                .enumerate()
                .fold(0_u32, |set, (at, word)| set | u32::from(word >> 48 == tag) << at);
            while candidates != 0 {
                let at = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if let Some(reference) = self.word(bucket, at).reference()
                    && matches(reference)
                {
                    return Some(Found { bucket, at, reference });
                }
            }
            bucket = self.next(bucket)?;
        }
    }

    /// Makes the found word lead to another entry of the same key.
    #[inline]
    pub(crate) fn replace(&mut self, found: Found<'_>, reference: Reference) {
        let tag = self.word(found.bucket, found.at).tag();
        self.set(found.bucket, found.at, Word::new(tag, reference));
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn insert(&mut self, tag: u64, reference: Reference) {
        let word = Word::new(tag, reference);
        let mut bucket = self.head;
        loop {
            if let Some(at) = (0..WORDS).find(|&at| self.word(bucket, at) == Word::EMPTY) {
                return self.set(bucket, at, word);
            }
            match self.next(bucket) {
                Some(next) => bucket = next,
                None => return self.extend(bucket, word),
            }
        }
    }

    /// Chains a new bucket to a full one; the last word moves there.
    #[cold]
    fn extend(&mut self, full: &'a Bucket, word: Word) {
        let index = self.table.take_overflow();
        let new = &self.table.overflow.all()[index];
        let moved = self.word(full, LAST);
        for at in 0..WORDS {
            self.set(new, at, [moved, word].get(at).copied().unwrap_or(Word::EMPTY));
        }
        self.set(full, LAST, Word::chain(index));
    }

    /// Removes the found entry; the chain's last entry fills its place.
    #[inline]
    pub(crate) fn remove(&mut self, found: Found<'_>) {
        if self.next(self.head).is_none() {
            return self.set(found.bucket, found.at, Word::EMPTY);
        }
        self.remove_from_chain(found);
    }

    #[cold]
    fn remove_from_chain(&mut self, found: Found<'_>) {
        let mut parent = self.head;
        let mut last = parent;
        while let Some(next) = self.next(last) {
            (parent, last) = (last, next);
        }
        let entries: Vec<_> = (0..WORDS).filter(|&at| self.word(last, at) != Word::EMPTY).collect();
        let Some((&at, left)) = entries.split_last() else {
            unreachable!("an overflow bucket has entries");
        };
        let filler = self.word(last, at);
        self.set(last, at, Word::EMPTY);
        if !(std::ptr::eq(found.bucket, last) && found.at == at) {
            self.set(found.bucket, found.at, filler);
        }
        if let [only] = *left {
            let word = self.word(last, only);
            let index = self.word(parent, LAST).next().expect("the parent chains the last");
            self.set(parent, LAST, word);
            self.table.spare().returned.push(index as u32);
        }
    }

    #[inline]
    fn next(&self, bucket: &Bucket) -> Option<&'a Bucket> {
        let index = self.word(bucket, LAST).next()?;
        Some(&self.table.overflow.all()[index])
    }

    /// A word without the lock bit.
    #[inline]
    fn word(&self, bucket: &Bucket, at: usize) -> Word {
        // Relaxed: the lock orders all words.
        let bits = bucket.0[at].load(Ordering::Relaxed);
        // Only the first word of a head bucket is ever marked in a position that cannot hold a
        // chain.
        Word::of_bits(if at == 0 { bits & !MARK } else { bits })
    }

    #[inline]
    fn set(&mut self, bucket: &Bucket, at: usize, word: Word) {
        let lock = if at == 0 && std::ptr::eq(bucket, self.head) { MARK } else { 0 };
        // Relaxed: the lock orders all words.
        bucket.0[at].store(word.bits() | lock, Ordering::Relaxed);
    }
}

impl Drop for LockedBucket<'_> {
    #[inline]
    fn drop(&mut self) {
        let word = self.word(self.head, 0);
        // Release: pairs with the acquire in `lock_at`. A plain store suffices: waiting threads
        // only set the bit, which is already set.
        self.head.0[0].store(word.bits(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::num::NonZeroU64;

    use super::*;

    fn reference(number: u64) -> Reference {
        Reference(NonZeroU64::new(number).unwrap())
    }

    fn table(buckets: usize) -> Table {
        Table::map(buckets, 10_000, Pages::Small, false).unwrap()
    }

    #[test]
    fn chains_grow_and_shrink_and_lose_nothing() {
        let table = table(2);
        let mut live = HashMap::new();
        let mut number = 1_u64;
        for round in 0..4000_u64 {
            let key = round * 7919 % 97;
            let hash = Hash::of(key);
            let mut bucket = table.lock(hash);
            let is_it = |reference| live.get(&key) == Some(&reference);
            let found = bucket.find(hash.tag(), is_it);
            assert_eq!(found.is_some(), live.contains_key(&key));
            number += 1;
            match (found, round % 3) {
                (None, _) => {
                    bucket.insert(hash.tag(), reference(number));
                    live.insert(key, reference(number));
                }
                (Some(found), 0) => {
                    bucket.replace(found, reference(number));
                    live.insert(key, reference(number));
                }
                (Some(found), _) => {
                    bucket.remove(found);
                    live.remove(&key);
                }
            }
            drop(bucket);
            let mut entries = 0;
            table.check(|_, _| entries += 1).unwrap();
            assert_eq!(entries, live.len());
        }
        assert!(live.len() > 20 && table.overflow_in_use() > 0, "chains were tested");
        for key in live.keys() {
            let hash = Hash::of(*key);
            let mut bucket = table.lock(hash);
            let found = bucket.find(hash.tag(), |reference| live[key] == reference).unwrap();
            bucket.remove(found);
        }
        table.check(|_, _| panic!("all were removed")).unwrap();
        assert_eq!(table.overflow_in_use(), 0);
    }

    #[test]
    fn a_locked_bucket_has_one_owner() {
        let table = table(1);
        let mut counted = 0;
        let counter = std::sync::atomic::AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..5000 {
                        let bucket = table.lock(Hash::of(1));
                        // Relaxed: the lock is what is tested.
                        let before = counter.load(Ordering::Relaxed);
                        counter.store(before + 1, Ordering::Relaxed);
                        drop(bucket);
                    }
                });
            }
        });
        counted += counter.into_inner();
        assert_eq!(counted, 15_000);
    }
}
