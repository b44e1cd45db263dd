//! Data operations: open, read, write, flush, truncate.

use std::collections::BTreeSet;

use super::node::{Extent, OpenFile};
use super::{
    BLOCK_BYTES, FILE_BYTES_MAX, FileError, Handle, INLINE_BYTES_MAX, Inode, TableFs, block_key,
};
use crate::trace::OperationKind::{Delete, Get, Put};

impl TableFs {
    /// Opens a file, reading its row.
    ///
    /// # Errors
    /// If the file does not exist or is a directory.
    pub fn open(&mut self, inode: Inode) -> Result<Handle, FileError> {
        self.node(inode)?.file()?;
        self.emit_row_of_file(inode);
        Ok(self.add_handle(inode))
    }

    /// Reads up to `bytes` bytes from `offset` on.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn read(&mut self, handle: Handle, offset: u64, bytes: u64) -> Result<(), FileError> {
        let (inode, extent) = self.opened(handle)?;
        let end = offset.saturating_add(bytes).min(extent.stored_bytes);
        if extent.has_blocks() && offset < end {
            for block in offset / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES) {
                self.hold(handle, inode, extent, block);
            }
        }
        Ok(())
    }

    /// Writes `bytes` bytes from `offset` on. The store sees them when the handle is flushed.
    ///
    /// # Errors
    /// If there is no such handle or the file would become too large.
    pub fn write(&mut self, handle: Handle, offset: u64, bytes: u64) -> Result<(), FileError> {
        let (inode, extent) = self.opened(handle)?;
        let end = offset.checked_add(bytes).filter(|end| *end <= FILE_BYTES_MAX);
        let end = end.ok_or(FileError::TooLarge)?;
        if bytes == 0 {
            return Ok(());
        }
        let after = extent.bytes.max(end);
        if after > INLINE_BYTES_MAX {
            // Filling a hole writes it too, and so does moving inline data out of the row.
            let start = offset.min(extent.bytes_in_blocks());
            for block in start / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES) {
                let first = block * BLOCK_BYTES;
                let last = (first + BLOCK_BYTES).min(extent.stored_bytes);
                if extent.has_blocks() && first < last && (start > first || end < last) {
                    self.hold(handle, inode, extent, block);
                }
                if let Some(open) = self.open.get_mut(&handle) {
                    open.changed_blocks.insert(block);
                }
            }
        }
        if let Some(open) = self.open.get_mut(&handle) {
            open.changed = true;
        }
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.file_mut()?.bytes = after;
        }
        Ok(())
    }

    /// Stores what was written through the handle since its last flush.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn flush(&mut self, handle: Handle) -> Result<(), FileError> {
        let open = self.open.get_mut(&handle).ok_or(FileError::NotFound)?;
        if std::mem::take(&mut open.changed) {
            let (inode, changed) = (open.inode, std::mem::take(&mut open.changed_blocks));
            open.held.extend(&changed);
            self.store(inode, changed);
        }
        Ok(())
    }

    /// Closes the handle, flushing it first if needed.
    ///
    /// # Errors
    /// If there is no such handle.
    pub fn release(&mut self, handle: Handle) -> Result<(), FileError> {
        self.flush(handle)?;
        let open = self.open.remove(&handle).ok_or(FileError::NotFound)?;
        if let Some(node) = self.nodes.get_mut(&open.inode) {
            node.handles -= 1;
            if node.handles == 0 && node.link.is_none() {
                self.nodes.remove(&open.inode);
            }
        }
        Ok(())
    }

    /// Cuts or extends a file to `bytes` bytes and stores the change at once.
    ///
    /// # Errors
    /// If the file does not exist, is a directory, or would become too large.
    pub fn truncate(&mut self, inode: Inode, bytes: u64) -> Result<(), FileError> {
        let node = self.node(inode)?;
        let (linked, extent) = (node.link.is_some(), *node.file()?);
        if bytes > FILE_BYTES_MAX {
            return Err(FileError::TooLarge);
        }
        self.stat(inode)?;
        let mut changed = BTreeSet::new();
        if linked && let Some(block) = extent.block_cut_at(bytes) {
            self.emit(Get, block_key(inode, block), extent.block_bytes(block));
            changed.insert(block);
        }
        changed.extend(extent.bytes_in_blocks() / BLOCK_BYTES..bytes.div_ceil(BLOCK_BYTES));
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.file_mut()?.bytes = bytes;
        }
        self.store(inode, changed);
        Ok(())
    }

    /// Changes other attributes of a file or directory and stores the change at once.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn set_attributes(&mut self, inode: Inode) -> Result<(), FileError> {
        self.stat(inode)?;
        let node = self.node(inode)?;
        if let Some(link) = node.link {
            self.emit(Put, link.key, node.row_bytes(link.name_bytes));
        }
        Ok(())
    }

    pub(super) fn add_handle(&mut self, inode: Inode) -> Handle {
        self.handles += 1;
        let handle = Handle(self.handles);
        let (held, changed_blocks) = (BTreeSet::new(), BTreeSet::new());
        self.open.insert(handle, OpenFile { inode, changed: false, held, changed_blocks });
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.handles += 1;
        }
        handle
    }

    fn opened(&self, handle: Handle) -> Result<(Inode, Extent), FileError> {
        let inode = self.open.get(&handle).ok_or(FileError::NotFound)?.inode;
        Ok((inode, *self.node(inode)?.file()?))
    }

    /// Makes `handle` hold a stored block. Costs a GET unless the handle already holds it or the
    /// file was unlinked.
    fn hold(&mut self, handle: Handle, inode: Inode, extent: Extent, block: u64) {
        let linked = self.nodes.get(&inode).is_some_and(|node| node.link.is_some());
        let Some(open) = self.open.get_mut(&handle) else { return };
        if linked && !open.changed_blocks.contains(&block) && open.held.insert(block) {
            self.emit(Get, block_key(inode, block), extent.block_bytes(block));
        }
    }

    /// Stores the row of `inode` and the blocks in `changed`, and removes blocks beyond the end. An
    /// unlinked file has no row and stores nothing.
    fn store(&mut self, inode: Inode, changed: BTreeSet<u64>) {
        let Some(node) = self.nodes.get_mut(&inode) else { return };
        let Some(link) = node.link else { return };
        let (mut before, mut after) = (Extent::default(), Extent::default());
        if let Ok(extent) = node.file_mut() {
            before = *extent;
            extent.stored_bytes = extent.bytes;
            after = *extent;
        }
        let row_bytes = node.row_bytes(link.name_bytes);
        self.emit(Put, link.key, row_bytes);
        for block in changed.range(..after.blocks()) {
            self.emit(Put, block_key(inode, *block), after.block_bytes(*block));
        }
        for block in after.blocks()..before.blocks() {
            self.emit(Delete, block_key(inode, block), 0);
        }
    }
}

impl Extent {
    /// Bytes, including unflushed ones, that are or will be in blocks whatever the file's final
    /// size.
    const fn bytes_in_blocks(self) -> u64 {
        if self.bytes > INLINE_BYTES_MAX { self.bytes } else { 0 }
    }

    /// The stored block that is kept in part, extended, or moved into the row when the file is cut
    /// or extended to `bytes` bytes.
    fn block_cut_at(self, bytes: u64) -> Option<u64> {
        if !self.has_blocks() || bytes == 0 {
            return None;
        }
        let (end, stays) = (bytes.min(self.stored_bytes), bytes == self.stored_bytes);
        let in_part = !end.is_multiple_of(BLOCK_BYTES) && !stays;
        (in_part || bytes <= INLINE_BYTES_MAX).then(|| (end - 1) / BLOCK_BYTES)
    }

    /// Size of a stored block in bytes.
    fn block_bytes(self, block: u64) -> u32 {
        self.stored_bytes.saturating_sub(block * BLOCK_BYTES).min(BLOCK_BYTES) as u32
    }
}
