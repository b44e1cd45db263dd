//! What may lie in a segment, and references to it.
//!
//! A segment is mapped by several processes, and any of them may write to it at any time. So what lies
//! there refers to nothing outside, any bytes of it are a value, and it is reached in one of two ways:
//! through `&T` whose accesses are atomic ([`Shared`]), or alone, while the holder of the turn or of an
//! exclusive lock keeps all others out.

use std::sync::atomic::{AtomicU32, AtomicU64};

use platform::futex::Futex;
use platform::segments::Attached;

/// A type whose values may lie in a segment.
///
/// # Safety
/// Any bytes are a value of the type. It refers to nothing outside of it, and needs no drop. Its layout
/// is the same in every program that uses the segment (`#[repr(C)]`).
pub unsafe trait InSegment: Sized + 'static {}

/// A type whose values several processes may use at once.
///
/// # Safety
/// All access through `&Self` is atomic.
pub unsafe trait Shared: InSegment + Sync {}

macro_rules! plain {
    ($($plain:ty),+) => {
        // SAFETY: integers: any bytes are a value, and nothing is referred to.
        $(unsafe impl InSegment for $plain {})+
    };
}

macro_rules! atomic {
    ($($atomic:ty),+) => {
        plain!($($atomic),+);
        // SAFETY: atomics.
        $(unsafe impl Shared for $atomic {})+
    };
}

plain!(u8, u16, u32, u64, i32, i64);
atomic!(AtomicU32, AtomicU64, Futex);

// SAFETY: as its elements.
unsafe impl<T: InSegment, const N: usize> InSegment for [T; N] {}
// SAFETY: as its elements.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// The value at `offset` of a segment.
///
/// # Panics
/// If it does not lie inside, or is not aligned.
pub(crate) fn at<T: Shared>(attached: &Attached, offset: usize) -> &T {
    &values(attached, offset, 1)[0]
}

/// So many values from `offset` of a segment on.
///
/// # Panics
/// If they do not lie inside, or are not aligned.
pub(crate) fn values<T: Shared>(attached: &Attached, offset: usize, count: usize) -> &[T] {
    let end = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(offset));
    let bytes = attached.bytes();
    assert!(
        end.is_some_and(|end| end <= bytes),
        "{count} values at {offset} of a segment of {bytes} bytes"
    );
    // SAFETY: `offset` is inside the mapping, just asserted.
    let first = unsafe { attached.start().add(offset) }.cast::<T>();
    assert!(first.is_aligned(), "a value at {offset} that is not aligned");
    // SAFETY: inside the mapping, which lives as long as `attached`, and aligned; any bytes are values
    // (`InSegment`), and all processes access them atomically (`Shared`).
    unsafe { std::slice::from_raw_parts(first.as_ptr(), count) }
}

/// The value at `offset` of a segment, for who alone uses it.
///
/// # Safety
/// Until the reference ends, nobody else accesses these bytes: no process, and no other reference here.
///
/// # Panics
/// If it does not lie inside, or is not aligned.
#[expect(clippy::mut_from_ref, reason = "of memory that the mapping does not own")]
pub(crate) unsafe fn alone<T: InSegment>(attached: &Attached, offset: usize) -> &mut T {
    let end = offset.checked_add(size_of::<T>());
    assert!(end.is_some_and(|end| end <= attached.bytes()), "a value at {offset} of a segment");
    // SAFETY: `offset` is inside the mapping, just asserted.
    let place = unsafe { attached.start().add(offset) }.cast::<T>();
    assert!(place.is_aligned(), "a value at {offset} that is not aligned");
    // SAFETY: inside the mapping and aligned; any bytes are a value; by contract nobody else is there.
    unsafe { &mut *place.as_ptr() }
}
