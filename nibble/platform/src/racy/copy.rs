//! Copies into and out of shared words.

use std::sync::atomic::{AtomicU64, Ordering};

use super::WORD_BYTES;
use super::vectors::{Width, move_bytes};

/// Copies the front of `words` to `to`, as many bytes as `to` has.
#[inline]
pub fn copy_out(words: &[AtomicU64], to: &mut [u8]) {
    let bytes = to.len().min(words.len() * WORD_BYTES);
    // SAFETY: both are as long, and `to` is this call's alone.
    let moved =
        unsafe { move_bytes(Width::widest(), words.as_ptr().cast(), to.as_mut_ptr(), bytes) };
    if !moved {
        load(words, &mut to[..bytes]);
    }
}

/// Copies `from` to the front of `words`; the last word is padded with zeros.
#[inline]
pub fn copy_in(words: &[AtomicU64], from: &[u8]) {
    let bytes = from.len().min(words.len() * WORD_BYTES);
    let whole_bytes = bytes / WORD_BYTES * WORD_BYTES;
    let to = words.as_ptr().cast_mut().cast();
    // SAFETY: both are as long; words may be written through a shared reference, as atomics are.
    let moved = unsafe { move_bytes(Width::widest(), from.as_ptr(), to, whole_bytes) };
    let moved_bytes = if moved { whole_bytes } else { 0 };
    if moved_bytes < bytes {
        store(&words[moved_bytes / WORD_BYTES..], &from[moved_bytes..bytes]);
    }
}

/// Copies the front of `words` to `to`, which is not longer, word by word.
#[inline]
fn load(words: &[AtomicU64], to: &mut [u8]) {
    let (whole, rest) = to.as_chunks_mut::<WORD_BYTES>();
    for (bytes, word) in whole.iter_mut().zip(words) {
        // Relaxed: pairs with nothing; see the module above.
        *bytes = word.load(Ordering::Relaxed).to_ne_bytes();
    }
    if !rest.is_empty() {
        // Relaxed: as above.
        let last = words[whole.len()].load(Ordering::Relaxed).to_ne_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Copies `from` to the front of `words`, which is not shorter, word by word.
#[inline]
fn store(words: &[AtomicU64], from: &[u8]) {
    let (whole, rest) = from.as_chunks::<WORD_BYTES>();
    for (bytes, word) in whole.iter().zip(words) {
        // Relaxed: pairs with nothing; see the module above.
        word.store(u64::from_ne_bytes(*bytes), Ordering::Relaxed);
    }
    if !rest.is_empty() {
        let mut last = [0; WORD_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        // Relaxed: as above.
        words[whole.len()].store(u64::from_ne_bytes(last), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pages;
    use crate::racy::Words;

    const BYTES_MAX: usize = 300;
    const GUARD: u8 = 0xaa;

    /// Both ends of the words, and of the bytes, are guarded; the words begin at every place in a
    /// line, and the bytes at an odd one.
    #[test]
    fn every_length_is_copied_and_its_neighbours_are_left_alone() {
        let words = Words::map(64, Pages::Small, true).unwrap();
        let value: Vec<u8> = (0..BYTES_MAX).map(|at| (at % 251) as u8).collect();
        for bytes in 0..=BYTES_MAX {
            let length = bytes.div_ceil(WORD_BYTES);
            for first in 1..=8 {
                let guard = u64::from_ne_bytes([GUARD; WORD_BYTES]);
                words.all().iter().for_each(|word| word.store(guard, Ordering::Relaxed));
                copy_in(&words.all()[first..first + length], &value[..bytes]);
                let mut copy = [GUARD; BYTES_MAX + 2];
                copy_out(&words.all()[first..first + length], &mut copy[1..=bytes]);
                assert_eq!(copy[1..=bytes], value[..bytes], "{bytes} bytes at word {first}");
                assert_eq!((copy[0], copy[bytes + 1]), (GUARD, GUARD), "{bytes} bytes");
                let all: Vec<_> =
                    words.all().iter().map(|word| word.load(Ordering::Relaxed)).collect();
                let beside = all[..first].iter().chain(&all[first + length..]);
                assert!(beside.into_iter().all(|&word| word == guard), "{bytes} bytes at {first}");
            }
        }
    }

    #[test]
    fn a_last_word_that_is_not_filled_is_padded_with_zeros() {
        let words = Words::map(40, Pages::Small, true).unwrap();
        for bytes in (0..=BYTES_MAX).filter(|bytes| bytes % WORD_BYTES != 0) {
            words.all().iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
            copy_in(words.all(), &vec![0xff; bytes]);
            let last = words.all()[bytes / WORD_BYTES].load(Ordering::Relaxed).to_ne_bytes();
            let filled = bytes % WORD_BYTES;
            assert!(last[..filled].iter().all(|&byte| byte == 0xff), "{bytes} bytes");
            assert!(last[filled..].iter().all(|&byte| byte == 0), "{bytes} bytes");
        }
    }

    /// What is longer than the other is cut.
    #[test]
    fn the_shorter_side_decides() {
        let words = Words::map(5, Pages::Small, true).unwrap();
        copy_in(words.all(), &[7; 100]);
        let mut copy = [GUARD; 100];
        copy_out(words.all(), &mut copy);
        assert_eq!(copy[..40], [7; 40]);
        assert_eq!(copy[40..], [GUARD; 60]);
    }
}
