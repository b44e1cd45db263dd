//! How a replayed block is used: written the way programs write theirs, and stamped at both ends.

use std::ptr::NonNull;

/// Up to this size every byte is written; of a longer block, one line in every page.
const WHOLE_BYTES_MAX: usize = 4096;
const PAGE_BYTES: usize = 4096;
const LINE_BYTES: usize = 64;

const WORD_BYTES: usize = size_of::<u64>();

/// Writes the bytes of a block from `from` to `bytes`, and its stamp.
///
/// # Safety
/// `block` has `bytes` bytes that nothing else uses.
pub(super) unsafe fn write(block: NonNull<u8>, from: usize, bytes: usize, stamp: u64) {
    let fill = |at: usize, length: usize| {
        // SAFETY: within the block; the callers below ensure it.
        unsafe { block.as_ptr().wrapping_add(at).write_bytes(stamp as u8, length) };
    };
    if from < bytes && bytes <= WHOLE_BYTES_MAX {
        fill(from, bytes - from);
    } else {
        for page in (from..bytes).step_by(PAGE_BYTES) {
            fill(page, LINE_BYTES.min(bytes - page));
        }
    }
    if bytes >= 2 * WORD_BYTES {
        // SAFETY: the last word of the block.
        unsafe { put(block, bytes - WORD_BYTES, stamp, WORD_BYTES) };
    }
    // SAFETY: the first word, or all of a block that is shorter.
    unsafe { put(block, 0, stamp, bytes.min(WORD_BYTES)) };
}

/// Whether both ends of a block hold its stamp.
///
/// # Safety
/// `block` has `bytes` bytes that [`write()`] wrote, and nothing changes them during the call.
pub(super) unsafe fn has_stamp(block: NonNull<u8>, bytes: usize, stamp: u64) -> bool {
    // SAFETY: the same block.
    unsafe { kept_stamp(block, bytes, bytes, stamp) }
}

/// Whether the contents at the ends of a block of `old_bytes` survived its reallocation to `bytes`: its
/// beginning, and its end if it did not shrink.
///
/// # Safety
/// `block` has `bytes` bytes, of which the first `old_bytes` were kept from a block that [`write()`]
/// wrote.
pub(super) unsafe fn kept_stamp(
    block: NonNull<u8>,
    old_bytes: usize,
    bytes: usize,
    stamp: u64,
) -> bool {
    let length = old_bytes.min(bytes).min(WORD_BYTES);
    // SAFETY: the first word, or the whole block where it is or was shorter.
    let first = unsafe { get(block, 0, length) };
    let mut wanted = [0; WORD_BYTES];
    wanted[..length].copy_from_slice(&stamp.to_le_bytes()[..length]);
    if bytes < old_bytes || old_bytes < 2 * WORD_BYTES {
        return first == wanted;
    }
    // SAFETY: the last word of the old block.
    let last = unsafe { get(block, old_bytes - WORD_BYTES, WORD_BYTES) };
    first == wanted && last == wanted
}

/// Writes the first `length` bytes of `word`.
///
/// # Safety
/// `block` has `at + length` bytes that nothing else uses; `length` is at most that of a word.
unsafe fn put(block: NonNull<u8>, at: usize, word: u64, length: usize) {
    let bytes = word.to_le_bytes();
    let to = block.as_ptr().wrapping_add(at);
    // SAFETY: within the block by contract; a local array overlaps no block.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), length) };
}

/// Reads `length` bytes, followed by zeros.
///
/// # Safety
/// `block` has `at + length` bytes, all written; `length` is at most that of a word.
unsafe fn get(block: NonNull<u8>, at: usize, length: usize) -> [u8; WORD_BYTES] {
    let mut bytes = [0; WORD_BYTES];
    let from = block.as_ptr().wrapping_add(at);
    // SAFETY: within the block by contract; a local array overlaps no block.
    unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from, length) };
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: u64 = 0x1122_3344_5566_7788;

    /// The contents of a block of `bytes` zeros after it was written.
    fn written(bytes: usize) -> Vec<u8> {
        let mut block = vec![0_u8; bytes];
        let start = NonNull::new(block.as_mut_ptr()).unwrap();
        // SAFETY: a vector of this length.
        unsafe { write(start, 0, bytes, STAMP) };
        block
    }

    fn holds(block: &[u8], old_bytes: usize) -> bool {
        let start = NonNull::new(block.as_ptr().cast_mut()).unwrap();
        // SAFETY: only read; the block is long enough.
        unsafe { kept_stamp(start, old_bytes, block.len(), STAMP) }
    }

    #[test]
    fn small_blocks_are_written_whole_and_large_ones_a_line_a_page() {
        for bytes in [1, 7, 8, 15, 16, 100, 4096] {
            assert!(written(bytes).iter().all(|&byte| byte != 0), "{bytes}");
        }
        let large = written(3 * PAGE_BYTES + 1000);
        for page in large.chunks(PAGE_BYTES) {
            assert!(page[..LINE_BYTES].iter().all(|&byte| byte != 0));
        }
        let untouched = large.iter().filter(|&&byte| byte == 0).count();
        assert_eq!(untouched, large.len() - 4 * LINE_BYTES - WORD_BYTES);
    }

    #[test]
    fn a_byte_lost_at_either_end_is_noticed() {
        for bytes in [1, 7, 8, 15, 16, 100, 5000] {
            let good = written(bytes);
            assert!(holds(&good, bytes), "{bytes}");
            for place in [0, bytes - 1] {
                let mut bad = good.clone();
                bad[place] ^= 1;
                // In blocks of 9 to 15 bytes only the first word is stamped.
                let noticed = place < WORD_BYTES || bytes >= 2 * WORD_BYTES;
                assert_eq!(holds(&bad, bytes), !noticed, "{bytes} at {place}");
            }
        }
    }

    #[test]
    fn a_block_of_another_size_holds_what_it_held() {
        let mut grown = written(100);
        grown.resize(300, 0);
        assert!(holds(&grown, 100));
        grown[99] ^= 1;
        assert!(!holds(&grown, 100), "the old end was lost");
        let mut shrunk = written(100);
        shrunk.truncate(20);
        assert!(holds(&shrunk, 100));
        shrunk[3] ^= 1;
        assert!(!holds(&shrunk, 100));
        assert!(holds(&written(0), 0) && holds(&written(100)[..0], 100));
    }
}
