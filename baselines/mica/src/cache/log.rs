//! The circular log of a partition.
//!
//! Items are appended at the tail; if there is no room, the head moves past the oldest ones. Items
//! contain no pointers back to the index. Of an item that the head has passed, only its sizes are
//! read, because they say where the next item begins.
//!
//! A reader other than the owner checks that an item does not dangle before *and* after copying it.
//! The tail is published before the bytes behind it are overwritten, so a copy with any overwritten
//! byte is detected (edge MICA-OVERWRITE).

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, PoisonError};

use platform::mapping::HUGE_PAGE_BYTES;
use platform::racy::{WORD_BYTES, copy_out};
use platform::{Mirrored, Pages};

use super::item::{HEADER_WORDS, Identity, Sizes};
use super::offsets::Offsets;
use super::writer::Writer;
use crate::Mode;

/// How much of the log's front is mapped again behind its end.
pub(crate) const OVERLAP_BYTES: usize = HUGE_PAGE_BYTES;
/// How many lines of an item are prefetched: those of 1 KiB at any alignment. For longer items the
/// processor's own prefetchers take over.
const LINES_AHEAD: usize = 17;

/// A log whose offsets have `BITS` bits.
#[derive(Debug)]
pub(crate) struct Log<const BITS: u32> {
    pub(super) memory: Mirrored,
    offsets: Offsets<BITS>,
    pub(super) tail: Tail,
    pub(super) owned: Owned,
}

/// Where the next item goes. On its own cache line, because every reader reads it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Tail {
    pub(super) offset: AtomicU64,
    /// Words of the item appended last: a guess for prefetching an item whose size is not known
    /// yet.
    pub(super) recent_words: AtomicU64,
}

/// State that only a [`Writer`] accesses.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Owned {
    lock: Mutex<()>,
    /// Offset of the oldest item.
    pub(super) head: AtomicU64,
    /// How many bytes from the front have been made resident.
    pub(super) ready_bytes: AtomicU64,
}

/// An item's header, as found by a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) identity: Identity,
    pub(crate) sizes: Sizes,
    /// Position of its first word.
    pub(super) at: usize,
}

impl<const BITS: u32> Log<BITS> {
    /// An empty log of `log_bytes`.
    pub(crate) fn open(log_bytes: u64, pages: Pages, resident: bool) -> io::Result<Self> {
        let bytes = usize::try_from(log_bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let memory = Mirrored::map(bytes, OVERLAP_BYTES, pages)?;
        if resident {
            memory.make_resident(0..bytes);
            memory.make_overlap_resident();
        }
        // Small pages become resident as they are touched.
        let ready_bytes = if resident || pages != Pages::Huge { log_bytes } else { 0 };
        let owned = Owned { ready_bytes: AtomicU64::new(ready_bytes), ..Owned::default() };
        Ok(Self { memory, offsets: Offsets::new(log_bytes), tail: Tail::default(), owned })
    }

    /// The arithmetic of its offsets.
    #[inline]
    pub(crate) fn offsets(&self) -> Offsets<BITS> {
        self.offsets
    }

    /// The offset of the next item.
    #[inline]
    pub(crate) fn tail(&self) -> u64 {
        // Relaxed: a thread that has an entry has synchronised with its writer, so this tail is
        // behind the item; for later tails see MICA-OVERWRITE.
        self.tail.offset.load(Ordering::Relaxed)
    }

    /// The offset of the oldest item; exact while writers are quiet.
    pub(crate) fn head(&self) -> u64 {
        // Relaxed: pairs with nothing; see above.
        self.owned.head.load(Ordering::Relaxed)
    }

    /// Whether the item at `offset` is overwritten or about to be.
    #[inline]
    pub(crate) fn dangles(&self, offset: u64) -> bool {
        self.offsets.dangles(self.tail(), offset)
    }

    /// Whether an item read from `offset` may have been overwritten in the meantime.
    #[inline]
    pub(crate) fn was_overwritten(&self, offset: u64) -> bool {
        // MICA-OVERWRITE, to: if a byte read came from an appender, its tail is seen below.
        fence(Ordering::Acquire);
        self.dangles(offset)
    }

    /// The header at `offset`; `None` if there is none, which happens with an offset that dangles.
    #[inline]
    pub(crate) fn find(&self, offset: u64) -> Option<Found> {
        let at = self.offsets.position(offset) / WORD_BYTES;
        let words = &self.memory.all()[at..at + HEADER_WORDS];
        // Relaxed: validated by the caller; see MICA-OVERWRITE and the version of the bucket.
        let [sizes, keyhash, key] =
            [0, 1, 2].map(|word: usize| words[word].load(Ordering::Relaxed));
        Some(Found { identity: Identity { keyhash, key }, sizes: Sizes::of(sizes)?, at })
    }

    /// Copies a value to `buffer`, as much as fits.
    #[inline]
    pub(crate) fn copy_value(&self, found: Found, buffer: &mut [u8]) {
        let words = found.at + HEADER_WORDS..found.at + found.sizes.item_bytes / WORD_BYTES;
        copy_out(&self.memory.all()[words], buffer);
    }

    /// Prefetches the item at `offset`, guessing its size.
    #[inline]
    pub(crate) fn prefetch(&self, offset: u64) {
        // Relaxed: a guess.
        let words = self.tail.recent_words.load(Ordering::Relaxed) as usize;
        let at = self.offsets.position(offset) / WORD_BYTES;
        self.memory.prefetch_lines(at, words.max(HEADER_WORDS), LINES_AHEAD);
    }

    /// Prefetches the header at `offset`.
    pub(crate) fn prefetch_header(&self, offset: u64) {
        let at = self.offsets.position(offset) / WORD_BYTES;
        self.memory.prefetch_lines(at, HEADER_WORDS, LINES_AHEAD);
    }

    /// The right to write: the owner always has it; other sessions have it one at a time.
    #[inline]
    pub(crate) fn writer<M: Mode>(&self) -> Writer<'_, M, BITS> {
        // What the lock guards changes only by steps that do not panic.
        let lock = || self.owned.lock.lock().unwrap_or_else(PoisonError::into_inner);
        Writer { log: self, _held: M::WRITERS_LOCK.then(lock), mode: PhantomData }
    }

    /// Size of the second view of the log's front.
    pub(crate) fn overlap_bytes(&self) -> u64 {
        self.memory.overlap_bytes() as u64
    }

    /// How much of the log is on 2 MiB pages now, if the system tells.
    pub(crate) fn huge_bytes(&self) -> Option<u64> {
        self.memory.huge_bytes()
    }
}
