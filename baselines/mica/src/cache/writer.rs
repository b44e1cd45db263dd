//! Writing to a log: appends, in-place updates, eviction.
//!
//! The [`Writer`] is the partition's owner or whoever holds the log's lock. One lock serves both
//! appends *and* in-place updates, and is held while the bytes are copied. The versions in the
//! index keep two writers of one bucket apart. They do not keep an in-place update apart from an
//! append that, one lap later, gives the same bytes to another item.

use std::marker::PhantomData;
use std::sync::MutexGuard;
use std::sync::atomic::{Ordering, fence};

use platform::mapping::HUGE_PAGE_BYTES;
use platform::racy::{WORD_BYTES, copy_in};

use super::counters::{Counter, Counters};
use super::item::{HEADER_WORDS, Identity, Sizes};
use super::log::{Found, Log};
use crate::Mode;

/// The right to write to a log, for one operation.
#[derive(Debug)]
pub(crate) struct Writer<'log, M: Mode, const BITS: u32> {
    pub(super) log: &'log Log<BITS>,
    pub(super) _held: Option<MutexGuard<'log, ()>>,
    pub(super) mode: PhantomData<M>,
}

impl<M: Mode, const BITS: u32> Writer<'_, M, BITS> {
    /// Appends an item of these sizes, evicting the oldest ones if there is no room, and returns
    /// its offset.
    #[inline]
    pub(crate) fn append(
        &mut self,
        identity: Identity,
        sizes: Sizes,
        value: &[u8],
        counters: &Counters,
    ) -> u64 {
        debug_assert_eq!(sizes.value_bytes, value.len());
        let log = self.log;
        let offset = log.tail();
        let tail = log.offsets().advance(offset, sizes.item_bytes as u64);
        self.evict_for(tail, counters);
        let from = log.offsets().position(offset);
        self.make_ready(from + sizes.item_bytes);
        if from + sizes.item_bytes >= log.memory.bytes() {
            counters.count(Counter::LogWraps);
        }
        counters.add(Counter::AppendedBytes, sizes.item_bytes as u64);
        // Relaxed: see MICA-OVERWRITE.
        log.tail.offset.store(tail, Ordering::Relaxed);
        // MICA-OVERWRITE, from: no byte below becomes visible before the tail above.
        fence(Ordering::Release);
        self.write(from / WORD_BYTES, identity, sizes, value);
        let words = (sizes.item_bytes / WORD_BYTES) as u64;
        // Relaxed: a guess, and on the tail's line, which this writer owns anyway.
        log.tail.recent_words.store(words, Ordering::Relaxed);
        offset
    }

    /// Replaces the value of an item that does not dangle. `sizes` are the item's with the new
    /// value.
    #[inline]
    pub(crate) fn update(&mut self, found: Found, sizes: Sizes, value: &[u8]) {
        debug_assert_eq!(
            (sizes.value_bytes, sizes.item_bytes),
            (value.len(), found.sizes.item_bytes)
        );
        self.write(found.at, found.identity, sizes, value);
    }

    /// Moves the head so that the log may end at `tail`.
    #[inline]
    fn evict_for(&mut self, tail: u64, counters: &Counters) {
        let log = self.log;
        // Relaxed: only the writer accesses it.
        let mut head = log.owned.head.load(Ordering::Relaxed);
        let mut evicted = 0;
        while log.offsets().behind(tail, head) > log.offsets().log_bytes() {
            let oldest = log.find(head).expect("an item at the head");
            head = log.offsets().advance(head, oldest.sizes.item_bytes as u64);
            evicted += 1;
        }
        if evicted > 0 {
            log.owned.head.store(head, Ordering::Relaxed);
            counters.add(Counter::EvictedFromLog, evicted);
            // The head will soon pass it, and it will be overwritten.
            log.prefetch(head);
        }
    }

    /// Makes memory up to `to` resident, during the log's first lap.
    #[inline]
    fn make_ready(&mut self, to: usize) {
        let log = self.log;
        // Relaxed: only the writer accesses it.
        let ready = log.owned.ready_bytes.load(Ordering::Relaxed) as usize;
        let to = to.min(log.memory.bytes());
        if to > ready {
            let to = to.next_multiple_of(HUGE_PAGE_BYTES);
            log.memory.make_resident(ready..to);
            log.owned.ready_bytes.store(to as u64, Ordering::Relaxed);
        }
    }

    #[inline]
    fn write(&mut self, at: usize, identity: Identity, sizes: Sizes, value: &[u8]) {
        let words = &self.log.memory.all()[at..at + sizes.item_bytes / WORD_BYTES];
        // Relaxed: the version of the bucket publishes the item to readers, the log's lock to the
        // next writer.
        words[0].store(sizes.word(), Ordering::Relaxed);
        words[1].store(identity.keyhash, Ordering::Relaxed);
        words[2].store(identity.key, Ordering::Relaxed);
        copy_in(&words[HEADER_WORDS..], value);
    }
}

#[cfg(test)]
mod tests {
    use platform::Pages;

    use super::super::item::VALUE_BYTES_MAX;
    use super::super::offsets::GRANULE_BYTES;
    use super::*;
    use crate::Erew;

    fn value(number: u64, bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| (number as usize * 31 + at * 7) as u8).collect()
    }

    /// Laps around a log and around the range of its offsets, with items across both ends.
    #[test]
    fn items_across_the_end_are_read_back_whole_until_they_dangle() {
        let counters = Counters::default();
        let log = Log::<23>::open(GRANULE_BYTES, Pages::Small, false).unwrap();
        let mut kept = std::collections::VecDeque::new();
        let mut across = 0;
        for number in 0..3000 {
            let value_bytes = 5000 + number as usize * 13 % 4000;
            let identity = Identity { keyhash: !number, key: number };
            let sizes = Sizes::for_value(value_bytes);
            let before = log.tail();
            let offset = log.writer::<Erew>().append(
                identity,
                sizes,
                &value(number, value_bytes),
                &counters,
            );
            assert_eq!(offset, before);
            let end = log.offsets().position(offset) + sizes.item_bytes;
            across += u64::from(end > GRANULE_BYTES as usize);
            kept.push_back((offset, identity, sizes));
            while log.dangles(kept[0].0) {
                kept.pop_front();
            }
            assert_eq!(kept[0].0, log.head(), "the oldest that is not evicted does not dangle");
            for &(offset, identity, sizes) in [&kept[0], &kept[kept.len() - 1]] {
                let found = log.find(offset).expect("an item");
                assert_eq!((found.identity, found.sizes), (identity, sizes));
                let mut buffer = vec![0; sizes.value_bytes];
                log.copy_value(found, &mut buffer);
                assert!(!log.was_overwritten(offset));
                assert_eq!(buffer, value(identity.key, sizes.value_bytes));
            }
        }
        let laps = log.offsets().behind(log.tail(), 0);
        assert!(across >= 8, "{across} items across the end, {laps} bytes behind");
        assert!(kept.len() > 200, "{} items of about 7000 bytes in 2 MiB", kept.len());
    }

    /// Simulates a reader that found an entry in time but copied too late.
    #[test]
    fn a_copy_that_the_tail_has_overtaken_is_noticed() {
        let counters = Counters::default();
        let log = Log::<48>::open(GRANULE_BYTES, Pages::Small, false).unwrap();
        let append = |number: u64| {
            let (value, identity) = (value(number, 9000), Identity { keyhash: 0, key: number });
            log.writer::<Erew>().append(identity, Sizes::for_value(9000), &value, &counters)
        };
        let offset = append(0);
        let found = log.find(offset).unwrap();
        let mut buffer = vec![0; 9000];
        let mut later = 0;
        while !log.was_overwritten(offset) {
            log.copy_value(found, &mut buffer);
            assert_eq!(buffer, value(0, 9000), "after {later} more it is whole");
            later += 1;
            append(later);
        }
        log.copy_value(found, &mut buffer);
        assert_ne!(buffer, value(0, 9000));
        assert_eq!(later, GRANULE_BYTES / 9024);
    }

    #[test]
    fn the_longest_item_fits_across_the_end() {
        let counters = Counters::default();
        let log = Log::<48>::open(GRANULE_BYTES, Pages::Huge, false).unwrap();
        for number in 0..5 {
            let value = value(number, VALUE_BYTES_MAX - number as usize);
            let identity = Identity { keyhash: number, key: number };
            let sizes = Sizes::for_value(value.len());
            let offset = log.writer::<Erew>().append(identity, sizes, &value, &counters);
            let mut buffer = vec![0; value.len()];
            log.copy_value(log.find(offset).unwrap(), &mut buffer);
            assert!(buffer == value, "item {number}");
        }
    }

    #[test]
    fn an_update_leaves_what_follows_alone() {
        let counters = Counters::default();
        let log = Log::<48>::open(GRANULE_BYTES, Pages::Small, false).unwrap();
        let append = |key, value: &[u8]| {
            let identity = Identity { keyhash: 0, key };
            log.writer::<Erew>().append(identity, Sizes::for_value(value.len()), value, &counters)
        };
        let (first, second) = (append(1, &value(1, 30)), append(2, &value(2, 30)));
        for bytes in [0, 32, 7, 30] {
            let found = log.find(first).unwrap();
            let sizes = found.sizes.with_value(bytes).expect("no longer than at first");
            log.writer::<Erew>().update(found, sizes, &value(3, bytes));
            for (offset, number, bytes) in [(first, 3, bytes), (second, 2, 30)] {
                let found = log.find(offset).unwrap();
                assert_eq!(found.sizes, Sizes { item_bytes: 56, value_bytes: bytes });
                let mut buffer = vec![0; bytes];
                log.copy_value(found, &mut buffer);
                assert_eq!(buffer, value(number, bytes));
            }
        }
    }
}
