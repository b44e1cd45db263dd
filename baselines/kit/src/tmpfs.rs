//! A store's private folder on a tmpfs: files that are memory.

use std::path::Path;

use engine::OpenError;
use platform::process::ProcessMemory;

use crate::folder::{Folder, files_bytes, is_in_memory, tmpfs_free_bytes};

/// Where Linux has a tmpfs for everybody.
pub const SHARED_MEMORY: &str = "/dev/shm";

/// Creates a folder on a tmpfs with at least `least_bytes` free; its name begins with `prefix`.
///
/// # Errors
/// [`OpenError::BadSetting`] where `tmpfs` is on no tmpfs; [`OpenError::Missing`] where it has too
/// little space, or the folder cannot be created.
pub fn create_folder(tmpfs: &Path, prefix: &str, least_bytes: u64) -> Result<Folder, OpenError> {
    // Refuses other file systems before anything is written.
    free_bytes(tmpfs)?;
    let folder = Folder::create(tmpfs, prefix).map_err(|error| OpenError::Missing {
        what: format!("a folder of its own below {} ({error})", tmpfs.display()),
        remedy: "choose a tmpfs this user may write to".to_owned(),
    })?;
    // Only now: the new folder took the place of those that killed processes had left.
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
    Ok(folder)
}

/// Memory of the folder's files that the process' own figures do not have: what it has not mapped and touched.
/// All shared memory of the process is taken for mappings of these files. Files on a disk are no memory.
#[must_use]
pub fn unmapped_bytes(folder: &Path) -> u64 {
    if !is_in_memory(folder) {
        return 0;
    }
    let mapped_bytes = ProcessMemory::of_self().map_or(0, |memory| memory.shared_bytes);
    files_bytes(folder).saturating_sub(mapped_bytes)
}

/// Free bytes of a tmpfs.
///
/// # Errors
/// [`OpenError::BadSetting`] where it is none.
pub fn free_bytes(tmpfs: &Path) -> Result<u64, OpenError> {
    let bad = |why: &str| OpenError::BadSetting {
        setting: "tmpfs".to_owned(),
        value: format!("{} ({why})", tmpfs.display()),
        accepted: format!("folders on a tmpfs, such as {SHARED_MEMORY}"),
    };
    match tmpfs_free_bytes(tmpfs) {
        Ok(Some(free_bytes)) => Ok(free_bytes),
        Ok(None) => Err(bad("on another file system")),
        Err(error) => Err(bad(&error.to_string())),
    }
}
