//! The one place where files are touched: pages of files in one folder, by direct I/O.
//!
//! Behind a trait, so that tests can keep files in memory, and a checker of crashes can decide what
//! of all that was written has reached the disk.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;

use crate::error::Error;

/// A folder of files.
pub trait Files: Send + Sync + Debug {
    /// Makes an empty file, in place of one of that name.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn create(&self, name: &str) -> Result<Arc<dyn Pages>, Error>;

    /// Opens a file for reading and writing.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn open(&self, name: &str) -> Result<Arc<dyn Pages>, Error>;

    /// Gives a file another name, in place of one of that name.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn rename(&self, from: &str, to: &str) -> Result<(), Error>;

    /// Removes a file.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn remove(&self, name: &str) -> Result<(), Error>;

    /// The names of all files.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn list(&self) -> Result<Vec<String>, Error>;

    /// Returns when names are on the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn sync_names(&self) -> Result<(), Error>;
}

/// A file that is read and written in whole pages, from page-aligned memory.
pub trait Pages: Send + Sync + Debug {
    /// The file's name.
    fn name(&self) -> &str;

    /// Fills `into` from byte `at` of the file.
    ///
    /// # Errors
    /// [`Error::Io`], also if the file is too short.
    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Error>;

    /// Writes at byte `at` of the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn write(&self, at: u64, from: &[u8]) -> Result<(), Error>;

    /// The file's length in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn length(&self) -> Result<u64, Error>;

    /// Returns when all that was written is on the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn sync(&self) -> Result<(), Error>;
}

/// Checks that a file has the bytes that it must have.
///
/// # Errors
/// [`Error::Corrupt`] with both numbers, or [`Error::Io`].
pub(crate) fn holds(file: &dyn Pages, wanted_bytes: u64) -> Result<(), Error> {
    let length_bytes = file.length()?;
    if length_bytes >= wanted_bytes {
        return Ok(());
    }
    let what = format!("it has {length_bytes} bytes and needs {wanted_bytes}");
    Err(Error::Corrupt { file: file.name().to_owned(), what })
}

/// Files on disk, past the page cache.
#[derive(Debug)]
pub struct Direct {
    folder: PathBuf,
}

impl Direct {
    /// Files of `folder`, which must exist on a file system that does direct I/O.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn options() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(OFlags::DIRECT.bits() as i32);
        options
    }

    fn opened(
        &self,
        action: &'static str,
        name: &str,
        options: &OpenOptions,
    ) -> Result<Arc<dyn Pages>, Error> {
        let file = options.open(self.folder.join(name)).map_err(failed(action, name))?;
        Ok(Arc::new(DirectFile { file, name: name.to_owned() }))
    }
}

fn failed(action: &'static str, file: &str) -> impl FnOnce(io::Error) -> Error {
    let file = file.to_owned();
    move |source| Error::Io { action, file, source }
}

impl Files for Direct {
    fn create(&self, name: &str) -> Result<Arc<dyn Pages>, Error> {
        self.opened("create", name, Self::options().create(true).truncate(true))
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Pages>, Error> {
        self.opened("open", name, &Self::options())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        let path = |name| self.folder.join(name);
        fs::rename(path(from), path(to)).map_err(failed("rename", from))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        fs::remove_file(self.folder.join(name)).map_err(failed("remove", name))
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        let entries = fs::read_dir(&self.folder).map_err(failed("list", "."))?;
        entries
            .map(|entry| Ok(entry.map_err(failed("list", "."))?.file_name()))
            .map(|name| Ok(name?.to_string_lossy().into_owned()))
            .collect()
    }

    fn sync_names(&self) -> Result<(), Error> {
        let folder = File::open(&self.folder).map_err(failed("open", "."))?;
        folder.sync_all().map_err(failed("synchronise", "."))
    }
}

#[derive(Debug)]
struct DirectFile {
    file: File,
    name: String,
}

impl Pages for DirectFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        self.file.read_exact_at(into, at).map_err(failed("read", &self.name))
    }

    fn write(&self, at: u64, from: &[u8]) -> Result<(), Error> {
        self.file.write_all_at(from, at).map_err(failed("write", &self.name))
    }

    fn length(&self) -> Result<u64, Error> {
        Ok(self.file.metadata().map_err(failed("look at", &self.name))?.len())
    }

    fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(failed("synchronise", &self.name))
    }
}
