//! Google's TCMalloc with per-CPU caches, statically linked; its entry points start with
//! `TCMallocInternal` and `MallocExtension_Internal_`.
//!
//! Per-CPU caches need exclusive use of the kernel's restartable sequences, but glibc registers
//! those first unless the process starts with `GLIBC_TUNABLES=glibc.pthread.rseq=0`. Without them
//! TCMalloc silently falls back to per-thread caches, which is another design. [`Heap::open`]
//! refuses that.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use procfs::process::{MMapPath, MemoryMaps, Process};

use crate::{environment, released, variants};

static TRAITS: HeapTraits = HeapTraits {
    name: "tcmalloc",
    description: "Google's: caches per CPU, transfer caches, a back end aware of huge pages",
    environment: &[("GLIBC_TUNABLES", "glibc.pthread.rseq=0")],
    variants: variants::TCMALLOC,
    ..HeapTraits::BASE
};

const PAGE_ALLOCATOR_BYTES: usize = 2 << 20;

/// The crate does not record the upstream commit.
const VERSION: &str = "tcmalloc as bundled by libtcmalloc-sys 0.1.14";

// The crate declares only the aligned `new` and `delete`; these are the C entry points beside them.
// Naming `ForceCpuCacheActivation` also pulls the object file with the per-CPU caches out of the
// archive: without this reference they would not be in the program.
unsafe extern "C" {
    fn TCMallocInternalMalloc(bytes: usize) -> *mut c_void;
    fn TCMallocInternalRealloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn TCMallocInternalMemalign(alignment: usize, bytes: usize) -> *mut c_void;
    fn TCMallocInternalFree(block: *mut c_void);
    fn TCMallocInternalFreeSized(block: *mut c_void, bytes: usize);
    fn TCMallocInternalMallocSize(block: *mut c_void) -> usize;
    fn MallocExtension_Internal_GetNumericProperty(
        name: *const c_char,
        name_bytes: usize,
        value: *mut usize,
    ) -> bool;

    // These take and return numbers and lock what they touch, so any call is sound.
    safe fn TCMalloc_Internal_ForceCpuCacheActivation();
    safe fn MallocExtension_Internal_GetPerCpuCachesActive() -> bool;
    safe fn MallocExtension_Internal_GetMaxPerCpuCacheSize() -> i32;
    safe fn MallocExtension_Internal_SetMaxPerCpuCacheSize(bytes: i32);
    safe fn MallocExtension_Internal_GetBackgroundReleaseRate() -> usize;
    safe fn MallocExtension_Internal_SetBackgroundReleaseRate(bytes_per_s: usize);
    safe fn MallocExtension_Internal_GetProfileSamplingInterval() -> i64;
    safe fn MallocExtension_Internal_ReleaseCpuMemory(cpu: c_int) -> usize;
    safe fn MallocExtension_Internal_ReleaseMemoryToSystem(bytes: usize) -> usize;

    /// `Static::page_allocator_`: the back end with its lists of huge pages, zeroed memory of the
    /// program that a constructor fills. It is some 30 KiB longer than this.
    #[link_name = "_ZN8tcmalloc17tcmalloc_internal6Static15page_allocator_E"]
    static PAGE_ALLOCATOR: [u8; PAGE_ALLOCATOR_BYTES];
}

#[derive(Debug)]
pub(crate) struct Tcmalloc;

impl Heap for Tcmalloc {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        static OPENED: OnceLock<Result<(), OpenError>> = OnceLock::new();
        OPENED.get_or_init(open_once).clone()
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: takes any size; 0 yields a unique block.
        NonNull::new(unsafe { TCMallocInternalMalloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller guarantees a live block of `TCMallocInternalMalloc` with this size.
        unsafe { TCMallocInternalFreeSized(block.as_ptr().cast(), bytes) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of `TCMallocInternalMalloc` or of this; a size
        // of 0, which would free it, is not passed on.
        let moved = unsafe { TCMallocInternalRealloc(block.as_ptr().cast(), bytes.max(1)) };
        NonNull::new(moved.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { TCMallocInternalMemalign(alignment, bytes) }.cast())
    }

    /// Does not pass the size: a block that `reallocate` left in place has another size class.
    unsafe fn release(&self, block: NonNull<u8>, _bytes: usize, _alignment: usize) {
        // SAFETY: the caller guarantees a live block; this takes those of every entry point.
        unsafe { TCMallocInternalFree(block.as_ptr().cast()) }
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of `TCMallocInternalMalloc`.
        Some(unsafe { TCMallocInternalMallocSize(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        for cpu in 0..cpus() {
            MallocExtension_Internal_ReleaseCpuMemory(cpu);
        }
        MallocExtension_Internal_ReleaseMemoryToSystem(usize::MAX);
    }

    fn version(&self) -> String {
        released::dated(VERSION.to_owned())
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("per_cpu_caches_active", MallocExtension_Internal_GetPerCpuCachesActive()),
            Setting::new(
                "max_per_cpu_cache_size",
                MallocExtension_Internal_GetMaxPerCpuCacheSize(),
            ),
            Setting::new("background_thread", releases_in_background()),
            Setting::new(
                "background_release_rate",
                MallocExtension_Internal_GetBackgroundReleaseRate(),
            ),
            Setting::new(
                "profile_sampling_interval",
                MallocExtension_Internal_GetProfileSamplingInterval(),
            ),
            Setting::new("page_bytes", 8192),
            Setting::new("free", "TCMallocInternalFreeSized (sized)"),
            Setting::new("reallocate", "TCMallocInternalRealloc"),
            Setting::new("release", "TCMallocInternalFree"),
            Setting::new("purge", "ReleaseCpuMemory of every CPU; ReleaseMemoryToSystem(all)"),
        ]
    }

    fn resident_before_open_bytes(&self) -> u64 {
        let areas = Process::myself().and_then(|own| own.smaps());
        areas.map_or(0, |areas| resident_in_regions(&areas)) + resident_in_tables()
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics {
            allocated_bytes: property("generic.current_allocated_bytes"),
            mapped_bytes: property("generic.physical_memory_used"),
        }
    }
}

/// TCMalloc's regions begin at multiples of this; nothing else in a fresh process does.
const REGION_ALIGNMENT: u64 = 2 << 20;

/// Resident bytes of the anonymous mappings that begin at such a boundary. The program's zeroed
/// statics, which follow its file without a gap, do not count: [`resident_in_tables`] picks
/// TCMalloc's out of them.
fn resident_in_regions(areas: &MemoryMaps) -> u64 {
    let (mut image, mut last_end, mut bytes) = (false, 0, 0);
    for area in areas {
        let (start, end) = area.address;
        image = area.inode != 0 || (image && start == last_end);
        last_end = end;
        let anonymous = !image && area.pathname == MMapPath::Anonymous;
        if anonymous && start.is_multiple_of(REGION_ALIGNMENT) {
            bytes += area.extension.map.get("Rss").copied().unwrap_or(0);
        }
    }
    bytes
}

/// Resident bytes of TCMalloc's largest static, which its constructor writes all over. The others
/// are small, or filled only as the heap grows.
fn resident_in_tables() -> u64 {
    resident_at((&raw const PAGE_ALLOCATOR).cast(), PAGE_ALLOCATOR_BYTES)
}

/// Resident bytes of the pages that hold `bytes` bytes from `start`; 0 where they are not all mapped.
fn resident_at(start: *const u8, bytes: usize) -> u64 {
    // SAFETY: reads a constant of the machine.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let before = start.addr() % page;
    let length = before + bytes;
    let mut pages = vec![0_u8; length.div_ceil(page)];
    let first = start.wrapping_sub(before).cast_mut().cast();
    // SAFETY: the kernel checks the range, reads none of it, and writes a byte for each of its
    // pages, which is how long the vector is.
    let refused = unsafe { libc::mincore(first, length, pages.as_mut_ptr()) };
    if refused != 0 {
        return 0;
    }
    pages.iter().map(|state| u64::from(state & 1) * page as u64).sum()
}

/// Turns per-CPU caches on, checks that they are on, then applies the variant's settings.
fn open_once() -> Result<(), OpenError> {
    TCMalloc_Internal_ForceCpuCacheActivation();
    // The first allocation registers the thread's restartable sequences.
    let block = Tcmalloc.allocate(1).ok_or(OpenError::OutOfMemory { wanted_bytes: 1 })?;
    // SAFETY: allocated just above with this size, freed once.
    unsafe { Tcmalloc.free(block, 1) };
    if !MallocExtension_Internal_GetPerCpuCachesActive() {
        return Err(OpenError::Missing {
            what: "TCMalloc's mode of caches per CPU".to_owned(),
            remedy: "start the process with GLIBC_TUNABLES=glibc.pthread.rseq=0 (several tunables \
                     are joined with `:`); glibc takes the kernel's restartable sequences otherwise"
                .to_owned(),
        });
    }
    if let Some(bytes) = environment::number(variants::TCMALLOC_CACHE_BYTES) {
        MallocExtension_Internal_SetMaxPerCpuCacheSize(bytes);
    }
    if let Some(bytes_per_s) = background_release_rate() {
        MallocExtension_Internal_SetBackgroundReleaseRate(bytes_per_s);
        // Never returns; it sleeps a second between rounds and ends with the process.
        // SAFETY: any one thread may serve TCMalloc's background work; this is the only one.
        std::thread::spawn(|| unsafe { libtcmalloc_sys::ProcessBackgroundActions() });
    }
    Ok(())
}

fn background_release_rate() -> Option<usize> {
    environment::number(variants::TCMALLOC_RELEASE_BYTES_PER_S)
}

fn releases_in_background() -> bool {
    background_release_rate().is_some()
}

fn cpus() -> c_int {
    // SAFETY: reads a constant of the machine.
    let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    c_int::try_from(cpus).unwrap_or(0)
}

/// A statistic of TCMalloc, by its documented name.
fn property(name: &str) -> Option<u64> {
    let mut value = 0;
    // SAFETY: the name is passed with its length, the out-parameter outlives the call.
    let known = unsafe {
        MallocExtension_Internal_GetNumericProperty(
            name.as_ptr().cast(),
            name.len(),
            &raw mut value,
        )
    };
    known.then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use procfs::FromBufRead;

    use super::*;

    #[test]
    fn only_anonymous_regions_at_the_boundary_are_counted() {
        let smaps = "0fe3bfe00000-0fe3c0000000 rw-p 00000000 00:00 0 \n\
                     Rss:                2048 kB\n\
                     7fb5a3e01000-7fb5a4200000 rw-p 00000000 00:00 0 \n\
                     Rss:                4096 kB\n\
                     558321600000-558321800000 r--p 00000000 fe:00 10019897   /bin/program\n\
                     Rss:                 512 kB\n\
                     558321800000-558321a00000 rw-p 00000000 00:00 0 \n\
                     Rss:                 128 kB\n\
                     558322a00000-558322b00000 rw-p 00000000 00:00 0          [heap]\n\
                     Rss:                 256 kB\n";
        let areas = MemoryMaps::from_buf_read(smaps.as_bytes()).unwrap();
        assert_eq!(resident_in_regions(&areas), 2048 * 1024);
    }

    #[test]
    fn what_the_constructor_wrote_of_the_statics_counts() {
        let table = PAGE_ALLOCATOR_BYTES as u64;
        assert!(resident_in_tables() >= table, "{}", resident_in_tables());
        let areas = Process::myself().unwrap().smaps().unwrap();
        let counted = Tcmalloc.resident_before_open_bytes();
        assert!(counted >= resident_in_regions(&areas) + table, "{counted}");
    }

    #[test]
    fn only_pages_that_were_touched_are_resident() {
        const PAGES: usize = 8;
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: reads a constant of the machine.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), PAGES * page, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>();
        for touched in [1, 2, 5] {
            // SAFETY: within the mapping, which nobody else knows.
            unsafe { start.wrapping_add(touched * page + 100).write(1) };
        }
        let resident = |from: usize, bytes| resident_at(start.wrapping_add(from), bytes);
        assert_eq!(resident(0, PAGES * page), 3 * page as u64);
        assert_eq!(resident(page + 8, page), 2 * page as u64, "both pages that it lies in");
        assert_eq!(resident(3 * page, 2 * page), 0);
        // SAFETY: the mapping from above, used no more.
        unsafe { libc::munmap(start.cast(), PAGES * page) };
        assert_eq!(resident(0, PAGES * page), 0);
    }
}
