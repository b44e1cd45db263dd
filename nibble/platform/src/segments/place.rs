//! A place in the address space at which segments of one size appear in turn: by mapping them, or by
//! moving the page tables of a mapping that waits elsewhere.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use super::{Segment, address_for, words_at};
use crate::Pages;
use crate::mapping::{HUGE_PAGE_BYTES, READ_WRITE};
use crate::mutant::{Mutant, mutated};

/// The flags of a move to a given address. `mremap_fixed` of rustix 1.1 passes `MAP_FIXED` for
/// `MREMAP_FIXED`, which the kernel refuses.
const MOVE_TO: libc::c_int = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;

/// The place. What it shows is unmapped when it is dropped.
#[derive(Debug)]
pub struct Place {
    start: NonNull<u8>,
    bytes: usize,
    shows: bool,
}

// SAFETY: the place is address space owned by this value; its words are atomics.
unsafe impl Send for Place {}

impl Place {
    /// Claims an address for segments of `bytes` bytes. Nothing can be accessed there yet.
    ///
    /// # Errors
    /// The system's error; `OutOfMemory` if no address is left; `AlreadyExists` if something lies
    /// there.
    pub fn claim(bytes: usize) -> io::Result<Self> {
        let address = std::ptr::without_provenance_mut(address_for(bytes)?);
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
        // SAFETY: with MAP_FIXED_NOREPLACE a mapping displaces nothing.
        let start = unsafe { mmap_anonymous(address, bytes, ProtFlags::empty(), flags) }?;
        Ok(Self { start: non_null(start), bytes, shows: false })
    }

    /// Maps `segment` here, over whatever the place showed (`MAP_FIXED`). Page tables are filled by
    /// the same call if `populate` says so (`MAP_POPULATE`), at first touch otherwise.
    ///
    /// # Errors
    /// The system's error.
    ///
    /// # Panics
    /// If the segment has another length.
    pub fn map_over(&mut self, segment: &Segment, populate: bool) -> io::Result<()> {
        let more = if populate { MapFlags::POPULATE } else { MapFlags::empty() };
        self.map(segment, MapFlags::FIXED | more)
    }

    /// Unmaps what the place shows, then maps `segment`, whose pages are found at first touch.
    ///
    /// # Errors
    /// The system's error.
    ///
    /// # Panics
    /// If the segment has another length.
    pub fn unmap_then_map(&mut self, segment: &Segment) -> io::Result<()> {
        self.shows = false;
        // SAFETY: exactly the place; no words are borrowed, because `self` is borrowed exclusively.
        unsafe { munmap(self.start.as_ptr().cast(), self.bytes) }?;
        self.map(segment, MapFlags::FIXED_NOREPLACE)
    }

    fn map(&mut self, segment: &Segment, more: MapFlags) -> io::Result<()> {
        assert_eq!(segment.bytes(), self.bytes, "a place shows segments of its own length");
        let address = self.start.as_ptr().cast();
        let flags = MapFlags::SHARED | more;
        // SAFETY: the place is this value's own range, and no words of it are borrowed.
        unsafe { mmap(address, self.bytes, READ_WRITE, flags, segment.file(), 0) }?;
        self.shows = true;
        Ok(())
    }

    /// Moves the page tables of `stay` here; the place must show nothing.
    ///
    /// # Errors
    /// The system's error.
    ///
    /// # Panics
    /// If the place shows a segment, if the stay's segment is elsewhere, or if it has another length.
    pub fn bring(&mut self, stay: &mut Stay) -> io::Result<()> {
        assert!(!self.shows, "the place shows another segment");
        assert!(!stay.away, "the segment is in a place already");
        self.relocate(stay.start, self.start, stay.bytes)?;
        (self.shows, stay.away) = (true, true);
        Ok(())
    }

    /// Moves the page tables of what the place shows back to `stay`.
    ///
    /// # Errors
    /// The system's error.
    ///
    /// # Panics
    /// If the place shows nothing, or if the stay's segment is not away.
    pub fn take_back(&mut self, stay: &mut Stay) -> io::Result<()> {
        assert!(self.shows && stay.away, "there is nothing to take back");
        let mut target = stay.start;
        if mutated(Mutant::ParkedBeside) {
            let beside = target.as_ptr().wrapping_add(HUGE_PAGE_BYTES);
            target = NonNull::new(beside).expect("an address of the range");
        }
        self.relocate(self.start, target, stay.bytes)?;
        (self.shows, stay.away) = (false, false);
        Ok(())
    }

    fn relocate(&self, from: NonNull<u8>, to: NonNull<u8>, bytes: usize) -> io::Result<()> {
        assert_eq!(bytes, self.bytes, "a place shows segments of its own length");
        let [from, to] = [from, to].map(|at| at.as_ptr().cast::<libc::c_void>());
        // SAFETY: both ranges belong to the place and the stay, which are borrowed exclusively; the
        // target holds no segment, as the callers assert.
        let moved = unsafe { libc::mremap(from, bytes, bytes, MOVE_TO, to) };
        if moved == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// The words of the segment that the place shows.
    ///
    /// # Panics
    /// If it shows none.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        assert!(self.shows, "the place shows no segment");
        // SAFETY: the segment is mapped here until an exclusive borrow changes that, and is accessed
        // through atomics only.
        unsafe { words_at(self.start, self.bytes) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: exactly the place, which nobody uses any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Where the page tables of one segment wait while no place shows it; aligned to 1 GiB, so that the
/// kernel moves entries for 2 MiB or 1 GiB at once.
#[derive(Debug)]
pub struct Stay {
    start: NonNull<u8>,
    bytes: usize,
    away: bool,
}

// SAFETY: the stay is address space owned by this value.
unsafe impl Send for Stay {}

impl Stay {
    /// Maps `segment` with its page tables filled.
    ///
    /// # Errors
    /// The system's error; `OutOfMemory` if no address is left.
    pub fn of(segment: &Segment) -> io::Result<Self> {
        let bytes = segment.bytes();
        let address = std::ptr::without_provenance_mut(address_for(bytes)?);
        let flags = MapFlags::SHARED | MapFlags::FIXED_NOREPLACE;
        // SAFETY: with MAP_FIXED_NOREPLACE a mapping displaces nothing.
        let start = unsafe { mmap(address, bytes, READ_WRITE, flags, segment.file(), 0) }?;
        let stay = Self { start: non_null(start), bytes, away: false };
        if segment.pages != Pages::Huge {
            // SAFETY: exactly the mapping just made. Failure (no huge pages) is harmless.
            let _ = unsafe { madvise(start, bytes, Advice::LinuxNoHugepage) };
        }
        // SAFETY: a mapping of all of the segment, just made.
        unsafe { segment.fill_tables(stay.start) }?;
        Ok(stay)
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        // SAFETY: exactly the stay. Where the segment is away nothing is mapped there.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

fn non_null(address: *mut std::ffi::c_void) -> NonNull<u8> {
    NonNull::new(address.cast()).expect("the kernel maps nothing at 0 unasked")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use procfs::process::{MMPermissions, Process};

    use super::*;
    use crate::mapping::PAGE_BYTES;

    /// Two segments whose first and last words are their numbers.
    fn stamped(bytes: usize) -> Vec<Segment> {
        let stamped = |number| {
            let segment = Segment::resident(bytes, Pages::Small).unwrap();
            let attached = segment.attach(address_for(bytes).unwrap()).unwrap();
            // Relaxed: one thread, here and below.
            attached.words()[0].store(number, Relaxed);
            attached.words().last().unwrap().store(number, Relaxed);
            segment
        };
        [1, 2].map(stamped).into()
    }

    fn shown(place: &Place) -> (u64, u64) {
        (place.words()[0].load(Relaxed), place.words().last().unwrap().load(Relaxed))
    }

    #[test]
    fn a_place_shows_what_was_mapped_last() {
        let segments = stamped(2 * PAGE_BYTES);
        let mut place = Place::claim(2 * PAGE_BYTES).unwrap();
        for turn in [0, 1, 1, 0] {
            let number = turn as u64 + 1;
            place.map_over(&segments[turn], turn == 0).unwrap();
            assert_eq!(shown(&place), (number, number));
            place.unmap_then_map(&segments[turn]).unwrap();
            assert_eq!(shown(&place), (number, number));
        }
    }

    /// Rule 14: a window is in the place or at its stay, never both, and keeps its bytes.
    #[test]
    fn moving_loses_no_page_and_leaves_none_behind() {
        let segments = stamped(HUGE_PAGE_BYTES);
        let mut stays: Vec<Stay> = segments.iter().map(|one| Stay::of(one).unwrap()).collect();
        let mut place = Place::claim(HUGE_PAGE_BYTES).unwrap();
        let mapped = |at: NonNull<u8>| {
            let maps = Process::myself().unwrap().maps().unwrap();
            let at = at.addr().get() as u64;
            maps.iter().any(|one| one.address.0 == at && one.perms.contains(MMPermissions::READ))
        };
        for turn in [0, 1, 0, 0, 1] {
            place.bring(&mut stays[turn]).unwrap();
            assert_eq!(shown(&place), (turn as u64 + 1, turn as u64 + 1));
            assert!(!mapped(stays[turn].start) && mapped(stays[1 - turn].start));
            place.take_back(&mut stays[turn]).unwrap();
            assert!(mapped(stays[turn].start) && !mapped(place.start));
        }
    }

    #[test]
    #[should_panic(expected = "shows no segment")]
    fn words_of_an_empty_place_are_refused() {
        let _ = Place::claim(PAGE_BYTES).unwrap().words();
    }

    #[test]
    #[should_panic(expected = "own length")]
    fn a_segment_of_another_length_is_refused() {
        let _ = Place::claim(2 * PAGE_BYTES).unwrap().map_over(&stamped(PAGE_BYTES)[0], false);
    }
}
