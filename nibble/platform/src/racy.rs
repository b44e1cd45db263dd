//! Words of shared memory that threads copy while others write them.
//!
//! Where one thread may overwrite what another reads, a plain copy would be a data race. Every
//! access here is either a relaxed atomic word or a vector instruction that the compiler does not
//! see. To the processor, the latter is the same as that many relaxed byte loads and stores: values
//! may be torn, and nothing is undefined. Copying word by word alone would halve the speed for
//! cached values, compared with the C library. Readers that need whole values validate them, with a
//! version that fences order against the copies.
//!
//! | file | contents |
//! |---|---|
//! | `bytes` | copies between bytes that have no alignment |
//! | `copy` | copies into and out of words |
//! | `vectors` | the vector instructions, and which of them the processor has |

mod bytes;
mod copy;
mod vectors;

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::AtomicU64;

pub use bytes::{load_bytes, load_header, store_bytes};
pub use copy::{copy_in, copy_out};

use crate::{Mapping, Pages};

/// Size of a word.
pub const WORD_BYTES: usize = size_of::<u64>();
const WORDS_PER_LINE: usize = 64 / WORD_BYTES;

/// A fixed number of words, initially zero.
#[derive(Debug)]
pub struct Words {
    mapping: Mapping,
    length: usize,
}

impl Words {
    /// Maps `length` words, aligned to 2 MiB with [`Pages::Huge`]; touches them now if `resident`.
    ///
    /// # Errors
    /// The system's error if address space is exhausted.
    pub fn map(length: usize, pages: Pages, resident: bool) -> io::Result<Self> {
        let bytes = length.checked_mul(WORD_BYTES).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping::anonymous(bytes, pages)?;
        if resident {
            mapping.populate(0, mapping.bytes());
        }
        Ok(Self { mapping, length })
    }

    /// Maps the first `length` words of a file, shared with every process that maps it. The file
    /// must be as long.
    ///
    /// # Errors
    /// The system's error, for example for a closed descriptor.
    pub fn of_file(file: BorrowedFd<'_>, length: usize) -> io::Result<Self> {
        let bytes = length.checked_mul(WORD_BYTES).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { mapping: Mapping::shared(file, bytes)?, length })
    }

    /// All words.
    #[inline]
    #[must_use]
    pub fn all(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        // SAFETY: the mapping holds `length` aligned words, zeroed or written as atomics; it lives
        // as long as `self` and nothing else has its address.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.length) }
    }

    /// Size of the words in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.length * WORD_BYTES) as u64
    }

    /// How many bytes are on 2 MiB pages now; `None` if the system does not tell.
    #[must_use]
    pub fn huge_bytes(&self) -> Option<u64> {
        self.mapping.huge_bytes().ok()
    }

    /// Prefetches the line of word `at`, which may lie outside.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        prefetch(self.mapping.start().as_ptr().wrapping_add(at * WORD_BYTES));
    }

    /// Prefetches the lines of `words` words from `at` on, at most `lines_max` lines.
    #[inline]
    pub fn prefetch_lines(&self, at: usize, words: usize, lines_max: usize) {
        prefetch_lines(self.mapping.start().as_ptr(), at, words, lines_max);
    }
}

/// Prefetches the lines of `words` words from word `at` on, at most `lines_max` lines. `start` must
/// be the beginning of a line.
#[inline]
pub(crate) fn prefetch_lines(start: *const u8, at: usize, words: usize, lines_max: usize) {
    let lines = (at % WORDS_PER_LINE + words).div_ceil(WORDS_PER_LINE);
    for line in 0..lines.min(lines_max) {
        prefetch(start.wrapping_add((at + line * WORDS_PER_LINE) * WORD_BYTES));
    }
}

#[inline]
fn prefetch(line: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing and never faults.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}
