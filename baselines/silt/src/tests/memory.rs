//! Files in memory, and bits that change in them: for tests that are about the store, not the disk.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use baseline_silt::{Error, Files, Pages};

use crate::buffer::PAGE_BYTES;

type Contents = Arc<Mutex<Vec<u8>>>;

/// A folder in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    files: Arc<Mutex<BTreeMap<String, Contents>>>,
    refuses: Arc<Mutex<Option<&'static str>>>,
}

impl Memory {
    /// Changes a bit of a file.
    pub(super) fn flip(&self, name: &str, bit: usize) {
        self.contents(name, "flip").unwrap().lock().unwrap()[bit / 8] ^= 1 << (bit % 8);
    }

    /// Lets writes fail from now on, as on a disk that is full, in files whose names contain
    /// `part`.
    pub(super) fn refuse_writes(&self, part: Option<&'static str>) {
        *self.refuses.lock().unwrap() = part;
    }

    /// The length of a file in bytes.
    pub(super) fn length(&self, name: &str) -> usize {
        self.contents(name, "look at").unwrap().lock().unwrap().len()
    }

    /// A copy as it is now.
    pub(super) fn copy(&self) -> Self {
        let files = self.files.lock().unwrap();
        let copy = files.iter().map(|(name, contents)| {
            (name.clone(), Arc::new(Mutex::new(contents.lock().unwrap().clone())))
        });
        Self { files: Arc::new(Mutex::new(copy.collect())), ..Self::default() }
    }

    fn contents(&self, name: &str, action: &'static str) -> Result<Contents, Error> {
        let files = self.files.lock().unwrap();
        files.get(name).cloned().ok_or_else(|| missing(name, action))
    }
}

fn missing(name: &str, action: &'static str) -> Error {
    let source = io::Error::from(io::ErrorKind::NotFound);
    Error::Io { action, file: name.to_owned(), source }
}

impl Files for Memory {
    fn create(&self, name: &str) -> Result<Arc<dyn Pages>, Error> {
        let contents = Contents::default();
        self.files.lock().unwrap().insert(name.to_owned(), Arc::clone(&contents));
        Ok(Arc::new(MemoryFile {
            name: name.to_owned(),
            contents,
            refuses: Arc::clone(&self.refuses),
        }))
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Pages>, Error> {
        let contents = self.contents(name, "open")?;
        Ok(Arc::new(MemoryFile {
            name: name.to_owned(),
            contents,
            refuses: Arc::clone(&self.refuses),
        }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        let mut files = self.files.lock().unwrap();
        let contents = files.remove(from).ok_or_else(|| missing(from, "rename"))?;
        files.insert(to.to_owned(), contents);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let removed = self.files.lock().unwrap().remove(name);
        removed.map(|_| ()).ok_or_else(|| missing(name, "remove"))
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        Ok(self.files.lock().unwrap().keys().cloned().collect())
    }

    fn sync_names(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryFile {
    name: String,
    contents: Contents,
    refuses: Arc<Mutex<Option<&'static str>>>,
}

/// As strict as direct I/O is.
fn assert_pages(at: u64, bytes: &[u8]) {
    let page = PAGE_BYTES as u64;
    assert!(at.is_multiple_of(page) && (bytes.len() as u64).is_multiple_of(page), "pages at {at}");
    assert!(bytes.as_ptr().addr().is_multiple_of(PAGE_BYTES), "memory that is a page's");
}

impl Pages for MemoryFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Error> {
        assert_pages(at, into);
        let contents = self.contents.lock().unwrap();
        let found = contents.get(at as usize..at as usize + into.len());
        let found = found.ok_or_else(|| missing(&self.name, "read beyond the end of"))?;
        into.copy_from_slice(found);
        Ok(())
    }

    fn write(&self, at: u64, from: &[u8]) -> Result<(), Error> {
        assert_pages(at, from);
        if self.refuses.lock().unwrap().is_some_and(|part| self.name.contains(part)) {
            let source = io::Error::from(io::ErrorKind::StorageFull);
            return Err(Error::Io { action: "write", file: self.name.clone(), source });
        }
        let (start, end) = (at as usize, at as usize + from.len());
        let mut contents = self.contents.lock().unwrap();
        if contents.len() < end {
            contents.resize(end, 0);
        }
        contents[start..end].copy_from_slice(from);
        Ok(())
    }

    fn length(&self) -> Result<u64, Error> {
        Ok(self.contents.lock().unwrap().len() as u64)
    }

    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }
}
