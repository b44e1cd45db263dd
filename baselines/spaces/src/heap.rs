//! An allocator inside one segment, which every use names.
//!
//! ```text
//! │ magic │ next │ free lists, one for each size │ blocks … │ never used │
//! ```
//!
//! Sizes are powers of two from 16 bytes on. A block comes from the list of its size, or from the end.
//! All words are atomic, so travellers that share the segment may allocate at once; no lock is needed,
//! and a process that dies in the middle loses the block that it was about to take, at most.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | BLOCK | `free`: exchange of the head | `allocate`: load of the head | the link in a free block |

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pointer::{Here, In, Link, NotHere, Part};
use crate::registry::{Rights, SegmentId};
use crate::shared::{InSegment, Shared, at, values};

/// Smallest block, and the unit of lengths and links.
const UNIT_BYTES: usize = 16;
/// Sizes: 16 bytes to 64 GiB.
const CLASSES: usize = 33;
/// `NIBBHEAP` as a number.
const MAGIC: u64 = u64::from_be_bytes(*b"NIBBHEAP");

/// With all words 0 it is an empty heap that nobody has used.
#[repr(C)]
struct Header {
    magic: AtomicU64,
    /// Units used, behind the header.
    next: AtomicU64,
    root: Link<u64>,
    /// A block of each size, in units from the start of the segment, and how often the head changed.
    free: [AtomicU64; CLASSES],
}

#[expect(unsafe_code, reason = "says what may lie in segments")]
mod in_segments {
    use super::{Header, InSegment, Shared};

    // SAFETY: atomics in a fixed layout.
    unsafe impl InSegment for Header {}
    // SAFETY: as above.
    unsafe impl Shared for Header {}
}

const HEADER_UNITS: u64 = size_of::<Header>().next_multiple_of(UNIT_BYTES) as u64 / 16;
/// Bits of a head for the block; the others count changes.
const BLOCK_BITS: u32 = 32;

/// The heap of a segment, in one step of a traveller.
pub struct SegmentHeap<'here, 'space> {
    here: &'here Here<'space>,
    part: &'space Part,
    header: &'space Header,
}

impl fmt::Debug for SegmentHeap<'_, '_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the heap of {}", self.part.segment)
    }
}

/// Why there is no heap, or no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapError {
    /// The segment is not in the space of this step.
    NotHere(NotHere),
    /// The space may only read the segment.
    ReadOnly(SegmentId),
    /// The segment begins with something else.
    NoHeap(SegmentId),
    /// No block of so many bytes is left.
    Full {
        /// The segment.
        segment: SegmentId,
        /// The bytes of the block.
        bytes: usize,
    },
}

impl fmt::Display for HeapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHere(not_here) => not_here.fmt(f),
            Self::ReadOnly(segment) => {
                write!(f, "{segment} is attached for reading: attach it read-write to allocate")
            }
            Self::NoHeap(segment) => {
                write!(f, "{segment} begins with something else than a heap: use a new segment")
            }
            Self::Full { segment, bytes } => {
                write!(
                    f,
                    "{segment} has no block of {bytes} bytes left: free some, or make it larger"
                )
            }
        }
    }
}

impl std::error::Error for HeapError {}

impl<'space> Here<'space> {
    /// The heap of a segment, which is made in one that is still all zero.
    ///
    /// # Errors
    /// If the segment is not here, may not be written, or holds something else.
    pub fn heap(&self, segment: SegmentId) -> Result<SegmentHeap<'_, 'space>, HeapError> {
        let part = self.part(segment).map_err(HeapError::NotHere)?;
        if part.rights != Rights::ReadWrite {
            return Err(HeapError::ReadOnly(segment));
        }
        let header: &Header = at(&part.attached, 0);
        // Relaxed: the number alone matters. An empty heap is all zero but for it.
        let made = header.magic.compare_exchange(0, MAGIC, Ordering::Relaxed, Ordering::Relaxed);
        match made {
            Ok(_) | Err(MAGIC) => Ok(SegmentHeap { here: self, part, header }),
            Err(_) => Err(HeapError::NoHeap(segment)),
        }
    }
}

impl<'space> SegmentHeap<'_, 'space> {
    /// A place for one pointer, from which others find what is in the heap.
    #[must_use]
    pub fn root<T: Shared>(&self) -> &Link<T> {
        // `Link`s differ in what they are taken to point to, and that is checked when one is followed.
        at(&self.part.attached, std::mem::offset_of!(Header, root))
    }

    /// A block for a value, zeroed.
    ///
    /// # Errors
    /// [`HeapError::Full`].
    pub fn allocate<T: Shared>(&self) -> Result<In<'space, T>, HeapError> {
        const { assert!(align_of::<T>() <= UNIT_BYTES, "blocks are aligned to 16 bytes") };
        let class = class_of(size_of::<T>());
        let segment = self.part.segment;
        let full = HeapError::Full { segment, bytes: bytes_of(class) };
        let unit = self.reuse(class).or_else(|| self.extend(class)).ok_or(full)?;
        for word in self.words(unit, class) {
            // Relaxed: nobody else has the block.
            word.store(0, Ordering::Relaxed);
        }
        self.here.value(segment, unit as usize * UNIT_BYTES).map_err(HeapError::NotHere)
    }

    /// Gives a block back. Its bytes serve the next value of that size: who keeps pointers to it reads
    /// other values, never other memory.
    ///
    /// # Errors
    /// If the block is of another segment.
    pub fn free<T: Shared>(&self, block: In<'space, T>) -> Result<(), HeapError> {
        let (segment, address) = (self.part.segment, block.address());
        if block.segment() != segment {
            let not_here = NotHere { segment, address: Some(address), space: self.here.space() };
            return Err(HeapError::NotHere(not_here));
        }
        let unit = ((address - self.part.attached.address()) / UNIT_BYTES) as u64;
        let head = &self.header.free[class_of(size_of::<T>())];
        // Relaxed: the exchange below orders what follows.
        let mut known = head.load(Ordering::Relaxed);
        loop {
            // Relaxed: published by the exchange.
            self.words(unit, 0)[0].store(known & BLOCK, Ordering::Relaxed);
            // BLOCK, from: the link in the block.
            let (success, failure) = (Ordering::Release, Ordering::Relaxed);
            match head.compare_exchange_weak(known, changed(known, unit), success, failure) {
                Ok(_) => return Ok(()),
                Err(other) => known = other,
            }
        }
    }

    /// Bytes that were ever used, with the header.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        // Relaxed: a number for people.
        (HEADER_UNITS + self.header.next.load(Ordering::Relaxed)) as usize * UNIT_BYTES
    }

    fn reuse(&self, class: usize) -> Option<u64> {
        let head = &self.header.free[class];
        // BLOCK, to: the link in the block, here and when the exchange fails.
        let mut known = head.load(Ordering::Acquire);
        loop {
            let unit = known & BLOCK;
            if unit == 0 {
                return None;
            }
            // Relaxed: ordered by the head. If the block is taken meanwhile this is any word, and the
            // exchange fails, because the head has changed.
            let next = self.words(unit, 0)[0].load(Ordering::Relaxed) & BLOCK;
            let (success, failure) = (Ordering::Acquire, Ordering::Acquire);
            match head.compare_exchange_weak(known, changed(known, next), success, failure) {
                Ok(_) => return Some(unit),
                Err(other) => known = other,
            }
        }
    }

    fn extend(&self, class: usize) -> Option<u64> {
        let units = (self.part.attached.bytes() / UNIT_BYTES) as u64;
        let end = units.min(BLOCK) - HEADER_UNITS;
        let wanted = 1 << class;
        let fits = |used: u64| used.checked_add(wanted).filter(|&used| used <= end);
        // Relaxed: only the sum matters; the block carries no data yet.
        let before = self.header.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        before.ok().map(|used| HEADER_UNITS + used)
    }

    /// The words of a block.
    fn words(&self, unit: u64, class: usize) -> &[AtomicU64] {
        values(&self.part.attached, unit as usize * UNIT_BYTES, bytes_of(class) / 8)
    }
}

const BLOCK: u64 = (1 << BLOCK_BITS) - 1;

/// A head that leads to `unit`, and is unlike every head before.
fn changed(before: u64, unit: u64) -> u64 {
    (before >> BLOCK_BITS).wrapping_add(1) << BLOCK_BITS | unit
}

fn class_of(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES).next_power_of_two().trailing_zeros() as usize
}

fn bytes_of(class: usize) -> usize {
    UNIT_BYTES << class
}
