//! Files as rows of a key-value store, in the style of TableFS (Ren and Gibson, 2013).
//!
//! A pure state machine: file operations go in, and the key-value operations they cost come out. It
//! keeps no contents; whoever serves a real file system keeps those separately.
//!
//! | file operation | key-value operations |
//! |---|---|
//! | lookup of a file or an absent name | GET of the row; it misses for an absent name |
//! | lookup of a directory | none: the kernel's cache of directory entries answers |
//! | create, mkdir | PUT of the row, without data |
//! | open; stat of a file that is not open | GET of the row, which an open handle then holds |
//! | read | none for inline data; else a GET of each block, the first time per handle |
//! | write | a GET of each block that it changes in part and the handle does not hold; otherwise none |
//! | flush of a changed handle | PUT of the row with its data, or of the row and changed blocks |
//! | truncate, other changes of attributes | at once: GET (unless open) and PUT of the row, and of affected blocks |
//! | unlink, rmdir | DELETE of the row and its blocks |
//! | rename | DELETE of the row, PUT of the row under its new key; blocks are untouched |
//!
//! **Rows.** The key is made from the number of the parent directory and the hash of the name. The
//! value holds [`ATTRIBUTE_BYTES`], the name, and the data of files of at most
//! [`INLINE_BYTES_MAX`]. Larger files keep all their data in blocks of [`BLOCK_BYTES`], with keys
//! made from the file's number and the block's. Holes are stored as zeros.
//!
//! **Caches.** Directory entries of directories are assumed to be cached for ever, those of files
//! never: a path has few, hot directories, and the files are what is measured.

mod data;
mod error;
mod namespace;
mod node;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

pub use error::FileError;
pub use node::{Attributes, Handle, Inode};
use node::{Node, OpenFile};

use crate::trace::{Operation, OperationKind, key_of_bytes};

/// Size of a file's attributes in its row: that of a `struct stat`.
pub const ATTRIBUTE_BYTES: u32 = 144;
/// The largest file whose data is stored in its row, in bytes.
pub const INLINE_BYTES_MAX: u64 = 4096;
/// Block size of larger files; the last block may be shorter.
pub const BLOCK_BYTES: u64 = 4096;
/// The longest name, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
/// The largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 30;

/// A tree of files and directories, and the key-value operations it has produced.
///
/// ```
/// use workloads::tablefs::{Inode, TableFs};
/// use workloads::trace::OperationKind::{Get, Put};
///
/// let mut files = TableFs::new();
/// assert!(files.lookup(Inode::ROOT, b"1").unwrap().is_none());
/// let (_, handle) = files.create(Inode::ROOT, b"1").unwrap();
/// files.write(handle, 0, 500).unwrap();
/// files.flush(handle).unwrap();
/// files.release(handle).unwrap();
/// let seen: Vec<_> =
///     std::iter::from_fn(|| files.next_operation()).map(|o| (o.kind, o.value_bytes)).collect();
/// assert_eq!(seen, [(Get, 0), (Put, 145), (Put, 645)]);
/// ```
#[derive(Debug)]
pub struct TableFs {
    nodes: HashMap<Inode, Node>,
    open: HashMap<Handle, OpenFile>,
    /// Numbers are never reused: a kernel may hold on to them for long.
    inodes: u64,
    handles: u64,
    operations: VecDeque<Operation>,
}

impl TableFs {
    /// An empty root directory, which has no row.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: HashMap::from([(Inode::ROOT, Node::root())]),
            open: HashMap::new(),
            inodes: Inode::ROOT.0,
            handles: 0,
            operations: VecDeque::new(),
        }
    }

    /// Takes the oldest pending key-value operation. Its time is 0; a caller with a clock sets it.
    pub fn next_operation(&mut self) -> Option<Operation> {
        self.operations.pop_front()
    }

    fn emit(&mut self, kind: OperationKind, key: u64, value_bytes: u32) {
        self.operations.push_back(Operation { time_ns: 0, kind, key, value_bytes, key_bytes: 0 });
    }
}

impl Default for TableFs {
    fn default() -> Self {
        Self::new()
    }
}

/// The key of the row of `name` in directory `parent`.
#[must_use]
pub fn row_key(parent: Inode, name: &[u8]) -> u64 {
    key_of_words([parent.0, key_of_bytes(name)])
}

/// The key of a block of a file; blocks are counted from 0.
#[must_use]
pub fn block_key(inode: Inode, block: u64) -> u64 {
    // The third word keeps block keys distinct from row keys.
    key_of_words([inode.0, block, 1])
}

fn key_of_words<const N: usize>(words: [u64; N]) -> u64 {
    key_of_bytes(words.map(u64::to_le_bytes).as_flattened())
}
