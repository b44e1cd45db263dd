//! Writes a trace to a file that gets its name when it is whole. A recorder that is killed leaves
//! the blocks it completed in `NAME.trace.part`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use workloads::trace::{Header, Record, Totals, TraceWriter};

/// A trace that is being written.
pub(crate) struct Recorder<R: Record> {
    path: PathBuf,
    part: PathBuf,
    writer: TraceWriter<R, File>,
}

impl<R: Record> Recorder<R> {
    /// Begins the trace at `path`; its folder is made where it is not there.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn create(path: &Path, header: &Header) -> Result<Self, String> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut part = OsString::from(path);
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|error| format!("{}: {error}", part.display()))?;
        let writer = TraceWriter::new(file, header)
            .map_err(|error| format!("{}: {error}", part.display()))?;
        Ok(Self { path: path.to_owned(), part, writer })
    }

    /// The next record.
    ///
    /// # Errors
    /// What the file system says, and records that no trace can hold.
    pub(crate) fn push(&mut self, record: R) -> Result<(), String> {
        let pushed = self.writer.push(record);
        pushed.map_err(|error| format!("{}: {error}", self.part.display()))
    }

    /// The next record of a trace whose keys have texts, and its key's.
    ///
    /// # Errors
    /// As for [`Self::push`]; a text that no trace can hold.
    pub(crate) fn push_named(&mut self, record: R, text: &[u8]) -> Result<(), String> {
        if let Some(key) = record.key() {
            let named = self.writer.name(key, text);
            named.map_err(|error| format!("{}: {error}", self.part.display()))?;
        }
        self.push(record)
    }

    /// Notes what is known only now.
    ///
    /// # Errors
    /// A text that is too long.
    pub(crate) fn note(&mut self, name: &str, value: &str) -> Result<(), String> {
        let noted = self.writer.note(name, value);
        noted.map_err(|error| format!("{}: {error}", self.part.display()))
    }

    /// Ends the trace and gives it its name.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn finish(self) -> Result<Totals, String> {
        let fail = |error: String| format!("{}: {error}", self.part.display());
        let (file, totals) = self.writer.finish().map_err(|error| fail(error.to_string()))?;
        file.sync_data().map_err(|error| fail(error.to_string()))?;
        fs::rename(&self.part, &self.path).map_err(|error| fail(error.to_string()))?;
        Ok(totals)
    }
}
