//! Where stores for disks keep their files: said once for a process, to plans and to workers alike.

use std::path::PathBuf;
use std::sync::OnceLock;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Has all stores that this process asks about, or opens, make their folders below `folder`.
///
/// # Panics
/// If another folder was named before.
pub fn keep_files_below(folder: PathBuf) {
    let kept = FOLDER.get_or_init(|| folder.clone());
    assert!(*kept == folder, "files are kept below {} already", kept.display());
}

/// The folder, if one was named.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    FOLDER.get().cloned()
}
