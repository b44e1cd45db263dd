//! Tests of the heap alone, against a model, with its whole structure checked.

use std::collections::BTreeMap;

use platform::Pages;
use platform::racy::Words;

use super::super::check::check_heap;
use super::super::chunk::{HEADER_WORDS, words_of};
use super::super::config::Preset;
use super::*;

/// A heap with its own mapping.
struct Own {
    words: Words,
    heap: Heap,
}

impl Own {
    fn new(preset: Preset, words: usize) -> Self {
        let words = Words::map(words, Pages::Small, false).unwrap();
        let heap = Heap::new(preset.classes(), Arena(words.all()));
        Self { words, heap }
    }

    fn arena(&self) -> Arena<'_> {
        Arena(self.words.all())
    }

    fn usable_words(&self) -> usize {
        usable_words(self.words.all().len())
    }

    /// Allocates for a value, and fills chunk and value with the key.
    fn allocate(&self, key: u64, value_bytes: usize) -> Option<usize> {
        let at = self.heap.allocate(self.arena(), words_of(value_bytes), value_bytes)?;
        let words = self.arena().tag(at).words();
        (1..words).for_each(|word| self.arena().set_word(at + word, key));
        Some(at)
    }

    fn check(&self) {
        if let Err(violation) = check_heap(&self.heap, self.arena()) {
            panic!("{violation}");
        }
    }

    fn assert_is_one_chunk(&self) {
        self.check();
        let counters = &self.heap.counters;
        assert_eq!((counters.free_chunks.get(), counters.live_chunks.get()), (1, 0));
        assert_eq!(self.heap.largest_words(self.arena()), self.usable_words());
    }
}

/// A small generator; every seed is as good as another.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(self.0) * limit as u128) >> 64) as usize
    }
}

const PRESETS: [Preset; 2] = [Preset::Thesis, Preset::NibblePaper];

#[test]
fn random_use_keeps_every_chunk_apart_and_ends_as_one() {
    for preset in PRESETS {
        for (seed, value_bytes_max) in [(1, 100), (2, 3000), (3, 150_000)] {
            let own = Own::new(preset, 1 << 18);
            let mut random = Random(seed);
            let mut live = BTreeMap::new();
            let mut refused = 0;
            for step in 0..6000 {
                if random.below(100) < 55 {
                    let value_bytes = random.below(value_bytes_max);
                    match own.allocate(step, value_bytes) {
                        Some(at) => assert_eq!(live.insert(at, (step, value_bytes)), None),
                        None => refused += 1,
                    }
                } else if let Some((&at, _)) = live.range(random.below(1 << 18)..).next() {
                    let (key, value_bytes) = live.remove(&at).expect("just found");
                    let tag = own.arena().tag(at);
                    assert_eq!(tag.value_bytes(), value_bytes);
                    assert!(tag.words() >= words_of(value_bytes));
                    let value = (1..tag.words()).map(|word| own.arena().word(at + word));
                    assert!(value.into_iter().all(|word| word == key), "chunk {at} of key {key}");
                    own.heap.free(own.arena(), at);
                }
                if step % 100 == 0 {
                    own.check();
                }
            }
            match value_bytes_max {
                100 => assert_eq!(refused, 0, "there is room for all"),
                _ => assert!(refused > 0, "a full heap is part of it"),
            }
            for &at in live.keys() {
                own.heap.free(own.arena(), at);
            }
            own.assert_is_one_chunk();
            let counters = &own.heap.counters;
            assert!(counters.chunks_split.get() > 100 && counters.chunks_coalesced.get() > 100);
        }
    }
}

#[test]
fn a_chunk_is_found_for_every_size_and_is_large_enough() {
    for preset in PRESETS {
        let own = Own::new(preset, 1 << 18);
        let doublings = (3..18).flat_map(|bits| [(1_usize << bits) - 3, 1 << bits]);
        let sizes = (CHUNK_WORDS_MIN..9000).step_by(7).chain(doublings);
        for words in sizes.chain([own.usable_words()]).filter(|&words| words < 1 << 18) {
            // Free chunks of similar sizes, kept apart by live ones.
            let mut live = Vec::new();
            for near in [words.saturating_sub(1), words, words + 1] {
                let near = near.max(CHUNK_WORDS_MIN);
                let chunk = own.heap.allocate(own.arena(), near, 0);
                let between = own.heap.allocate(own.arena(), CHUNK_WORDS_MIN, 0);
                chunk.inspect(|&at| own.heap.free(own.arena(), at));
                live.extend(between);
            }
            own.heap.allocate(own.arena(), words, 0).inspect(|&at| {
                let found_words = own.arena().tag(at).words();
                assert!((words..words + CHUNK_WORDS_MIN).contains(&found_words), "{found_words}");
                live.push(at);
            });
            live.iter().for_each(|&at| own.heap.free(own.arena(), at));
            let whole = own.heap.allocate(own.arena(), words, 0);
            let at = whole.unwrap_or_else(|| panic!("{words} words of an empty heap"));
            own.heap.free(own.arena(), at);
        }
        own.assert_is_one_chunk();
    }
}

#[test]
fn neighbours_join_in_whatever_order_they_are_freed() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let own = Own::new(Preset::Thesis, 1024);
        let chunks = [0, 1, 2].map(|key| own.allocate(key, 100).unwrap());
        for number in order {
            own.heap.free(own.arena(), chunks[number]);
            own.check();
        }
        own.assert_is_one_chunk();
        assert_eq!(own.heap.counters.chunks_coalesced.get(), 3, "as often as split: {order:?}");
    }
}

#[test]
fn a_search_is_bounded_however_many_chunks_are_too_small() {
    for preset in PRESETS {
        let own = Own::new(preset, 1 << 23);
        // Many free chunks in one class, each too small for the next request from that class.
        let (small_words, large_words) = match preset {
            Preset::Thesis => (20_000, 20_100),
            Preset::NibblePaper => (12, 24),
        };
        let classes = own.heap.classes();
        assert_eq!(classes.of_chunk(small_words), classes.of_chunk(large_words));
        let mut small = Vec::new();
        while small.len() < 300 {
            small.push(own.heap.allocate(own.arena(), small_words, 0).expect("a small chunk"));
            own.heap.allocate(own.arena(), CHUNK_WORDS_MIN, 0).expect("one between");
        }
        small.iter().for_each(|&at| own.heap.free(own.arena(), at));
        let probed = || own.heap.counters.chunks_probed.get();
        for _ in 0..50 {
            let before = probed();
            let at = own.heap.allocate(own.arena(), large_words, 0).expect("the rest is large");
            assert!(own.arena().tag(at).words() >= large_words);
            assert!(probed() - before <= PEEKED_CHUNKS + 1, "{} chunks", probed() - before);
        }
        own.check();
    }
}

#[test]
fn a_full_heap_refuses_and_takes_again_what_is_freed() {
    let own = Own::new(Preset::Thesis, 1 + 4 * 10);
    let value_bytes = (10 - HEADER_WORDS) * 8;
    let chunks: Vec<_> = (0..4).map(|key| own.allocate(key, value_bytes).unwrap()).collect();
    assert_eq!(own.allocate(9, 0), None);
    assert_eq!(own.heap.largest_words(own.arena()), 0);
    own.heap.free(own.arena(), chunks[2]);
    assert_eq!(own.allocate(9, value_bytes + 1), None);
    assert_eq!(own.allocate(9, value_bytes), Some(chunks[2]));
    own.heap.set_value_bytes(own.arena(), chunks[2], 3);
    assert_eq!(own.heap.counters.live_value_bytes.get(), 3 * value_bytes as u64 + 3);
    chunks.iter().for_each(|&at| own.heap.free(own.arena(), at));
    own.assert_is_one_chunk();
}
