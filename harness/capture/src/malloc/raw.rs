//! One process's recording on disk: a header followed by records.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::mem::offset_of;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::convert::Allocations;
use super::error::CaptureError;
use super::record::{
    HEADER_BYTES, Header, INHERITED, MAGIC, NAME_BYTES, PROGRAM_BYTES, RECORD_BYTES, Record,
    VERSION, WINDOW_BYTES, WINDOW_RECORDS,
};

/// The recording of one process image, from the start of a program until the process ends or executes
/// another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    pub path: PathBuf,
    pub pid: u32,
    pub parent_pid: u32,
    /// The program's file, with links resolved.
    pub program: PathBuf,
    /// The name by which the program was executed: the last part of the path, such as that of a link or a
    /// script. The kernel keeps 15 bytes of it.
    pub called: String,
    /// Whether this is a fork of a recorded process that executed no program of its own: it frees objects
    /// that it did not allocate.
    pub inherited: bool,
    /// Records that were begun. A reallocation has two, any other event one.
    pub records: u64,
    /// Events that were not recorded because the folder was full or not writable.
    pub lost_events: u64,
    /// Those of `records` for which the file has room; the others were not completed.
    room_records: u64,
}

impl RawFile {
    /// Reads the header of the file at `path`. `None` if the process ended before its recording began.
    ///
    /// # Errors
    /// If the file cannot be read, is not a recording, or is shorter than its header says.
    pub fn open(path: &Path) -> Result<Option<Self>, CaptureError> {
        let refused =
            |source| CaptureError::System { action: "read", path: path.to_owned(), source };
        let mut file = File::open(path).map_err(refused)?;
        let file_bytes = file.metadata().map_err(refused)?.len();
        let mut bytes = Vec::new();
        file.by_ref().take(size_of::<Header>() as u64).read_to_end(&mut bytes).map_err(refused)?;
        if bytes.iter().take(8).all(|&byte| byte == 0) {
            return Ok(None);
        }
        HeaderBytes { path, bytes: &bytes, file_bytes }.parse().map(Some)
    }

    /// The last part of the program's path.
    #[must_use]
    pub fn program_name(&self) -> String {
        let name = self.program.file_name().unwrap_or(self.program.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Whether `name` is the program's name or the name by which it was executed.
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        let kept = &name.as_bytes()[..name.len().min(NAME_BYTES - 1)];
        !name.is_empty() && (self.program_name() == name || self.called.as_bytes() == kept)
    }

    /// Both names, for listings.
    pub(super) fn names(&self) -> String {
        let name = self.program_name();
        if self.called == name { name } else { format!("{name} (called {})", self.called) }
    }

    /// The events of all threads, in order. Memory use is proportional to the number of live objects.
    ///
    /// # Errors
    /// If the file cannot be read. Damage is reported where the iterator encounters it.
    pub fn allocations(&self) -> Result<Allocations, CaptureError> {
        Ok(Allocations::of(self.read_records()?, self.lost_events))
    }

    fn read_records(&self) -> Result<Records, CaptureError> {
        let refused =
            |source| CaptureError::System { action: "read", path: self.path.clone(), source };
        let mut file = File::open(&self.path).map_err(refused)?;
        file.seek(SeekFrom::Start(HEADER_BYTES)).map_err(refused)?;
        Ok(Records {
            path: self.path.clone(),
            reader: BufReader::with_capacity(1 << 20, file),
            next: 0,
            end: self.records.min(self.room_records),
            unwritten: self.records.saturating_sub(self.room_records),
        })
    }
}

/// A header that is still to be checked.
struct HeaderBytes<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    file_bytes: u64,
}

impl HeaderBytes<'_> {
    fn parse(&self) -> Result<RawFile, CaptureError> {
        if self.file_bytes < HEADER_BYTES {
            let reason = format!("the file ends here; its header has {HEADER_BYTES} bytes");
            return Err(self.damaged(self.file_bytes, reason));
        }
        let magic = self.word(offset_of!(Header, magic));
        if magic != MAGIC {
            let reason = format!("{magic:#018x} is not how a recording of this machine begins");
            return Err(self.damaged(0, reason));
        }
        for (offset, known) in [
            (offset_of!(Header, version), VERSION),
            (offset_of!(Header, window_bytes), WINDOW_BYTES),
        ] {
            let layout = self.word(offset);
            if layout != known {
                let reason = format!(
                    "a layout of {layout}, where {known} is known: the library that recorded it \
                     is of another build"
                );
                return Err(self.damaged(offset as u64, reason));
            }
        }
        let flags_at = offset_of!(Header, flags);
        let flags = self.word(flags_at);
        if flags & !INHERITED != 0 {
            return Err(
                self.damaged(flags_at as u64, format!("the flags {flags:#x} are not known"))
            );
        }
        let program_bytes = self.number(offset_of!(Header, program_bytes), PROGRAM_BYTES as u64)?;
        let program = &self.bytes[offset_of!(Header, program)..][..program_bytes as usize];
        let called = &self.bytes[offset_of!(Header, name)..][..NAME_BYTES];
        let called = called.split(|&byte| byte == 0).next().unwrap_or_default();
        let pid = self.number(offset_of!(Header, pid), u32::MAX.into())?;
        let parent_pid = self.number(offset_of!(Header, parent_pid), u32::MAX.into())?;
        let windows_at = offset_of!(Header, windows);
        let windows = self.number(windows_at, u64::MAX / WINDOW_BYTES / 2)?;
        let needed_bytes = HEADER_BYTES + windows * WINDOW_BYTES;
        if self.file_bytes < needed_bytes {
            let reason = format!("the file ends here; its header says {needed_bytes} bytes");
            return Err(self.damaged(self.file_bytes, reason));
        }
        Ok(RawFile {
            path: self.path.to_owned(),
            pid: pid as u32,
            parent_pid: parent_pid as u32,
            program: OsStr::from_bytes(program).into(),
            called: String::from_utf8_lossy(called).into_owned(),
            inherited: flags & INHERITED != 0,
            records: self.word(offset_of!(Header, claimed)),
            lost_events: self.word(offset_of!(Header, lost)),
            room_records: windows * WINDOW_RECORDS,
        })
    }

    fn word(&self, offset: usize) -> u64 {
        let bytes = &self.bytes[offset..][..8];
        u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
    }

    fn number(&self, offset: usize, max: u64) -> Result<u64, CaptureError> {
        let number = self.word(offset);
        if number <= max {
            return Ok(number);
        }
        Err(self.damaged(offset as u64, format!("{number} is more than {max}")))
    }

    fn damaged(&self, offset: u64, reason: String) -> CaptureError {
        CaptureError::Damaged { path: self.path.to_owned(), offset, reason }
    }
}

/// The records of a file, in the order in which they were claimed.
#[derive(Debug)]
pub(super) struct Records {
    path: PathBuf,
    reader: BufReader<File>,
    next: u64,
    end: u64,
    /// Records that were claimed but have no room in the file.
    pub(super) unwritten: u64,
}

impl Records {
    /// The next record; `None` after the last one, `Some(None)` for one that was not completed.
    pub(super) fn next(&mut self) -> Result<Option<Option<Record>>, CaptureError> {
        if self.next == self.end {
            return Ok(None);
        }
        let mut bytes = [0; RECORD_BYTES as usize];
        self.next += 1;
        self.reader.read_exact(&mut bytes).map_err(|source| {
            if source.kind() == std::io::ErrorKind::UnexpectedEof {
                return self.damaged("the file ends within this record".to_owned());
            }
            CaptureError::System { action: "read", path: self.path.clone(), source }
        })?;
        let word = |number: usize| {
            u64::from_ne_bytes(bytes[8 * number..][..8].try_into().expect("eight bytes"))
        };
        let record = Record::from_words([0, 1, 2, 3].map(word))
            .map_err(|mark| self.damaged(format!("{mark:#x} marks no record")))?;
        Ok(Some(record))
    }

    /// An error in the record read last.
    pub(super) fn damaged(&self, reason: String) -> CaptureError {
        let offset = HEADER_BYTES + self.next.saturating_sub(1) * RECORD_BYTES;
        CaptureError::Damaged { path: self.path.clone(), offset, reason }
    }
}
