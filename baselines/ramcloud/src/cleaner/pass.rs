//! One pass: moves the live entries of some segments, sorted by age, to new segments, and frees the
//! old ones.
//!
//! This is combined cleaning, like the original's of disk and memory together: the segments' ids
//! leave the log, so the tombstones that name them become dead. Tombstones in the same pass become
//! dead at once, since all its segments leave together.

use std::sync::atomic::Ordering;

use super::figures::CleanerFigures;
use crate::entry::{Entry, TOMBSTONE_BYTES};
use crate::hash::Hash;
use crate::log::{Place, Reference};
use crate::manager::ObjectManager;
use crate::segments::SegmentId;
use crate::writer::Writer;

/// How many entries ahead of its move an entry is prefetched, and how many ahead its bucket.
const ENTRY_AHEAD: usize = 16;
const BUCKET_AHEAD: usize = 8;

/// A cleaner's own state: where it writes, and its working list.
#[derive(Debug)]
pub(crate) struct Pass {
    survivors: Writer,
    /// Entries that may be live.
    entries: Vec<Candidate>,
    bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    written: u64,
    reference: Reference,
}

impl Pass {
    pub(crate) fn new() -> Self {
        Self { survivors: Writer::new(), entries: Vec::new(), bytes: 0 }
    }

    /// Cleans segments in the state `Cleaning`.
    pub(crate) fn run(&mut self, manager: &ObjectManager, slots: &[u32]) {
        self.bytes = 0;
        let mut tombstones = 0;
        let list_bytes = self.list_bytes();
        for &slot in slots {
            tombstones += self.gather(manager, slot, slots);
        }
        CleanerFigures::add(&manager.cleaned.list_bytes, self.list_bytes() - list_bytes);
        // A stable sort, because it exploits runs: segments are sorted already.
        self.entries.sort_by_key(|entry| entry.written);
        for index in 0..self.entries.len() {
            self.prefetch(manager, index);
            self.relocate(manager, self.entries[index].reference);
        }
        self.entries.clear();
        self.survivors.seal(&manager.log);
        self.free(manager, slots);
        let figures = &manager.cleaned;
        CleanerFigures::add(&figures.passes, 1);
        CleanerFigures::add(&figures.survivor_bytes, self.bytes);
        CleanerFigures::add(&figures.tombstones, tombstones);
    }

    fn list_bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Candidate>()) as u64
    }

    /// Lists the entries of a segment that may be live; returns how many tombstones are dead.
    fn gather(&mut self, manager: &ObjectManager, slot: u32, slots: &[u32]) -> u64 {
        let log = &manager.log;
        let segment = log.segments.slot(slot);
        let has_objects = segment.live_object_bytes() > 0;
        if !has_objects && segment.live_tombstones() == 0 {
            // Relaxed: this cleaner owns the segment.
            return segment.tombstones.load(Ordering::Relaxed);
        }
        let is_needed = |segment| {
            let id = SegmentId(segment);
            log.segments.contains(id) && !slots.contains(&id.slot())
        };
        let mut dead = 0;
        for (place, entry) in log.entries(slot) {
            let keeps = match entry {
                Entry::Object { .. } => has_objects,
                Entry::Tombstone(tombstone) => {
                    let needed = is_needed(tombstone.segment);
                    dead += u64::from(!needed);
                    needed
                }
            };
            if keeps {
                let (written, reference) = (entry.written(), log.reference(place));
                self.entries.push(Candidate { written, reference });
            }
        }
        dead
    }

    #[inline]
    fn prefetch(&self, manager: &ObjectManager, index: usize) {
        let log = &manager.log;
        if let Some(entry) = self.entries.get(index + ENTRY_AHEAD) {
            let at = log.byte_of(log.place(entry.reference));
            log.region.prefetch(at);
            log.region.prefetch(at + 64);
        }
        if let Some(entry) = self.entries.get(index + BUCKET_AHEAD) {
            manager.table.prefetch(Hash::of(log.key(log.place(entry.reference))));
        }
    }

    #[inline]
    fn relocate(&mut self, manager: &ObjectManager, reference: Reference) {
        let log = &manager.log;
        let place = log.place(reference);
        match log.entry(place).expect("an entry was listed") {
            Entry::Object { .. } => self.relocate_object(manager, reference, place),
            Entry::Tombstone(tombstone) => {
                self.reserve(manager, TOMBSTONE_BYTES);
                self.survivors.tombstone(log, &tombstone);
            }
        }
    }

    #[inline]
    fn relocate_object(&mut self, manager: &ObjectManager, reference: Reference, place: Place) {
        let hash = Hash::of(manager.log.key(place));
        let mut bucket = manager.table.lock(hash);
        let Some(found) = bucket.find(hash.tag(), |found| found == reference) else { return };
        self.reserve(manager, manager.log.header(place).entry_bytes());
        let moved = self.survivors.survivor(&manager.log, &bucket, place);
        bucket.replace(found, moved);
    }

    #[inline]
    fn reserve(&mut self, manager: &ObjectManager, bytes: usize) {
        let reserved = self.survivors.reserve(&manager.log, &[bytes], 0);
        assert!(reserved, "segments were chosen whose survivors fit the reserve");
        self.bytes += bytes as u64;
    }

    /// Frees the segments; no word leads into them any more.
    fn free(&self, manager: &ObjectManager, slots: &[u32]) {
        let log = &manager.log;
        let (mut seglets, mut bytes) = (0, 0);
        for &slot in slots {
            let segment = log.segments.slot(slot);
            // Relaxed: this cleaner owns the segment.
            seglets += segment.seglets.load(Ordering::Relaxed);
            bytes += segment.length.load(Ordering::Relaxed);
            log.seglets.give(log.segments.free(slot));
        }
        let figures = &manager.cleaned;
        CleanerFigures::add(&figures.segments, slots.len() as u64);
        CleanerFigures::add(&figures.freed_seglets, seglets as u64);
        CleanerFigures::add(&figures.source_bytes, bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use engine::PutOutcome;
    use platform::Pages;

    use super::*;
    use crate::Config;
    use crate::cleaner::Need;
    use crate::segments::State;

    /// An instance without threads, so that the test runs each pass.
    fn manager() -> ObjectManager {
        let geometry = Config::new(8 << 20, 10_000).geometry().unwrap();
        ObjectManager::map(geometry, Pages::Small, false).unwrap()
    }

    fn put(manager: &ObjectManager, key: u64, value: &[u8]) {
        assert_ne!(manager.put(Hash::of(key), key, value), PutOutcome::Full);
    }

    fn sealed(manager: &ObjectManager) -> HashSet<u64> {
        let used = manager.log.segments.used();
        let sealed = used.filter(|(_, segment)| segment.state() == State::Sealed);
        sealed.map(|(_, segment)| segment.id().0).collect()
    }

    #[test]
    fn survivors_of_several_segments_are_sorted_by_age_and_fewer_seglets_hold_them() {
        let manager = manager();
        let mut newest = vec![0; 4000];
        let mut pass = Pass::new();
        let (mut mixed, mut random) = (0, 1_u64);
        for round in 1..=60 {
            for _ in 0..1000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let key = (random >> 33) % 4000;
                put(&manager, key, &[round; 150]);
                newest[key as usize] = round;
            }
            let (before, free) = (sealed(&manager), manager.log.seglets.free());
            let slots = manager.selection.select(&manager, Need::All);
            if slots.is_empty() {
                continue;
            }
            let sources: HashSet<_> =
                slots.iter().map(|&slot| manager.log.segments.slot(slot).id().0).collect();
            assert!(sources.is_subset(&before) && !sources.is_empty());
            let written = |slot| {
                let entries = manager.log.entries(slot).map(|(_, entry)| entry.written());
                entries.collect::<Vec<_>>()
            };
            let ages: Vec<_> = slots.iter().map(|&slot| written(slot)).collect();
            let overlap = ages.windows(2).any(|pair| pair[0].last() > pair[1].first());
            pass.run(&manager, &slots);
            assert!(manager.log.seglets.free() > free, "a pass gains seglets");
            let survivors: Vec<_> = sealed(&manager).difference(&before).copied().collect();
            for id in &survivors {
                let ages = written(SegmentId(*id).slot());
                assert!(ages.is_sorted() && !ages.is_empty(), "survivors are sorted by age");
            }
            mixed += u32::from(overlap && !survivors.is_empty());
            assert!(sources.is_disjoint(&sealed(&manager)), "the old segments are gone");
            crate::check::check(&manager).unwrap();
        }
        assert!(mixed > 5, "{mixed} passes had segments whose ages overlap");
        assert!(CleanerFigures::of(&manager.cleaned.survivor_bytes) > 0);
        let mut buffer = [0; 150];
        for (key, newest) in (0..).zip(newest).filter(|&(_, newest)| newest > 0) {
            assert_eq!(manager.get(Hash::of(key), key, &mut buffer), Ok(Some(150)));
            assert_eq!(buffer, [newest; 150], "key {key}");
        }
    }

    #[test]
    fn tombstones_stay_until_the_segment_they_name_is_gone() {
        let manager = manager();
        let fill_a_segment = |from: u64| {
            let sealed_before = sealed(&manager).len();
            let mut key = from;
            while sealed(&manager).len() == sealed_before {
                put(&manager, key, &[1; 500]);
                key += 1;
            }
        };
        fill_a_segment(0);
        // The tombstone is in its own segment.
        manager.head.seal(&manager.log);
        let before = sealed(&manager);
        assert!(manager.delete(Hash::of(7), 7));
        manager.head.seal(&manager.log);
        let after = sealed(&manager);
        let of_tombstone = SegmentId(*after.difference(&before).next().unwrap()).slot();
        let of_object = manager
            .log
            .entries(of_tombstone)
            .find_map(|(_, entry)| match entry {
                Entry::Tombstone(tombstone) => Some(SegmentId(tombstone.segment)),
                Entry::Object { .. } => None,
            })
            .unwrap();
        let clean = |slot: u32| {
            manager.log.segments.slot(slot).set_state(State::Cleaning);
            Pass::new().run(&manager, &[slot]);
            crate::check::check(&manager).unwrap();
            CleanerFigures::of(&manager.cleaned.tombstones)
        };
        let before = sealed(&manager);
        assert_eq!(clean(of_tombstone), 0, "its segment is in the log");
        let moved = *sealed(&manager).difference(&before).next().unwrap();
        assert_eq!(clean(of_object.slot()), 0, "no tombstone was in it");
        assert!(!manager.log.segments.contains(of_object));
        assert_eq!(clean(SegmentId(moved).slot()), 1, "its segment is gone");
        assert!(manager.get(Hash::of(8), 8, &mut [0; 500]).unwrap().is_some());
        assert_eq!(manager.get(Hash::of(7), 7, &mut []), Ok(None));
    }
}
