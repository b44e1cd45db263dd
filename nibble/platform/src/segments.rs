//! Segments: memory of anonymous files that processes map at the same fixed addresses.
//!
//! Addresses lie in a range of their own, far from where the kernel places libraries and stacks:
//!
//! ```text
//!  0x6000_0000_0000 ──────── 0x6800_0000_0000 ──────────────────── 0x7000_0000_0000
//!  addresses that users choose    addresses assigned here, aligned to 1 GiB
//! ```
//!
//! A process that maps a segment at an address where something else lies gets an error
//! (`MAP_FIXED_NOREPLACE`). No address is assigned twice in the life of a process, and none where users
//! choose theirs. Bytes of a segment are the same wherever it is attached, at once.

mod place;

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rustix::fs::{MemfdFlags, Mode, OFlags, copy_file_range, fchmod, fstat, open};
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise};

use crate::mapping::{PAGE_BYTES, READ_ONLY, READ_WRITE};
use crate::mutant::{Mutant, mutated};
use crate::process::memory_file;
use crate::racy::WORD_BYTES;
#[cfg(not(loom))]
use crate::relay::Turn;
use crate::remapped::fill;
use crate::{Mapping, Pages};

pub use place::{Place, Stay};

/// First address of the range, and of its part in which users choose addresses.
pub const RANGE_START: usize = 0x6000_0000_0000;
/// End of that part: from here on addresses are assigned.
pub const CHOSEN_END: usize = 0x6800_0000_0000;
/// End of the range.
pub const RANGE_END: usize = 0x7000_0000_0000;
/// Alignment of addresses: what one entry of a third-level page table maps.
pub const ALIGNMENT: usize = 1 << 30;

/// The first address that is not assigned yet.
static NEXT: AtomicUsize = AtomicUsize::new(CHOSEN_END);

/// An address for `bytes` bytes, aligned to [`ALIGNMENT`], that this process has not assigned before.
///
/// # Errors
/// `OutOfMemory` if the range is used up.
pub fn address_for(bytes: usize) -> io::Result<usize> {
    let apart = bytes.checked_next_multiple_of(ALIGNMENT).ok_or(io::ErrorKind::OutOfMemory)?;
    let fits = |next: usize| next.checked_add(apart).filter(|&end| end <= RANGE_END);
    // Relaxed: only the sum matters; addresses carry no data.
    let given = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
    given.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// Memory that lives as long as a descriptor or a mapping of it does.
#[derive(Debug)]
pub struct Segment {
    file: OwnedFd,
    bytes: usize,
    pages: Pages,
}

impl Segment {
    /// Allocates `bytes` zeroed bytes on pages of one size. All of it is resident when this returns.
    /// Only the owner's user may open it again.
    ///
    /// # Errors
    /// The system's error; `InvalidInput` if `bytes` is 0 or no multiple of a page; `Unsupported` if
    /// the system does not back shared memory with 2 MiB pages.
    pub fn resident(bytes: usize, pages: Pages) -> io::Result<Self> {
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a segment of {bytes} bytes: use a multiple of {PAGE_BYTES}"),
            ));
        }
        let file = memory_file(bytes, MemfdFlags::CLOEXEC)?;
        fchmod(&file, Mode::RUSR | Mode::WUSR)?;
        let segment = Self { file, bytes, pages };
        // Small pages need no aligned address, of which there are few.
        let mapping = match pages {
            Pages::Huge => segment.mapped_at(address_for(bytes)?),
            _ => segment.mapped_anywhere(),
        };
        fill(&mapping?, pages)?;
        Ok(segment)
    }

    /// A segment that another process has made, by a descriptor of it.
    ///
    /// # Errors
    /// The system's error, for example for a descriptor of something without a length.
    pub fn received(file: OwnedFd, pages: Pages) -> io::Result<Self> {
        let bytes = fstat(&file)?.st_size as usize;
        Ok(Self { file, bytes, pages })
    }

    /// Length in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A second descriptor of the same memory, for another process.
    ///
    /// # Errors
    /// The system's error.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.file.try_clone()
    }

    /// The same segment by a second descriptor.
    ///
    /// # Errors
    /// The system's error.
    pub fn again(&self) -> io::Result<Self> {
        Ok(Self { file: self.descriptor()?, bytes: self.bytes, pages: self.pages })
    }

    /// A descriptor through which the segment can be read only: the kernel refuses to map it for
    /// writing.
    ///
    /// # Errors
    /// The system's error; where `/proc` is not mounted.
    pub fn read_only_descriptor(&self) -> io::Result<OwnedFd> {
        if mutated(Mutant::ReaderNotReopened) {
            return self.descriptor();
        }
        let path = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        Ok(open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Maps the segment at `address` with its page tables filled.
    ///
    /// # Errors
    /// `AlreadyExists` if something else is mapped there; `Unsupported` before Linux 5.14; the
    /// system's error.
    pub fn attach(&self, address: usize) -> io::Result<Attached> {
        let mapping = self.mapped_at(address)?;
        if !mutated(Mutant::TablesUnfilled) {
            // SAFETY: a mapping of all of this segment, just made.
            unsafe { self.fill_tables(mapping.start()) }?;
        }
        Ok(Attached { mapping })
    }

    /// The same where the kernel chooses, for what holds no addresses and is on small pages.
    ///
    /// # Errors
    /// As of [`Segment::attach`].
    pub fn attach_anywhere(&self) -> io::Result<Attached> {
        let mapping = self.mapped_anywhere()?;
        // SAFETY: a mapping of all of this segment, just made.
        unsafe { self.fill_tables(mapping.start()) }?;
        Ok(Attached { mapping })
    }

    /// The same for reading: the kernel stops a process that writes there (SIGSEGV).
    ///
    /// # Errors
    /// As of [`Segment::attach`].
    pub fn attach_for_reading(&self, address: usize) -> io::Result<Attached> {
        let mapping = self.protected_at(address, READ_ONLY)?;
        // SAFETY: a mapping of all of this segment, just made.
        unsafe { self.enter_all(mapping.start(), Advice::LinuxPopulateRead) }?;
        Ok(Attached { mapping })
    }

    /// A segment of its own with the bytes that this one has now. Anonymous files share no pages until
    /// one is written, so all bytes are copied.
    ///
    /// # Errors
    /// As of [`Segment::resident`].
    pub fn copied(&self) -> io::Result<Self> {
        let copy = Self::resident(self.bytes, self.pages)?;
        let (mut from, mut to) = (0, 0);
        while from < self.bytes as u64 {
            let left = self.bytes - from as usize;
            let (source, target) = (Some(&mut from), Some(&mut to));
            if copy_file_range(self.file(), source, copy.file(), target, left)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(copy)
    }

    fn mapped_anywhere(&self) -> io::Result<Mapping> {
        let mapping = Mapping::shared(self.file(), self.bytes)?;
        mapping.advise(Advice::LinuxNoHugepage);
        Ok(mapping)
    }

    fn mapped_at(&self, address: usize) -> io::Result<Mapping> {
        self.protected_at(address, READ_WRITE)
    }

    fn protected_at(&self, address: usize, protection: ProtFlags) -> io::Result<Mapping> {
        let how = (protection, MapFlags::empty());
        let mapping = Mapping::protected_at(address, self.file(), self.bytes, how)?;
        if self.pages != Pages::Huge {
            mapping.advise(Advice::LinuxNoHugepage);
        }
        Ok(mapping)
    }

    /// Enters all pages of a mapping into the page tables.
    ///
    /// # Safety
    /// All of this segment is mapped at `start`.
    unsafe fn fill_tables(&self, start: NonNull<u8>) -> io::Result<()> {
        // SAFETY: by contract a mapping of all of this segment.
        unsafe { self.enter_all(start, Advice::LinuxPopulateWrite) }
    }

    /// Enters all pages by `advice`.
    ///
    /// # Safety
    /// All of this segment is mapped at `start`.
    unsafe fn enter_all(&self, start: NonNull<u8>, advice: Advice) -> io::Result<()> {
        // SAFETY: by contract a mapping of this length; contents are kept.
        let done = unsafe { madvise(start.as_ptr().cast(), self.bytes, advice) };
        done.map_err(|error| match error {
            Errno::INVAL => io::Error::new(
                io::ErrorKind::Unsupported,
                "the kernel fills no page tables on request: MADV_POPULATE_WRITE needs Linux 5.14",
            ),
            error => error.into(),
        })
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A mapping of a segment; unmapped when dropped.
#[derive(Debug)]
pub struct Attached {
    mapping: Mapping,
}

impl Attached {
    /// Its address.
    #[must_use]
    pub fn address(&self) -> usize {
        self.mapping.start().addr().get()
    }

    /// Its first byte. Other processes may change what follows at any time.
    #[must_use]
    pub fn start(&self) -> NonNull<u8> {
        self.mapping.start()
    }

    /// Length in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.mapping.bytes()
    }

    /// The words of the segment. Other processes may change them at any time.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping lives as long as `self`, and is accessed through atomics only.
        unsafe { words_at(self.mapping.start(), self.mapping.bytes()) }
    }

    /// The turn word in cache line `line` of the segment.
    ///
    /// # Panics
    /// If the segment has no such line.
    #[cfg(not(loom))]
    #[must_use]
    pub fn turn(&self, line: usize) -> &Turn {
        let at = self.mapping.range(line * size_of::<Turn>(), size_of::<Turn>());
        // SAFETY: the line lies inside the mapping (checked by `range`), which is aligned to pages and
        // zeroed or written through atomics only; any 64 bytes are a turn.
        unsafe { at.cast::<Turn>().as_ref() }
    }

    /// How many bytes page tables map now; see [`Mapping::mapped_bytes`].
    ///
    /// # Errors
    /// If `/proc` is not mounted.
    pub fn mapped_bytes(&self) -> io::Result<u64> {
        self.mapping.mapped_bytes()
    }

    /// How many bytes are on 2 MiB pages now; see [`Mapping::huge_bytes`].
    ///
    /// # Errors
    /// If `/proc` is not mounted.
    pub fn huge_bytes(&self) -> io::Result<u64> {
        self.mapping.huge_bytes()
    }
}

/// The words of a mapping of a segment.
///
/// # Safety
/// `bytes` bytes of a segment are mapped at `start` for all of `'life`, and are accessed through
/// atomics only.
unsafe fn words_at<'life>(start: NonNull<u8>, bytes: usize) -> &'life [AtomicU64] {
    // SAFETY: by contract mapped, aligned to pages, and zeroed or written as atomics.
    unsafe { std::slice::from_raw_parts(start.cast().as_ptr(), bytes / WORD_BYTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(bytes: usize) -> Segment {
        Segment::resident(bytes, Pages::Small).unwrap()
    }

    #[test]
    fn bytes_are_the_same_wherever_a_segment_is_attached() {
        let segment = small(2 * PAGE_BYTES);
        let one = segment.attach(address_for(segment.bytes()).unwrap()).unwrap();
        let two = segment.attach(address_for(segment.bytes()).unwrap()).unwrap();
        assert_ne!(one.address(), two.address());
        // Relaxed: one thread.
        one.words()[1023].store(7, Ordering::Relaxed);
        assert_eq!(two.words()[1023].load(Ordering::Relaxed), 7);
        assert_eq!(one.words().len(), 1024);
        assert_eq!(two.mapped_bytes().unwrap(), 2 * PAGE_BYTES as u64);
    }

    #[test]
    fn addresses_are_aligned_in_the_range_and_never_assigned_twice() {
        let [one, two] = [1, ALIGNMENT + 1].map(|bytes| address_for(bytes).unwrap());
        assert!(one.is_multiple_of(ALIGNMENT) && (RANGE_START..RANGE_END).contains(&one));
        assert!(two.is_multiple_of(ALIGNMENT) && two > one);
        assert!(address_for(1).unwrap() >= two + 2 * ALIGNMENT);
        for too_large in [RANGE_END - RANGE_START + 1, usize::MAX] {
            assert_eq!(address_for(too_large).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        }
    }

    #[test]
    fn an_address_that_is_taken_is_an_error_and_changes_nothing() {
        let (one, two) = (small(PAGE_BYTES), small(PAGE_BYTES));
        let attached = one.attach(address_for(PAGE_BYTES).unwrap()).unwrap();
        attached.words()[0].store(1, Ordering::Relaxed);
        let refused = two.attach(attached.address()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(attached.words()[0].load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_reader_cannot_map_for_writing() {
        let segment = small(PAGE_BYTES);
        let reader = Segment::received(segment.read_only_descriptor().unwrap(), Pages::Small);
        let refused = reader.unwrap().attach(address_for(PAGE_BYTES).unwrap()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        let writer = Segment::received(segment.descriptor().unwrap(), Pages::Small).unwrap();
        assert_eq!(writer.bytes(), PAGE_BYTES);
        writer.attach(address_for(PAGE_BYTES).unwrap()).unwrap();
    }

    #[test]
    fn a_reader_sees_what_is_written_at_once() {
        let segment = small(2 * PAGE_BYTES);
        let writer = segment.attach(address_for(segment.bytes()).unwrap()).unwrap();
        let reader = Segment::received(segment.read_only_descriptor().unwrap(), Pages::Small);
        let at = address_for(segment.bytes()).unwrap();
        let reader = reader.unwrap().attach_for_reading(at).unwrap();
        assert_eq!(reader.mapped_bytes().unwrap(), 2 * PAGE_BYTES as u64, "tables are filled");
        writer.words()[1000].store(7, Ordering::Relaxed);
        assert_eq!(reader.words()[1000].load(Ordering::Relaxed), 7);
        assert_eq!((reader.start().addr().get(), reader.bytes()), (at, 2 * PAGE_BYTES));
    }

    #[test]
    fn a_copy_has_the_bytes_and_changes_alone() {
        let attach =
            |segment: &Segment| segment.attach(address_for(segment.bytes()).unwrap()).unwrap();
        let segment = small(3 * PAGE_BYTES);
        let origin = attach(&segment);
        for (at, word) in origin.words().iter().enumerate() {
            word.store(at as u64, Ordering::Relaxed);
        }
        let copy = attach(&segment.copied().unwrap());
        origin.words()[0].store(9, Ordering::Relaxed);
        copy.words()[1].store(9, Ordering::Relaxed);
        let read = |words: &[AtomicU64]| {
            words.iter().map(|word| word.load(Ordering::Relaxed)).collect::<Vec<_>>()
        };
        assert_eq!(read(origin.words())[..3], [9, 1, 2]);
        assert_eq!(read(copy.words())[..3], [0, 9, 2]);
        assert!(read(copy.words())[2..].iter().copied().eq(2..1536));
    }

    #[test]
    fn parts_of_pages_are_refused_with_the_remedy() {
        for bytes in [0, 1, PAGE_BYTES + 8] {
            let error = Segment::resident(bytes, Pages::Small).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            let told = format!("a segment of {bytes} bytes: use a multiple of 4096");
            assert_eq!(error.to_string(), told);
        }
    }
}
