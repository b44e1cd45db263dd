//! Words that are reserved from front to back.

use std::io;

use kit::padded::Padded;
use platform::Pages;

use crate::sync::{AtomicU64, Ordering, Words};

/// A fixed number of words, some of them reserved.
#[derive(Debug)]
pub(super) struct Arena {
    words: Words,
    capacity: u64,
    /// The first word that nobody has reserved.
    used: Padded<AtomicU64>,
}

impl Arena {
    /// `words` words, of which the first `used` are not handed out.
    pub(super) fn new(words: u64, used: u64) -> io::Result<Self> {
        let length = usize::try_from(words).map_err(|_| io::ErrorKind::OutOfMemory)?;
        Ok(Self {
            words: Words::map(length, Pages::Huge, false)?,
            capacity: words,
            used: Padded(AtomicU64::new(used)),
        })
    }

    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        self.words.all()
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The end of what is reserved.
    #[inline]
    pub(super) fn used(&self) -> u64 {
        // Relaxed: what is reserved is read only where its header says that it is written.
        self.used.load(Ordering::Relaxed)
    }

    /// Reserves words; `None` if so many are not left. It never reserves a part, so no hole remains
    /// at the end.
    #[inline]
    pub(super) fn reserve(&self, words: u64) -> Option<u64> {
        let fits = |used: u64| used.checked_add(words).filter(|&end| end <= self.capacity);
        // Relaxed: it hands out numbers.
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()
    }
}
