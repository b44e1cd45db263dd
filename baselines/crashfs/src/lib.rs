//! A file system whose power can be cut, for programs that are not changed.
//!
//! It is mounted by FUSE and keeps its files in memory, twice: as programs see them, and as a disk would have
//! them after a crash. What was not synchronised is a list of changes. After a number of requests that was
//! drawn before, the power fails: every request from then on is refused, and of the list a part survives.
//!
//! | module | what it holds |
//! |---|---|
//! | `tree` | files and folders as plain data |
//! | `change` | one change of them, as a disk may have it or not |
//! | `disk` | what programs see, what survives, and the moment at which the power fails |
//! | `failure` | which changes survive, and the fewest losses that explain a fault |
//! | `filesystem` | the kernel's requests |
//! | `mount` | mounts that go with their owner |
//!
//! ## What a crash keeps
//! As ext4, XFS and Btrfs do, names and lengths are in a journal: `fsync` of any file or folder makes all of
//! them durable that came before, in their order, but the contents of this file only. POSIX promises less.
//! Sectors of 512 bytes are never torn, and a sector has the writes of a prefix of its history. Otherwise
//! either any set of changes survives, or those before some moment ([`Order`]).
#![forbid(unsafe_code)]

mod change;
mod disk;
mod failure;
mod filesystem;
mod mount;
#[cfg(test)]
mod tests;
mod tree;

pub use disk::Disk;
pub use failure::{Failure, Kept, Order};
pub use mount::{MayNotMount, Mounted, detach, may_mount};
pub use tree::Tree;
