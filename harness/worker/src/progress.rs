//! The page a worker shares with its parent: the oracle's live bytes, one counter per thread, each on its
//! own cache line. The worker writes with plain stores; the parent reads at 20 Hz.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use platform::Mapping;
use platform::process::inheritable_memory_file;

/// Largest number of threads in a cell.
pub const THREADS_MAX: usize = 512;
const LINE_BYTES: usize = 64;
const PAGE_BYTES: usize = THREADS_MAX * LINE_BYTES;
const _: () = assert!(PAGE_BYTES.is_multiple_of(4096));

#[derive(Debug)]
pub struct ProgressPage {
    mapping: Mapping,
    file: Option<OwnedFd>,
}

impl ProgressPage {
    /// Creates a page that child processes inherit.
    ///
    /// # Errors
    /// The system's error.
    pub fn create() -> io::Result<Self> {
        let file = inheritable_memory_file(PAGE_BYTES)?;
        Ok(Self { mapping: Mapping::shared(file.as_fd(), PAGE_BYTES)?, file: Some(file) })
    }

    /// Maps the page behind an inherited descriptor.
    ///
    /// # Errors
    /// When the descriptor is not open.
    pub fn inherited(descriptor: RawFd) -> io::Result<Self> {
        let path = format!("/proc/self/fd/{descriptor}");
        let file = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { mapping: Mapping::shared(file.as_fd(), PAGE_BYTES)?, file: None })
    }

    /// The descriptor's number, for the child's command line.
    #[must_use]
    pub fn descriptor(&self) -> Option<RawFd> {
        self.file.as_ref().map(|file| BorrowedFd::as_raw_fd(&file.as_fd()))
    }

    /// Thread `thread`'s counter of live bytes. Only that thread writes it.
    ///
    /// # Panics
    /// For a thread number of [`THREADS_MAX`] or more.
    #[must_use]
    pub fn counter(&self, thread: usize) -> &AtomicU64 {
        assert!(thread < THREADS_MAX, "thread {thread} of at most {THREADS_MAX}");
        // SAFETY: the offset is inside the page (asserted).
        let counter = unsafe { self.mapping.start().add(thread * LINE_BYTES) };
        // SAFETY: 64-byte aligned, mapped for as long as `self` lives, and only ever accessed as
        // an atomic, by this and the other process.
        unsafe { counter.cast().as_ref() }
    }

    /// Live bytes of all threads. Counters of threads that free each other's objects may be negative
    /// (wrapped), but their sum is not, apart from the skew of reading them one after another.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        let sum = (0..THREADS_MAX)
            // Relaxed: a sample; nothing is ordered by it.
            .map(|thread| self.counter(thread).load(Ordering::Relaxed))
            .fold(0_u64, u64::wrapping_add);
        u64::try_from(sum.cast_signed()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_see_one_page() {
        let parent = ProgressPage::create().unwrap();
        let child = ProgressPage::inherited(parent.descriptor().unwrap()).unwrap();
        child.counter(0).store(100, Ordering::Relaxed);
        child.counter(63).store(7_u64.wrapping_neg(), Ordering::Relaxed);
        assert_eq!(parent.live_bytes(), 93);
    }
}
