//! The files that valgrind writes for one run.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::CallgrindError;

/// A folder for one count, removed when dropped.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Creates a folder below `scratch`.
    pub(super) fn below(scratch: &Path) -> Result<Self, CallgrindError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: the number only has to be unique.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = scratch.join(format!("callgrind-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)
            .and_then(|()| fs::canonicalize(&folder))
            .map(|folder| Self { folder })
            .map_err(|source| CallgrindError::System {
                action: "make the folder",
                path: folder,
                source,
            })
    }

    /// An option that names one file per process, so that processes do not overwrite each other's.
    pub(super) fn option(&self, option: &str, name: &str) -> OsString {
        let mut value = option.as_bytes().to_vec();
        for &byte in self.folder.as_os_str().as_bytes() {
            value.extend(if byte == b'%' { &b"%%"[..] } else { std::slice::from_ref(&byte) });
        }
        value.extend(format!("/{name}.%p").bytes());
        OsString::from_vec(value)
    }

    pub(super) fn of(&self, name: &str, process: u32) -> PathBuf {
        self.folder.join(format!("{name}.{process}"))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // Leftovers are in the caller's scratch folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
