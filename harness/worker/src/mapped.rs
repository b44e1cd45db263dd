//! Slices in mappings of their own, resident from the start. They hold the worker's own needs apart from
//! every heap, so that no allocator under test serves the harness.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, AtomicU64};

use platform::{Mapping, Pages};
use workloads::requests::Request;

/// Types for which zeroed memory is a valid value, and which need no drop.
///
/// # Safety
/// All-zero bytes must be a valid value, the type must not have drop glue, and its alignment must
/// not exceed a page.
pub(super) unsafe trait Plain {}

// SAFETY: an integer.
unsafe impl Plain for u64 {}
// SAFETY: an integer.
unsafe impl Plain for u8 {}
// SAFETY: an integer with interior mutability; zero is a value.
unsafe impl Plain for AtomicU64 {}
// SAFETY: an integer with interior mutability; zero is a value.
unsafe impl Plain for AtomicU32 {}
// SAFETY: a transparent wrapper of u64 for which every word is a value (GET of record 0 is zero).
unsafe impl Plain for Request {}
// SAFETY: an integer.
unsafe impl Plain for u32 {}
// SAFETY: two integers.
unsafe impl Plain for super::phase::LiveObject {}
// SAFETY: integers.
unsafe impl Plain for super::compiled_trace::Event {}
// SAFETY: integers.
unsafe impl Plain for super::compiled_trace::Seen {}
// SAFETY: two integers.
unsafe impl Plain for super::free_places::Links {}
// SAFETY: two integers with interior mutability; zeros are values.
unsafe impl Plain for super::place::Place {}

/// A zeroed slice of `T` in its own mapping.
#[derive(Debug)]
pub(super) struct MappedSlice<T: Plain> {
    mapping: Mapping,
    length: usize,
    holds: PhantomData<T>,
}

impl<T: Plain> MappedSlice<T> {
    /// A slice of `length` zeroed elements, every page of it touched.
    pub(super) fn resident(length: usize) -> std::io::Result<Self> {
        Self::resident_on(length, Pages::Huge)
    }

    /// As above, on pages of one kind.
    pub(super) fn resident_on(length: usize, pages: Pages) -> std::io::Result<Self> {
        let mapping = Mapping::anonymous(length.max(1) * size_of::<T>(), pages)?;
        mapping.populate(0, mapping.bytes());
        Ok(Self { mapping, length, holds: PhantomData })
    }

    /// How many of its bytes are on 2 MiB pages now.
    pub(super) fn huge_bytes(&self) -> std::io::Result<u64> {
        self.mapping.huge_bytes()
    }
}

impl<T: Plain> Deref for MappedSlice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `length` elements, zeroed or written through this type;
        // `Plain` says zeros are a value; it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.mapping.start().cast().as_ptr(), self.length) }
    }
}

impl<T: Plain> DerefMut for MappedSlice<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.start().cast().as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut slice = MappedSlice::<u64>::resident(1000).unwrap();
        assert!(slice.iter().all(|&word| word == 0));
        slice[999] = 7;
        assert_eq!((slice.len(), slice[999]), (1000, 7));
    }
}
