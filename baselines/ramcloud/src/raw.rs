//! Memory of the log and of the hash table: the crate's only unsafe code.
//!
//! Words, with which entries begin, are accessed as relaxed atomics. Values are copied with plain
//! accesses. Three facts keep such a copy from racing with a write:
//!
//! * An entry is written once, by the one [`Writer`] that has its seglet open, before anything
//!   leads to it.
//! * Whoever reads a value holds the lock of the bucket that leads to it, and the entry was written
//!   before its reference was stored under that lock.
//! * A seglet is rewritten only after its segment was freed, which happens after every reference
//!   into it was replaced under its bucket's lock. So each earlier reader of that bucket has
//!   finished.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use platform::{Mapping, Pages};

use crate::entry::WORD_BYTES;
use crate::table::LockedBucket;
use crate::writer::Writer;

/// Zeroed memory, addressed by byte offsets.
#[derive(Debug)]
pub(crate) struct Region {
    mapping: Mapping,
}

impl Region {
    /// Maps at least `bytes` of memory, resident if requested.
    pub(crate) fn map(bytes: usize, pages: Pages, resident: bool) -> io::Result<Self> {
        let mapping = Mapping::anonymous(bytes, pages)?;
        if resident {
            mapping.populate(0, mapping.bytes());
        }
        Ok(Self { mapping })
    }

    #[inline]
    fn words(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        let words = self.mapping.bytes() / WORD_BYTES;
        // SAFETY: the mapping holds so many aligned words, zeroed at first, and lives as long as
        // `self`; plain copies into it touch seglets of which nobody loads words meanwhile (the
        // module's facts).
        unsafe { std::slice::from_raw_parts(start.as_ptr(), words) }
    }

    /// The word at byte `at`.
    #[inline]
    pub(crate) fn word(&self, at: usize) -> u64 {
        // Relaxed: whatever leads to an entry (a bucket's lock, the state of a segment) orders it.
        self.words()[at / WORD_BYTES].load(Ordering::Relaxed)
    }

    /// Stores the word at byte `at`.
    #[inline]
    pub(crate) fn set_word(&self, at: usize, word: u64) {
        // Relaxed: as in `word`.
        self.words()[at / WORD_BYTES].store(word, Ordering::Relaxed);
    }

    /// Copies out a piece of a value that `_bucket` leads to.
    #[inline]
    pub(crate) fn copy_out(&self, _bucket: &LockedBucket<'_>, at: usize, to: &mut [u8]) {
        let from = self.place(at, to.len());
        // SAFETY: `place` checked the bounds of one, the other is the caller's alone, and the
        // bucket's lock keeps the value from being overwritten.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
    }

    /// Copies a piece of a value to room that `_writer` has reserved.
    #[inline]
    pub(crate) fn copy_in(&self, _writer: &mut Writer, at: usize, from: &[u8]) {
        let to = self.place(at, from.len());
        // SAFETY: `place` checked the bounds; the writer alone has the seglet open, and nothing
        // leads to the entry yet.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
    }

    /// Copies a piece of a value that `_bucket` leads to, into room that `_writer` has reserved.
    #[inline]
    pub(crate) fn copy_within(
        &self,
        _bucket: &LockedBucket<'_>,
        from: usize,
        _writer: &mut Writer,
        to: usize,
        bytes: usize,
    ) {
        let (from, to) = (self.place(from, bytes), self.place(to, bytes));
        // SAFETY: as in `copy_out` and `copy_in`; an open seglet is none that a bucket leads to
        // where the entry lies, so the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    }

    /// Prefetches the line of byte `at`; any offset is allowed.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        prefetch(self.mapping.start().as_ptr().wrapping_add(at));
    }

    #[inline]
    fn place(&self, at: usize, bytes: usize) -> *mut u8 {
        let fits = at.checked_add(bytes).is_some_and(|end| end <= self.mapping.bytes());
        assert!(fits, "{bytes} bytes at {at} of {}", self.mapping.bytes());
        self.mapping.start().as_ptr().wrapping_add(at)
    }
}

/// Eight words on their own cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Bucket(pub(crate) [AtomicU64; 8]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// A fixed number of buckets, initially zero.
#[derive(Debug)]
pub(crate) struct Buckets {
    mapping: Mapping,
    count: usize,
}

impl Buckets {
    /// Maps `count` buckets, resident if requested.
    pub(crate) fn map(count: usize, pages: Pages, resident: bool) -> io::Result<Self> {
        let bytes = count.checked_mul(size_of::<Bucket>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping::anonymous(bytes, pages)?;
        if resident {
            mapping.populate(0, mapping.bytes());
        }
        Ok(Self { mapping, count })
    }

    #[inline]
    pub(crate) fn all(&self) -> &[Bucket] {
        let start = self.mapping.start().cast::<Bucket>();
        // SAFETY: the mapping is page-aligned, holds `count` buckets of which zeros are valid
        // ones, is accessed through them only, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.count) }
    }

    /// Prefetches a bucket's line.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        prefetch(self.mapping.start().as_ptr().wrapping_add(index * size_of::<Bucket>()));
    }
}

#[inline]
fn prefetch(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint; it never faults, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}
