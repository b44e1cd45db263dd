//! Scudo, the hardened allocator of LLVM and Android, from the shared library that comes with
//! Clang's run-time libraries. It defines `malloc` itself. Loaded at run time with local symbols, it
//! serves only callers of the functions that are looked up here.
//!
//! The library keeps its thread's caches in the static block of thread-local storage, of which glibc
//! leaves libraries that are loaded later too little unless the process starts with
//! `GLIBC_TUNABLES=glibc.rtld.optional_static_tls=…`.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};
use kit::library::SharedLibrary;

use crate::{environment, released, variants};

static TRAITS: HeapTraits = HeapTraits {
    name: "scudo",
    description: "hardened: checksummed headers, randomised size-class regions, guarded large blocks",
    environment: &[("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=32768")],
    variants: variants::SCUDO,
    ..HeapTraits::BASE
};

const PACKAGE: &str = "libclang-rt-22-dev";
/// Where Debian keeps the folders `llvm-VERSION` of all versions that are installed.
const VERSIONS: &str = "/usr/lib";
#[cfg(target_arch = "x86_64")]
const FILE: &str = "libclang_rt.scudo_standalone-x86_64.so";
#[cfg(target_arch = "aarch64")]
const FILE: &str = "libclang_rt.scudo_standalone-aarch64.so";

/// Scudo's own codes for `mallopt`, from its `interface.h`.
const M_PURGE: c_int = -101;
const M_PURGE_ALL: c_int = -104;

/// The entry points used, resolved once.
#[derive(Debug)]
struct Functions {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    memalign: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    usable_size: unsafe extern "C" fn(*mut c_void) -> usize,
    mallinfo2: unsafe extern "C" fn() -> libc::mallinfo2,
    mallopt: unsafe extern "C" fn(c_int, c_int) -> c_int,
    #[cfg(test)]
    print_stats: unsafe extern "C" fn(),
}

static FUNCTIONS: OnceLock<Result<Functions, OpenError>> = OnceLock::new();

#[derive(Debug)]
pub(crate) struct Scudo;

impl Heap for Scudo {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    /// Makes the first allocation, which reads the options.
    fn open(&self) -> Result<(), OpenError> {
        FUNCTIONS.get_or_init(load).as_ref().map_err(Clone::clone)?;
        let block = self.allocate(1).ok_or(OpenError::OutOfMemory { wanted_bytes: 1 })?;
        // SAFETY: allocated just above with this size, freed once.
        unsafe { self.free(block, 1) };
        Ok(())
    }

    fn lacking(&self) -> Option<OpenError> {
        installed().err()
    }

    /// Also `None` before [`Heap::open`].
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        let malloc = functions()?.malloc;
        // SAFETY: any size; 0 yields a unique block.
        NonNull::new(unsafe { malloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        if let Some(functions) = functions() {
            // SAFETY: the caller guarantees a live block of Scudo's `malloc`.
            unsafe { (functions.free)(block.as_ptr().cast()) }
        }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        let realloc = functions()?.realloc;
        // SAFETY: the caller guarantees a live block of Scudo's `malloc` or `realloc`; a size of 0,
        // which would free it, is not passed on.
        NonNull::new(unsafe { realloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        let memalign = functions()?.memalign;
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { memalign(alignment, bytes) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        let usable_size = functions()?.usable_size;
        // SAFETY: the caller guarantees a live block of Scudo's `malloc`.
        Some(unsafe { usable_size(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        let Some(functions) = functions() else { return };
        // SAFETY: takes the allocator's locks itself; the value is ignored.
        let done = unsafe { (functions.mallopt)(M_PURGE_ALL, 0) };
        if done == 0 {
            // SAFETY: as above; versions before 17 know only this one.
            unsafe { (functions.mallopt)(M_PURGE, 0) };
        }
    }

    fn version(&self) -> String {
        self.version_unopened().unwrap_or_else(|| "scudo, not installed".to_owned())
    }

    /// The library itself tells no version: its folder does.
    fn version_unopened(&self) -> Option<String> {
        let library = installed().ok()?;
        let major = library.ancestors().find_map(llvm_version)?;
        Some(released::dated(format!("scudo of LLVM {major}")))
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = environment::settings(&["SCUDO_OPTIONS"]);
        settings.push(Setting::new("free", "free"));
        settings.push(Setting::new("reallocate", "realloc"));
        settings.push(Setting::new("purge", "mallopt(M_PURGE_ALL)"));
        settings
    }

    fn statistics(&self) -> HeapStatistics {
        let Some(functions) = functions() else { return HeapStatistics::default() };
        // SAFETY: takes nothing; sums counters under Scudo's own locks.
        let info = unsafe { (functions.mallinfo2)() };
        HeapStatistics {
            allocated_bytes: Some(info.uordblks as u64),
            mapped_bytes: Some(info.hblkhd as u64),
        }
    }
}

fn functions() -> Option<&'static Functions> {
    FUNCTIONS.get()?.as_ref().ok()
}

/// The library of the newest version that is installed.
fn installed() -> Result<PathBuf, OpenError> {
    newest_in(Path::new(VERSIONS)).ok_or_else(|| OpenError::Missing {
        what: format!("{FILE} (scudo)"),
        remedy: format!("install the Debian package {PACKAGE}: scripts/setup does"),
    })
}

fn newest_in(versions: &Path) -> Option<PathBuf> {
    let folders = versions.read_dir().ok()?.flatten().map(|entry| entry.path());
    let library = |folder: PathBuf| {
        let version = llvm_version(&folder)?;
        // The inner folder has the same version, and before 16 all of its numbers.
        let inner = folder.join("lib/clang").read_dir().ok()?.flatten();
        let files = inner.map(|entry| entry.path().join("lib/linux").join(FILE));
        Some((version, files.into_iter().find(|file| file.exists())?))
    };
    folders.filter_map(library).max().map(|(_, file)| file)
}

/// The version in the name of a folder `llvm-VERSION`.
fn llvm_version(folder: &Path) -> Option<u32> {
    folder.file_name()?.to_str()?.strip_prefix("llvm-")?.parse().ok()
}

#[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers the table of symbols")]
fn load() -> Result<Functions, OpenError> {
    let path = installed()?;
    // Once in a process, and the library stays as long.
    let name: &'static str = Box::leak(path.to_string_lossy().into_owned().into_boxed_str());
    let library = SharedLibrary::load(name, PACKAGE).map_err(|error| match error {
        OpenError::Missing { what, .. } if what.contains("static TLS") => OpenError::Missing {
            what,
            remedy: format!(
                "start the process with GLIBC_TUNABLES={} (several tunables are joined with `:`)",
                TRAITS.environment[0].1
            ),
        },
        other => other,
    })?;
    // SAFETY: each type is the one that the C library's headers, or Scudo's `interface.h`, declare.
    unsafe {
        Ok(Functions {
            malloc: library.function("malloc")?,
            realloc: library.function("realloc")?,
            memalign: library.function("memalign")?,
            free: library.function("free")?,
            usable_size: library.function("malloc_usable_size")?,
            mallinfo2: library.function("mallinfo2")?,
            mallopt: library.function("mallopt")?,
            #[cfg(test)]
            print_stats: library.function("__scudo_print_stats")?,
        })
    }
}

/// What Scudo prints of itself, options in force included: it tells them in no other way.
#[cfg(test)]
pub(crate) fn printed_statistics() -> String {
    use std::fs::File;
    use std::io::{Read as _, Seek as _};
    use std::os::fd::{AsRawFd as _, FromRawFd as _};

    let print = functions().expect("opened").print_stats;
    // SAFETY: a NUL-terminated name and no flags; the descriptor is new.
    let memory = unsafe { libc::memfd_create(c"scudo".as_ptr(), 0) };
    assert!(memory >= 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the descriptor from above, owned by nobody else.
    let mut memory = unsafe { File::from_raw_fd(memory) };
    // SAFETY: 2 is open; the copy is ours.
    let before = unsafe { libc::dup(2) };
    // SAFETY: both are open; Scudo prints to 2.
    unsafe { libc::dup2(memory.as_raw_fd(), 2) };
    // SAFETY: takes nothing and locks what it reads.
    unsafe { print() };
    // SAFETY: both are open; 2 is again what it was.
    unsafe { libc::dup2(before, 2) };
    let mut printed = String::new();
    memory.rewind().expect("a file in memory");
    memory.read_to_string(&mut printed).expect("text");
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_taken() {
        let folder = kit::folder::Folder::create(&std::env::temp_dir(), "scudo-").unwrap();
        let at = |version: &str, inner: &str| {
            let folder = folder.path().join(version).join("lib/clang").join(inner);
            folder.join("lib/linux").join(FILE)
        };
        for (version, inner) in [("llvm-9", "9.0.1"), ("llvm-22", "22"), ("llvm-next", "23")] {
            std::fs::create_dir_all(at(version, inner).parent().unwrap()).unwrap();
            std::fs::write(at(version, inner), "").unwrap();
        }
        // Installed without its run-time libraries.
        std::fs::create_dir_all(folder.path().join("llvm-30/lib/clang/30/lib/linux")).unwrap();
        assert_eq!(newest_in(folder.path()), Some(at("llvm-22", "22")));
        assert_eq!(newest_in(&folder.path().join("nowhere")), None);
    }
}
