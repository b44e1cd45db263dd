//! The front table: chained buckets in DRAM, whose readers may do without locks.
//!
//! A bucket is a lock, a version and the head of its chain. A pair never changes but for its tombstone
//! and for the log record it names: a new value is a new pair in the place of the old one. A reader
//! without lock walks the chain, copies the value, and looks at the version again. The version steps
//! after a pair has left the chain and before its memory is used for anything else. So if it has not
//! stepped, whatever was read belonged to the chain. A reader waits for nobody; it begins anew if a
//! writer of its bucket has finished meanwhile.
//!
//! The paper's readers announce epochs instead, and free memory when all have moved on (§4.2).
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | FRONT-LINK | store of head, link or tombstone | the reader's load of it | a pair found is filled |
//! | FRONT-REUSE | version stepped, then the fence before a block is filled | fence, then the version again | who read a block's next life sees the version stepped |

use std::io;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use platform::Pages;
use platform::persist::LINE_WORDS;
use platform::racy::{Words, copy_in, copy_out};

use crate::cells::{Cells, Dram};
use crate::digest::{bucket_of, hash};
use crate::heap::{ARENA_WORDS, Heap, Held};
use crate::locks::Locks;
use crate::record::Reference;

const BUCKET_WORDS: u64 = 4;
const VERSION: u64 = 1;
const HEAD: u64 = 2;

const NEXT: u64 = 1;
const KEY: u64 = 2;
const META: u64 = 3;
const ENTRY: u64 = 4;
/// Words of a pair before its value. The first is its heap's.
pub(crate) const PAIR_WORDS: u64 = 5;

const TOMBSTONE: u64 = 1 << 63;
const BYTES: u64 = 0xffff_ffff;

/// Pairs after which a reader looks whether it still walks a chain.
const WALK_MAX: u32 = 64;

/// The table.
#[derive(Debug)]
pub(crate) struct Front {
    words: Words,
    buckets_at: u64,
    buckets: u64,
    heap: Heap,
    locks: Locks,
}

/// What a get finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A value of so many bytes, copied if the buffer holds it.
    Value(usize),
    /// A tombstone: the key is absent, whatever the back table says.
    Buried,
    Missing,
}

/// A pair under the bucket's lock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    at: u64,
    /// The word that links to it.
    link: u64,
    pub(crate) bytes: u64,
    pub(crate) buried: bool,
    /// The key's newest log record.
    pub(crate) entry: Reference,
}

impl Front {
    /// A table whose pairs may take `object_words`.
    pub(crate) fn map(
        buckets: u64,
        slots: u64,
        object_words: u64,
        pages: Pages,
    ) -> io::Result<Self> {
        let arenas_at = LINE_WORDS;
        let buckets_at = arenas_at + slots * ARENA_WORDS;
        let heap_at = buckets_at + buckets * BUCKET_WORDS;
        let heap_at = heap_at.next_multiple_of(LINE_WORDS);
        let end = heap_at + object_words;
        let words = Words::map(end as usize, pages, false)?;
        Dram(&words).write(0, heap_at);
        let heap = Heap::new(0, end, arenas_at, slots as usize);
        Ok(Self { words, buckets_at, buckets, heap, locks: Locks::new(0) })
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        self.buckets * BUCKET_WORDS * 8
    }

    fn bucket_at(&self, key: u64) -> u64 {
        self.buckets_at + bucket_of(hash(key), self.buckets) * BUCKET_WORDS
    }

    #[inline]
    fn word(&self, at: u64) -> &AtomicU64 {
        &self.words.all()[at as usize]
    }

    /// Copies a key's value out, with or without the bucket's lock.
    #[inline]
    pub(crate) fn get(&self, key: u64, buffer: &mut [u8], with_lock: bool) -> Found {
        let bucket = self.bucket_at(key);
        if with_lock {
            let lock = self.word(bucket);
            self.locks.shared(lock);
            let found = self.visit(bucket, key, |at, meta| self.copy(at, meta, buffer));
            self.locks.release_shared(lock);
            return found.flatten().unwrap_or(Found::Missing);
        }
        loop {
            let found = self.visit(bucket, key, |at, meta| self.copy(at, meta, buffer));
            if let Some(found) = found {
                return found.unwrap_or(Found::Missing);
            }
        }
    }

    fn copy(&self, at: u64, meta: u64, buffer: &mut [u8]) -> Found {
        if meta & TOMBSTONE != 0 {
            return Found::Buried;
        }
        let bytes = (meta & BYTES) as usize;
        if let Some(front) = buffer.get_mut(..bytes)
            && let Some(words) = self.words.all().get((at + PAIR_WORDS) as usize..)
        {
            copy_out(words, front);
        }
        Found::Value(bytes)
    }

    /// The newest log record that a key's pair names, without lock.
    pub(crate) fn entry_of(&self, key: u64) -> Option<Reference> {
        let bucket = self.bucket_at(key);
        loop {
            // Acquire: a record that is named is durable.
            let entry = |at, _| Reference::from_word(self.word(at + ENTRY).load(Ordering::Acquire));
            if let Some(entry) = self.visit(bucket, key, entry) {
                return entry;
            }
        }
    }

    /// Calls `take` with the pair of a key, and its meta word. `Some` if all that was read belonged
    /// to the chain.
    #[inline]
    fn visit<T>(
        &self,
        bucket: u64,
        key: u64,
        take: impl FnOnce(u64, u64) -> T,
    ) -> Option<Option<T>> {
        let version = self.word(bucket + VERSION);
        // Acquire: the chain is read afterwards.
        let before = version.load(Ordering::Acquire);
        // FRONT-REUSE, to: what was read came before the version is looked at again.
        let is_valid = || {
            fence(Ordering::Acquire);
            version.load(Ordering::Relaxed) == before
        };
        // FRONT-LINK, to: the pair is filled.
        let mut at = self.word(bucket + HEAD).load(Ordering::Acquire);
        let mut walked = 0;
        while at != 0 {
            // A block in its next life may hold anything.
            let pair = self.words.all().get(at as usize..(at + PAIR_WORDS) as usize)?;
            // Relaxed: the link's acquire, or the version, orders it.
            if pair[KEY as usize].load(Ordering::Relaxed) == key {
                // FRONT-LINK, to: a tombstone's record is named.
                let meta = pair[META as usize].load(Ordering::Acquire);
                let taken = take(at, meta);
                return is_valid().then_some(Some(taken));
            }
            at = pair[NEXT as usize].load(Ordering::Acquire);
            walked += 1;
            if walked % WALK_MAX == 0 && !is_valid() {
                return None;
            }
        }
        is_valid().then_some(None)
    }

    /// Takes a key's bucket for writing.
    #[inline]
    pub(crate) fn lock(&self, key: u64) -> Locked<'_> {
        let bucket = self.bucket_at(key);
        self.locks.exclusive(self.word(bucket));
        Locked { front: self, bucket }
    }

    /// The same, if nobody has it.
    pub(crate) fn try_lock(&self, key: u64) -> Option<Locked<'_>> {
        let bucket = self.bucket_at(key);
        let free = self.locks.try_exclusive(self.word(bucket));
        free.then(|| Locked { front: self, bucket })
    }

    /// A filled pair that is in no chain yet; `None` if no memory is left.
    pub(crate) fn fill(&self, slot: usize, key: u64, value: &[u8], buried: bool) -> Option<u64> {
        let (mut cells, mut held) = (Dram(&self.words), Held::default());
        let words = PAIR_WORDS + (value.len() as u64).div_ceil(8);
        let block = self.heap.take(&mut cells, &mut held, slot, words);
        self.heap.release(&mut held);
        let block = block?;
        // FRONT-REUSE, from: the version was stepped before the block was freed.
        fence(Ordering::Release);
        let tombstone = if buried { TOMBSTONE } else { 0 };
        cells.write(block + KEY, key);
        cells.write(block + META, value.len() as u64 | tombstone);
        let room = block + PAIR_WORDS..block + words;
        copy_in(&self.words.all()[room.start as usize..room.end as usize], value);
        Some(block)
    }

    /// Gives back a pair that is in no chain any more, or never was.
    pub(crate) fn free(&self, slot: usize, block: u64, bytes: u64) {
        let (mut cells, mut held) = (Dram(&self.words), Held::default());
        let words = PAIR_WORDS + bytes.div_ceil(8);
        self.heap.give(&mut cells, &mut held, slot, block, words);
        self.heap.release(&mut held);
    }

    /// Calls `visit` with key, value (`None` for tombstones) and newest record of every pair. Nobody
    /// may write meanwhile.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u64, Option<&[u8]>, Reference)) {
        let mut cells = Dram(&self.words);
        let mut value = Vec::new();
        for bucket in 0..self.buckets {
            let mut at = cells.read(self.buckets_at + bucket * BUCKET_WORDS + HEAD);
            while at != 0 {
                let meta = cells.read(at + META);
                value.resize((meta & BYTES) as usize, 0);
                copy_out(&self.words.all()[(at + PAIR_WORDS) as usize..], &mut value);
                let entry = Reference::from_word(cells.read(at + ENTRY));
                visit(cells.read(at + KEY), (meta & TOMBSTONE == 0).then_some(&value), entry);
                at = cells.read(at + NEXT);
            }
        }
    }
}

/// A bucket taken for writing, until dropped.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    front: &'a Front,
    bucket: u64,
}

impl Locked<'_> {
    /// A key's pair.
    pub(crate) fn find(&self, key: u64) -> Option<Pair> {
        let mut cells = Dram(&self.front.words);
        let mut link = self.bucket + HEAD;
        loop {
            let at = cells.read(link);
            if at == 0 {
                return None;
            }
            if cells.read(at + KEY) == key {
                let meta = cells.read(at + META);
                let entry = Reference::from_word(cells.read(at + ENTRY));
                let (bytes, buried) = (meta & BYTES, meta & TOMBSTONE != 0);
                return Some(Pair { at, link, bytes, buried, entry });
            }
            link = at + NEXT;
        }
    }

    /// Puts a filled pair into the chain, in the place of `old` if there is one, and lets it name
    /// its record. The old pair is freed.
    pub(crate) fn link(&self, slot: usize, old: Option<Pair>, block: u64, entry: Reference) {
        let mut cells = Dram(&self.front.words);
        let link = old.map_or(self.bucket + HEAD, |old| old.link);
        let next = cells.read(old.map_or(link, |old| old.at + NEXT));
        cells.write(block + NEXT, next);
        cells.write(block + ENTRY, entry.word());
        // FRONT-LINK, from: the pair as filled.
        self.front.word(link).store(block, Ordering::Release);
        if let Some(old) = old {
            self.retire(slot, old);
        }
    }

    /// Makes a pair a tombstone, which names its record.
    pub(crate) fn bury(&self, pair: Pair, entry: Reference) {
        // Release: pairs with the acquire of `entry_of`.
        self.front.word(pair.at + ENTRY).store(entry.word(), Ordering::Release);
        // FRONT-LINK, from: the record that the tombstone names.
        self.front.word(pair.at + META).store(pair.bytes | TOMBSTONE, Ordering::Release);
    }

    /// Takes a pair out of the chain and frees it.
    pub(crate) fn unlink(&self, slot: usize, pair: Pair) {
        let next = Dram(&self.front.words).read(pair.at + NEXT);
        // FRONT-LINK, from: what follows in the chain.
        self.front.word(pair.link).store(next, Ordering::Release);
        self.retire(slot, pair);
    }

    /// Frees a pair that has left the chain.
    fn retire(&self, slot: usize, pair: Pair) {
        let version = self.front.word(self.bucket + VERSION);
        // Only the lock's holder steps it. Relaxed: FRONT-REUSE's fence orders it.
        version.store(version.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        // FRONT-REUSE, from: before the block's words change.
        fence(Ordering::Release);
        self.front.free(slot, pair.at, pair.bytes);
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.front.locks.release(self.front.word(self.bucket));
    }
}
