//! State of files, directories and open handles.

use std::collections::{BTreeSet, HashMap};

use super::{ATTRIBUTE_BYTES, BLOCK_BYTES, FileError, INLINE_BYTES_MAX};

/// The number of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inode(pub u64);

impl Inode {
    /// The root directory, with the number that FUSE gives it.
    pub const ROOT: Self = Self(1);
}

/// The number of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

/// The externally visible attributes of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    pub inode: Inode,
    pub is_directory: bool,
    /// Size of a file's data, including unflushed bytes; 0 for a directory.
    pub bytes: u64,
}

/// A file or directory.
#[derive(Debug)]
pub(super) struct Node {
    /// Where its row is. `None` for the root and for a file unlinked while open.
    pub link: Option<Link>,
    /// Number of open handles.
    pub handles: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub parent: Inode,
    pub key: u64,
    pub name_bytes: u32,
}

#[derive(Debug)]
pub(super) enum Kind {
    Directory(HashMap<Box<[u8]>, Inode>),
    File(Extent),
}

/// The sizes of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// The size as seen through handles.
    pub bytes: u64,
    /// The size recorded in the row. Only writes happen between flushes, so it never exceeds
    /// `bytes`.
    pub stored_bytes: u64,
}

/// An open file.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub inode: Inode,
    /// Whether it was written to since the last flush.
    pub changed: bool,
    /// Blocks whose stored value the handle has read.
    pub held: BTreeSet<u64>,
    /// Blocks written to since the last flush; not tracked for a file that stays inline.
    pub changed_blocks: BTreeSet<u64>,
}

impl Node {
    pub(super) fn root() -> Self {
        Self { link: None, handles: 0, kind: Kind::Directory(HashMap::new()) }
    }

    pub(super) fn file(&self) -> Result<&Extent, FileError> {
        match &self.kind {
            Kind::File(extent) => Ok(extent),
            Kind::Directory(_) => Err(FileError::IsADirectory),
        }
    }

    pub(super) fn file_mut(&mut self) -> Result<&mut Extent, FileError> {
        match &mut self.kind {
            Kind::File(extent) => Ok(extent),
            Kind::Directory(_) => Err(FileError::IsADirectory),
        }
    }

    pub(super) fn directory(&self) -> Result<&HashMap<Box<[u8]>, Inode>, FileError> {
        match &self.kind {
            Kind::Directory(entries) => Ok(entries),
            Kind::File(_) => Err(FileError::NotADirectory),
        }
    }

    /// Size of its stored row, given a name of this many bytes.
    pub(super) fn row_bytes(&self, name_bytes: u32) -> u32 {
        let inline = match &self.kind {
            Kind::File(extent) if !extent.has_blocks() => extent.stored_bytes as u32,
            _ => 0,
        };
        ATTRIBUTE_BYTES + name_bytes + inline
    }
}

impl Extent {
    /// Whether the stored data is in blocks instead of the row.
    pub(super) const fn has_blocks(self) -> bool {
        self.stored_bytes > INLINE_BYTES_MAX
    }

    /// The number of stored blocks.
    pub(super) const fn blocks(self) -> u64 {
        if self.has_blocks() { self.stored_bytes.div_ceil(BLOCK_BYTES) } else { 0 }
    }
}
