//! The bytes of object memory and the few ways to touch them.
//!
//! Under loom a byte is one of loom's atomics. Plain access to it is checked against every other
//! access, so a model in which two threads race for a byte fails.

#[cfg(not(loom))]
pub(super) use plain::{
    Byte, HAS_WORDS, atomic, atomic_word, copy_nonoverlapping, load_bytes, load_header, read,
    store_bytes,
};

#[cfg(loom)]
pub(super) use checked::{
    Byte, HAS_WORDS, Mapping, Place, atomic, atomic_word, copy_nonoverlapping, load_bytes,
    load_header, read, store_bytes,
};

#[cfg(not(loom))]
mod plain {
    use crate::sync::{AtomicU8, AtomicU64};

    pub(in crate::raw) use platform::racy::{load_bytes, load_header, store_bytes};
    pub(in crate::raw) use std::ptr::copy_nonoverlapping;

    /// A byte of object memory.
    pub(in crate::raw) type Byte = u8;

    /// Whether eight bytes can be accessed as one.
    pub(in crate::raw) const HAS_WORDS: bool = true;

    /// The first `N` bytes.
    ///
    /// # Safety
    /// They must be in object memory, and written by nobody meanwhile.
    #[inline]
    pub(in crate::raw) unsafe fn read<const N: usize>(from: *const Byte) -> [u8; N] {
        // SAFETY: the caller's.
        unsafe { from.cast::<[u8; N]>().read() }
    }

    /// The byte as an atomic.
    ///
    /// # Safety
    /// It must be in object memory for as long as the reference lives, and during that time be
    /// accessed only atomically.
    #[inline]
    pub(in crate::raw) unsafe fn atomic<'memory>(byte: *mut Byte) -> &'memory AtomicU8 {
        // SAFETY: the caller's.
        unsafe { AtomicU8::from_ptr(byte) }
    }

    /// Eight bytes as an atomic.
    ///
    /// # Safety
    /// As for [`atomic`]; they must be aligned.
    #[inline]
    pub(in crate::raw) unsafe fn atomic_word<'memory>(word: *mut Byte) -> &'memory AtomicU64 {
        // SAFETY: the caller's.
        unsafe { AtomicU64::from_ptr(word.cast()) }
    }
}

#[cfg(loom)]
mod checked {
    use std::cell::UnsafeCell;
    use std::io;
    use std::ptr::NonNull;

    use platform::Pages;

    use crate::sync::{AtomicU8, AtomicU64};

    pub(in crate::raw) type Byte = UnsafeCell<AtomicU8>;

    /// Words would have to be atomics in addition to those of their bytes. Byte by byte, a value
    /// can be torn in more ways, never in fewer.
    pub(in crate::raw) const HAS_WORDS: bool = false;

    /// What plain copies go between: a thread's own bytes and bytes of object memory.
    pub(in crate::raw) trait Place {
        unsafe fn get(from: *const Self) -> u8;
        unsafe fn set(to: *mut Self, byte: u8);
    }

    impl Place for u8 {
        unsafe fn get(from: *const Self) -> u8 {
            // SAFETY: the caller's.
            unsafe { from.read() }
        }

        unsafe fn set(to: *mut Self, byte: u8) {
            // SAFETY: the caller's.
            unsafe { to.write(byte) };
        }
    }

    impl Place for Byte {
        unsafe fn get(from: *const Self) -> u8 {
            // SAFETY: the caller's: the byte is in a mapping.
            let atomic = UnsafeCell::raw_get(from);
            // SAFETY: in a mapping, and models run one thread at a time.
            let atomic = unsafe { &*atomic };
            // SAFETY: loom panics when a store is not ordered before.
            unsafe { atomic.0.unsync_load() }
        }

        unsafe fn set(to: *mut Self, byte: u8) {
            let atomic = UnsafeCell::raw_get(to);
            // SAFETY: in a mapping, and models run one thread at a time.
            let atomic = unsafe { &mut *atomic };
            // Panics when another access is not ordered before.
            atomic.0.with_mut(|old| *old = byte);
        }
    }

    pub(in crate::raw) unsafe fn copy_nonoverlapping<A: Place, B: Place>(
        from: *const A,
        to: *mut B,
        bytes: usize,
    ) {
        for offset in 0..bytes {
            // SAFETY: the caller's.
            let source = unsafe { from.add(offset) };
            // SAFETY: the caller's.
            let target = unsafe { to.add(offset) };
            // SAFETY: the caller's.
            let byte = unsafe { A::get(source) };
            // SAFETY: the caller's.
            unsafe { B::set(target, byte) };
        }
    }

    pub(in crate::raw) unsafe fn read<const N: usize>(from: *const Byte) -> [u8; N] {
        let mut bytes = [0; N];
        // SAFETY: the caller's.
        unsafe { copy_nonoverlapping(from, bytes.as_mut_ptr(), N) };
        bytes
    }

    pub(in crate::raw) unsafe fn atomic<'memory>(byte: *mut Byte) -> &'memory AtomicU8 {
        // SAFETY: the caller's.
        unsafe { &*UnsafeCell::raw_get(byte) }
    }

    pub(in crate::raw) unsafe fn atomic_word<'memory>(_: *mut Byte) -> &'memory AtomicU64 {
        unreachable!("{HAS_WORDS} words")
    }

    /// As in other builds; models copy byte by byte.
    pub(in crate::raw) unsafe fn load_bytes(_: *const Byte, _: &mut [u8]) -> bool {
        false
    }

    /// As [`load_bytes`].
    pub(in crate::raw) unsafe fn load_header(_: *const Byte) -> Option<(u32, u64)> {
        None
    }

    /// As [`load_bytes`].
    pub(in crate::raw) unsafe fn store_bytes(_: &[u8], _: *mut Byte) -> bool {
        false
    }

    /// Object memory of a model, independent of the system.
    #[derive(Debug)]
    pub(in crate::raw) struct Mapping(Box<[Byte]>);

    // SAFETY: loom checks every access, and runs one thread at a time.
    unsafe impl Sync for Mapping {}

    impl Mapping {
        pub(in crate::raw) fn anonymous(bytes: usize, _pages: Pages) -> io::Result<Self> {
            Ok(Self((0..bytes).map(|_| UnsafeCell::new(AtomicU8::new(0))).collect()))
        }

        pub(in crate::raw) fn start(&self) -> NonNull<Byte> {
            NonNull::from(&*self.0).cast()
        }

        pub(in crate::raw) fn bytes(&self) -> usize {
            self.0.len()
        }

        pub(in crate::raw) fn bind(&self, _: usize, _: usize, _: usize) -> io::Result<()> {
            Ok(())
        }

        pub(in crate::raw) fn huge_bytes(&self) -> io::Result<u64> {
            Ok(0)
        }

        pub(in crate::raw) fn populate(&self, _: usize, _: usize) {}

        pub(in crate::raw) fn discard(&self, _: usize, _: usize) {}
    }
}
