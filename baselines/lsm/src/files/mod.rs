//! Every call to files, as a trait: tests put a backend below the store that forgets what was not
//! synced, or has no space left.
//!
//! All names are those of files in one folder. A file's name is durable when the folder is synced,
//! its bytes when the file is.

mod disk;

use std::fmt::Debug;
use std::io;
use std::path::Path;

pub use disk::Disk;

/// A folder of files.
pub trait Files: Send + Sync + Debug {
    /// Creates an empty file for writing and reading, in place of any that has the name.
    ///
    /// # Errors
    /// What the system says; likewise below.
    fn create(&self, name: &str) -> io::Result<Box<dyn File>>;

    /// Opens a file for reading.
    ///
    /// # Errors
    /// See [`create`](Self::create).
    fn open(&self, name: &str) -> io::Result<Box<dyn File>>;

    /// Gives a file another name, in place of any that has it.
    ///
    /// # Errors
    /// See [`create`](Self::create).
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file's name; who has it open may go on.
    ///
    /// # Errors
    /// See [`create`](Self::create).
    fn remove(&self, name: &str) -> io::Result<()>;

    /// The names of all files, in any order.
    ///
    /// # Errors
    /// See [`create`](Self::create).
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes all names durable: what was created, renamed and removed before.
    ///
    /// # Errors
    /// See [`create`](Self::create).
    fn sync_folder(&self) -> io::Result<()>;

    /// Space that the files take, in bytes.
    fn bytes(&self) -> u64;

    /// Whether they are in memory.
    fn is_in_memory(&self) -> bool;

    /// The folder of the system that holds them; `None` where there is none.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// An open file.
pub trait File: Send + Sync + Debug {
    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// What the system says; a part may be written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::UnexpectedEof`] if the file ends before.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Makes the file's bytes durable.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&self) -> io::Result<()>;

    /// The file's length, in bytes.
    ///
    /// # Errors
    /// What the system says.
    fn bytes(&self) -> io::Result<u64>;
}
