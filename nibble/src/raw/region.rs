//! Object memory as one mapping of blocks. Only here do numbers become pointers.

use std::io;

#[cfg(not(loom))]
use platform::Mapping;
use platform::Pages;

use crate::address::{BlockId, VirtualAddress};
use crate::segment::Run;

use super::bytes::Byte;
#[cfg(loom)]
use super::bytes::Mapping;

/// The most lines of an object to prefetch; for longer objects the processor's own prefetchers take
/// over.
const LINES_AHEAD: u64 = 17;

/// The mapping that holds all objects.
#[derive(Debug)]
pub(crate) struct Region {
    mapping: Mapping,
    base: u64,
    blocks: u32,
    block_shift: u32,
}

impl Region {
    /// Maps `blocks` blocks of `1 << block_shift` bytes, untouched.
    pub(crate) fn map(blocks: u32, block_shift: u32, pages: Pages) -> io::Result<Self> {
        let bytes = (blocks as usize) << block_shift;
        let mapping = Mapping::anonymous(bytes, pages)
            .map_err(|error| refused("object memory", bytes as u64, &error))?;
        let base = mapping.start().addr().get() as u64;
        assert!(base + mapping.bytes() as u64 <= 1 << 48, "user space ends below 2^48");
        Ok(Self { mapping, base, blocks, block_shift })
    }

    #[inline]
    pub(crate) fn block_bytes(&self) -> u64 {
        1 << self.block_shift
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.blocks) << self.block_shift
    }

    /// How many blocks `bytes` need.
    #[inline]
    pub(crate) fn blocks_for(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.block_bytes())
    }

    /// Requests pages of a memory node for a run of blocks.
    pub(crate) fn bind(&self, run: Run, node: usize) -> io::Result<()> {
        let offset = (run.start as usize) << self.block_shift;
        self.mapping.bind(offset, (run.blocks as usize) << self.block_shift, node)
    }

    /// How many bytes are on 2 MiB pages now.
    pub(crate) fn huge_bytes(&self) -> io::Result<u64> {
        self.mapping.huge_bytes()
    }

    /// Makes all of it resident.
    pub(crate) fn populate(&self) {
        self.mapping.populate(0, self.bytes() as usize);
    }

    /// Returns the pages of free blocks to the system.
    pub(crate) fn discard(&self, run: Run) {
        let offset = (run.start as usize) << self.block_shift;
        self.mapping.discard(offset, (run.blocks as usize) << self.block_shift);
    }

    /// The first address.
    pub(crate) fn start(&self) -> VirtualAddress {
        VirtualAddress::new(self.base)
    }

    /// The address at `offset` in a block.
    #[inline]
    pub(crate) fn address(&self, block: BlockId, offset: u64) -> VirtualAddress {
        debug_assert!(block.0 < self.blocks && offset < self.block_bytes());
        VirtualAddress::new(self.base + (u64::from(block.0) << self.block_shift) + offset)
    }

    /// The block that contains an address, and the offset in it.
    #[inline]
    pub(crate) fn locate(&self, address: VirtualAddress) -> (BlockId, u64) {
        let offset = address.raw() - self.base;
        (BlockId((offset >> self.block_shift) as u32), offset & (self.block_bytes() - 1))
    }

    /// The bytes from `address` to the end of its block, as a pointer and a length.
    #[inline]
    pub(super) fn pointer_to(&self, address: VirtualAddress) -> (*mut Byte, usize) {
        let offset = address.raw().wrapping_sub(self.base);
        assert!(offset < self.bytes(), "{address:?} is not in object memory");
        let left = self.block_bytes() - (offset & (self.block_bytes() - 1));
        // SAFETY: `offset` is inside the mapping, asserted above.
        let start = unsafe { self.mapping.start().add(offset as usize) };
        (start.as_ptr(), left as usize)
    }

    /// Prefetches the lines of `bytes` bytes from `address` on within its block, for writing.
    #[inline]
    pub(crate) fn prefetch_to_write(&self, address: VirtualAddress, bytes: usize) {
        let (start, left) = self.pointer_to(address);
        for offset in (0..bytes.min(left)).step_by(64) {
            prefetch_to_write(start.wrapping_add(offset).cast());
        }
    }

    /// Prefetches the lines of `bytes` bytes from `address` on; harmless, whatever the address. As many
    /// lines for every address, because a number that varies cannot be predicted.
    #[inline(always)]
    pub(crate) fn prefetch_lines(&self, address: VirtualAddress, bytes: usize) {
        let last = (bytes as u64).saturating_sub(1);
        self.prefetch(address);
        if last > 64 {
            self.prefetch_between(address, last.min(LINES_AHEAD * 64));
        }
        self.prefetch(address.ahead(last));
    }

    /// The lines that begin less than `end` bytes behind `address`, but for its own.
    #[inline(never)]
    fn prefetch_between(&self, address: VirtualAddress, end: u64) {
        let mut ahead = 64;
        while ahead < end {
            self.prefetch(address.ahead(ahead));
            ahead += 64;
        }
    }

    /// Prefetches the line at `address`; harmless, whatever the address.
    #[inline]
    pub(crate) fn prefetch(&self, address: VirtualAddress) {
        let offset = address.raw().wrapping_sub(self.base) as usize;
        prefetch(self.mapping.start().as_ptr().cast::<u8>().wrapping_add(offset));
    }
}

/// The system's error about a mapping, with what it is for and its size.
pub(super) fn refused(what: &str, bytes: u64, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{bytes} bytes of address space for {what}: {error}"))
}

#[inline]
fn prefetch_to_write(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch writes nothing and never faults.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Prefetches a line.
#[inline]
pub(super) fn prefetch(line: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing and never faults.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}
