//! mimalloc, statically linked in two versions that share this code: 3 as `mimalloc`, 2 as
//! `mimalloc2`.

mod v2;
mod v3;

use std::ffi::{c_int, c_long, c_void};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};

pub(crate) use v2::Version2;
pub(crate) use v3::Version3;

use crate::released;

/// A linked version.
pub(crate) trait Version: Debug + Sync + 'static {
    const TRAITS: &'static HeapTraits;
    const ENTRIES: Entries;
    /// Options by their positions in this version's `mi_option_e`.
    const OPTIONS: &'static [(&'static str, c_int)];

    /// Memory that it committed, where that says what is in use.
    fn committed_bytes() -> Option<u64>;
}

/// A version's entry points. They are constants, so calls are direct.
pub(crate) struct Entries {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    malloc_aligned: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    usable_size: unsafe extern "C" fn(*const c_void) -> usize,
    collect: unsafe extern "C" fn(bool),
    version: unsafe extern "C" fn() -> c_int,
    option_get: unsafe extern "C" fn(c_int) -> c_long,
    #[cfg(test)]
    is_in_heap_region: unsafe extern "C" fn(*const c_void) -> bool,
}

#[derive(Debug)]
pub(crate) struct Mimalloc<V>(PhantomData<V>);

impl<V> Mimalloc<V> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<V: Version> Heap for Mimalloc<V> {
    fn traits(&self) -> &'static HeapTraits {
        V::TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: `mi_malloc` takes any size; 0 yields a unique block.
        NonNull::new(unsafe { (V::ENTRIES.malloc)(bytes) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller guarantees a live block of this version's `mi_malloc`.
        unsafe { (V::ENTRIES.free)(block.as_ptr().cast()) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller guarantees a live block of this version's `mi_malloc` or `mi_realloc`.
        let moved = unsafe { (V::ENTRIES.realloc)(block.as_ptr().cast(), bytes.max(1)) };
        NonNull::new(moved.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { (V::ENTRIES.malloc_aligned)(bytes, alignment) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: the caller guarantees a live block of this version's `mi_malloc`.
        Some(unsafe { (V::ENTRIES.usable_size)(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        // SAFETY: collects the calling thread's heap and purges arenas; blocks in use stay.
        unsafe { (V::ENTRIES.collect)(true) }
    }

    fn version(&self) -> String {
        // SAFETY: takes nothing and returns a number.
        let version = unsafe { (V::ENTRIES.version)() };
        let [major, minor, patch] = [version / 10_000, version / 100 % 100, version % 100];
        released::dated(format!("mimalloc {major}.{minor}.{patch}"))
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings: Vec<Setting> = V::OPTIONS
            .iter()
            .map(|&(name, option)| {
                // SAFETY: `option` is below `_mi_option_last`, asserted beside the positions.
                Setting::new(name, unsafe { (V::ENTRIES.option_get)(option) })
            })
            .collect();
        settings.push(Setting::new("free", "mi_free"));
        settings.push(Setting::new("reallocate", "mi_realloc"));
        settings.push(Setting::new("purge", "mi_collect(true)"));
        settings
    }

    /// A release build (`MI_STAT` 0) does not count bytes handed out, and summing them by visiting
    /// the heap's pages is only allowed while no other thread runs.
    fn statistics(&self) -> HeapStatistics {
        HeapStatistics { allocated_bytes: None, mapped_bytes: V::committed_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a block of `V` is one of `W`'s.
    fn serves<V: Version, W: Version>(bytes: usize) -> bool {
        let heap = Mimalloc::<V>::NEW;
        let block = heap.allocate(bytes).expect("a block");
        // SAFETY: only compares the address with what this version has mapped.
        let within = unsafe { (W::ENTRIES.is_in_heap_region)(block.as_ptr().cast()) };
        // SAFETY: allocated above with this size, freed once.
        unsafe { heap.free(block, bytes) };
        within
    }

    #[test]
    fn each_version_serves_its_own_blocks_only() {
        for bytes in [1, 100, 10_000, 1 << 20] {
            assert!(serves::<Version2, Version2>(bytes) && serves::<Version3, Version3>(bytes));
            assert!(!serves::<Version2, Version3>(bytes), "3 serves {bytes} bytes of 2");
            assert!(!serves::<Version3, Version2>(bytes), "2 serves {bytes} bytes of 3");
        }
    }
}
