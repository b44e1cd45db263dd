//! A ring whose end is followed by a second mapping of its beginning: what crosses the end is read
//! and written in one piece, without a range check.
//!
//! ```text
//!  0                         bytes      bytes + overlap
//! ┌──────────┬────────────────┬──────────┐
//! │ page 0…  │       …        │ page 0…  │   addresses, one reservation
//! └──────────┴────────────────┴──────────┘
//!      └─── the same physical pages ─┘
//! ```
//!
//! The pages belong to a `memfd` that is mapped twice. They count as shared memory (`RssShmem`),
//! and those of the overlap count twice if both views are touched.
//!
//! **Huge pages.** Pages of the huge-page pool have to be set aside by the administrator, so this
//! requests none. Transparent huge pages of shared memory are off by default
//! (`transparent_hugepage/shmem_enabled`). But a range can be made huge on request
//! (`MADV_COLLAPSE`, Linux 6.1) unless the setting is `deny`; see [`Mirrored::make_resident`].

use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicU64;

use rustix::fs::MemfdFlags;
use rustix::mm::{Advice, MapFlags, mmap};

use crate::mapping::{HUGE_PAGE_BYTES, READ_WRITE};
use crate::process::memory_file;
use crate::racy::{WORD_BYTES, prefetch_lines};
use crate::{Mapping, Pages};

/// Shared words, the last few of which are the first few again.
///
/// Each word of the overlap has two addresses. The processor keeps them coherent. But the compiler
/// takes them for different words, so only fences order accesses through one against accesses
/// through the other, even on one thread.
#[derive(Debug)]
pub struct Mirrored {
    /// Reserved, then covered by the two views. Dropping it unmaps both.
    mapping: Mapping,
    bytes: usize,
    overlap_bytes: usize,
    /// Number of words in both views.
    words: usize,
    pages: Pages,
}

impl Mirrored {
    /// Maps a ring of `bytes`, followed by a second view of its first `overlap_bytes`; zeroed and
    /// untouched.
    ///
    /// # Errors
    /// The system's error if address space or descriptors are exhausted.
    ///
    /// # Panics
    /// If either length is not a multiple of 2 MiB, or the overlap is longer than the ring.
    pub fn map(bytes: usize, overlap_bytes: usize, pages: Pages) -> io::Result<Self> {
        for length in [bytes, overlap_bytes] {
            assert!(
                length > 0 && length.is_multiple_of(HUGE_PAGE_BYTES),
                "a length of {length} bytes: views are made of whole huge pages"
            );
        }
        assert!(overlap_bytes <= bytes, "an overlap of {overlap_bytes} in a ring of {bytes} bytes");
        let all_bytes = bytes.checked_add(overlap_bytes).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping::anonymous(all_bytes, Pages::SmallUntilCollapsed)?;
        let file = memory_file(bytes, MemfdFlags::CLOEXEC)?;
        map_over(&mapping, 0..bytes, &file)?;
        map_over(&mapping, bytes..all_bytes, &file)?;
        mapping.advise(match pages {
            Pages::Small | Pages::SmallUntilCollapsed => Advice::LinuxNoHugepage,
            Pages::Huge => Advice::LinuxHugepage,
        });
        Ok(Self { mapping, bytes, overlap_bytes, words: all_bytes / WORD_BYTES, pages })
    }

    /// All words; those of the overlap are at the end.
    #[inline]
    #[must_use]
    pub fn all(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        // SAFETY: the mapping holds `words` aligned words, zeroed or written as atomics; it lives
        // as long as `self` and nothing else has its address.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.words) }
    }

    /// Length of the ring in bytes, without the overlap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many bytes are mapped a second time.
    #[must_use]
    pub fn overlap_bytes(&self) -> usize {
        self.overlap_bytes
    }

    /// Makes a range of the ring resident, on 2 MiB pages if they were requested and the system
    /// provides them. Contents are kept; nobody else may write there meanwhile. The range is
    /// widened to whole 2 MiB.
    ///
    /// # Panics
    /// If the range is not inside the ring.
    pub fn make_resident(&self, range: Range<usize>) {
        let end = range.end.next_multiple_of(HUGE_PAGE_BYTES);
        assert!(end <= self.bytes, "range {range:?} of a ring of {} bytes", self.bytes);
        let start = range.start / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        for at in (start..end).step_by(HUGE_PAGE_BYTES) {
            if self.pages == Pages::Huge {
                self.mapping.populate_huge(at);
            } else {
                self.mapping.populate(at, HUGE_PAGE_BYTES);
            }
        }
    }

    /// Makes the overlap's second view resident. Once the front of the ring is resident, that takes
    /// page tables but no memory.
    pub fn make_overlap_resident(&self) {
        self.mapping.populate(self.bytes, self.overlap_bytes);
    }

    /// How many bytes are on 2 MiB pages now, counting the overlap twice; `None` if the system does
    /// not tell.
    #[must_use]
    pub fn huge_bytes(&self) -> Option<u64> {
        self.mapping.huge_bytes().ok()
    }

    /// Prefetches the lines of `words` words from `at` on, at most `lines_max` lines; they may lie
    /// outside.
    #[inline]
    pub fn prefetch_lines(&self, at: usize, words: usize, lines_max: usize) {
        prefetch_lines(self.mapping.start().as_ptr(), at, words, lines_max);
    }
}

/// Maps the front of a file over an unused range of a reservation.
fn map_over(reserved: &Mapping, range: Range<usize>, file: &OwnedFd) -> io::Result<()> {
    let start = reserved.range(range.start, range.len()).as_ptr().cast();
    let flags = MapFlags::SHARED | MapFlags::FIXED | MapFlags::NORESERVE;
    // SAFETY: the range lies inside our reservation (checked by `range`), of which nothing is used
    // yet; whole pages, which the reservation unmaps when it goes.
    unsafe { mmap(start, range.len(), READ_WRITE, flags, file, 0) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::mapping::PAGE_BYTES;
    use crate::racy::{copy_in, copy_out};

    const RING_BYTES: usize = 2 * HUGE_PAGE_BYTES;
    const RING_WORDS: usize = RING_BYTES / WORD_BYTES;

    #[test]
    fn what_is_written_across_the_end_is_found_at_the_front() {
        for pages in [Pages::Small, Pages::Huge] {
            let ring = Mirrored::map(RING_BYTES, HUGE_PAGE_BYTES, pages).unwrap();
            let value: Vec<u8> = (0..100).collect();
            copy_in(&ring.all()[RING_WORDS - 5..], &value);
            let mut front = [0; 60];
            copy_out(ring.all(), &mut front);
            assert_eq!(front, value[40..]);
            // And back: the front follows the end.
            ring.all()[1].store(4711, Ordering::SeqCst);
            assert_eq!(ring.all()[RING_WORDS + 1].load(Ordering::SeqCst), 4711);
        }
    }

    #[test]
    fn pages_made_resident_keep_their_contents_and_are_huge_where_the_system_gives_them() {
        let ring = Mirrored::map(RING_BYTES, HUGE_PAGE_BYTES, Pages::Huge).unwrap();
        ring.all()[7].store(4711, Ordering::SeqCst);
        ring.make_resident(0..RING_BYTES);
        ring.make_overlap_resident();
        assert_eq!(ring.all()[7].load(Ordering::SeqCst), 4711);
        assert_eq!(ring.all()[RING_WORDS + 7].load(Ordering::SeqCst), 4711);
        let huge = ring.huge_bytes().expect("/proc is mounted");
        assert!(huge <= (RING_BYTES + HUGE_PAGE_BYTES) as u64, "{huge}");
        println!("{huge} bytes of the ring's {RING_BYTES} and its overlap on huge pages");
        let small = Mirrored::map(RING_BYTES, HUGE_PAGE_BYTES, Pages::Small).unwrap();
        small.make_resident(0..1);
        assert_eq!(small.all()[7].load(Ordering::SeqCst), 0);
    }

    #[test]
    #[should_panic(expected = "of a ring of")]
    fn ranges_outside_are_refused() {
        let ring = Mirrored::map(RING_BYTES, HUGE_PAGE_BYTES, Pages::Small).unwrap();
        ring.make_resident(0..RING_BYTES + 1);
    }

    #[test]
    #[should_panic(expected = "whole huge pages")]
    fn lengths_that_are_no_huge_pages_are_refused() {
        let _ = Mirrored::map(HUGE_PAGE_BYTES + PAGE_BYTES, HUGE_PAGE_BYTES, Pages::Small);
    }
}
