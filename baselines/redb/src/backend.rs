//! Where redb's pages are: a backend of its own, whose length is known outside, and which waits for the
//! device or not.

use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::{BackendError, StorageBackend};

/// How long a database is, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Length(Arc<AtomicU64>);

impl Length {
    pub(crate) fn bytes(&self) -> u64 {
        // Relaxed: a figure.
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, bytes: u64) {
        // Relaxed: as above.
        self.0.store(bytes, Ordering::Relaxed);
    }
}

/// The backend `below`.
#[derive(Debug)]
pub(crate) struct Backend<B> {
    below: B,
    length: Length,
    /// Whether a commit waits until the device has its pages. The system has them in any case.
    synchronises: bool,
}

impl<B: StorageBackend> Backend<B> {
    pub(crate) fn new(below: B, synchronises: bool) -> io::Result<Self> {
        let length = Length::default();
        length.set(below.len()?);
        Ok(Self { below, length, synchronises })
    }

    pub(crate) fn length(&self) -> Length {
        self.length.clone()
    }
}

impl<B: StorageBackend> StorageBackend for Backend<B> {
    fn len(&self) -> io::Result<u64> {
        self.below.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.below.read(offset, out)
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.below.set_len(bytes)?;
        self.length.set(bytes);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.synchronises { self.below.sync_data() } else { Ok(()) }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.below.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.below.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.below.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below.query_lock_range(start, end)
    }
}
