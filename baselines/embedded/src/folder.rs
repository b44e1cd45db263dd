//! A store's private folder on a tmpfs: its files are memory.
//!
//! Dropping a folder removes it. If its process was killed, the folder stays and keeps holding
//! memory, so creating one first removes all abandoned ones: an owner holds a lock on its folder,
//! and the lock ends with the process.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use engine::OpenError;

use crate::os;

/// The tmpfs that Linux provides for every user.
pub const SHARED_MEMORY: &str = "/dev/shm";
const PREFIX: &str = "baseline-embedded-";
const ATTEMPTS: u32 = 1000;

/// A folder that only this store uses.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Holds the lock that marks the folder as in use.
    _lock: File,
}

impl Folder {
    /// Creates a folder, readable only by its owner, on a tmpfs with at least `least_bytes` free.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if `tmpfs` is not on a tmpfs; [`OpenError::Missing`] if it has too
    /// little space or the folder cannot be created.
    pub(crate) fn create(tmpfs: &Path, least_bytes: u64) -> Result<Self, OpenError> {
        remove_abandoned(tmpfs);
        let free_bytes = free_bytes(tmpfs)?;
        if free_bytes < least_bytes {
            return Err(OpenError::Missing {
                what: format!("{least_bytes} bytes of space on {}", tmpfs.display()),
                remedy: format!(
                    "{free_bytes} are free: lower the capacity, or enlarge it (mount -o \
                     remount,size=…)"
                ),
            });
        }
        let create = || -> io::Result<Option<Self>> {
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            // Relaxed: only distinct numbers are needed.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = tmpfs.join(format!("{PREFIX}{}-{number}", std::process::id()));
            DirBuilder::new().mode(0o700).create(&path)?;
            let Some(lock) = claimed(File::open(&path))? else { return Ok(None) };
            lock.lock()?;
            // Before the lock was taken, another process may have removed the folder as abandoned.
            let is_there = fs::metadata(&path)
                .is_ok_and(|found| lock.metadata().is_ok_and(|own| same(&found, &own)));
            Ok(is_there.then_some(Self { path, _lock: lock }))
        };
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match create() {
                Ok(Some(folder)) => return Ok(folder),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = Some(error),
                Err(error) => {
                    last = Some(error);
                    break;
                }
            }
        }
        let error = last.map_or("others remove it".to_owned(), |error| error.to_string());
        Err(OpenError::Missing {
            what: format!("a private folder below {} ({error})", tmpfs.display()),
            remedy: "choose a tmpfs this user may write to".to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Memory that the folder's files use, in bytes.
    pub(crate) fn files_bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.path) else { return 0 };
        // A file that has just been removed uses none.
        entries
            .flatten()
            .filter_map(|entry| entry.metadata().ok())
            .map(|file| file_bytes(&file))
            .sum()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If this fails, the next store removes the folder.
        _ = fs::remove_dir_all(&self.path);
    }
}

/// Free bytes of a tmpfs.
///
/// # Errors
/// [`OpenError::BadSetting`] if it is not a tmpfs.
pub(crate) fn free_bytes(tmpfs: &Path) -> Result<u64, OpenError> {
    let bad = |why: &str| OpenError::BadSetting {
        setting: "tmpfs".to_owned(),
        value: format!("{} ({why})", tmpfs.display()),
        accepted: format!("folders on a tmpfs, such as {SHARED_MEMORY}"),
    };
    match os::tmpfs_free_bytes(tmpfs) {
        Ok(Some(free_bytes)) => Ok(free_bytes),
        Ok(None) => Err(bad("on another file system")),
        Err(error) => Err(bad(&error.to_string())),
    }
}

/// Memory that a file uses, in bytes.
pub(crate) fn file_bytes(file: &fs::Metadata) -> u64 {
    /// The unit of `st_blocks`, whatever the block size of the file system.
    const BLOCK_BYTES: u64 = 512;
    file.blocks() * BLOCK_BYTES
}

/// `None` if another process has removed what was just created.
fn claimed<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Removes folders that no process holds; skips those it may not touch.
fn remove_abandoned(tmpfs: &Path) {
    let Ok(entries) = fs::read_dir(tmpfs) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn shared_memory() -> Option<&'static Path> {
        let path = Path::new(SHARED_MEMORY);
        if let Err(error) = free_bytes(path) {
            eprintln!("skipped: {error}");
            return None;
        }
        Some(path)
    }

    #[test]
    fn a_folder_is_private_held_and_removed() {
        let Some(tmpfs) = shared_memory() else { return };
        let folder = Folder::create(tmpfs, 0).unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(path.join("file"), vec![1; 10_000]).unwrap();
        assert_eq!(folder.files_bytes(), 3 * 4096);
        let other = Folder::create(tmpfs, 0).unwrap();
        assert!(path.exists(), "a folder in use is not abandoned");
        drop(folder);
        assert!(!path.exists());
        drop(other);
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let Some(tmpfs) = shared_memory() else { return };
        let left = tmpfs.join(format!("{PREFIX}{}-left", std::process::id()));
        DirBuilder::new().mode(0o700).create(&left).unwrap();
        // A concurrent test may remove it first.
        _ = fs::write(left.join("file"), b"memory");
        drop(Folder::create(tmpfs, 0).unwrap());
        assert!(!left.exists());
    }

    #[test]
    fn other_file_systems_and_too_little_space_are_refused() {
        let elsewhere = Folder::create(Path::new("/proc"), 0).unwrap_err();
        assert!(matches!(elsewhere, OpenError::BadSetting { .. }), "{elsewhere}");
        let nowhere = Folder::create(Path::new("/no such folder"), 0).unwrap_err();
        assert!(matches!(nowhere, OpenError::BadSetting { .. }), "{nowhere}");
        let Some(tmpfs) = shared_memory() else { return };
        let huge = Folder::create(tmpfs, u64::MAX).unwrap_err();
        assert!(matches!(huge, OpenError::Missing { .. }), "{huge}");
    }
}
