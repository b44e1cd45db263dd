//! A private folder for the mount, removed with its owner.

use std::env;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crashfs::detach;

/// Prefix of folder names; the owner's process id and a number follow.
const PREFIX: &str = "nibble-postmark-";
/// Lock file that the owner locks for its lifetime.
const LOCK: &str = "owner";
const MOUNT: &str = "files";

/// A folder that only this user can access, with an empty subfolder as the mount point.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The kernel releases it when the process ends for any reason.
    _lock: File,
}

impl Folder {
    /// Creates a folder below the system's folder for temporary files, and removes those of processes
    /// that ended without doing so. An error names the folder in which it was to be created.
    pub(super) fn create() -> Result<Self, (PathBuf, io::Error)> {
        let mut parent = env::temp_dir();
        // PostMark splits its input at spaces.
        if parent.as_os_str().as_encoded_bytes().iter().any(u8::is_ascii_whitespace) {
            parent = "/tmp".into();
        }
        Self::create_in(&parent).map_err(|error| (parent, error))
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        remove_stale(parent);
        // Relaxed: the number only has to be unique.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        let mut private = DirBuilder::new();
        private.mode(0o700).create(&path)?;
        let lock = File::create_new(path.join(LOCK))?;
        lock.lock()?;
        private.create(path.join(MOUNT))?;
        Ok(Self { path, _lock: lock })
    }

    /// Path outside the mount.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn mount_point(&self) -> PathBuf {
        self.path.join(MOUNT)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes one of our folders, and nothing below a mount: only empty folders are removed.
fn remove(path: &Path) {
    // The next recording removes what cannot be removed now.
    let _ = fs::remove_dir(path.join(MOUNT));
    let _ = fs::remove_file(path.join(LOCK));
    let _ = fs::remove_dir(path);
}

/// Removes the mounts and folders below `parent` whose owners ended without doing so.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = rest.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| is_gone(owner, &entry.path())) {
            detach(&entry.path().join(MOUNT));
            remove(&entry.path());
        }
    }
}

/// Whether the owner of `folder` has ended: there is no such process, and no process holds its lock. The
/// lock matters because processes of another container are not visible here.
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
        assert!(folder.mount_point().is_dir());
        let other = Folder::create().unwrap();
        assert!(other.path() != path && path.exists(), "a folder in use is left alone");
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_is_locked_is_not() {
        let outer = env::temp_dir().join(format!("capture-folders-{}", std::process::id()));
        fs::create_dir(&outer).unwrap();
        let left = |number: u32| {
            // No process id is this large.
            let path = outer.join(format!("{PREFIX}{}-{number}", u32::MAX));
            fs::create_dir_all(path.join(MOUNT)).unwrap();
            (File::create_new(path.join(LOCK)).unwrap(), path)
        };
        let (stale, held, unrelated) = (left(0), left(1), outer.join("unrelated-1-0"));
        held.0.lock().unwrap();
        fs::create_dir(&unrelated).unwrap();
        let folder = Folder::create_in(&outer).unwrap();
        assert!(!stale.1.exists() && held.1.exists() && unrelated.exists());
        drop(folder);
        fs::remove_dir_all(outer).unwrap();
    }
}
