//! A ring whose end is mapped to its beginning: what lies across the end is read and written in one
//! piece, without a range check.
//!
//! ```text
//!  0                         bytes      bytes + overlap
//! ┌──────────┬────────────────┬──────────┐
//! │ page 0…  │       …        │ page 0…  │   addresses, one reservation
//! └──────────┴────────────────┴──────────┘
//!      └─── the same physical pages ─┘
//! ```
//!
//! The pages are those of a `memfd`, mapped twice. They count as shared memory (`RssShmem`), and
//! those of the overlap once more where it is touched.
//!
//! **Huge pages.** A page of the huge-page pool has to be set aside by the administrator, so none
//! is asked for. Transparent huge pages of shared memory are off by default
//! (`transparent_hugepage/shmem_enabled`), but a range that is made huge on request
//! (`MADV_COLLAPSE`, Linux 6.1) has them wherever the setting is not `deny`; see
//! [`Mirrored::make_resident`].

use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::AtomicU64;

use crate::mapping::HUGE_PAGE_BYTES;
use crate::process::memory_file;
use crate::racy::{WORD_BYTES, prefetch_lines};
use crate::{Mapping, Pages};

/// Shared words of which the last few are the first few over again.
///
/// Two addresses lead to each word of the overlap. The processor keeps them coherent; the compiler
/// takes them for different words, so that accesses by the one and by the other are ordered by
/// fences alone, even on one thread.
#[derive(Debug)]
pub struct Mirrored {
    /// Reserved, then covered by the two views; unmaps both.
    mapping: Mapping,
    bytes: usize,
    overlap_bytes: usize,
    /// Of both together.
    words: usize,
    pages: Pages,
}

impl Mirrored {
    /// Maps a ring of `bytes`, whose first `overlap_bytes` follow upon its end, zero and untouched.
    ///
    /// # Errors
    /// The system's error when address space or descriptors are exhausted.
    ///
    /// # Panics
    /// When either length is no multiple of 2 MiB, or the overlap is longer than the ring.
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
        let file = memory_file(bytes, libc::MFD_CLOEXEC)?;
        map_over(&mapping, 0..bytes, &file)?;
        map_over(&mapping, bytes..all_bytes, &file)?;
        mapping.advise(match pages {
            Pages::Small | Pages::SmallUntilCollapsed => libc::MADV_NOHUGEPAGE,
            Pages::Huge => libc::MADV_HUGEPAGE,
        });
        Ok(Self { mapping, bytes, overlap_bytes, words: all_bytes / WORD_BYTES, pages })
    }

    /// All words, those of the overlap at the end.
    #[inline]
    #[must_use]
    pub fn all(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        // SAFETY: the mapping holds `words` aligned words, zeroed or written as atomics; it lives
        // as long as `self` and nothing else has its address.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.words) }
    }

    /// Length of the ring in bytes, the overlap not counted.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that are mapped a second time.
    #[must_use]
    pub fn overlap_bytes(&self) -> usize {
        self.overlap_bytes
    }

    /// Makes a range of the ring resident, on 2 MiB pages where they were asked for and the system
    /// gives them; contents are kept, and nobody else may write there meanwhile. The range is
    /// widened to whole 2 MiB.
    ///
    /// # Panics
    /// When the range is not inside the ring.
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

    /// Makes the overlap's second view resident, which takes page tables and no memory once the
    /// front of the ring is.
    pub fn make_overlap_resident(&self) {
        self.mapping.populate(self.bytes, self.overlap_bytes);
    }

    /// Bytes that lie on 2 MiB pages now, the overlap's counted again, where the system tells.
    #[must_use]
    pub fn huge_bytes(&self) -> Option<u64> {
        self.mapping.huge_bytes().ok()
    }

    /// Asks the processor for the lines of `words` words from `at` on, at most `lines_max`; they
    /// may lie outside.
    #[inline]
    pub fn prefetch_lines(&self, at: usize, words: usize, lines_max: usize) {
        prefetch_lines(self.mapping.start().as_ptr(), at, words, lines_max);
    }
}

/// Covers a range of a reservation, that nobody uses yet, with the front of a file.
fn map_over(reserved: &Mapping, range: Range<usize>, file: &OwnedFd) -> io::Result<()> {
    let start = reserved.range(range.start, range.len());
    // SAFETY: the range lies inside our reservation (checked by `range`), of which nothing is used
    // yet; whole pages, which the reservation unmaps when it goes.
    let address = unsafe {
        libc::mmap(
            start.as_ptr().cast(),
            range.len(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
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
            // And back: the front is what follows upon the end.
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
