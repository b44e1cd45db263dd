//! Text in memory that is there already.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// At most `ROOM - 1` bytes and their end. Zeroes are the empty text.
///
/// One thread writes, before it publishes by an edge of its own that others may read: therefore
/// all orderings here are Relaxed.
#[repr(C)]
pub(crate) struct Text<const ROOM: usize> {
    length: AtomicUsize,
    bytes: [AtomicU8; ROOM],
}

impl<const ROOM: usize> Text<ROOM> {
    pub(crate) const fn new() -> Self {
        Self { length: AtomicUsize::new(0), bytes: [const { AtomicU8::new(0) }; ROOM] }
    }

    pub(crate) fn clear(&self) {
        self.length.store(0, Ordering::Relaxed);
    }

    /// Says whether there was room.
    #[must_use]
    pub(crate) fn push(&self, bytes: impl Iterator<Item = u8>) -> bool {
        let mut length = self.length.load(Ordering::Relaxed);
        for byte in bytes {
            if length + 1 >= ROOM {
                return false;
            }
            self.bytes[length].store(byte, Ordering::Relaxed);
            length += 1;
        }
        self.bytes[length].store(0, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
        true
    }

    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        let length = self.length.load(Ordering::Relaxed);
        self.bytes.iter().take(length).map(|byte| byte.load(Ordering::Relaxed))
    }

    /// For the system. Nobody writes any more.
    pub(crate) fn as_c_str(&self) -> &CStr {
        // SAFETY: `push` ends the text with a zero, `ROOM` is zeroes at first.
        unsafe { CStr::from_ptr(self.bytes.as_ptr().cast()) }
    }
}
