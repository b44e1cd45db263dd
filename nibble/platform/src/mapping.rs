//! Anonymous and shared mappings.

use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use crate::mutant::{Mutant, mutated};

/// Size of a base page.
pub const PAGE_BYTES: usize = 4096;
/// Size of a huge page.
pub const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Which pages a mapping requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// 4 KiB pages; huge pages are refused (`MADV_NOHUGEPAGE`).
    Small,
    /// Transparent 2 MiB pages (`MADV_HUGEPAGE`); the kernel may still provide small ones.
    Huge,
    /// Small pages in a mapping aligned for huge ones; see [`Mapping::collapse`].
    SmallUntilCollapsed,
}

/// A private mapping of zeroed, initially untouched memory; unmapped when dropped.
///
/// The address space is reserved without commitment (`MAP_NORESERVE`), so a mapping may be far
/// larger than memory as long as little of it is touched.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is plain memory owned by this value; all access goes through raw pointers
// whose users answer for synchronisation.
unsafe impl Send for Mapping {}
// SAFETY: as above; `&Mapping` gives out addresses only.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps at least `bytes` (rounded up to pages), aligned to 2 MiB if `pages` is [`Pages::Huge`].
    ///
    /// # Errors
    /// The system's error if address space is exhausted.
    pub fn anonymous(bytes: usize, pages: Pages) -> io::Result<Self> {
        let granule = match pages {
            Pages::Small => PAGE_BYTES,
            Pages::Huge | Pages::SmallUntilCollapsed => HUGE_PAGE_BYTES,
        };
        let bytes = bytes.max(1).next_multiple_of(granule);
        if cfg!(miri) {
            return Ok(Self { start: interpreted(bytes, granule), bytes });
        }
        // One granule more, so that an aligned range fits; the rest is unmapped.
        let wanted = if granule > PAGE_BYTES { bytes + granule } else { bytes };
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: without a place or MAP_FIXED, a fresh mapping displaces nothing.
        let raw = unsafe { mmap_anonymous(std::ptr::null_mut(), wanted, READ_WRITE, flags) };
        let raw = mapped(raw?);
        let front = raw.addr().get().next_multiple_of(granule) - raw.addr().get();
        // SAFETY: `front` is within the mapping just made.
        let start = unsafe { raw.add(front) };
        if front > 0 {
            unmap(raw, front);
        }
        let back = wanted - front - bytes;
        if back > 0 {
            // SAFETY: `start + bytes` is still inside the mapping: `back` bytes of it remain.
            unmap(unsafe { start.add(bytes) }, back);
        }
        let mapping = Self { start, bytes };
        mapping.advise(match pages {
            Pages::Small | Pages::SmallUntilCollapsed => Advice::LinuxNoHugepage,
            Pages::Huge => Advice::LinuxHugepage,
        });
        Ok(mapping)
    }

    /// Maps the first `bytes` of a file descriptor, shared with every process that maps it.
    ///
    /// # Errors
    /// The system's error, for example for a closed descriptor.
    pub fn shared(descriptor: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE_BYTES);
        let start = map_file(ANYWHERE, bytes, (READ_WRITE, MapFlags::SHARED), descriptor)?;
        Ok(Self { start, bytes })
    }

    /// The same at the address `place`; `place` and `bytes` must be multiples of the page size.
    /// `more` are further flags, which must not include `MAP_FIXED`.
    ///
    /// # Errors
    /// The system's error; `AlreadyExists` if another mapping occupies the place.
    pub(crate) fn shared_at(
        place: usize,
        descriptor: BorrowedFd<'_>,
        bytes: usize,
        more: MapFlags,
    ) -> io::Result<Self> {
        Self::protected_at(place, descriptor, bytes, (READ_WRITE, more))
    }

    /// The same with a protection.
    pub(crate) fn protected_at(
        place: usize,
        descriptor: BorrowedFd<'_>,
        bytes: usize,
        (protection, more): (ProtFlags, MapFlags),
    ) -> io::Result<Self> {
        let at = if mutated(Mutant::PlaceOverwritten) {
            MapFlags::FIXED
        } else {
            MapFlags::FIXED_NOREPLACE
        };
        let how = (protection, MapFlags::SHARED | at | more);
        let mapping = Self { start: map_file(place, bytes, how, descriptor)?, bytes };
        // Kernels before 4.17 treat the address as a hint.
        if mapping.start.addr().get() == place {
            Ok(mapping)
        } else {
            Err(io::ErrorKind::AlreadyExists.into())
        }
    }

    /// The address of the first byte.
    #[must_use]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Length in bytes, a multiple of the page size.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes `offset..offset + bytes` resident by having the kernel write to it
    /// (`MADV_POPULATE_WRITE`, Linux 5.14). On older kernels it reads one byte per page and writes
    /// it back. Contents are kept; nothing else may write there meanwhile.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    pub fn populate(&self, offset: usize, bytes: usize) {
        let start = self.range(offset, bytes);
        if cfg!(miri) {
            return;
        }
        // SAFETY: the range lies inside our mapping (checked by `range`).
        let done = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxPopulateWrite) };
        if done.is_ok() {
            return;
        }
        for page in (0..bytes).step_by(PAGE_BYTES) {
            // SAFETY: inside our mapping (checked by `range`).
            let byte = unsafe { start.add(page) };
            // SAFETY: mapped, readable.
            let value = unsafe { byte.read_volatile() };
            // SAFETY: mapped, writable, and by contract written by nobody else now.
            unsafe { byte.write_volatile(value) };
        }
    }

    /// Returns the pages of `offset..offset + bytes` to the system (`MADV_DONTNEED`); they read as
    /// zero afterwards. The range is shrunk to whole pages.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    pub fn discard(&self, offset: usize, bytes: usize) {
        let from = offset.next_multiple_of(PAGE_BYTES);
        let to = (offset + bytes) / PAGE_BYTES * PAGE_BYTES;
        if from >= to {
            return;
        }
        let start = self.range(from, to - from);
        if cfg!(miri) {
            // SAFETY: as below.
            unsafe { start.write_bytes(0, to - from) };
            return;
        }
        // SAFETY: the range lies inside our mapping; losing its contents is what was asked for.
        let _ = unsafe { madvise(start.as_ptr().cast(), to - from, Advice::LinuxDontNeed) };
    }

    pub(crate) fn range(&self, offset: usize, bytes: usize) -> NonNull<u8> {
        let end = offset.checked_add(bytes).expect("a range that fits the address space");
        assert!(end <= self.bytes, "range {offset}..{end} of a mapping of {}", self.bytes);
        // SAFETY: `offset <= self.bytes`, just asserted.
        unsafe { self.start.add(offset) }
    }

    pub(crate) fn advise(&self, advice: Advice) {
        // SAFETY: exactly our mapping. Failure (no huge pages in this kernel) is harmless.
        let _ = unsafe { madvise(self.start.as_ptr().cast(), self.bytes, advice) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if cfg!(miri) {
            // SAFETY: allocated by `interpreted` in this layout, and never used again.
            unsafe { std::alloc::dealloc(self.start.as_ptr(), layout(self.bytes)) };
        } else {
            unmap(self.start, self.bytes);
        }
    }
}

/// The stand-in for a mapping under Miri, which does not support advice to the system.
fn interpreted(bytes: usize, granule: usize) -> NonNull<u8> {
    debug_assert!(granule <= HUGE_PAGE_BYTES);
    // SAFETY: the layout is not empty.
    let start = unsafe { std::alloc::alloc_zeroed(layout(bytes)) };
    NonNull::new(start).expect("the interpreter has memory")
}

fn layout(bytes: usize) -> std::alloc::Layout {
    std::alloc::Layout::from_size_align(bytes, HUGE_PAGE_BYTES).expect("a mapping's size")
}

/// Lets the kernel choose the address of a mapping.
const ANYWHERE: usize = 0;

pub(crate) const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);
pub(crate) const READ_ONLY: ProtFlags = ProtFlags::READ;

/// Maps a file; `flags` must not include `MAP_FIXED`.
fn map_file(
    place: usize,
    bytes: usize,
    (protection, flags): (ProtFlags, MapFlags),
    descriptor: BorrowedFd<'_>,
) -> io::Result<NonNull<u8>> {
    let place = std::ptr::without_provenance_mut(place);
    // SAFETY: no caller passes MAP_FIXED, so a fresh mapping displaces nothing.
    Ok(mapped(unsafe { mmap(place, bytes, protection, flags, descriptor, 0) }?))
}

fn mapped<T>(address: *mut T) -> NonNull<u8> {
    NonNull::new(address.cast()).expect("the kernel maps nothing at 0 unasked")
}

fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: callers pass a page-aligned range of a mapping they own and never use again.
    let result = unsafe { munmap(start.as_ptr().cast(), bytes) };
    debug_assert!(result.is_ok(), "munmap of our own mapping");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessMemory;

    #[test]
    fn huge_mappings_are_aligned_and_as_long_as_asked() {
        let mapping = Mapping::anonymous(3 << 20, Pages::Huge).unwrap();
        assert_eq!(mapping.start().addr().get() % HUGE_PAGE_BYTES, 0);
        assert_eq!(mapping.bytes(), 4 << 20);
    }

    #[test]
    fn populate_makes_resident_and_discard_gives_back() {
        const BYTES: usize = 64 << 20;
        let mapping = Mapping::anonymous(BYTES, Pages::Small).unwrap();
        let resident = || ProcessMemory::of_self().unwrap().resident_bytes();
        let before = resident();
        mapping.populate(0, BYTES);
        let populated = resident();
        assert!(populated >= before + BYTES as u64 * 9 / 10, "{before} -> {populated}");
        mapping.discard(0, BYTES);
        let after = resident();
        // Other tests of this process take memory in the meantime.
        assert!(after <= populated - BYTES as u64 * 3 / 4, "{populated} -> {after}");
    }

    #[test]
    #[should_panic(expected = "of a mapping")]
    fn ranges_outside_are_refused() {
        Mapping::anonymous(4096, Pages::Small).unwrap().populate(0, 8192);
    }
}
