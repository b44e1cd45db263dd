//! What is known of a file, a directory and an open handle.

use std::collections::{BTreeSet, HashMap};

use super::{ATTRIBUTE_BYTES, BLOCK_BYTES, FileError, INLINE_BYTES_MAX};

/// The number of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inode(pub u64);

impl Inode {
    /// The root directory; the number that FUSE gives it.
    pub const ROOT: Self = Self(1);
}

/// The number of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

/// What a file or directory is, for the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Its number.
    pub inode: Inode,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Bytes of a file's data, unflushed ones included; 0 for a directory.
    pub bytes: u64,
}

/// A file or directory.
#[derive(Debug)]
pub(super) struct Node {
    /// Where its row is. None: the root, or a file that was unlinked while open.
    pub link: Option<Link>,
    /// Handles that have it open.
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
    /// As seen through handles.
    pub bytes: u64,
    /// As the row says it. Only writes and flushes lie between the two, so never more than
    /// `bytes`.
    pub stored_bytes: u64,
}

/// An open file.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub inode: Inode,
    /// Written to since the last flush.
    pub changed: bool,
    /// Blocks whose stored value it has read.
    pub held: BTreeSet<u64>,
    /// Blocks written to since the last flush; those of a file that stays inline are not listed.
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

    /// Bytes of its row as stored, had it this many bytes of name.
    pub(super) fn row_bytes(&self, name_bytes: u32) -> u32 {
        let inline = match &self.kind {
            Kind::File(extent) if !extent.has_blocks() => extent.stored_bytes as u32,
            _ => 0,
        };
        ATTRIBUTE_BYTES + name_bytes + inline
    }
}

impl Extent {
    /// Whether the stored data is in blocks, not in the row.
    pub(super) const fn has_blocks(self) -> bool {
        self.stored_bytes > INLINE_BYTES_MAX
    }

    /// How many blocks are stored.
    pub(super) const fn blocks(self) -> u64 {
        if self.has_blocks() { self.stored_bytes.div_ceil(BLOCK_BYTES) } else { 0 }
    }
}
