//! A small arena for allocations of the dynamic loader while it resolves the real functions.

use core::alloc::Layout;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

const ARENA_BYTES: usize = 64 << 10;
/// Each object is preceded by its size, at a distance that keeps the object aligned.
const PREFIX_BYTES: usize = 16;

#[repr(C, align(4096))]
struct Arena(UnsafeCell<[u8; ARENA_BYTES]>);

// SAFETY: every byte belongs to the one caller of `allocate` who was given it.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; ARENA_BYTES]));
/// Bytes handed out; they are never reused.
static USED: AtomicUsize = AtomicUsize::new(0);

fn base() -> *mut u8 {
    ARENA.0.get().cast()
}

/// Zeroed memory, or null once the arena is empty. Alignments above a page are not honoured.
pub(crate) fn allocate(bytes: usize, alignment: usize) -> *mut c_void {
    let alignment = alignment.clamp(PREFIX_BYTES, 4096).next_power_of_two();
    let Ok(layout) = Layout::from_size_align(bytes, alignment) else { return null_mut() };
    let place = |used: usize| {
        let at = (used + PREFIX_BYTES).next_multiple_of(layout.align());
        let end = at.checked_add(layout.size())?.checked_next_multiple_of(PREFIX_BYTES)?;
        (end <= ARENA_BYTES).then_some((at, end))
    };
    // Relaxed: only disjoint ranges are handed out; nothing is published.
    let step = |used| place(used).map(|(_, end)| end);
    let Ok(used) = USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) else {
        return null_mut();
    };
    let Some((at, _)) = place(used) else { return null_mut() };
    let object = base().wrapping_add(at);
    // SAFETY: 16 bytes before `at`, which `place` left room for, aligned as `at` is to 16.
    unsafe { object.wrapping_sub(PREFIX_BYTES).cast::<usize>().write(bytes) };
    object.cast()
}

/// Size of the object at `address`, if it is in the arena.
pub(crate) fn size_of(address: *const c_void) -> Option<usize> {
    let offset = address.addr().checked_sub(base().addr())?;
    if offset >= ARENA_BYTES {
        return None;
    }
    let prefix = address.cast::<u8>().wrapping_sub(PREFIX_BYTES);
    // SAFETY: only addresses from `allocate` lie in the arena; their sizes are before them.
    Some(unsafe { prefix.cast::<usize>().read() })
}
