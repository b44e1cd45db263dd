//! Words of shared memory that threads copy while others write them.
//!
//! Where one thread may overwrite what another reads, a plain copy would be a data race. Every
//! access here is either a relaxed atomic word or a vector instruction that the compiler does not
//! see. To the processor, the latter is the same as that many relaxed byte loads and stores: values
//! may be torn, and nothing is undefined. Copying word by word alone would halve the speed for
//! cached values, compared with the C library. Readers that need whole values validate them, with a
//! version that fences order against the copies.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Words per vector register.
const VECTOR_WORDS: usize =
    if cfg!(all(target_arch = "x86_64", target_feature = "avx", not(miri))) { 4 } else { 1 };

/// Moves a vector of words from `from` to `to`.
///
/// # Safety
/// `from` is readable and `to` writable for [`VECTOR_WORDS`] words. Of each, others may access what is
/// part of a [`Words`], as this module does.
#[inline]
unsafe fn move_vector(from: *const u8, to: *mut u8) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx", not(miri)))]
    // SAFETY: as of this function; what races is loaded and stored by an instruction, as relaxed
    // atomics are, and the compiler assumes nothing of it.
    unsafe {
        core::arch::asm!(
            "vmovdqu {vector}, [{from}]",
            "vmovdqu [{to}], {vector}",
            from = in(reg) from,
            to = in(reg) to,
            vector = out(ymm_reg) _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx", not(miri))))]
    let _ = (from, to);
}

/// Moves as many whole vectors as fit into `bytes` bytes, if a vector is more than a word. Returns
/// the number of words moved.
///
/// # Safety
/// `from` is readable and `to` writable for `bytes` bytes; otherwise as for [`move_vector`].
#[inline]
unsafe fn move_vectors(from: *const u8, to: *mut u8, bytes: usize) -> usize {
    const VECTOR_BYTES: usize = VECTOR_WORDS * WORD_BYTES;
    if VECTOR_WORDS == 1 {
        return 0;
    }
    let vectors = bytes / VECTOR_BYTES;
    for vector in 0..vectors {
        let at = vector * VECTOR_BYTES;
        // SAFETY: `at + VECTOR_BYTES <= bytes`.
        unsafe { move_vector(from.wrapping_add(at), to.wrapping_add(at)) };
    }
    vectors * VECTOR_WORDS
}

/// Copies the front of `words` to `to`, as many bytes as `to` has.
#[inline]
pub fn copy_out(words: &[AtomicU64], to: &mut [u8]) {
    let bytes = to.len().min(words.len() * WORD_BYTES);
    // SAFETY: both are as long, and `to` is this call's alone.
    let moved = unsafe { move_vectors(words.as_ptr().cast(), to.as_mut_ptr(), bytes) };
    let (words, to) = (&words[moved..], &mut to[moved * WORD_BYTES..]);
    let mut whole = to.chunks_exact_mut(WORD_BYTES);
    let mut words = words.iter();
    for (bytes, word) in whole.by_ref().zip(words.by_ref()) {
        // Relaxed: pairs with nothing; see above.
        bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
    }
    let rest = whole.into_remainder();
    if let (false, Some(word)) = (rest.is_empty(), words.next()) {
        // Relaxed: as above.
        rest.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes()[..rest.len()]);
    }
}

/// Copies `from` to the front of `words`; the last word is padded with zeros.
#[inline]
pub fn copy_in(words: &[AtomicU64], from: &[u8]) {
    let bytes = from.len().min(words.len() * WORD_BYTES);
    // SAFETY: both are as long; words may be written through a shared reference, as atomics are.
    let moved = unsafe { move_vectors(from.as_ptr(), words.as_ptr().cast_mut().cast(), bytes) };
    let (words, from) = (&words[moved..], &from[moved * WORD_BYTES..]);
    let whole = from.chunks_exact(WORD_BYTES);
    let rest = whole.remainder();
    let mut words = words.iter();
    for (bytes, word) in whole.zip(words.by_ref()) {
        let value = u64::from_ne_bytes(bytes.try_into().expect("a chunk is a word"));
        // Relaxed: pairs with nothing; see above.
        word.store(value, Ordering::Relaxed);
    }
    if let (false, Some(word)) = (rest.is_empty(), words.next()) {
        let mut last = [0; WORD_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        // Relaxed: as above.
        word.store(u64::from_ne_bytes(last), Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied_and_its_neighbours_are_left_alone() {
        let words = Words::map(9, Pages::Small, true).unwrap();
        let value: Vec<u8> = (1..=64).collect();
        for bytes in 0..=64 {
            words.all().iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
            copy_in(words.all(), &value[..bytes]);
            let mut copy = [0xaa; 66];
            copy_out(words.all(), &mut copy[1..=bytes]);
            assert_eq!(copy[1..=bytes], value[..bytes]);
            assert_eq!((copy[0], copy[bytes + 1]), (0xaa, 0xaa));
            let untouched = &words.all()[bytes.div_ceil(WORD_BYTES)..];
            assert!(untouched.iter().all(|word| word.load(Ordering::Relaxed) == u64::MAX));
        }
    }
}
