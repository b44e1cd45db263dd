//! Copies bytes into and out of object memory, block by block.

use super::{Memory, Protection, bytes as ptr, routine};
use crate::address::VirtualAddress;

impl Memory {
    /// Copies out the bytes at `address`; they may continue in the next blocks of the segment.
    #[inline]
    pub(super) fn read<P: Protection>(
        &self,
        mut address: VirtualAddress,
        mut to: &mut [u8],
        _stays: &P,
    ) {
        loop {
            let (from, left) = self.region.pointer_to(address);
            let bytes = left.min(to.len());
            // SAFETY: `left` bytes from `from` are inside the region and `bytes` is at most as
            // much; `to` is ours alone; by `Protection` nobody writes the source meanwhile.
            unsafe { ptr::copy_nonoverlapping(from, to.as_mut_ptr(), bytes) };
            if bytes == to.len() {
                return;
            }
            to = &mut to[bytes..];
            address = self.next_block(address);
        }
    }

    /// Copies `from` into object memory, starting at `address`.
    ///
    /// The caller must have reserved these bytes and not yet published them.
    #[inline]
    pub(super) fn write(&self, mut address: VirtualAddress, mut from: &[u8]) {
        loop {
            let (to, left) = self.region.pointer_to(address);
            let bytes = left.min(from.len());
            // SAFETY: `left` bytes from `to` are inside the region and `bytes` is at most as
            // much; they are reserved for the caller, so nobody else reads or writes them.
            unsafe { routine::copy(self.routine, from.as_ptr(), to, bytes) };
            if bytes == from.len() {
                return;
            }
            from = &from[bytes..];
            address = self.next_block(address);
        }
    }

    /// Copies `bytes` bytes from one place in object memory to another, which the caller has
    /// reserved.
    pub(super) fn move_bytes<P: Protection>(
        &self,
        mut from: VirtualAddress,
        mut to: VirtualAddress,
        mut bytes: usize,
        _stays: &P,
    ) {
        while bytes > 0 {
            let (source, source_left) = self.region.pointer_to(from);
            let (target, target_left) = self.region.pointer_to(to);
            let step = bytes.min(source_left).min(target_left);
            // SAFETY: both ranges are inside the region; the target is reserved for the caller,
            // so it is disjoint from every published object; the source stays by `Protection`.
            unsafe { routine::copy(self.routine, source, target, step) };
            bytes -= step;
            if bytes > 0 {
                from = self.after(from, step, source_left);
                to = self.after(to, step, target_left);
            }
        }
    }

    fn after(&self, address: VirtualAddress, step: usize, left: usize) -> VirtualAddress {
        if step == left {
            self.next_block(address)
        } else {
            VirtualAddress::new(address.raw() + step as u64)
        }
    }

    pub(super) fn next_block(&self, address: VirtualAddress) -> VirtualAddress {
        let (block, _) = self.region.locate(address);
        self.region.address(self.blocks.next(block), 0)
    }

    /// The address `bytes` bytes after `address` in the same segment. Something must be there.
    #[inline]
    pub(super) fn skip(&self, address: VirtualAddress, mut bytes: u64) -> VirtualAddress {
        let (mut block, mut offset) = self.region.locate(address);
        let block_bytes = self.region.block_bytes();
        bytes += offset;
        while bytes >= block_bytes {
            bytes -= block_bytes;
            block = self.blocks.next(block);
        }
        offset = bytes;
        self.region.address(block, offset)
    }
}
