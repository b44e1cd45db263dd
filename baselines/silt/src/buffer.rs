//! Memory at addresses that direct I/O takes.

/// Direct I/O reads and writes whole pages, at addresses and places that are multiples of one.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Bytes that begin at a multiple of [`PAGE_BYTES`]. They may move only when it grows.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// Zeros, a whole number of pages.
    pub(crate) fn new(length: usize) -> Self {
        let length = length.next_multiple_of(PAGE_BYTES);
        let bytes = vec![0; length + PAGE_BYTES];
        let address = bytes.as_ptr().addr();
        let start = address.next_multiple_of(PAGE_BYTES) - address;
        Self { bytes, start, length }
    }

    /// The first `length` bytes; it grows if it has fewer, and loses what it holds then.
    pub(crate) fn first(&mut self, length: usize) -> &mut [u8] {
        if self.length < length {
            *self = Self::new(length);
        }
        &mut self.bytes[self.start..self.start + length]
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}
