//! Emptying the processor's cache of translations (TLB) on request, as a switch of page tables without
//! tags does.
//!
//! User code cannot do that, but the kernel does it where many translations become wrong at once: from 33
//! pages on it flushes all, rather than page by page.

use std::io;

use rustix::mm::{MprotectFlags, mprotect};

use crate::mapping::PAGE_BYTES;
use crate::{Mapping, Pages};

/// More than the kernel flushes one by one.
const FLUSHED_PAGES: usize = 64;

/// Pages whose protection is changed to have everything flushed.
#[derive(Debug)]
pub struct Flusher {
    mapping: Mapping,
}

impl Flusher {
    /// Allocates the pages.
    ///
    /// # Errors
    /// The system's error.
    pub fn new() -> io::Result<Self> {
        let mapping = Mapping::anonymous(FLUSHED_PAGES * PAGE_BYTES, Pages::Small)?;
        mapping.populate(0, mapping.bytes());
        Ok(Self { mapping })
    }

    /// Flushes the translations of this core: rights are taken from the pages, which makes what the
    /// processor knows of them wrong, and given back, which does not.
    ///
    /// # Errors
    /// The system's error.
    pub fn flush(&mut self) -> io::Result<()> {
        self.protect(MprotectFlags::READ)?;
        self.protect(MprotectFlags::READ | MprotectFlags::WRITE)
    }

    fn protect(&self, flags: MprotectFlags) -> io::Result<()> {
        let (start, bytes) = (self.mapping.start().as_ptr().cast(), self.mapping.bytes());
        // SAFETY: exactly the pages of this value, which nobody reads or writes.
        unsafe { mprotect(start, bytes, flags) }?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_writable_again_after_a_flush() {
        let mut flusher = Flusher::new().unwrap();
        for _ in 0..3 {
            flusher.flush().unwrap();
            // A fault would end this test.
            flusher.mapping.populate(0, flusher.mapping.bytes());
        }
    }
}
