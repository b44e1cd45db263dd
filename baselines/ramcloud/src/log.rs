//! The log's memory: how a reference leads to an entry across seglets, and how to walk a segment.

use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::Ordering;

use platform::Pages;

use crate::config::Geometry;
use crate::entry::{
    Entry, Header, Kind, OBJECT_HEADER_BYTES, Tombstone, UNDIVIDED_BYTES, WORD_BYTES,
};
use crate::raw::Region;
use crate::seglets::{NONE, Seglets};
use crate::segments::Segments;
use crate::table::LockedBucket;

/// Bits of a reference: those of a hash-table slot that are left beside tag and mark.
pub(crate) const REFERENCE_BITS: u32 = 47;

/// The address of an entry, in words, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reference(pub(crate) NonZeroU64);

/// The address of an entry, as a seglet and a byte offset within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) seglet: u32,
    pub(crate) at: usize,
}

/// Memory, seglets and segments of an instance.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) region: Region,
    pub(crate) seglets: Seglets,
    pub(crate) segments: Segments,
    seglet_shift: u32,
    segment_seglets: usize,
}

impl Log {
    pub(crate) fn map(geometry: &Geometry, pages: Pages, resident: bool) -> io::Result<Self> {
        let bytes = geometry.object_memory_bytes();
        assert!(bytes / WORD_BYTES < 1 << REFERENCE_BITS, "words are counted in references");
        assert!(geometry.seglet_bytes.is_power_of_two());
        Ok(Self {
            region: Region::map(bytes, pages, resident)?,
            seglets: Seglets::new(geometry.seglets),
            segments: Segments::new(geometry.seglets),
            seglet_shift: geometry.seglet_bytes.trailing_zeros(),
            segment_seglets: geometry.segment_seglets,
        })
    }

    #[inline]
    pub(crate) fn seglet_bytes(&self) -> usize {
        1 << self.seglet_shift
    }

    /// Number of seglets in a full segment.
    #[inline]
    pub(crate) fn segment_seglets(&self) -> usize {
        self.segment_seglets
    }

    /// Where an entry behind `length` bytes begins in its segment: directly there, or at the next
    /// seglet if the rest of this one cannot hold the part that is never divided.
    #[inline]
    pub(crate) fn entry_start(&self, length: usize) -> usize {
        let within = length & (self.seglet_bytes() - 1);
        if within + UNDIVIDED_BYTES > self.seglet_bytes() {
            length - within + self.seglet_bytes()
        } else {
            length
        }
    }

    #[inline]
    pub(crate) fn byte_of(&self, place: Place) -> usize {
        (place.seglet as usize) << self.seglet_shift | place.at
    }

    #[inline]
    pub(crate) fn reference(&self, place: Place) -> Reference {
        let words = (self.byte_of(place) / WORD_BYTES) as u64;
        Reference(NonZeroU64::MIN.saturating_add(words))
    }

    #[inline]
    pub(crate) fn place(&self, reference: Reference) -> Place {
        let byte = (reference.0.get() as usize - 1) * WORD_BYTES;
        Place { seglet: (byte >> self.seglet_shift) as u32, at: byte & (self.seglet_bytes() - 1) }
    }

    #[inline]
    pub(crate) fn header(&self, place: Place) -> Header {
        Header::of_word(self.region.word(self.byte_of(place)))
    }

    #[inline]
    pub(crate) fn key(&self, place: Place) -> u64 {
        self.region.word(self.byte_of(place) + WORD_BYTES)
    }

    #[inline]
    pub(crate) fn version(&self, place: Place) -> u64 {
        self.region.word(self.byte_of(place) + 2 * WORD_BYTES)
    }

    /// Copies the value of the object at `place`, which `bucket` must lead to.
    #[inline]
    pub(crate) fn copy_value(&self, bucket: &LockedBucket<'_>, place: Place, to: &mut [u8]) {
        let mut rest = to;
        let bytes = rest.len();
        self.each_piece(place, OBJECT_HEADER_BYTES, bytes, |at, bytes| {
            let (piece, behind) = std::mem::take(&mut rest).split_at_mut(bytes);
            self.region.copy_out(bucket, at, piece);
            rest = behind;
        });
    }

    /// Divides the `bytes` bytes that begin `skip` bytes after an entry's start at the seglet
    /// boundaries. Passes the offset and length of each piece.
    #[inline]
    pub(crate) fn each_piece(
        &self,
        place: Place,
        skip: usize,
        bytes: usize,
        mut piece: impl FnMut(usize, usize),
    ) {
        let Place { mut seglet, at } = place;
        let mut at = at + skip;
        let mut rest = bytes;
        while rest > 0 {
            while at >= self.seglet_bytes() {
                seglet = self.seglets.next(seglet);
                at -= self.seglet_bytes();
            }
            let taken = rest.min(self.seglet_bytes() - at);
            piece(self.byte_of(Place { seglet, at }), taken);
            rest -= taken;
            at += taken;
        }
    }

    /// The entry at a place; `None` if none begins there.
    pub(crate) fn entry(&self, place: Place) -> Option<Entry> {
        let header = self.header(place);
        let (key, version) = (self.key(place), self.version(place));
        Some(match header.kind()? {
            Kind::Object => Entry::Object { value_bytes: header.value_bytes(), key, version },
            Kind::Tombstone => {
                let word = |index| self.region.word(self.byte_of(place) + index * WORD_BYTES);
                let (segment, written) = (word(3), word(4));
                Entry::Tombstone(Tombstone { key, version, segment, written })
            }
        })
    }

    /// The entries of a segment, in order, up to its current length. Ends early if no entry begins.
    pub(crate) fn entries(&self, slot: u32) -> Entries<'_> {
        let segment = self.segments.slot(slot);
        // Relaxed: for a sealed segment, the acquire of the state ordered them; to the head, nobody
        // appends meanwhile.
        let (first, length) =
            (segment.first.load(Ordering::Relaxed), segment.length.load(Ordering::Relaxed));
        Entries { log: self, seglet: first, number: 0, behind: 0, length }
    }
}

/// A walk over a segment.
#[derive(Debug)]
pub(crate) struct Entries<'a> {
    log: &'a Log,
    seglet: u32,
    /// The seglet's position in the segment.
    number: usize,
    /// Bytes walked so far.
    behind: usize,
    length: usize,
}

impl Entries<'_> {
    /// Bytes up to the end of the last entry found.
    pub(crate) fn walked(&self) -> usize {
        self.behind
    }
}

impl Iterator for Entries<'_> {
    type Item = (Place, Entry);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.log.entry_start(self.behind);
        if start >= self.length {
            return None;
        }
        while start >> self.log.seglet_shift > self.number {
            self.seglet = self.log.seglets.next(self.seglet);
            self.number += 1;
        }
        if self.seglet == NONE {
            return None;
        }
        let place = Place { seglet: self.seglet, at: start & (self.log.seglet_bytes() - 1) };
        let entry = self.log.entry(place)?;
        self.behind = start + entry.bytes();
        Some((place, entry))
    }
}
