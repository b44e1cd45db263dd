//! Allocated memory that is mapped and unmapped repeatedly: measures what it costs to fill and
//! empty page tables, with no memory to allocate.
//!
//! ```text
//!        │◄───────────────────────── 1 TiB ────────────────────────►│
//! ───────┬────────────┬────────────┬──────── … ─────────────────────┬────────────────────────
//!        │   view 0   │   view 1   │  free: at least 64 GiB         │ all that was mapped before
//! ───────┴────────────┴────────────┴──────── … ─────────────────────┴────────────────────────
//! ```
//!
//! Every object has its own place in the address space, aligned for 2 MiB pages, so a view has the
//! same address each time. Places are empty between two views. The kernel assigns addresses from
//! above and would reach the places last. If a place was taken nevertheless, mapping a view is an
//! error.
//!
//! **Huge pages** are made of small pages on request, as in [`crate::mirrored`].

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use rustix::fs::MemfdFlags;
use rustix::mm::{Advice, MapFlags};

use crate::huge::shared_memory_setting;
use crate::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use crate::process::memory_file;
use crate::racy::WORD_BYTES;
use crate::{Mapping, Pages};

/// Address space from which places are taken, from below.
const AREA_BYTES: usize = 1 << 40;
/// How much of it stays free.
const FREE_BYTES: usize = 64 << 30;

/// Where places may still be taken; no place is assigned twice in the life of the process.
static AREA: Mutex<Option<Range<usize>>> = Mutex::new(None);

/// Physical memory of an anonymous file. It stays resident while nothing maps it.
#[derive(Debug)]
pub struct SharedMemory {
    file: OwnedFd,
    /// The address of its views.
    place: usize,
    bytes: usize,
}

impl SharedMemory {
    /// Allocates `count` objects of `bytes` zeroed bytes each, on pages of one size;
    /// [`Pages::SmallUntilCollapsed`] counts as small.
    ///
    /// # Errors
    /// The system's error; `OutOfMemory` if all objects that the process ever had exceed 960 GiB in
    /// total; `Unsupported` if the system does not back shared memory with 2 MiB pages.
    ///
    /// # Panics
    /// If `bytes` is not a multiple of the page size.
    pub fn resident(count: usize, bytes: usize, pages: Pages) -> io::Result<Vec<Self>> {
        let page_bytes = if pages == Pages::Huge { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        assert!(
            bytes > 0 && bytes.is_multiple_of(page_bytes),
            "{bytes} bytes on pages of {page_bytes}: use whole pages"
        );
        let memory = places(count, bytes)?.into_iter().map(|place| {
            let file = memory_file(bytes, MemfdFlags::CLOEXEC)?;
            fill(&Mapping::shared_at(place, file.as_fd(), bytes, MapFlags::empty())?, pages)?;
            Ok(Self { file, place, bytes })
        });
        memory.collect()
    }

    /// Maps all of it with one system call that also fills the page tables (`MAP_POPULATE`). The
    /// call does not report whether it did; [`View::mapped_bytes`] does.
    ///
    /// # Errors
    /// `AlreadyExists` while there is another view; the system's error.
    pub fn map(&self) -> io::Result<View> {
        let file = self.file.as_fd();
        let mapping = Mapping::shared_at(self.place, file, self.bytes, MapFlags::POPULATE)?;
        Ok(View { mapping })
    }

    /// Maps it as [`SharedMemory::map`] does, and again, up to 16 times, until page tables hold all
    /// of it. The kernel may take a page out of page tables at any time: when it moves the page, or
    /// splits a larger one. What is still missing after that, [`View::mapped_bytes`] tells.
    ///
    /// # Errors
    /// `AlreadyExists` while there is another view; the system's error.
    pub fn map_completely(&self) -> io::Result<View> {
        let mut view = self.map()?;
        for _ in 1..16 {
            if view.mapped_bytes()? >= self.bytes as u64 {
                break;
            }
            drop(view);
            view = self.map()?;
        }
        Ok(view)
    }
}

/// The only mapping of a [`SharedMemory`]; unmapped when dropped.
#[derive(Debug)]
pub struct View {
    mapping: Mapping,
}

impl View {
    /// The words of the memory.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU64] {
        let start = self.mapping.start().cast::<AtomicU64>();
        // SAFETY: the mapping holds so many aligned words, zeroed or written as atomics; it lives
        // as long as `self`, and no view gives its words out in any other way.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.mapping.bytes() / WORD_BYTES) }
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

/// Addresses for `count` views of `bytes` bytes, where the kernel maps nothing on its own.
fn places(count: usize, bytes: usize) -> io::Result<Vec<usize>> {
    let mut area = AREA.lock().unwrap_or_else(PoisonError::into_inner);
    let free = match &mut *area {
        Some(free) => free,
        // Reserved to find a free range, and released right away.
        none => {
            let room = Mapping::anonymous(AREA_BYTES, Pages::Huge)?;
            let start = room.start().addr().get();
            none.insert(start..start + AREA_BYTES - FREE_BYTES)
        }
    };
    let apart = bytes.next_multiple_of(HUGE_PAGE_BYTES);
    let all = apart.checked_mul(count).filter(|&all| all <= free.len());
    let first = free.start;
    free.start += all.ok_or(io::ErrorKind::OutOfMemory)?;
    Ok((first..free.start).step_by(apart).collect())
}

/// Allocates the memory behind `mapping`.
pub(crate) fn fill(mapping: &Mapping, pages: Pages) -> io::Result<()> {
    if pages != Pages::Huge {
        // Small pages, whatever the system does by default.
        mapping.advise(Advice::LinuxNoHugepage);
        mapping.populate(0, mapping.bytes());
        return Ok(());
    }
    for at in (0..mapping.bytes()).step_by(HUGE_PAGE_BYTES) {
        if !mapping.populate_huge(at) {
            let setting = shared_memory_setting();
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "the system provides no 2 MiB pages for shared memory \
                     (transparent_hugepage/shmem_enabled is {}): this requires Linux 6.1 or later, \
                     a setting other than `deny`, and free memory in pieces of 2 MiB",
                    setting.as_deref().map_or("absent".to_owned(), |word| format!("`{word}`")),
                ),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    const BYTES: usize = 2 * HUGE_PAGE_BYTES;

    #[test]
    fn every_view_shows_the_same_memory_and_is_complete_untouched() {
        let objects = SharedMemory::resident(2, BYTES, Pages::Small).unwrap();
        for turn in 0..3 {
            let views =
                objects.iter().map(|object| object.map_completely().unwrap()).collect::<Vec<_>>();
            for (number, view) in views.iter().enumerate() {
                assert_eq!(view.mapped_bytes().unwrap(), BYTES as u64);
                assert_eq!(view.huge_bytes().unwrap(), 0);
                // Relaxed: one thread.
                let last = view.words().last().unwrap();
                let held = if turn == 0 { 0 } else { 4711 + number as u64 };
                assert_eq!(last.swap(4711 + number as u64, Ordering::Relaxed), held);
            }
        }
    }

    #[test]
    fn a_place_that_is_taken_is_an_error() {
        let object = SharedMemory::resident(1, PAGE_BYTES, Pages::Small).unwrap().remove(0);
        let view = object.map().unwrap();
        assert_eq!(object.map().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        drop(view);
        assert_eq!(object.map().unwrap().words().len(), PAGE_BYTES / WORD_BYTES);
    }

    #[test]
    fn huge_pages_are_huge_in_every_view_or_refused() {
        match SharedMemory::resident(1, BYTES, Pages::Huge) {
            Ok(objects) => {
                let view = objects[0].map_completely().unwrap();
                assert_eq!(view.huge_bytes().unwrap(), BYTES as u64);
                assert_eq!(view.mapped_bytes().unwrap(), BYTES as u64);
            }
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::Unsupported);
                assert!(error.to_string().contains("shmem_enabled"), "{error}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "whole pages")]
    fn parts_of_pages_are_refused() {
        let _ = SharedMemory::resident(1, PAGE_BYTES, Pages::Huge);
    }
}
