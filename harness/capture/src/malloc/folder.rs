//! The folder for the recordings of processes.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::CaptureError;

/// A folder that is removed with its contents when dropped, unless it is the caller's.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    /// A folder of the caller's, created if missing.
    pub(super) fn kept(path: &Path) -> Result<Self, CaptureError> {
        let refused = |source| refused("make the folder", path, source);
        fs::create_dir_all(path).map_err(refused)?;
        // An absolute path, because programs may change their working directory before they write.
        let folder = Self { path: fs::canonicalize(path).map_err(refused)?, is_kept: true };
        if folder.recordings()?.is_empty() {
            Ok(folder)
        } else {
            Err(CaptureError::FolderInUse { folder: folder.path.clone() })
        }
    }

    /// A new folder below the system's folder for temporary files.
    pub(super) fn temporary() -> Result<Self, CaptureError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let parent = std::env::temp_dir();
        let parent = fs::canonicalize(&parent)
            .map_err(|source| refused("find the folder", &parent, source))?;
        loop {
            // Relaxed: the number only has to be unique.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("nibble-preload-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path, is_kept: false }),
                // Left by an earlier process with the same id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(refused("make the folder", &path, source)),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The recordings in it, by name.
    pub(super) fn recordings(&self) -> Result<Vec<PathBuf>, CaptureError> {
        let refused = |source| refused("read the folder", &self.path, source);
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            if path.extension().is_some_and(|extension| extension == "raw") {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Leftovers are in the system's folder for temporary files.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn refused(action: &'static str, path: &Path, source: io::Error) -> CaptureError {
    CaptureError::System { action, path: path.to_owned(), source }
}
