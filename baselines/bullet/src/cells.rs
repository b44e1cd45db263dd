//! How the code that both tables share reads and writes words: of DRAM, of persistent memory as it is,
//! or within a transaction.

use std::sync::atomic::Ordering;

use platform::persist::{Region, Touched};
use platform::racy::Words;

/// Words by address.
pub(crate) trait Cells {
    fn read(&mut self, at: u64) -> u64;
    fn write(&mut self, at: u64, value: u64);
}

/// Words of DRAM.
#[derive(Debug)]
pub(crate) struct Dram<'a>(pub(crate) &'a Words);

impl Cells for Dram<'_> {
    #[inline]
    fn read(&mut self, at: u64) -> u64 {
        // Relaxed: locks order accesses; readers without locks check a version.
        self.0.all()[at as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn write(&mut self, at: u64, value: u64) {
        // Relaxed: as above.
        self.0.all()[at as usize].store(value, Ordering::Relaxed);
    }
}

/// Words of persistent memory, written where they are and not flushed.
#[derive(Debug)]
pub(crate) struct Direct<'a> {
    pub(crate) region: &'a Region,
    pub(crate) touched: &'a mut Touched,
}

impl Cells for Direct<'_> {
    #[inline]
    fn read(&mut self, at: u64) -> u64 {
        self.region.charge(self.touched, at, 1);
        self.region.load(at)
    }

    #[inline]
    fn write(&mut self, at: u64, value: u64) {
        self.region.store(at, value);
    }
}
