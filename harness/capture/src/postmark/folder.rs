//! A private folder to mount on, which is gone when its owner is.

use std::env;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Folders are named by this, the owner's process and a number.
const PREFIX: &str = "nibble-postmark-";
/// Locked by the owner for as long as it lives.
const LOCK: &str = "owner";
const MOUNT: &str = "files";

/// A folder that only this user can look into, with an empty one to mount on.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The kernel lets go of it when the process ends, in whatever way.
    _lock: File,
}

impl Folder {
    /// Makes one below the system's folder for temporary files, and removes what processes left
    /// that ended without doing so. An error comes with the folder that was to hold it.
    pub(super) fn create() -> Result<Self, (PathBuf, io::Error)> {
        let mut parent = env::temp_dir();
        // PostMark takes what follows a space for something else.
        if parent.as_os_str().as_encoded_bytes().iter().any(u8::is_ascii_whitespace) {
            parent = "/tmp".into();
        }
        Self::create_in(&parent).map_err(|error| (parent, error))
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        remove_stale(parent);
        // Relaxed: a number of its own is all that is asked for.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        let mut private = DirBuilder::new();
        private.mode(0o700).create(&path)?;
        let lock = File::create_new(path.join(LOCK))?;
        lock.lock()?;
        private.create(path.join(MOUNT))?;
        Ok(Self { path, _lock: lock })
    }

    /// Outside the mount.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where to mount.
    pub(super) fn mount_point(&self) -> PathBuf {
        self.path.join(MOUNT)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Takes a mount away from its place at once; the kernel ends it when nobody uses it any more.
/// Where nothing is mounted, nothing happens.
pub(super) fn detach(mount_point: &Path) {
    let quietly = |program: &str, option: &str| {
        let mut command = Command::new(program);
        command.arg(option).arg(mount_point).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !quietly("umount", "-l") {
        quietly("fusermount3", "-uz");
    }
}

/// Removes a folder of ours, and nothing below a mount: only empty folders go.
fn remove(path: &Path) {
    // What cannot be removed now, the next one removes.
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

/// Whether the owner of `folder` has ended: there is no such process, and, since another
/// container's processes are not to be seen from here, nobody holds its lock.
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
            // No process has a number this large.
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
