//! Appends entries to one open segment after another: the head's, or a cleaner's survivors.

use std::sync::atomic::Ordering;

use crate::entry::{
    Header, OBJECT_HEADER_BYTES, TOMBSTONE_BYTES, Tombstone, WORD_BYTES, object_bytes,
};
use crate::log::{Log, Place, Reference};
use crate::seglets::NONE;
use crate::segments::State;
use crate::table::LockedBucket;

/// The writing end of a log. It takes seglets one by one as the segment grows.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The open segment; [`NONE`] before the first entry and after a seal.
    slot: u32,
    /// Length of the segment so far, in bytes.
    length: usize,
    /// Number of the segment's seglets so far.
    seglets: usize,
    /// The last of those seglets.
    last: u32,
    /// The seglet where the last entry begins, or a later one, and its number in the segment.
    at: (u32, usize),
    object_bytes: u64,
    tombstones: u64,
    /// Sum of size times time of writing, over all entries.
    weighted: u128,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self {
            slot: NONE,
            length: 0,
            seglets: 0,
            last: NONE,
            at: (NONE, 0),
            object_bytes: 0,
            tombstones: 0,
            weighted: 0,
        }
    }

    /// Bytes taken and not yet written.
    pub(crate) fn spare_bytes(&self, log: &Log) -> usize {
        self.seglets * log.seglet_bytes() - self.length
    }

    /// Makes room for entries of these sizes, one after the other in one segment, and leaves at
    /// least `floor` seglets in the pool. Returns `false`, and changes nothing, if there is none.
    #[inline]
    pub(crate) fn reserve(&mut self, log: &Log, sizes: &[usize], floor: usize) -> bool {
        let seglets = self.seglets_with(log, self.length, sizes);
        if self.slot != NONE && seglets <= self.seglets {
            return true;
        }
        self.grow(log, sizes, floor)
    }

    #[cold]
    fn grow(&mut self, log: &Log, sizes: &[usize], floor: usize) -> bool {
        let seglets = self.seglets_with(log, self.length, sizes);
        if self.slot != NONE && seglets <= log.segment_seglets() {
            let count = seglets - self.seglets;
            let taken = log.seglets.take(count, floor, self.slot, self.last);
            let Some((_, last)) = taken else { return false };
            (self.seglets, self.last) = (seglets, last);
        } else {
            let count = self.seglets_with(log, 0, sizes);
            assert!(count <= log.segment_seglets(), "{sizes:?} exceed a segment");
            let slot = log.segments.take();
            let Some((first, last)) = log.seglets.take(count, floor, slot, NONE) else {
                log.segments.put_back(slot);
                return false;
            };
            self.seal(log);
            log.segments.open(slot, first);
            *self = Self { slot, seglets: count, last, at: (first, 0), ..Self::new() };
        }
        true
    }

    /// Number of seglets of a segment of `length` bytes after these entries are added.
    #[inline]
    fn seglets_with(&self, log: &Log, length: usize, sizes: &[usize]) -> usize {
        let end = sizes.iter().fold(length, |end, bytes| log.entry_start(end) + bytes);
        end.div_ceil(log.seglet_bytes())
    }

    /// Seals the open segment, if there is one.
    pub(crate) fn seal(&mut self, log: &Log) {
        if self.slot == NONE {
            return;
        }
        self.publish(log);
        log.segments.slot(self.slot).set_state(State::Sealed);
        *self = Self::new();
    }

    /// Publishes the open segment's counters, which stay with the writer until it is sealed: this
    /// saves every append a cache line.
    pub(crate) fn publish(&self, log: &Log) {
        if self.slot == NONE {
            return;
        }
        let segment = log.segments.slot(self.slot);
        let bytes = self.object_bytes + self.tombstones * TOMBSTONE_BYTES as u64;
        let written = self.weighted / u128::from(bytes.max(1));
        // Relaxed, all of them: the release of the sealed state orders them.
        segment.written.store(written as u64, Ordering::Relaxed);
        segment.seglets.store(self.seglets, Ordering::Relaxed);
        segment.length.store(self.length, Ordering::Relaxed);
        segment.object_bytes.store(self.object_bytes, Ordering::Relaxed);
        segment.tombstones.store(self.tombstones, Ordering::Relaxed);
    }

    /// Writes an object to reserved room.
    #[inline]
    pub(crate) fn object(&mut self, log: &Log, key: u64, version: u64, value: &[u8]) -> Reference {
        let place = self.begin_object(log, key, version, value.len());
        let mut rest = value;
        log.each_piece(place, OBJECT_HEADER_BYTES, value.len(), |at, bytes| {
            let (piece, behind) = rest.split_at(bytes);
            log.region.copy_in(self, at, piece);
            rest = behind;
        });
        log.reference(place)
    }

    /// Copies the object at `from`, which `bucket` must lead to, to reserved room.
    pub(crate) fn survivor(
        &mut self,
        log: &Log,
        bucket: &LockedBucket<'_>,
        from: Place,
    ) -> Reference {
        let (key, version) = (log.key(from), log.version(from));
        let value_bytes = log.header(from).value_bytes();
        let to = self.begin_object(log, key, version, value_bytes);
        let mut copied = 0;
        log.each_piece(from, OBJECT_HEADER_BYTES, value_bytes, |from_at, bytes| {
            let mut from_at = from_at;
            log.each_piece(to, OBJECT_HEADER_BYTES + copied, bytes, |to_at, bytes| {
                log.region.copy_within(bucket, from_at, self, to_at, bytes);
                from_at += bytes;
            });
            copied += bytes;
        });
        log.reference(to)
    }

    /// Writes a tombstone to reserved room.
    #[inline]
    pub(crate) fn tombstone(&mut self, log: &Log, tombstone: &Tombstone) {
        let at = log.byte_of(self.begin(log, TOMBSTONE_BYTES, tombstone.written));
        let Tombstone { key, version, segment, written } = *tombstone;
        let words = [Header::TOMBSTONE.word(), key, version, segment, written];
        for (index, word) in words.into_iter().enumerate() {
            log.region.set_word(at + index * WORD_BYTES, word);
        }
        self.tombstones += 1;
    }

    #[inline]
    fn begin_object(&mut self, log: &Log, key: u64, version: u64, value_bytes: usize) -> Place {
        let bytes = object_bytes(value_bytes);
        let place = self.begin(log, bytes, version);
        let at = log.byte_of(place);
        log.region.set_word(at, Header::object(value_bytes).word());
        log.region.set_word(at + WORD_BYTES, key);
        log.region.set_word(at + 2 * WORD_BYTES, version);
        self.object_bytes += bytes as u64;
        place
    }

    /// Moves the end past an entry and returns where the entry begins.
    #[inline]
    fn begin(&mut self, log: &Log, bytes: usize, written: u64) -> Place {
        let start = log.entry_start(self.length);
        while start / log.seglet_bytes() > self.at.1 {
            self.at = (log.seglets.next(self.at.0), self.at.1 + 1);
        }
        self.length = start + bytes;
        debug_assert!(self.length <= self.seglets * log.seglet_bytes(), "room was reserved");
        self.weighted += u128::from(written) * bytes as u128;
        Place { seglet: self.at.0, at: start % log.seglet_bytes() }
    }
}
