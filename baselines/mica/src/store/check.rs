//! Walks heaps, lists, chains and pools, and checks that they agree.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use super::Mica;
use super::bucket::{BUCKET_WORDS, Entry, Header};
use super::chunk::{Arena, CHUNK_WORDS_MIN};
use super::classes::CLASSES;
use super::heap::{Heap, usable_words};
use super::index::{Bucket, Pool};
use super::named::KeyKind;
use super::partition::Partition;
use crate::mode::Mode;

/// Chunks of a heap, by the word at which they begin.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// Live chunks, with their keys.
    live: HashMap<usize, u64>,
    /// Free chunks, with their lengths in words.
    free: HashMap<usize, usize>,
}

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    /// Checks every invariant of every partition. No session may be active.
    pub(super) fn check_partitions(&self) -> Result<(), String> {
        for (number, partition) in self.partitions.iter().enumerate() {
            let _quiet = partition.quiet();
            self.check_partition(number, partition)
                .map_err(|violation| format!("partition {number}: {violation}"))?;
        }
        Ok(())
    }

    fn check_partition(&self, number: usize, partition: &Partition) -> Result<(), String> {
        let chunks = check_heap(&partition.heap, self.arena(number))?;
        let mut live = chunks.live;
        let mut spares = HashSet::new();
        for main in 0..self.index.main_buckets() {
            self.check_chain(number, main, &mut live, &mut spares)
                .map_err(|violation| format!("bucket {main}: {violation}"))?;
        }
        if let Some((at, key)) = live.into_iter().next() {
            return Err(format!("item {at} of key {key:#x} has no entry"));
        }
        self.check_pool(number, &partition.pool, spares)
    }

    /// Checks one chain: removes its items from `live` and adds its spare buckets to `spares`.
    fn check_chain(
        &self,
        number: usize,
        main: usize,
        live: &mut HashMap<usize, u64>,
        spares: &mut HashSet<usize>,
    ) -> Result<(), String> {
        let mut bucket = self.index.main(number, main);
        if header(bucket).is_being_written() {
            return Err("its version is odd, and nobody writes".to_owned());
        }
        loop {
            let entries = || bucket[1..].iter().map(Entry::load);
            for entry in entries().filter(|entry| !entry.is_empty()) {
                let (tag, at) = (entry.tag(), entry.offset());
                let key = live.remove(&at).ok_or_else(|| {
                    format!("an entry leads to {at}, no item or one with an entry already")
                })?;
                let hash = self.hasher.hash(key);
                let partition = hash.partition(self.sizes.partition_bits);
                let belongs = (partition, hash.bucket(self.index.main_buckets()), hash.tag());
                if belongs != (number, main, tag) {
                    return Err(format!("key {key:#x} belongs to {belongs:?}, tag {tag} found"));
                }
            }
            let filled = entries().filter(|entry| !entry.is_empty()).count();
            let is_main = std::ptr::eq(bucket, self.index.main(number, main));
            if !is_main && (filled == 0 || header(bucket).word() >> 32 != 0) {
                return Err("a spare bucket in use is empty or has a version".to_owned());
            }
            if !is_main && entries().take(filled).any(Entry::is_empty) {
                return Err("a spare bucket is not filled from the front".to_owned());
            }
            let Some(next) = header(bucket).next() else { return Ok(()) };
            if filled + 1 < BUCKET_WORDS {
                return Err(format!("{filled} entries in a bucket that is not the last"));
            }
            if next >= self.index.spare_buckets() || !spares.insert(next) {
                return Err(format!("spare bucket {next} is none, or chained twice"));
            }
            bucket = self.index.spare(number, next);
        }
    }

    /// Checks that every spare bucket is in one chain or in the pool.
    fn check_pool(
        &self,
        number: usize,
        pool: &Pool,
        mut spares: HashSet<usize>,
    ) -> Result<(), String> {
        let (used, counted) = (spares.len() as u64, pool.used.get());
        if used != counted {
            return Err(format!("{used} spare buckets in chains, {counted} counted"));
        }
        let mut next = pool.first();
        while let Some(spare) = next {
            if spare >= self.index.spare_buckets() || !spares.insert(spare) {
                return Err(format!("the pool has spare bucket {spare}, none or in use"));
            }
            let bucket = self.index.spare(number, spare);
            if bucket[1..].iter().any(|word| !Entry::load(word).is_empty()) {
                return Err(format!("spare bucket {spare} of the pool has entries"));
            }
            next = header(bucket).next();
        }
        if spares.len() != self.index.spare_buckets() {
            return Err(format!("{} spare buckets in chains and pool", spares.len()));
        }
        Ok(())
    }
}

fn header(bucket: &Bucket) -> Header {
    // Relaxed: nobody writes.
    Header::load(&bucket[0], Ordering::Relaxed)
}

/// Checks every invariant of a heap.
pub(super) fn check_heap(heap: &Heap, arena: Arena<'_>) -> Result<Chunks, String> {
    let mut chunks = Chunks::default();
    let end = usable_words(arena.0.len());
    let (mut at, mut is_previous_live, mut value_bytes) = (0, true, 0);
    while at < end {
        let tag = arena.tag(at);
        let words = tag.words();
        if words < CHUNK_WORDS_MIN || words > end - at {
            return Err(format!("chunk {at} has {words} words of {}", end - at));
        }
        if tag.is_previous_live() != is_previous_live {
            return Err(format!("chunk {at} is wrong about what lies before: {tag:?}"));
        }
        if tag.is_live() {
            if tag.value_bytes() > tag.value_room_bytes() {
                return Err(format!("item {at} is longer than its chunk: {tag:?}"));
            }
            value_bytes += tag.value_bytes() as u64;
            chunks.live.insert(at, arena.word(at + 1));
        } else {
            let told = arena.word(at + words - 1);
            if !is_previous_live || told != words as u64 {
                return Err(format!("free chunk {at} of {words} words: {told} told at its end"));
            }
            chunks.free.insert(at, words);
        }
        is_previous_live = tag.is_live();
        at += words;
    }
    if !arena.tag(end).is_live() || arena.tag(end).is_previous_live() != is_previous_live {
        return Err(format!("the end is wrong: {:?}", arena.tag(end)));
    }
    check_lists(heap, arena, &chunks.free)?;
    let free_words = chunks.free.values().sum::<usize>() as u64;
    let found = [
        ("free chunks", chunks.free.len() as u64, heap.counters.free_chunks.get()),
        ("free words", free_words, heap.counters.free_words.get()),
        ("items", chunks.live.len() as u64, heap.counters.live_chunks.get()),
        ("value bytes", value_bytes, heap.counters.live_value_bytes.get()),
    ];
    match found.iter().find(|(_, found, counted)| found != counted) {
        Some((what, found, counted)) => Err(format!("{found} {what}, {counted} counted")),
        None => Ok(chunks),
    }
}

/// Checks that every free chunk is in the list of its class, once, and that the bitmap matches the
/// lists.
fn check_lists(heap: &Heap, arena: Arena<'_>, free: &HashMap<usize, usize>) -> Result<(), String> {
    let mut listed = 0;
    for class in 0..CLASSES {
        let is_marked = heap.is_marked(class);
        if is_marked != Some(heap.head(class).is_some()) {
            return Err(format!("class {class} has a list, or none, and {is_marked:?} marked"));
        }
        let mut previous = None;
        // One more than there are, so that a cycle does not pass for a list.
        for at in heap.list(arena, class, free.len() as u64 + 1) {
            let words = free.get(&at).copied().unwrap_or(0);
            if words == 0 || heap.classes().of_chunk(words) != class {
                return Err(format!("class {class} lists {at}, which has {words} free words"));
            }
            if heap.previous(arena, at) != previous {
                return Err(format!("free chunk {at} does not lead back to {previous:?}"));
            }
            previous = Some(at);
            listed += 1;
        }
    }
    if listed != free.len() {
        return Err(format!("{listed} chunks in lists, {} free", free.len()));
    }
    Ok(())
}
