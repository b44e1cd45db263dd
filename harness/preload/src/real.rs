//! The allocator's functions, which this library replaces.

use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;
use core::mem::transmute_copy;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::system::{self, Message};
use crate::thread::Thread;

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Pair = unsafe extern "C" fn(usize, usize) -> *mut c_void;

pub(crate) static MALLOC: Real<Malloc> = Real::named(c"malloc");
pub(crate) static FREE: Real<unsafe extern "C" fn(*mut c_void)> = Real::named(c"free");
pub(crate) static CALLOC: Real<Pair> = Real::named(c"calloc");
pub(crate) static REALLOC: Real<unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void> =
    Real::named(c"realloc");
pub(crate) static REALLOCARRAY: Real<
    unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
> = Real::named(c"reallocarray");
pub(crate) static MEMALIGN: Real<Pair> = Real::named(c"memalign");
pub(crate) static ALIGNED_ALLOC: Real<Pair> = Real::named(c"aligned_alloc");
pub(crate) static POSIX_MEMALIGN: Real<
    unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int,
> = Real::named(c"posix_memalign");
pub(crate) static VALLOC: Real<Malloc> = Real::named(c"valloc");
pub(crate) static PVALLOC: Real<Malloc> = Real::named(c"pvalloc");

/// Whether all functions have been resolved.
static FOUND: AtomicBool = AtomicBool::new(false);

/// A function that the dynamic loader finds after this library.
pub(crate) struct Real<F> {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
    signature: PhantomData<fn() -> F>,
}

impl<F: Copy> Real<F> {
    const fn named(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(null_mut()), signature: PhantomData }
    }

    /// The function, once [`found`] returned true.
    #[inline]
    pub(crate) fn get(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // Relaxed: `FOUND` was read before, with Acquire.
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() {
            missing(self.name);
        }
        // SAFETY: `F` is the signature of the function of that name, and as wide as an address.
        unsafe { transmute_copy(&found) }
    }

    fn find(&self) -> bool {
        // SAFETY: a NUL-terminated name.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        // Relaxed: `FOUND` publishes it.
        self.found.store(found, Ordering::Relaxed);
        !found.is_null()
    }
}

/// Aborts the process, as the loader does when a function is missing.
#[cold]
#[inline(never)]
fn missing(name: &CStr) -> ! {
    Message::new()
        .text(name.to_bytes())
        .text(b" is in no library of this program, which calls it")
        .say();
    // SAFETY: takes no argument.
    unsafe { libc::abort() }
}

/// Whether the functions can be called. The first calls resolve them. The loader's own allocations during
/// that, for `thread`, get false.
#[inline]
pub(crate) fn found(thread: &Thread) -> bool {
    // Acquire: pairs with the Release in `find_all`.
    FOUND.load(Ordering::Acquire) || find_all(thread)
}

/// Two threads may do this at once; they find the same functions.
#[cold]
fn find_all(thread: &Thread) -> bool {
    if thread.is_inside() {
        return false;
    }
    system::keep_errno(|| {
        thread.inside(|| {
            let all = MALLOC.find()
                & FREE.find()
                & CALLOC.find()
                & REALLOC.find()
                & REALLOCARRAY.find()
                & MEMALIGN.find()
                & ALIGNED_ALLOC.find()
                & POSIX_MEMALIGN.find()
                & VALLOC.find()
                & PVALLOC.find();
            if !all {
                // SAFETY: takes no argument. It clears an error of ours that the program must not see.
                unsafe { libc::dlerror() };
            }
        });
    });
    // Release: pairs with the Acquire in `found`.
    FOUND.store(true, Ordering::Release);
    true
}
