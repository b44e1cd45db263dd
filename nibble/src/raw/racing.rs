//! Values that are overwritten in place while others read them.
//!
//! Plain copies would be a data race. Therefore every byte of a room is accessed atomically, and
//! always in the same unit, whatever the value's length:
//! - on x86-64 as single bytes, of which one vector instruction loads or stores up to 64
//!   (`platform::racy`);
//! - elsewhere, and where Miri or loom check the accesses, the eight-byte words that lie wholly in
//!   the room as words, the bytes at its two ragged ends as bytes.
//!
//! Accesses are relaxed; the bucket's version tells a reader whether it has a single value. For
//! this, a writer has a release fence before its stores (`overwrite_value`), and a reader an
//! acquire fence after its loads (`Table::read`).

use super::Memory;
use super::bytes::{self, Byte, load_bytes, store_bytes};
use crate::address::VirtualAddress;
use crate::instrument::{Point, reach};
use crate::sync::{AtomicU8, AtomicU64, Ordering};

const WORD: usize = size_of::<u64>();

/// The bytes that an object's value may use; they may lie in several blocks.
#[derive(Debug)]
pub(super) struct Room<'memory> {
    memory: &'memory Memory,
    start: VirtualAddress,
    bytes: usize,
}

/// The part of a room within one block.
struct Piece {
    start: *mut Byte,
    bytes: usize,
}

impl<'memory> Room<'memory> {
    #[inline]
    pub(super) fn new(memory: &'memory Memory, start: VirtualAddress, bytes: usize) -> Self {
        Self { memory, start, bytes }
    }

    /// Calls `visit` with every piece and its offset in the room.
    fn pieces(&self, mut visit: impl FnMut(&Piece, usize)) {
        let (mut address, mut offset) = (self.start, 0);
        while offset < self.bytes {
            let (start, left) = self.memory.region.pointer_to(address);
            let bytes = left.min(self.bytes - offset);
            visit(&Piece { start, bytes }, offset);
            offset += bytes;
            if offset < self.bytes {
                address = self.memory.next_block(address);
            }
        }
    }

    /// The room, if it lies in one block.
    #[inline]
    fn whole(&self) -> Option<Piece> {
        let (start, left) = self.memory.region.pointer_to(self.start);
        (self.bytes <= left).then_some(Piece { start, bytes: self.bytes })
    }

    /// Copies `to.len()` bytes out of the room, starting at `from`.
    #[inline]
    pub(super) fn load(&self, from: usize, to: &mut [u8]) {
        assert!(from + to.len() <= self.bytes, "inside the room");
        match self.whole() {
            Some(piece) => piece.load(from, to),
            None => self.load_in_pieces(from, to),
        }
    }

    #[cold]
    fn load_in_pieces(&self, from: usize, to: &mut [u8]) {
        self.pieces(|piece, offset| {
            let (low, high) = (from.max(offset), (from + to.len()).min(offset + piece.bytes));
            if low < high {
                piece.load(low - offset, &mut to[low - from..high - from]);
            }
        });
    }

    /// Copies `bytes` into the room, starting at `at`. Only one writer at a time.
    #[inline]
    pub(super) fn store(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.bytes, "inside the room");
        match self.whole() {
            Some(piece) => {
                piece.store(at, bytes);
                reach(Point::HalfOverwritten);
            }
            None => self.store_in_pieces(at, bytes),
        }
    }

    #[cold]
    fn store_in_pieces(&self, at: usize, bytes: &[u8]) {
        self.pieces(|piece, offset| {
            let (low, high) = (at.max(offset), (at + bytes.len()).min(offset + piece.bytes));
            if low < high {
                piece.store(low - offset, &bytes[low - at..high - at]);
                reach(Point::HalfOverwritten);
            }
        });
    }
}

impl Piece {
    /// Where the words begin and end.
    fn words(&self) -> (usize, usize) {
        let front = self.start.addr().next_multiple_of(WORD) - self.start.addr();
        if front + WORD > self.bytes || !bytes::HAS_WORDS {
            return (self.bytes, self.bytes);
        }
        (front, front + (self.bytes - front) / WORD * WORD)
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        debug_assert!(offset < self.bytes);
        // SAFETY: inside the piece.
        let byte = unsafe { self.start.add(offset) };
        // SAFETY: mapped while the memory lives, which the room borrows; bytes outside the words
        // are only ever accessed like this once the object is published.
        unsafe { bytes::atomic(byte) }
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        debug_assert!(offset + WORD <= self.bytes);
        // SAFETY: inside the piece.
        let word = unsafe { self.start.add(offset) };
        debug_assert!(word.addr().is_multiple_of(WORD));
        // SAFETY: as in `byte`; aligned, because `offset` was counted from the first word.
        unsafe { bytes::atomic_word(word) }
    }

    /// The part of `from..to` that consists of whole words.
    fn whole_words(&self, from: usize, to: usize) -> (usize, usize) {
        let (first, end) = self.words();
        let skip = from.saturating_sub(first).next_multiple_of(WORD);
        let begin = (first + skip).min(to);
        let last = to.min(end).max(begin);
        (begin, begin + (last - begin) / WORD * WORD)
    }

    #[inline]
    fn load(&self, from: usize, to: &mut [u8]) {
        debug_assert!(from + to.len() <= self.bytes);
        // SAFETY: inside the piece.
        let start = unsafe { self.start.add(from) };
        // SAFETY: mapped while the memory lives, which the room borrows; once the object is
        // published, the bytes of its room are only ever accessed like this where this does
        // something.
        if !unsafe { load_bytes(start, to) } {
            self.load_words(from, to);
        }
    }

    #[inline]
    fn store(&self, at: usize, bytes: &[u8]) {
        debug_assert!(at + bytes.len() <= self.bytes);
        // SAFETY: inside the piece.
        let start = unsafe { self.start.add(at) };
        // SAFETY: as in `load`.
        if !unsafe { store_bytes(bytes, start) } {
            self.store_words(at, bytes);
        }
    }

    fn load_words(&self, from: usize, to: &mut [u8]) {
        let (begin, end) = self.whole_words(from, from + to.len());
        let (front, rest) = to.split_at_mut(begin - from);
        let (whole, back) = rest.split_at_mut(end - begin);
        self.load_ragged(from, front);
        for (index, out) in whole.chunks_exact_mut(WORD).enumerate() {
            // Relaxed: see above.
            let word = self.word(begin + index * WORD).load(Ordering::Relaxed);
            out.copy_from_slice(&word.to_ne_bytes());
        }
        self.load_ragged(end, back);
    }

    fn store_words(&self, at: usize, bytes: &[u8]) {
        let (begin, end) = self.whole_words(at, at + bytes.len());
        let (front, rest) = bytes.split_at(begin - at);
        let (whole, back) = rest.split_at(end - begin);
        self.store_ragged(at, front);
        for (index, from) in whole.chunks_exact(WORD).enumerate() {
            let word = u64::from_ne_bytes(from.try_into().expect("a chunk is a word"));
            // Relaxed: see above.
            self.word(begin + index * WORD).store(word, Ordering::Relaxed);
        }
        self.store_ragged(end, back);
    }

    /// Loads fewer bytes than a word, possibly all from one word.
    fn load_ragged(&self, from: usize, to: &mut [u8]) {
        let (first, end) = self.words();
        let mut at = from;
        while at < from + to.len() {
            let out = &mut to[at - from..];
            if at < first || at >= end {
                out[0] = self.byte(at).load(Ordering::Relaxed); // Relaxed: see above.
                at += 1;
                continue;
            }
            let skip = (at - first) % WORD;
            let part = (WORD - skip).min(out.len());
            // Relaxed: see above.
            let word = self.word(at - skip).load(Ordering::Relaxed).to_ne_bytes();
            out[..part].copy_from_slice(&word[skip..skip + part]);
            at += part;
        }
    }

    /// Like [`Piece::load_ragged`], for storing.
    fn store_ragged(&self, to: usize, bytes: &[u8]) {
        let (first, end) = self.words();
        let mut at = to;
        while at < to + bytes.len() {
            let from = &bytes[at - to..];
            if at < first || at >= end {
                self.byte(at).store(from[0], Ordering::Relaxed); // Relaxed: see above.
                at += 1;
                continue;
            }
            let skip = (at - first) % WORD;
            let part = (WORD - skip).min(from.len());
            let place = self.word(at - skip);
            // Relaxed: see above; nobody else writes the word between load and store.
            let mut word = place.load(Ordering::Relaxed).to_ne_bytes();
            word[skip..skip + part].copy_from_slice(&from[..part]);
            place.store(u64::from_ne_bytes(word), Ordering::Relaxed);
            at += part;
        }
    }
}
