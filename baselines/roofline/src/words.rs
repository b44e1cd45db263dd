//! Words of memory that all threads share, in a mapping of their own: the only unsafe code.
//!
//! One session may overwrite what another reads, so that a plain copy would be a data race.
//! Every access is that of a relaxed atomic word, which is sound whatever the others do and
//! costs a plain load or store each: 1 KiB are 128 of them, at two loads a cycle 64 cycles, where
//! its lines come from memory in several hundred.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use platform::{Mapping, Pages};

/// Bytes of a word.
pub(crate) const WORD_BYTES: usize = size_of::<u64>();
const WORDS_PER_LINE: usize = 64 / WORD_BYTES;

/// A fixed number of words, zero at first.
#[derive(Debug)]
pub(crate) struct Words {
    mapping: Mapping,
    length: usize,
}

impl Words {
    /// Maps `length` words, aligned to 2 MiB with [`Pages::Huge`].
    pub(crate) fn map(length: usize, pages: Pages, resident: bool) -> io::Result<Self> {
        let bytes = length.checked_mul(WORD_BYTES).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping::anonymous(bytes, pages)?;
        if resident {
            mapping.populate(0, mapping.bytes());
        }
        Ok(Self { mapping, length })
    }

    /// All of them.
    #[inline]
    pub(crate) fn all(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        // SAFETY: the mapping holds `length` aligned words, zeroed or written as atomics; it lives
        // as long as `self` and nothing else has its address.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.length) }
    }

    /// Bytes of the words.
    pub(crate) fn bytes(&self) -> u64 {
        (self.length * WORD_BYTES) as u64
    }

    /// Bytes that lie on 2 MiB pages now, where the system tells.
    pub(crate) fn huge_bytes(&self) -> Option<u64> {
        self.mapping.huge_bytes().ok()
    }

    /// Asks the processor for the line of word `at`.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        prefetch(self.mapping.start().as_ptr().wrapping_add(at * WORD_BYTES));
    }

    /// Asks the processor for the lines of `words` words from `at` on, at most `lines_max`.
    #[inline]
    pub(crate) fn prefetch_lines(&self, at: usize, words: usize, lines_max: usize) {
        let lines = (at % WORDS_PER_LINE + words).div_ceil(WORDS_PER_LINE);
        for line in 0..lines.min(lines_max) {
            self.prefetch(at + line * WORDS_PER_LINE);
        }
    }
}

/// Copies the front of `words` out, as many bytes as `to` has.
#[inline]
pub(crate) fn copy_out(words: &[AtomicU64], to: &mut [u8]) {
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

/// Copies `from` into the front of `words`; the last word is filled up with zeros.
#[inline]
pub(crate) fn copy_in(words: &[AtomicU64], from: &[u8]) {
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
