//! The roofline of disks: a pseudo-store whose numbers are what the device alone takes behind the same
//! driver.
//!
//! * A **put** or a delete appends its key and value to a log, and waits until the device has it
//!   (`fdatasync`). Several sessions that wait at a time share what the system makes of that.
//! * A **get** reads one page of 4 KiB past the page cache, at a place that follows from the key's bits,
//!   of a file as large as all live values. The file is written when the store opens, so no read finds a
//!   hole. What is read is no value of the key.
//!
//! A store that acknowledges synchronously and reads a page for each get pays at least this much.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{
    DeleteOutcome, Durability, EngineTraits, FullMeaning, GetError, KvEngine, KvSession,
    MemoryBound, MemoryCensus, OpenError, PutError, PutOutcome, SessionError, Setting, Statistic,
    Storage, Writes,
};
use kit::folder::{Folder, fit_for_files};
use platform::device::BlockDevice;
use rustix::fs::OFlags;

use crate::FACTOR;

const PREFIX: &str = "baseline-roofline-";
/// What a get reads: the unit of places, lengths and addresses past the page cache.
pub const PAGE_BYTES: usize = 4096;
/// How much is written at a time when the store opens.
const CHUNK_BYTES: usize = 1 << 20;
const VALUE_BYTES_MAX: usize = 16 << 20;

/// Settings of a [`DiskRoofline`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskConfig {
    /// Length of the file that gets read: a multiple of a page, at least one.
    pub pages: u64,
    /// Whether puts wait for the device; otherwise, for the system.
    pub synchronises: bool,
    /// Where the folder is made.
    pub below: PathBuf,
}

/// The pseudo-store; see the file's documentation.
#[derive(Debug)]
pub struct DiskRoofline {
    config: DiskConfig,
    log: File,
    /// Where the log ends.
    end: AtomicU64,
    data: File,
    synchronised: AtomicU64,
    folder: Folder,
}

impl DiskRoofline {
    /// Writes the file that gets read.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for a file without pages; [`OpenError::Unusable`] if the folder is on no
    /// disk, or its file system has no direct I/O.
    pub fn open(config: DiskConfig) -> Result<Self, OpenError> {
        if config.pages == 0 {
            return Err(crate::refused("pages", 0, "1 and above".to_owned()));
        }
        fit_for_files(&config.below)?;
        let unusable = |error: io::Error| OpenError::Unusable {
            what: format!("direct I/O below {}", config.below.display()),
            reason: format!("{error}; name a folder on a disk, with room for its pages"),
        };
        let folder = Folder::create(&config.below, PREFIX).map_err(unusable)?;
        let data = written(&folder, config.pages).map_err(unusable)?;
        let log = File::create(folder.path().join("log")).map_err(unusable)?;
        let (end, synchronised) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { config, log, end, data, synchronised, folder })
    }

    /// The page of a key: its upper bits, spread and scaled to the file.
    fn place_of(&self, key: u64) -> u64 {
        let spread = u128::from(key.wrapping_mul(FACTOR));
        let page = ((spread * u128::from(self.config.pages)) >> 64) as u64;
        page * PAGE_BYTES as u64
    }

    /// Appends, and waits. Concurrent appends take places of their own.
    fn append(&self, record: &[u8]) {
        // Relaxed: only distinct places are asked for.
        let at = self.end.fetch_add(record.len() as u64, Ordering::Relaxed);
        let done =
            self.log.write_all_at(record, at).and_then(|()| match self.config.synchronises {
                true => self.log.sync_data(),
                false => Ok(()),
            });
        done.unwrap_or_else(|error| panic!("the log of the roofline: {error}"));
        // Relaxed: a count orders nothing.
        self.synchronised.fetch_add(u64::from(self.config.synchronises), Ordering::Relaxed);
    }
}

/// A file of so many pages, on the device, open to be read past the page cache.
fn written(folder: &Folder, pages: u64) -> io::Result<File> {
    let path = folder.path().join("pages");
    // No zeros: some devices do not store them.
    let chunk = vec![0xa5; CHUNK_BYTES];
    let mut file = File::create(&path)?;
    let mut left = pages * PAGE_BYTES as u64;
    while left > 0 {
        let bytes = left.min(CHUNK_BYTES as u64);
        file.write_all(&chunk[..bytes as usize])?;
        left -= bytes;
    }
    file.sync_all()?;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::DIRECT.bits().cast_signed());
    let file = options.open(&path)?;
    // Where the file system refuses direct I/O, it does so here.
    file.read_exact_at(Page::new().bytes(), 0)?;
    Ok(file)
}

impl KvEngine for DiskRoofline {
    const TRAITS: EngineTraits = EngineTraits {
        name: "roofline-disk",
        description: "appends that wait for the device, reads of one page: prices the disk alone",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        value_bytes_max: VALUE_BYTES_MAX,
        storage: Storage::Disk,
        durability: Durability::Acknowledged,
        keeps_values: false,
        writes: Writes::Blind,
        ..EngineTraits::BASE
    };

    type Session<'engine> = DiskSession<'engine>;

    fn session(&self) -> Result<DiskSession<'_>, SessionError> {
        Ok(DiskSession { store: self, record: Vec::new(), page: Page::new() })
    }

    fn durability(&self) -> Durability {
        if self.config.synchronises { Durability::Acknowledged } else { Durability::Process }
    }

    fn folders(&self) -> Vec<PathBuf> {
        vec![self.folder.path().to_owned()]
    }

    /// Nothing is kept in memory.
    fn memory(&self) -> MemoryCensus {
        MemoryCensus::default()
    }

    fn statistics(&self) -> Vec<Statistic> {
        // Relaxed: counts order nothing.
        let appended = self.end.load(Ordering::Relaxed);
        let synchronised = self.synchronised.load(Ordering::Relaxed);
        vec![
            Statistic::new("appended_bytes", appended as f64),
            Statistic::new("synchronised_appends", synchronised as f64),
        ]
    }

    fn settings(&self) -> Vec<Setting> {
        let device = BlockDevice::holding(self.folder.path());
        vec![
            Setting::new("pages", self.config.pages),
            Setting::new("synchronises", self.config.synchronises),
            Setting::new("folder of files", self.config.below.display()),
            Setting::new("device", device.map_or("not known".into(), |it| it.name().to_owned())),
        ]
    }
}

/// One thread's use of a [`DiskRoofline`].
#[derive(Debug)]
pub struct DiskSession<'engine> {
    store: &'engine DiskRoofline,
    record: Vec<u8>,
    page: Page,
}

impl KvSession for DiskSession<'_> {
    /// Of a shorter buffer, as much as it holds is copied.
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let page = self.page.bytes();
        self.store
            .data
            .read_exact_at(page, self.store.place_of(key))
            .unwrap_or_else(|error| panic!("the pages of the roofline: {error}"));
        let copied = buffer.len().min(PAGE_BYTES);
        buffer[..copied].copy_from_slice(&page[..copied]);
        Ok(Some(copied))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), VALUE_BYTES_MAX);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        self.record.clear();
        self.record.extend_from_slice(&key.to_be_bytes());
        self.record.extend_from_slice(value);
        self.store.append(&self.record);
        Ok(PutOutcome::Stored)
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.store.append(&key.to_be_bytes());
        DeleteOutcome::Done
    }
}

/// Memory of one page at an address that direct I/O takes.
#[derive(Debug)]
struct Page {
    bytes: Vec<u8>,
    start: usize,
}

impl Page {
    fn new() -> Self {
        let bytes = vec![0; 2 * PAGE_BYTES];
        let address = bytes.as_ptr().addr();
        Self { start: address.next_multiple_of(PAGE_BYTES) - address, bytes }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + PAGE_BYTES]
    }
}
