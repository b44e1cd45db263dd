//! Files of a folder of the system.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use kit::folder::Folder;

use super::{File, Files};

/// A folder of the system.
#[derive(Debug)]
pub struct Disk {
    path: PathBuf,
    /// Removes the folder in the end, where it is private.
    _private: Option<Folder>,
}

impl Disk {
    /// The folder at `path`, which is created if need be and stays.
    ///
    /// # Errors
    /// What the system says.
    pub fn at(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        fs::create_dir_all(&path)?;
        Ok(Self { path, _private: None })
    }

    /// A folder of the process, which goes with the store.
    #[must_use]
    pub fn private(folder: Folder) -> Self {
        Self { path: folder.path().to_owned(), _private: Some(folder) }
    }
}

impl Files for Disk {
    fn create(&self, name: &str) -> io::Result<Box<dyn File>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        Ok(Box::new(Open(options.open(self.path.join(name))?)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn File>> {
        Ok(Box::new(Open(fs::File::open(self.path.join(name))?)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let names = fs::read_dir(&self.path)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }

    fn sync_folder(&self) -> io::Result<()> {
        fs::File::open(&self.path)?.sync_all()
    }

    fn bytes(&self) -> u64 {
        kit::folder::files_bytes(&self.path)
    }

    fn is_in_memory(&self) -> bool {
        kit::folder::is_in_memory(&self.path)
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

#[derive(Debug)]
struct Open(fs::File);

impl File for Open {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }
}
