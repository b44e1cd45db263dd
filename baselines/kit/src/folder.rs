//! A private folder that goes with its owner.
//!
//! A folder is removed when it is dropped. One whose process was killed stays behind, so each that
//! is created first removes those that nobody holds: an owner has a lock on its folder, and the
//! system releases it when the process ends, in whatever way.

mod fit;

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{StatFs, statfs};

pub use fit::{Unfit, fit_for_files, is_empty};

/// How often others may get in the way before the last error is reported.
const ATTEMPTS: u32 = 1000;

/// What the system calls a tmpfs and a ramfs (`linux/magic.h`).
const TMPFS: i64 = 0x0102_1994;
const RAMFS: i64 = 0x8584_58f6;

/// A folder that only its owner uses.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Says that the folder is in use.
    _lock: File,
}

impl Folder {
    /// Creates a folder below `parent`, readable by this user alone. Its name is `prefix`, the
    /// process and a number; folders of the same prefix that nobody holds are removed first.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        remove_abandoned(parent, prefix);
        let mut last = io::Error::other("others remove it");
        for _ in 0..ATTEMPTS {
            match Self::attempt(parent, prefix) {
                Ok(Some(folder)) => return Ok(folder),
                Ok(None) => {}
                // Left by a process that had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// `None` if another process took the new folder for abandoned before it was locked.
    fn attempt(parent: &Path, prefix: &str) -> io::Result<Option<Self>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only distinct numbers are asked for.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{prefix}{}-{number}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        lock.lock()?;
        let is_there = fs::metadata(&path)
            .is_ok_and(|found| lock.metadata().is_ok_and(|own| same(&found, &own)));
        Ok(is_there.then_some(Self { path, _lock: lock }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its files are on a file system in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        is_in_memory(&self.path)
    }

    /// Space that the folder's files take, in bytes.
    #[must_use]
    pub fn files_bytes(&self) -> u64 {
        files_bytes(&self.path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now, the next folder's owner removes.
        _ = fs::remove_dir_all(&self.path);
    }
}

/// Space that the files in a folder and in those within it take, in bytes.
#[must_use]
pub fn files_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    // A file that is removed meanwhile takes nothing.
    let found = entries.flatten().filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    found
        .map(|(path, found)| match found.is_dir() {
            true => files_bytes(&path),
            false => file_bytes(&found),
        })
        .sum()
}

/// Gives everything in a folder and in those within it to the device that holds it. A file that is
/// removed meanwhile needs nothing.
///
/// # Errors
/// What the system says.
pub fn synchronise(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let done = match () {
            () if kind.is_dir() => synchronise(&path),
            () if kind.is_file() => File::open(&path).and_then(|file| file.sync_all()),
            () => Ok(()),
        };
        match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    File::open(folder)?.sync_all()
}

/// Space that a file takes, in bytes.
#[must_use]
pub fn file_bytes(file: &fs::Metadata) -> u64 {
    /// Unit of `st_blocks`, whatever the file system's blocks are.
    const BLOCK_BYTES: u64 = 512;
    file.blocks() * BLOCK_BYTES
}

/// Free bytes of the tmpfs that contains `path`; `None` if it is another file system.
///
/// # Errors
/// If there is no such path.
pub fn tmpfs_free_bytes(path: &Path) -> io::Result<Option<u64>> {
    let found = statfs(path)?;
    let free_bytes = found.f_bavail.saturating_mul(found.f_bsize as u64);
    Ok((magic(&found) == TMPFS).then_some(free_bytes))
}

/// Whether files at `path` are on a file system in memory, where nothing is written to a device and
/// synchronising takes no time. `false` if there is no such path.
#[must_use]
pub fn is_in_memory(path: &Path) -> bool {
    statfs(path).is_ok_and(|found| [TMPFS, RAMFS].contains(&magic(&found)))
}

/// What a plan tells of a store for disks whose files would be in memory below `parent`.
#[must_use]
pub fn told_in_memory(parent: &Path) -> Option<String> {
    is_in_memory(parent).then(|| {
        format!(
            "keeps its files in memory: {} is no disk; name a folder on one by TMPDIR",
            parent.display()
        )
    })
}

fn magic(found: &StatFs) -> i64 {
    found.f_type
}

fn same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Removes the folders that no process holds. Another user's stay: they are theirs to remove.
fn remove_abandoned(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(prefix);
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(folder) = File::open(entry.path()) else { continue };
        match folder.try_lock() {
            Ok(()) => _ = fs::remove_dir_all(entry.path()),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}
