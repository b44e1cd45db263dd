//! The back table: the front's structure in persistent memory (§2.2).
//!
//! A bucket is a lock and the head of its chain. A pair is a block; a new value is a new pair in the
//! place of the old one, so that one word changes what the key is. By transaction
//! ([`Back::put_in`]) that word, the heap's words and the record's mark change together; directly
//! ([`Back::put_directly`], as in `HiKV`) only that word does.
//!
//! Callers hold the bucket's lock ([`Back::lock_at`]).

use std::sync::atomic::AtomicU64;

use platform::persist::{Region, Touched};

use crate::cells::{Cells, Direct};
use crate::digest::{bucket_of, hash};
use crate::heap::{Heap, Held};
use crate::layout::{BUCKET_WORDS, Layout};
use crate::locks::Locks;
use crate::tx::Tx;

const HEAD: u64 = 1;

const NEXT: u64 = 1;
const KEY: u64 = 2;
const META: u64 = 3;
/// The key's newest log record, where rungs keep it here.
const ENTRY: u64 = 4;
/// Words of a pair before its value. The first is its heap's.
pub(crate) const PAIR_WORDS: u64 = 5;

/// Set where the pair has a value; a base put makes pairs before they have one.
const VALUED: u64 = 1 << 63;
const BYTES: u64 = 0xffff_ffff;

/// The table.
#[derive(Debug)]
pub(crate) struct Back {
    pub(crate) region: Region,
    pub(crate) layout: Layout,
    pub(crate) heap: Heap,
    pub(crate) locks: Locks,
}

/// No persistent memory is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// A value as words, and its length in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) bytes: u64,
}

/// Replaces `words` by a value's, the last one padded with zeros.
pub(crate) fn to_words(value: &[u8], words: &mut Vec<u64>) {
    let (whole, rest) = value.as_chunks::<8>();
    words.clear();
    words.extend(whole.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
}

/// Where a key's pair is, or would be.
#[derive(Clone, Copy, Debug)]
struct Place {
    link: u64,
    block: Option<u64>,
}

fn pair_words(meta: u64) -> u64 {
    PAIR_WORDS + (meta & BYTES).div_ceil(8)
}

impl Back {
    /// The table in a region of this layout.
    pub(crate) fn new(region: Region, layout: Layout) -> Self {
        let heap =
            Heap::new(layout.bump_at(), layout.words, layout.arenas_at(), layout.slots as usize);
        let locks = Locks::new(Layout::generation(&region) as u32);
        Self { region, layout, heap, locks }
    }

    pub(crate) fn bucket(&self, key: u64) -> u64 {
        self.layout.buckets_at() + bucket_of(hash(key), self.layout.buckets) * BUCKET_WORDS
    }

    /// The lock of a bucket.
    pub(crate) fn lock_at(&self, bucket: u64) -> &AtomicU64 {
        self.region.volatile(bucket)
    }

    /// Runs `f` with a key's bucket taken for writing.
    pub(crate) fn exclusively<T>(&self, key: u64, f: impl FnOnce() -> T) -> T {
        let lock = self.lock_at(self.bucket(key));
        self.locks.exclusive(lock);
        let result = f();
        self.locks.release(lock);
        result
    }

    fn find(&self, cells: &mut impl Cells, key: u64) -> Place {
        let mut link = self.bucket(key) + HEAD;
        loop {
            let block = cells.read(link);
            if block == 0 {
                return Place { link, block: None };
            }
            if cells.read(block + KEY) == key {
                return Place { link, block: Some(block) };
            }
            link = block + NEXT;
        }
    }

    /// Length of a key's value; takes the lock itself.
    pub(crate) fn value_bytes(&self, touched: &mut Touched, key: u64) -> Option<u64> {
        self.look(touched, key, |_, _, bytes| bytes)
    }

    /// Length of a key's value, for who has the bucket.
    pub(crate) fn length(&self, touched: &mut Touched, key: u64) -> Option<u64> {
        let mut cells = Direct { region: &self.region, touched };
        let meta = self.find(&mut cells, key).block.map(|block| cells.read(block + META))?;
        (meta & VALUED != 0).then_some(meta & BYTES)
    }

    /// Copies a key's value out if the buffer holds it, and returns its length; takes the lock itself.
    pub(crate) fn get(&self, touched: &mut Touched, key: u64, buffer: &mut [u8]) -> Option<u64> {
        self.look(touched, key, |touched, block, bytes| {
            if let Some(front) = buffer.get_mut(..bytes as usize) {
                self.region.charge(touched, block, PAIR_WORDS + bytes.div_ceil(8));
                self.region.copy_out(block + PAIR_WORDS, front);
            }
            bytes
        })
    }

    /// Calls `take` with the pair of a key that has a value, and its length.
    fn look<T>(
        &self,
        touched: &mut Touched,
        key: u64,
        take: impl FnOnce(&mut Touched, u64, u64) -> T,
    ) -> Option<T> {
        let lock = self.lock_at(self.bucket(key));
        self.locks.shared(lock);
        let mut cells = Direct { region: &self.region, touched };
        let found = self.find(&mut cells, key).block.and_then(|block| {
            let meta = cells.read(block + META);
            (meta & VALUED != 0).then(|| take(cells.touched, block, meta & BYTES))
        });
        self.locks.release_shared(lock);
        found
    }

    /// Writes a new pair and begins to write it back.
    fn fill(&self, block: u64, key: u64, next: u64, entry: u64, value: Option<Value<'_>>) {
        let meta = value.map_or(0, |value| VALUED | value.bytes);
        self.region.store_all(block + NEXT, &[next, key, meta, entry]);
        let words = value.map_or(&[][..], |value| value.words);
        self.region.store_all(block + PAIR_WORDS, words);
        self.region.flush(block + NEXT, PAIR_WORDS - 1 + words.len() as u64);
    }

    /// Stores a value within a transaction; the old value's length. A reference to `applied`, the
    /// record that this comes from, is taken from the pair; any other stays.
    pub(crate) fn put_in(
        &self,
        tx: &mut Tx<'_>,
        key: u64,
        value: Value<'_>,
        applied: u64,
    ) -> Result<Option<u64>, NoRoom> {
        let place = self.find(tx, key);
        let block = tx.take(PAIR_WORDS + value.words.len() as u64).ok_or(NoRoom)?;
        let Some(old) = place.block else {
            // `find` ends at the chain's last link, which holds nothing.
            self.fill(block, key, 0, 0, Some(value));
            tx.write(place.link, block);
            return Ok(None);
        };
        let (next, meta, entry) = (tx.read(old + NEXT), tx.read(old + META), tx.read(old + ENTRY));
        let entry = if entry == applied { 0 } else { entry };
        self.fill(block, key, next, entry, Some(value));
        tx.write(place.link, block);
        tx.give(old, pair_words(meta));
        Ok((meta & VALUED != 0).then_some(meta & BYTES))
    }

    /// Removes a key within a transaction; the old value's length. A pair that names another record
    /// than `applied` only loses its value.
    pub(crate) fn remove_in(&self, tx: &mut Tx<'_>, key: u64, applied: u64) -> Option<u64> {
        let place = self.find(tx, key);
        let old = place.block?;
        let (next, meta, entry) = (tx.read(old + NEXT), tx.read(old + META), tx.read(old + ENTRY));
        if entry == 0 || entry == applied {
            tx.write(place.link, next);
            tx.give(old, pair_words(meta));
        } else {
            // Its block's size is told by the length, which stays.
            tx.write(old + META, meta & BYTES);
        }
        (meta & VALUED != 0).then_some(meta & BYTES)
    }

    /// A key's pair, made without a value if there is none (§4.1: what base puts pay for).
    pub(crate) fn pair_in(&self, tx: &mut Tx<'_>, key: u64) -> Result<u64, NoRoom> {
        let place = self.find(tx, key);
        if let Some(block) = place.block {
            return Ok(block);
        }
        let block = tx.take(PAIR_WORDS).ok_or(NoRoom)?;
        self.fill(block, key, 0, 0, None);
        tx.write(place.link, block);
        Ok(block)
    }

    /// Lets a pair name its newest record: the third barrier of a base put.
    pub(crate) fn name(&self, block: u64, entry: u64) {
        self.region.store(block + ENTRY, entry);
        self.region.flush(block + ENTRY, 1);
        self.region.fence();
    }

    /// Stores a value by one word; the old value's length. The heap's words are not flushed.
    pub(crate) fn put_directly(
        &self,
        touched: &mut Touched,
        slot: usize,
        key: u64,
        value: Value<'_>,
    ) -> Result<Option<u64>, NoRoom> {
        let mut cells = Direct { region: &self.region, touched };
        let place = self.find(&mut cells, key);
        let mut held = Held::default();
        let words = PAIR_WORDS + value.words.len() as u64;
        let block = self.heap.take(&mut cells, &mut held, slot, words);
        self.heap.release(&mut held);
        let block = block.ok_or(NoRoom)?;
        let next = place.block.map_or(0, |old| cells.read(old + NEXT));
        self.fill(block, key, next, 0, Some(value));
        self.region.fence();
        Ok(self.switch(&mut cells, slot, place, block))
    }

    /// Removes a key by one word; the old value's length.
    pub(crate) fn remove_directly(
        &self,
        touched: &mut Touched,
        slot: usize,
        key: u64,
    ) -> Option<u64> {
        let mut cells = Direct { region: &self.region, touched };
        let place = self.find(&mut cells, key);
        let next = cells.read(place.block? + NEXT);
        self.switch(&mut cells, slot, place, next)
    }

    /// Exchanges the word that links to a place, durably, and frees the pair that was there.
    fn switch(&self, cells: &mut Direct<'_>, slot: usize, place: Place, to: u64) -> Option<u64> {
        self.region.store(place.link, to);
        self.region.flush(place.link, 1);
        self.region.fence();
        let old = place.block?;
        let meta = cells.read(old + META);
        let mut held = Held::default();
        self.heap.give(cells, &mut held, slot, old, pair_words(meta));
        self.heap.release(&mut held);
        Some(meta & BYTES)
    }

    /// Calls `visit` with every pair: its block and words, key, length of its value, and what record
    /// it names. Nobody may write meanwhile.
    ///
    /// # Errors
    /// If a chain leads out of the region, or around.
    pub(crate) fn for_each(
        &self,
        mut visit: impl FnMut(u64, u64, u64, Option<u64>, u64),
    ) -> Result<(), String> {
        let (region, layout) = (&self.region, &self.layout);
        for bucket in 0..layout.buckets {
            let mut block = region.load(layout.buckets_at() + bucket * BUCKET_WORDS + HEAD);
            let mut pairs = 0;
            while block != 0 {
                if block + PAIR_WORDS > layout.words || pairs > layout.words / PAIR_WORDS {
                    return Err(format!("the chain of bucket {bucket} leads to word {block}"));
                }
                let meta = region.load(block + META);
                let value_bytes = (meta & VALUED != 0).then_some(meta & BYTES);
                let (key, entry) = (region.load(block + KEY), region.load(block + ENTRY));
                visit(block, pair_words(meta), key, value_bytes, entry);
                block = region.load(block + NEXT);
                pairs += 1;
            }
        }
        Ok(())
    }
}
