//! The functions that replace the allocator's. Each calls the real function with its own arguments and
//! returns that result.
//!
//! | event | its record |
//! |---|---|
//!
//! an object is freed
//! before the real call: another thread may get the address while it returns
//!
//!
//! an object is allocated
//! after the real call
//!
//!
//! an object is resized
//! one before, one after: in between, the old address may be anyone's
//!

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use crate::record::{Kind, Record};
use crate::thread::{self, Thread};
use crate::{arena, current, real};

fn record(thread: &Thread, kind: Kind, address: *mut c_void, bytes: usize, alignment: usize) {
    current::record(Record {
        kind,
        thread: thread.number(),
        address: address.addr() as u64,
        bytes: bytes as u64,
        alignment: alignment as u64,
    });
}

/// Records a new object from `allocate`.
#[inline]
fn allocated(
    bytes: usize,
    alignment: usize,
    allocate: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    thread::current(|thread| {
        if !real::found(thread) {
            return arena::allocate(bytes, alignment);
        }
        if thread.is_inside() {
            return allocate();
        }
        thread.inside(|| {
            let object = allocate();
            if !object.is_null() {
                record(thread, Kind::Allocate, object, bytes, alignment);
            }
            object
        })
    })
}

/// Records a new size for the non-null `object` from `reallocate`.
#[inline]
fn reallocated(
    object: *mut c_void,
    bytes: usize,
    reallocate: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    thread::current(|thread| {
        if let Some(old_bytes) = arena::size_of(object) {
            return leave_arena(object, old_bytes, bytes);
        }
        if !real::found(thread) {
            return null_mut();
        }
        if thread.is_inside() {
            return reallocate();
        }
        thread.inside(|| {
            record(thread, Kind::ReallocateBegin, object, 0, 0);
            let moved = reallocate();
            record(thread, Kind::ReallocateEnd, moved, bytes, 0);
            moved
        })
    })
}

#[cold]
fn leave_arena(object: *mut c_void, old_bytes: usize, bytes: usize) -> *mut c_void {
    // SAFETY: an ordinary call.
    let moved = unsafe { malloc(bytes) };
    if !moved.is_null() {
        // SAFETY: two different objects, both at least that long.
        unsafe { moved.cast::<u8>().copy_from(object.cast(), old_bytes.min(bytes)) };
    }
    moved
}

/// The page size: the alignment of `valloc`.
fn page_bytes() -> usize {
    // SAFETY: only queries a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    allocated(bytes, 0, || unsafe { real::MALLOC.get()(bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    let all = count.saturating_mul(bytes);
    // SAFETY: the caller's arguments.
    allocated(all, 0, || unsafe { real::CALLOC.get()(count, bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: usize, bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    allocated(bytes, alignment, || unsafe { real::MEMALIGN.get()(alignment, bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    allocated(bytes, alignment, || unsafe { real::ALIGNED_ALLOC.get()(alignment, bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valloc(bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    allocated(bytes, page_bytes(), || unsafe { real::VALLOC.get()(bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    allocated(bytes, page_bytes(), || unsafe { real::PVALLOC.get()(bytes) })
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    bytes: usize,
) -> c_int {
    let mut result = 0;
    let mut called = false;
    let object = allocated(bytes, alignment, || {
        called = true;
        // SAFETY: the caller's arguments.
        result = unsafe { real::POSIX_MEMALIGN.get()(place, alignment, bytes) };
        // SAFETY: after success the caller's place holds the object.
        if result == 0 { unsafe { *place } } else { null_mut() }
    });
    if !called {
        if object.is_null() {
            return libc::ENOMEM;
        }
        // SAFETY: the caller's place.
        unsafe { *place = object };
    }
    result
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(object: *mut c_void, bytes: usize) -> *mut c_void {
    // SAFETY: the caller's arguments.
    let reallocate = || unsafe { real::REALLOC.get()(object, bytes) };
    if object.is_null() {
        allocated(bytes, 0, reallocate)
    } else {
        reallocated(object, bytes, reallocate)
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reallocarray(
    object: *mut c_void,
    count: usize,
    bytes: usize,
) -> *mut c_void {
    let all = count.saturating_mul(bytes);
    // SAFETY: the caller's arguments.
    let reallocate = || unsafe { real::REALLOCARRAY.get()(object, count, bytes) };
    if object.is_null() {
        allocated(all, 0, reallocate)
    } else {
        reallocated(object, all, reallocate)
    }
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(object: *mut c_void) {
    // Objects that the loader allocated while it resolved the functions are never freed.
    if object.is_null() || arena::size_of(object).is_some() {
        return;
    }
    thread::current(|thread| {
        if !real::found(thread) {
            return;
        }
        // SAFETY: the caller's argument.
        let free = || unsafe { real::FREE.get()(object) };
        if thread.is_inside() {
            return free();
        }
        thread.inside(|| {
            record(thread, Kind::Free, object, 0, 0);
            free();
        });
    });
}

/// # Safety
/// As C23's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_sized(object: *mut c_void, _bytes: usize) {
    // SAFETY: the caller's argument; the size is a hint.
    unsafe { free(object) };
}

/// # Safety
/// As C23's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_aligned_sized(object: *mut c_void, _alignment: usize, _bytes: usize) {
    // SAFETY: the caller's argument; alignment and size are hints.
    unsafe { free(object) };
}
