//! The write-ahead log of one memory component. Its queue is the memtable itself
//! ([`Memtable::walk`]): whoever advances the log writes what is ready, in the order of reservation,
//! for everybody.
//!
//! A log is not written before the log of the component before it is whole and durable, or that
//! component is in a table. So what survives a crash is a prefix of the writes, across logs too.

use std::sync::{Arc, Mutex};

use crate::error::Error;
use crate::files::{File, Files};
use crate::frame::{self, Reader};
use crate::memtable::{Kind, Memtable, Step};
use crate::mutant::{Mutant, mutated};
use crate::names;
use crate::sync::{AtomicBool, Ordering, Wait, lock};

/// Bytes that are written in one call.
const CHUNK_BYTES: usize = 256 << 10;

/// A log and its file.
#[derive(Debug)]
pub(crate) struct Log {
    number: u64,
    name: String,
    file: Box<dyn File>,
    progress: Mutex<Progress>,
}

/// How far the log has come.
#[derive(Debug, Default)]
struct Progress {
    /// The place in the queue up to which records are written, and synced.
    written: u64,
    synced: u64,
    file_bytes: u64,
    buffer: Vec<u8>,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// How much of a log a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// What is ready now.
    Ready,
    /// All records before a place in the queue.
    Written(u64),
    /// All records before a place in the queue, on the disk.
    Synced(u64),
}

impl Log {
    /// # Errors
    /// [`Error::Storage`] if the file cannot be created or its name made durable.
    pub(crate) fn create(files: &dyn Files, number: u64) -> Result<Self, Error> {
        let name = names::Kind::Log.name(number);
        let file = files.create(&name).map_err(|error| Error::storage("create", &name, &error))?;
        files.sync_folder().map_err(|error| Error::storage("sync the folder of", &name, &error))?;
        Ok(Self { number, name, file, progress: Mutex::default() })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes written to the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        lock(&self.progress).file_bytes
    }
}

/// A memory component: what is in memory, and its log.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) memtable: Memtable,
    pub(crate) log: Log,
    /// The component before, while its log may be incomplete and it is in no table.
    before: Mutex<Option<Arc<Component>>>,
    has_before: AtomicBool,
}

impl Component {
    pub(crate) fn new(memtable: Memtable, log: Log, before: Option<Arc<Self>>) -> Self {
        let has_before = AtomicBool::new(before.is_some());
        Self { memtable, log, before: Mutex::new(before), has_before }
    }

    /// Says that the component before is in a table.
    pub(crate) fn forget_before(&self) {
        self.has_before.store(false, Ordering::Release);
        *lock(&self.before) = None;
    }

    /// Brings the log as far as asked, with what others have ready on the way.
    ///
    /// # Errors
    /// [`Error::Storage`]; a later call writes again what was not written.
    pub(crate) fn advance(&self, until: Until) -> Result<(), Error> {
        let mut progress = lock(&self.log.progress);
        if progress.reaches(until) {
            return Ok(());
        }
        self.complete_before()?;
        let target = match until {
            Until::Ready => 0,
            Until::Written(place) | Until::Synced(place) => place,
        };
        self.write(&mut progress, target)?;
        if matches!(until, Until::Synced(_)) && !mutated(Mutant::AcknowledgedUnsynced) {
            let synced = self.log.file.sync();
            synced.map_err(|error| Error::storage("sync", &self.log.name, &error))?;
            progress.synced = progress.written;
        }
        Ok(())
    }

    /// Makes the log before this one whole and durable.
    fn complete_before(&self) -> Result<(), Error> {
        if !self.has_before.load(Ordering::Acquire) || mutated(Mutant::LogsOutOfOrder) {
            return Ok(());
        }
        let before = lock(&self.before).clone();
        if let Some(before) = before {
            before.advance(Until::Synced(before.memtable.queue_end()))?;
            self.forget_before();
        }
        Ok(())
    }

    /// Writes all records that are ready, and at least those before `target`.
    fn write(&self, progress: &mut Progress, target: u64) -> Result<(), Error> {
        let mut place = progress.written.max(self.memtable.queue_start());
        let mut wait = Wait::default();
        progress.buffer.clear();
        loop {
            let is_last = match self.memtable.walk(place) {
                Step::Record(record, next) => {
                    record.read_key(&mut progress.key);
                    record.read_value(&mut progress.value);
                    let stamp = record.kind().with(record.timestamp());
                    let (key, value) = (&progress.key, &progress.value);
                    frame::append(&mut progress.buffer, |to| append_record(to, stamp, key, value));
                    place = next;
                    false
                }
                Step::Making if place < target => {
                    wait.turn();
                    continue;
                }
                Step::Making | Step::End => true,
            };
            if is_last || progress.buffer.len() >= CHUNK_BYTES {
                if !progress.buffer.is_empty() {
                    let written = self.log.file.write_at(&progress.buffer, progress.file_bytes);
                    written.map_err(|error| Error::storage("write", &self.log.name, &error))?;
                    progress.file_bytes += progress.buffer.len() as u64;
                    progress.buffer.clear();
                }
                progress.written = place.max(target);
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

impl Progress {
    fn reaches(&self, until: Until) -> bool {
        match until {
            Until::Ready => false,
            Until::Written(place) => self.written >= place,
            Until::Synced(place) => self.synced >= place,
        }
    }
}

fn append_record(to: &mut Vec<u8>, stamp: u64, key: &[u8], value: &[u8]) {
    to.extend_from_slice(&stamp.to_le_bytes());
    frame::append_counted(to, key);
    to.extend_from_slice(value);
}

/// A record as read from a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Logged<'bytes> {
    pub(crate) timestamp: u64,
    pub(crate) kind: Kind,
    pub(crate) key: &'bytes [u8],
    pub(crate) value: &'bytes [u8],
}

impl<'bytes> Logged<'bytes> {
    /// The record in a frame's payload.
    pub(crate) fn read(payload: &'bytes [u8]) -> Option<Self> {
        let mut reader = Reader::new(payload);
        let (timestamp, kind) = Kind::split(reader.u64()?);
        let key = reader.counted()?;
        Some(Self { timestamp, kind, key, value: reader.rest() })
    }
}
