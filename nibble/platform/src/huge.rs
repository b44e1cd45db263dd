//! Transparent huge pages: collapsing small pages into huge ones on request, and counting what page
//! tables map.

use std::fs;
use std::io;
use std::ptr;

use procfs::process::{MMPermissions, MMapPath, MemoryMap, MemoryMaps, Process};
use rustix::mm::{Advice, madvise};

use crate::mapping::{HUGE_PAGE_BYTES, Mapping, PAGE_BYTES};
use crate::process::system_error;

/// Linux 6.1; the C library has no name for it.
const MADV_COLLAPSE: libc::c_int = 25;

/// Collapses this process's own anonymous memory into 2 MiB pages, now, as far as it is filled and the
/// system provides them. What is mapped later is not affected. Returns the bytes that are on such pages
/// afterwards.
///
/// # Errors
/// If `/proc` is not mounted.
pub fn collapse_own_memory() -> io::Result<u64> {
    let own = Process::myself().map_err(system_error)?;
    for area in &own.maps().map_err(system_error)? {
        let (from, to) = (area.address.0 as usize, area.address.1 as usize);
        let from = from.next_multiple_of(HUGE_PAGE_BYTES);
        let to = to / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if is_plain_memory(area) && from < to && !cfg!(miri) {
            // SAFETY: contents are kept and may be used meanwhile. Where another thread has unmapped the
            // range, or mapped something else there, the kernel refuses or collapses that instead.
            unsafe { libc::madvise(ptr::without_provenance_mut(from), to - from, MADV_COLLAPSE) };
        }
    }
    let areas = own.smaps().map_err(system_error)?;
    Ok(sum_in(&areas, 0, u64::MAX, &["AnonHugePages"]))
}

/// Whether an area is private memory of the program, other than a stack.
fn is_plain_memory(area: &MemoryMap) -> bool {
    let used = MMPermissions::READ | MMPermissions::WRITE | MMPermissions::PRIVATE;
    let kinds = [MMapPath::Anonymous, MMapPath::Heap];
    area.perms.contains(used) && (kinds.contains(&area.pathname) || is_named(&area.pathname))
}

/// Allocators may name their anonymous memory.
fn is_named(path: &MMapPath) -> bool {
    matches!(path, MMapPath::Other(name) if name.starts_with("anon:"))
}

impl Mapping {
    /// Collapses the filled pages in `offset..offset + bytes` into 2 MiB pages, now
    /// (`MADV_COLLAPSE`, Linux 6.1). Contents are kept and may be used meanwhile. The range is
    /// shrunk to whole huge pages. Returns whether all of it is on huge pages: `false` if the
    /// system refuses or the range holds no whole huge page.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    #[must_use = "the system may refuse"]
    pub fn collapse(&self, offset: usize, bytes: usize) -> bool {
        let base = self.range(offset, bytes).addr().get() - offset;
        let from = (base + offset).next_multiple_of(HUGE_PAGE_BYTES) - base;
        let to = ((base + offset + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES).saturating_sub(base);
        if from >= to {
            return false;
        }
        let start = self.range(from, to - from).as_ptr().cast();
        if cfg!(miri) {
            return false;
        }
        // The mapping may have refused huge pages; this range must not. SAFETY: the range lies
        // inside our mapping (checked by `range`); contents are kept.
        let eligible = unsafe { madvise(start, to - from, Advice::LinuxHugepage) }.is_ok();
        // SAFETY: as above.
        eligible && unsafe { libc::madvise(start, to - from, MADV_COLLAPSE) } == 0
    }

    /// Makes the 2 MiB from `offset` on resident, on one huge page if the system provides one;
    /// returns whether it did. Contents are kept; nothing else may write there meanwhile.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    pub fn populate_huge(&self, offset: usize) -> bool {
        // One small page is enough for the system to make a huge one.
        self.populate(offset, PAGE_BYTES);
        let collapsed = self.collapse(offset, HUGE_PAGE_BYTES);
        if !collapsed {
            self.populate(offset, HUGE_PAGE_BYTES);
        }
        collapsed
    }

    /// Bytes of the mapping that are on huge pages now, from `/proc/self/smaps`. For this the
    /// kernel walks every page table of the process. If the kernel has merged this mapping with
    /// similar neighbours, those count too, up to this one's length.
    ///
    /// # Errors
    /// If `/proc` is not mounted.
    pub fn huge_bytes(&self) -> io::Result<u64> {
        self.counted(&["AnonHugePages", "ShmemPmdMapped"])
    }

    /// Bytes of the mapping that page tables map now, on pages of any size; see
    /// [`Mapping::huge_bytes`].
    ///
    /// # Errors
    /// If `/proc` is not mounted.
    pub fn mapped_bytes(&self) -> io::Result<u64> {
        self.counted(&["Rss"])
    }

    /// The sum of the counters with these names.
    fn counted(&self, names: &[&str]) -> io::Result<u64> {
        let areas = Process::myself().and_then(|own| own.smaps()).map_err(system_error)?;
        let start = self.start().addr().get() as u64;
        let bytes = self.bytes() as u64;
        Ok(sum_in(&areas, start, start + bytes, names).min(bytes))
    }
}

/// Whether the system backs shared memory with huge pages by itself: the current value of
/// `transparent_hugepage/shmem_enabled`, such as `never`; `None` if the kernel has no such setting.
#[must_use]
pub fn shared_memory_setting() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled").ok()?;
    chosen(&text).map(str::to_owned)
}

/// The word in brackets.
fn chosen(words: &str) -> Option<&str> {
    Some(words.split_once('[')?.1.split_once(']')?.0)
}

/// The sum of the counters with these names, in bytes, over all areas that overlap `start..end`.
fn sum_in(areas: &MemoryMaps, start: u64, end: u64, names: &[&str]) -> u64 {
    let inside = |area: &&MemoryMap| area.address.0 < end && start < area.address.1;
    let counters = |area: &MemoryMap| -> u64 {
        names.iter().filter_map(|&name| area.extension.map.get(name)).sum()
    };
    areas.iter().filter(inside).map(counters).sum()
}

#[cfg(test)]
mod tests {
    use procfs::FromBufRead;

    use super::*;
    use crate::Pages;

    #[test]
    fn areas_outside_do_not_count() {
        let smaps = "1000-3000 rw-p 0 00:00 0 \nAnonHugePages:  4 kB\n\
                     3000-5000 rw-p 0 00:00 0 \nRss: 9 kB\nAnonHugePages: 2048 kB\n\
                     ShmemPmdMapped: 4096 kB\n\
                     5000-6000 rw-p 0 00:00 0 \nAnonHugePages: 16 kB\n";
        let areas = MemoryMaps::from_buf_read(smaps.as_bytes()).unwrap();
        let huge = |start, end| sum_in(&areas, start, end, &["AnonHugePages", "ShmemPmdMapped"]);
        assert_eq!(huge(0x3000, 0x5000), 6144 << 10);
        assert_eq!(huge(0x4fff, 0x5001), 6160 << 10);
        assert_eq!(huge(0x6000, 0x7000), 0);
        assert_eq!(sum_in(&areas, 0x3000, 0x5000, &["Rss"]), 9 << 10);
    }

    #[test]
    fn the_setting_in_force_is_the_one_in_brackets() {
        assert_eq!(chosen("always within_size advise [never] deny force\n"), Some("never"));
        assert_eq!(chosen("nothing"), None);
    }

    #[test]
    fn small_pages_become_huge_ones_and_keep_their_contents() {
        const BYTES: usize = 4 << 20;
        let mapping = Mapping::anonymous(BYTES, Pages::Small).unwrap();
        mapping.populate(0, BYTES);
        // SAFETY: mapped, written by nobody else.
        unsafe { mapping.start().cast::<u64>().write(4711) };
        assert_eq!(mapping.huge_bytes().unwrap(), 0, "the mapping refuses huge pages by itself");
        // A kernel without the call, or set to `never`, may refuse; then nothing may change.
        let collapsed = mapping.collapse(0, BYTES);
        let huge = mapping.huge_bytes().unwrap();
        if collapsed {
            assert!(huge >= HUGE_PAGE_BYTES as u64, "{huge} bytes on huge pages");
        }
        println!("collapsed: {collapsed}, {huge} bytes");
        // SAFETY: as above.
        assert_eq!(unsafe { mapping.start().cast::<u64>().read() }, 4711);
        assert!(!mapping.collapse(4096, 8192), "no whole huge page");
    }
}
