//! The calls of `c/onetbb.cpp`, for keys of each kind.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::slice;

use kit::key::{Bytes, Key};

mod c {
    use std::ffi::c_void;

    unsafe extern "C" {
        #[cfg(test)]
        pub(super) safe fn nibble_onetbb_hash(key: u64) -> u64;
        pub(super) safe fn nibble_onetbb_open(entries: usize) -> *mut c_void;
        pub(super) fn nibble_onetbb_close(map: *mut c_void);
        pub(super) fn nibble_onetbb_entries(map: *const c_void) -> usize;
        pub(super) fn nibble_onetbb_buckets(map: *const c_void) -> usize;
        pub(super) fn nibble_onetbb_read(
            map: *const c_void,
            key: u64,
            storage: *mut c_void,
        ) -> *mut u8;
        pub(super) fn nibble_onetbb_end_read(storage: *mut c_void);
        pub(super) fn nibble_onetbb_enter(
            map: *mut c_void,
            key: u64,
            storage: *mut c_void,
        ) -> *mut *mut u8;
        pub(super) fn nibble_onetbb_write(
            map: *mut c_void,
            key: u64,
            storage: *mut c_void,
        ) -> *mut *mut u8;
        pub(super) fn nibble_onetbb_end_write(storage: *mut c_void);
        pub(super) fn nibble_onetbb_erase(map: *mut c_void, storage: *mut c_void);
        pub(super) fn nibble_onetbb_walk(map: *mut c_void, storage: *mut c_void);
        pub(super) fn nibble_onetbb_next(
            map: *mut c_void,
            storage: *mut c_void,
            key: *mut u64,
        ) -> *mut u8;

        #[cfg(test)]
        pub(super) fn nibble_onetbb_bytes_hash(key: *const u8, bytes: usize) -> u64;
        pub(super) safe fn nibble_onetbb_bytes_open(entries: usize) -> *mut c_void;
        pub(super) fn nibble_onetbb_bytes_close(map: *mut c_void);
        pub(super) fn nibble_onetbb_bytes_entries(map: *const c_void) -> usize;
        pub(super) fn nibble_onetbb_bytes_buckets(map: *const c_void) -> usize;
        pub(super) fn nibble_onetbb_bytes_read(
            map: *const c_void,
            key: *const u8,
            bytes: usize,
            storage: *mut c_void,
        ) -> *mut u8;
        pub(super) fn nibble_onetbb_bytes_end_read(storage: *mut c_void);
        pub(super) fn nibble_onetbb_bytes_enter(
            map: *mut c_void,
            key: *const u8,
            bytes: usize,
            storage: *mut c_void,
        ) -> *mut *mut u8;
        pub(super) fn nibble_onetbb_bytes_write(
            map: *mut c_void,
            key: *const u8,
            bytes: usize,
            storage: *mut c_void,
        ) -> *mut *mut u8;
        pub(super) fn nibble_onetbb_bytes_end_write(storage: *mut c_void);
        pub(super) fn nibble_onetbb_bytes_erase(map: *mut c_void, storage: *mut c_void);
        pub(super) fn nibble_onetbb_bytes_walk(map: *mut c_void, storage: *mut c_void);
        pub(super) fn nibble_onetbb_bytes_next(
            map: *mut c_void,
            storage: *mut c_void,
            key: *mut *const u8,
            bytes: *mut usize,
        ) -> *mut u8;
    }
}

/// A kind of keys for which there is a map.
///
/// `map` is one that [`open`](Self::open) answered and that is not closed; `storage` has room for an accessor
/// or an iterator, and from the call that fills it to the one that ends it stays where it is.
pub trait Calls: Key {
    /// Null if there is no memory.
    fn open(entries: usize) -> *mut c_void;

    /// # Safety
    /// The map is open, and not used again.
    unsafe fn close(map: *mut c_void);

    /// # Safety
    /// The map is open.
    unsafe fn entries(map: *const c_void) -> usize;

    /// # Safety
    /// The map is open.
    unsafe fn buckets(map: *const c_void) -> usize;

    /// The row of a key, whose entry's shared lock `storage` then holds; null, and nothing, without one.
    ///
    /// # Safety
    /// The map is open, there is room, and nobody walks.
    unsafe fn read(map: *const c_void, key: Self::Asked<'_>, storage: *mut c_void) -> *mut u8;

    /// # Safety
    /// The storage holds what `read` has put there.
    unsafe fn end_read(storage: *mut c_void);

    /// The place of a key's row, whose entry's exclusive lock `storage` then holds. The row of a new entry is
    /// null. Null, and nothing, if there is no memory for an entry.
    ///
    /// # Safety
    /// As for `read`.
    unsafe fn enter(map: *mut c_void, key: Self::Asked<'_>, storage: *mut c_void) -> *mut *mut u8;

    /// The same of a key that is there; else null, and nothing.
    ///
    /// # Safety
    /// As for `read`.
    unsafe fn write(map: *mut c_void, key: Self::Asked<'_>, storage: *mut c_void) -> *mut *mut u8;

    /// # Safety
    /// The storage holds what `enter` or `write` has put there.
    unsafe fn end_write(storage: *mut c_void);

    /// Removes the entry whose lock is held, and ends the lock.
    ///
    /// # Safety
    /// The map is open, and the storage holds what `enter` or `write` of this map has put there.
    unsafe fn erase(map: *mut c_void, storage: *mut c_void);

    /// Puts an iterator into the storage.
    ///
    /// # Safety
    /// The map is open, there is room, and nobody changes the map until the iterator has ended.
    unsafe fn walk(map: *mut c_void, storage: *mut c_void);

    /// Passes the next key and row to `visit`; whether there was one. If not, the iterator has ended.
    ///
    /// # Safety
    /// As for `walk`, whose iterator the storage holds.
    unsafe fn next(
        map: *mut c_void,
        storage: *mut c_void,
        visit: impl FnOnce(Self::Asked<'_>, NonNull<u8>),
    ) -> bool;
}

impl Calls for u64 {
    fn open(entries: usize) -> *mut c_void {
        c::nibble_onetbb_open(entries)
    }

    unsafe fn close(map: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_close(map) };
    }

    unsafe fn entries(map: *const c_void) -> usize {
        // SAFETY: promised by the caller; it counts with an atomic.
        unsafe { c::nibble_onetbb_entries(map) }
    }

    unsafe fn buckets(map: *const c_void) -> usize {
        // SAFETY: promised by the caller; the number of buckets is an atomic.
        unsafe { c::nibble_onetbb_buckets(map) }
    }

    #[inline]
    unsafe fn read(map: *const c_void, key: Self, storage: *mut c_void) -> *mut u8 {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_read(map, key, storage) }
    }

    #[inline]
    unsafe fn end_read(storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_end_read(storage) };
    }

    #[inline]
    unsafe fn enter(map: *mut c_void, key: Self, storage: *mut c_void) -> *mut *mut u8 {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_enter(map, key, storage) }
    }

    #[inline]
    unsafe fn write(map: *mut c_void, key: Self, storage: *mut c_void) -> *mut *mut u8 {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_write(map, key, storage) }
    }

    #[inline]
    unsafe fn end_write(storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_end_write(storage) };
    }

    #[inline]
    unsafe fn erase(map: *mut c_void, storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_erase(map, storage) };
    }

    unsafe fn walk(map: *mut c_void, storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_walk(map, storage) };
    }

    unsafe fn next(
        map: *mut c_void,
        storage: *mut c_void,
        visit: impl FnOnce(Self, NonNull<u8>),
    ) -> bool {
        let mut key = 0;
        // SAFETY: promised by the caller; the key has a place.
        let row = unsafe { c::nibble_onetbb_next(map, storage, &raw mut key) };
        NonNull::new(row).map(|row| visit(key, row)).is_some()
    }
}

impl Calls for Bytes {
    fn open(entries: usize) -> *mut c_void {
        c::nibble_onetbb_bytes_open(entries)
    }

    unsafe fn close(map: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_bytes_close(map) };
    }

    unsafe fn entries(map: *const c_void) -> usize {
        // SAFETY: promised by the caller; it counts with an atomic.
        unsafe { c::nibble_onetbb_bytes_entries(map) }
    }

    unsafe fn buckets(map: *const c_void) -> usize {
        // SAFETY: promised by the caller; the number of buckets is an atomic.
        unsafe { c::nibble_onetbb_bytes_buckets(map) }
    }

    #[inline]
    unsafe fn read(map: *const c_void, key: &[u8], storage: *mut c_void) -> *mut u8 {
        // SAFETY: promised by the caller; the key is as long as is said.
        unsafe { c::nibble_onetbb_bytes_read(map, key.as_ptr(), key.len(), storage) }
    }

    #[inline]
    unsafe fn end_read(storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_bytes_end_read(storage) };
    }

    #[inline]
    unsafe fn enter(map: *mut c_void, key: &[u8], storage: *mut c_void) -> *mut *mut u8 {
        // SAFETY: promised by the caller; the key is as long as is said, and a new entry copies it.
        unsafe { c::nibble_onetbb_bytes_enter(map, key.as_ptr(), key.len(), storage) }
    }

    #[inline]
    unsafe fn write(map: *mut c_void, key: &[u8], storage: *mut c_void) -> *mut *mut u8 {
        // SAFETY: promised by the caller; the key is as long as is said.
        unsafe { c::nibble_onetbb_bytes_write(map, key.as_ptr(), key.len(), storage) }
    }

    #[inline]
    unsafe fn end_write(storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_bytes_end_write(storage) };
    }

    #[inline]
    unsafe fn erase(map: *mut c_void, storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_bytes_erase(map, storage) };
    }

    unsafe fn walk(map: *mut c_void, storage: *mut c_void) {
        // SAFETY: promised by the caller.
        unsafe { c::nibble_onetbb_bytes_walk(map, storage) };
    }

    unsafe fn next(
        map: *mut c_void,
        storage: *mut c_void,
        visit: impl FnOnce(&[u8], NonNull<u8>),
    ) -> bool {
        let (mut start, mut bytes) = (ptr::null(), 0);
        // SAFETY: promised by the caller; start and length of the key have places.
        let row =
            unsafe { c::nibble_onetbb_bytes_next(map, storage, &raw mut start, &raw mut bytes) };
        let Some(row) = NonNull::new(row) else { return false };
        // SAFETY: the entry owns so many bytes there, and nobody changes the map meanwhile.
        visit(unsafe { slice::from_raw_parts(start, bytes) }, row);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::hash::{mix, mix_bytes};

    #[test]
    fn it_hashes_as_the_other_maps_do() {
        for key in [0, 1, 0x1234_5678_9abc_def0, u64::MAX] {
            assert_eq!(c::nibble_onetbb_hash(key), mix(key));
        }
        let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(37)).collect();
        for length in 0..=bytes.len() {
            let key = &bytes[..length];
            // SAFETY: the key is as long as is said.
            let hash = unsafe { c::nibble_onetbb_bytes_hash(key.as_ptr(), length) };
            assert_eq!(hash, mix_bytes(key), "{length} bytes");
        }
    }
}
