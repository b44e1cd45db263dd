//! One pass: the live entries of some segments, sorted by age, move to new segments, and the old
//! ones are freed.
//!
//! Combined cleaning, as the original's of disk and memory together: the segments' names leave
//! the log, so that tombstones that name them die. Those in the same pass die at once, since all
//! its segments leave together.

use std::sync::atomic::Ordering;

use super::figures::CleanerFigures;
use crate::entry::{Entry, TOMBSTONE_BYTES};
use crate::hash::Hash;
use crate::log::{Place, Reference};
use crate::manager::ObjectManager;
use crate::segments::SegmentId;
use crate::writer::Writer;

/// Entries between the fetch of an entry and its move, and of its bucket and its move.
const ENTRY_AHEAD: usize = 16;
const BUCKET_AHEAD: usize = 8;

/// A cleaner's own: where it writes, and the list it works with.
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
        // Stable, because it finds the runs: segments are sorted already.
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

    /// Lists what may be live in a segment; returns how many tombstones are dead.
    fn gather(&mut self, manager: &ObjectManager, slot: u32, slots: &[u32]) -> u64 {
        let log = &manager.log;
        let segment = log.segments.slot(slot);
        let has_objects = segment.live_object_bytes() > 0;
        if !has_objects && segment.live_tombstones() == 0 {
            // Relaxed: the segment is this cleaner's.
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

    /// No word leads into these segments any more.
    fn free(&self, manager: &ObjectManager, slots: &[u32]) {
        let log = &manager.log;
        let (mut seglets, mut bytes) = (0, 0);
        for &slot in slots {
            let segment = log.segments.slot(slot);
            // Relaxed: the segment is this cleaner's.
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
