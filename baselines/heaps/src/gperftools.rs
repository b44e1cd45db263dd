//! The TCMalloc of gperftools, from the system's shared library. Linking it would replace `malloc`
//! for the whole process. Loaded at run time with local symbols, it serves only callers of
//! `tc_malloc`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};

use crate::{environment, released, variants};

static TRAITS: HeapTraits = HeapTraits {
    name: "gperftools",
    description: "the older TCMalloc: caches per thread over central free lists and spans",
    variants: variants::GPERFTOOLS,
    ..HeapTraits::BASE
};

const LIBRARY: &CStr = c"libtcmalloc_minimal.so.4";

/// Variables that the library reads when it is loaded; it reports only some of them.
const VARIABLES: &[&str] = &[
    "TCMALLOC_RELEASE_RATE",
    "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES",
    "TCMALLOC_HEAP_LIMIT_MB",
    "TCMALLOC_SKIP_SBRK",
];

/// What the library reports about itself, by documented names.
const PROPERTIES: &[(&str, &CStr)] = &[
    ("tcmalloc.aggressive_memory_decommit", c"tcmalloc.aggressive_memory_decommit"),
    ("tcmalloc.max_total_thread_cache_bytes", c"tcmalloc.max_total_thread_cache_bytes"),
];

/// The entry points used, resolved once.
#[derive(Debug)]
struct Functions {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    memalign: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    free_sized: unsafe extern "C" fn(*mut c_void, usize),
    malloc_size: unsafe extern "C" fn(*mut c_void) -> usize,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut *const c_char) -> *const c_char,
    mark_thread_idle: unsafe extern "C" fn(),
    release_free_memory: unsafe extern "C" fn(),
    get_numeric_property: unsafe extern "C" fn(*const c_char, *mut usize) -> c_int,
}

static FUNCTIONS: OnceLock<Result<Functions, OpenError>> = OnceLock::new();

/// gperftools' TCMalloc.
#[derive(Debug)]
pub(crate) struct Gperftools;

impl Heap for Gperftools {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        FUNCTIONS.get_or_init(load).as_ref().map(|_| ()).map_err(Clone::clone)
    }

    fn lacking(&self) -> Option<OpenError> {
        self.open().err()
    }

    /// Also `None` before [`Heap::open`].
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        let malloc = functions()?.malloc;
        // SAFETY: `tc_malloc` takes any size; 0 yields a unique block.
        NonNull::new(unsafe { malloc(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        if let Some(functions) = functions() {
            // SAFETY: the caller guarantees a live block of `tc_malloc` with this size.
            unsafe { (functions.free_sized)(block.as_ptr().cast(), bytes) }
        }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        let realloc = functions()?.realloc;
        // SAFETY: the caller guarantees a live block of `tc_malloc` or `tc_realloc`; a size of 0,
        // which would free it, is not passed on.
        NonNull::new(unsafe { realloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        let memalign = functions()?.memalign;
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { memalign(alignment, bytes) }.cast())
    }

    /// Does not pass the size: a block that `reallocate` left in place has another size class.
    unsafe fn release(&self, block: NonNull<u8>, _bytes: usize, _alignment: usize) {
        if let Some(functions) = functions() {
            // SAFETY: the caller guarantees a live block; this takes those of every entry point.
            unsafe { (functions.free)(block.as_ptr().cast()) }
        }
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        let malloc_size = functions()?.malloc_size;
        // SAFETY: the caller guarantees a live block of `tc_malloc`.
        Some(unsafe { malloc_size(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        if let Some(functions) = functions() {
            // SAFETY: empties the calling thread's cache; its next allocation makes a new one.
            unsafe { (functions.mark_thread_idle)() };
            // SAFETY: takes the page heap's lock itself.
            unsafe { (functions.release_free_memory)() };
        }
    }

    fn version(&self) -> String {
        let Some(functions) = functions() else { return "gperftools, not loaded".to_owned() };
        let (mut major, mut minor, mut patch) = (0, 0, ptr::null());
        // SAFETY: three out-parameters that outlive the call.
        let text = unsafe { (functions.version)(&raw mut major, &raw mut minor, &raw mut patch) };
        // SAFETY: a static, NUL-terminated string.
        released::dated(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings: Vec<Setting> = PROPERTIES
            .iter()
            .map(|(name, key)| match property(key) {
                Some(value) => Setting::new(name, value),
                None => Setting::new(name, "unknown"),
            })
            .collect();
        settings.extend(environment::settings(VARIABLES));
        settings.push(Setting::new("free", "tc_free_sized (sized)"));
        settings.push(Setting::new("reallocate", "tc_realloc"));
        settings.push(Setting::new("release", "tc_free"));
        settings.push(Setting::new(
            "purge",
            "MallocExtension_MarkThreadIdle; MallocExtension_ReleaseFreeMemory",
        ));
        settings
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics {
            allocated_bytes: property(c"generic.current_allocated_bytes"),
            mapped_bytes: property(c"generic.total_physical_bytes"),
        }
    }
}

fn functions() -> Option<&'static Functions> {
    FUNCTIONS.get()?.as_ref().ok()
}

/// A statistic or setting of the library, by its documented name.
fn property(name: &CStr) -> Option<u64> {
    let get_numeric_property = functions()?.get_numeric_property;
    let mut value = 0;
    // SAFETY: a NUL-terminated name and an out-parameter that outlive the call.
    let known = unsafe { get_numeric_property(name.as_ptr(), &raw mut value) };
    (known != 0).then_some(value as u64)
}

/// Loads the library for good, because its threads' exit handlers would outlive an unloading.
#[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers the table of symbols")]
fn load() -> Result<Functions, OpenError> {
    // SAFETY: a NUL-terminated name. The library's initialisers touch only itself: with local
    // symbols, none of its definitions of `malloc` and `operator new` is bound to by others.
    let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    let library = NonNull::new(library).ok_or_else(|| missing(LIBRARY))?;
    // SAFETY: each type is the one declared for its symbol in gperftools' `tcmalloc.h` and
    // `malloc_extension_c.h`.
    unsafe {
        Ok(Functions {
            malloc: symbol(library, c"tc_malloc")?,
            realloc: symbol(library, c"tc_realloc")?,
            memalign: symbol(library, c"tc_memalign")?,
            free: symbol(library, c"tc_free")?,
            free_sized: symbol(library, c"tc_free_sized")?,
            malloc_size: symbol(library, c"tc_malloc_size")?,
            version: symbol(library, c"tc_version")?,
            mark_thread_idle: symbol(library, c"MallocExtension_MarkThreadIdle")?,
            release_free_memory: symbol(library, c"MallocExtension_ReleaseFreeMemory")?,
            get_numeric_property: symbol(library, c"MallocExtension_GetNumericProperty")?,
        })
    }
}

/// Resolves a function.
///
/// # Safety
/// `F` is the function pointer type of the symbol.
unsafe fn symbol<F: Copy>(library: NonNull<c_void>, name: &CStr) -> Result<F, OpenError> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: an open library and a NUL-terminated name.
    let address = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) };
    let address = NonNull::new(address).ok_or_else(|| missing(name))?;
    // SAFETY: as large as a pointer (asserted), not null, and of the symbol's type by contract.
    Ok(unsafe { std::mem::transmute_copy(&address) })
}

fn missing(what: &CStr) -> OpenError {
    OpenError::Missing {
        what: format!("{} (gperftools)", what.to_string_lossy()),
        remedy: "install the Debian package libtcmalloc-minimal4, or put the library's folder \
                 into LD_LIBRARY_PATH"
            .to_owned(),
    }
}
