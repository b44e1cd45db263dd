//! A private folder for the servers' sockets and logs, removed with its owner.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder's name is this prefix, the owner's process id and a number.
const PREFIX: &str = "nibble-servers-";
/// The file that the owner keeps locked as long as it lives.
const LOCK: &str = "owner";
/// The longest path of a folder: a socket's path has at most 107 bytes.
const PATH_BYTES_MAX: usize = 90;

/// A folder that only this user can read.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The kernel releases the lock when the process ends, in whatever way.
    _lock: File,
}

impl Folder {
    /// Creates a folder below the system's folder for temporary files. Removes the folders of
    /// processes that ended without doing so.
    pub(crate) fn create() -> io::Result<Self> {
        let mut parent = std::env::temp_dir();
        if parent.as_os_str().len() + PREFIX.len() + 20 > PATH_BYTES_MAX {
            parent = "/tmp".into();
        }
        Self::create_in(&parent)
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        remove_stale(parent);
        loop {
            // Relaxed: only a distinct number is needed.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let lock = File::create_new(path.join(LOCK))?;
                    lock.lock()?;
                    return Ok(Self { path, _lock: lock });
                }
                // Left behind by a process that had our process id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If this fails, the next one removes it.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders below `parent` whose owners ended without doing so.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = rest.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| is_gone(owner, &entry.path())) {
            // Fails for another user's folder, which is theirs to remove.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the owner of `folder` has ended: no such process exists, and nobody holds the lock. The
/// lock matters because processes of other containers are invisible here.
fn is_gone(owner: u32, folder: &Path) -> bool {
    if Path::new("/proc").join(owner.to_string()).exists() {
        return false;
    }
    match File::open(folder.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_is_private_and_goes_with_its_owner() {
        let folder = Folder::create().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(path.as_os_str().len() <= PATH_BYTES_MAX);
        fs::write(path.join("left"), "behind").unwrap();
        let other = Folder::create().unwrap();
        assert_ne!(other.path(), path);
        assert!(path.exists(), "a folder in use is left alone");
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_is_locked_is_not() {
        let outer = Folder::create().unwrap();
        let left = |number: u32| {
            // No process id is this large.
            let path = outer.path().join(format!("{PREFIX}{}-{number}", u32::MAX));
            fs::create_dir(&path).unwrap();
            (File::create_new(path.join(LOCK)).unwrap(), path)
        };
        let (stale, held, unrelated) = (left(0), left(1), outer.path().join("unrelated-1-0"));
        held.0.lock().unwrap();
        fs::create_dir(&unrelated).unwrap();
        let folder = Folder::create_in(outer.path()).unwrap();
        assert!(!stale.1.exists() && held.1.exists() && unrelated.exists());
        drop(folder);
    }
}
