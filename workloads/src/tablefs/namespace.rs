//! Name operations: lookup, create, remove, rename.

use std::collections::HashMap;

use super::node::{Extent, Kind, Link, Node};
use super::{Attributes, FileError, Handle, Inode, NAME_BYTES_MAX, TableFs, block_key, row_key};
use crate::trace::OperationKind::{Delete, Get, Put};

impl TableFs {
    /// Looks up `name` in `parent`; `None` if it does not exist.
    ///
    /// # Errors
    /// If `parent` is not a directory or the name is impossible in any file system.
    pub fn lookup(&mut self, parent: Inode, name: &[u8]) -> Result<Option<Attributes>, FileError> {
        let found = self.child(parent, name)?;
        match found {
            None => self.emit(Get, row_key(parent, name), 0),
            Some(inode) => self.emit_row_of_file(inode),
        }
        Ok(found.and_then(|inode| self.attributes(inode)))
    }

    /// The attributes of `inode` known without asking the store; `None` if it does not exist.
    #[must_use]
    pub fn attributes(&self, inode: Inode) -> Option<Attributes> {
        let node = self.nodes.get(&inode)?;
        Some(match &node.kind {
            Kind::Directory(_) => Attributes { inode, is_directory: true, bytes: 0 },
            Kind::File(extent) => Attributes { inode, is_directory: false, bytes: extent.bytes },
        })
    }

    /// Reads the attributes of `inode`, from its row unless a handle holds that.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn stat(&mut self, inode: Inode) -> Result<Attributes, FileError> {
        if self.node(inode)?.handles == 0 {
            self.emit_row_of_file(inode);
        }
        self.attributes(inode).ok_or(FileError::NotFound)
    }

    /// The entries of a directory, sorted by name.
    ///
    /// # Errors
    /// If it is not a directory.
    pub fn entries(&self, directory: Inode) -> Result<Vec<(&[u8], Inode)>, FileError> {
        let entries = self.node(directory)?.directory()?;
        let mut sorted: Vec<_> = entries.iter().map(|(name, inode)| (&**name, *inode)).collect();
        sorted.sort_unstable();
        Ok(sorted)
    }

    /// Makes an empty file and opens it.
    ///
    /// # Errors
    /// If the name is taken or impossible, or `parent` is not a directory.
    pub fn create(&mut self, parent: Inode, name: &[u8]) -> Result<(Inode, Handle), FileError> {
        let inode = self.make(parent, name, Kind::File(Extent::default()))?;
        Ok((inode, self.add_handle(inode)))
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn mkdir(&mut self, parent: Inode, name: &[u8]) -> Result<Inode, FileError> {
        self.make(parent, name, Kind::Directory(HashMap::new()))
    }

    /// Removes a file's name. Open handles stay usable.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn unlink(&mut self, parent: Inode, name: &[u8]) -> Result<(), FileError> {
        let inode = self.child(parent, name)?.ok_or(FileError::NotFound)?;
        self.node(inode)?.file()?;
        self.emit(Delete, row_key(parent, name), 0);
        self.remove_entry(parent, name);
        self.drop_file(inode);
        Ok(())
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// If there is no such directory or it is not empty.
    pub fn rmdir(&mut self, parent: Inode, name: &[u8]) -> Result<(), FileError> {
        let inode = self.child(parent, name)?.ok_or(FileError::NotFound)?;
        if !self.node(inode)?.directory()?.is_empty() {
            return Err(FileError::NotEmpty);
        }
        self.emit(Delete, row_key(parent, name), 0);
        self.remove_entry(parent, name);
        self.nodes.remove(&inode);
        Ok(())
    }

    /// Moves a file or directory to another name or parent. Replaces a file or an empty directory
    /// that has that name.
    ///
    /// # Errors
    /// If there is nothing to rename, or it cannot replace what has the new name.
    pub fn rename(
        &mut self,
        (parent, name): (Inode, &[u8]),
        (new_parent, new_name): (Inode, &[u8]),
    ) -> Result<(), FileError> {
        let inode = self.child(parent, name)?.ok_or(FileError::NotFound)?;
        let replaced = self.child(new_parent, new_name)?;
        if replaced == Some(inode) {
            return Ok(());
        }
        let is_directory = self.node(inode)?.directory().is_ok();
        if is_directory && self.is_within(new_parent, inode) {
            return Err(FileError::IntoItself);
        }
        if let Some(other) = replaced {
            match (is_directory, self.node(other)?.directory()) {
                (true, Ok(entries)) if !entries.is_empty() => return Err(FileError::NotEmpty),
                (true, Err(_)) => return Err(FileError::NotADirectory),
                (false, Ok(_)) => return Err(FileError::IsADirectory),
                _ => {}
            }
        }
        // The PUT below overwrites the replaced row; its blocks must be removed.
        if let Some(other) = replaced {
            self.remove_entry(new_parent, new_name);
            if is_directory {
                self.nodes.remove(&other);
            } else {
                self.drop_file(other);
            }
        }
        self.emit(Delete, row_key(parent, name), 0);
        self.remove_entry(parent, name);
        self.add_entry(new_parent, new_name, inode);
        Ok(())
    }

    pub(super) fn node(&self, inode: Inode) -> Result<&Node, FileError> {
        self.nodes.get(&inode).ok_or(FileError::NotFound)
    }

    /// The inode of this name, without asking the store.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn child(&self, parent: Inode, name: &[u8]) -> Result<Option<Inode>, FileError> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(FileError::Name);
        }
        Ok(self.node(parent)?.directory()?.get(name).copied())
    }

    fn make(&mut self, parent: Inode, name: &[u8], kind: Kind) -> Result<Inode, FileError> {
        if self.child(parent, name)?.is_some() {
            return Err(FileError::Exists);
        }
        self.inodes += 1;
        let inode = Inode(self.inodes);
        self.nodes.insert(inode, Node { link: None, handles: 0, kind });
        self.add_entry(parent, name, inode);
        Ok(inode)
    }

    /// Adds `inode`, which has no name, under a free name, and stores its row.
    fn add_entry(&mut self, parent: Inode, name: &[u8], inode: Inode) {
        let link = Link { parent, key: row_key(parent, name), name_bytes: name.len() as u32 };
        if let Some(Kind::Directory(entries)) =
            self.nodes.get_mut(&parent).map(|node| &mut node.kind)
        {
            entries.insert(name.into(), inode);
        }
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.link = Some(link);
            let row_bytes = node.row_bytes(link.name_bytes);
            self.emit(Put, link.key, row_bytes);
        }
    }

    fn remove_entry(&mut self, parent: Inode, name: &[u8]) {
        if let Some(Kind::Directory(entries)) =
            self.nodes.get_mut(&parent).map(|node| &mut node.kind)
        {
            entries.remove(name);
        }
    }

    /// Removes the blocks of a file without a name, and the file itself unless it is open.
    fn drop_file(&mut self, inode: Inode) {
        let Some(node) = self.nodes.get_mut(&inode) else { return };
        node.link = None;
        let blocks = node.file().map_or(0, |extent| extent.blocks());
        if node.handles == 0 {
            self.nodes.remove(&inode);
        }
        for block in 0..blocks {
            self.emit(Delete, block_key(inode, block), 0);
        }
    }

    /// Emits the GET of a linked file's row; nothing for a directory.
    pub(super) fn emit_row_of_file(&mut self, inode: Inode) {
        let Some(node) = self.nodes.get(&inode) else { return };
        if let (Some(link), Kind::File(_)) = (node.link, &node.kind) {
            let row_bytes = node.row_bytes(link.name_bytes);
            self.emit(Get, link.key, row_bytes);
        }
    }

    /// Whether `inode` is `ancestor` or one of its descendants.
    fn is_within(&self, mut inode: Inode, ancestor: Inode) -> bool {
        while inode != ancestor {
            match self.nodes.get(&inode).and_then(|node| node.link) {
                Some(link) => inode = link.parent,
                None => return false,
            }
        }
        true
    }
}
