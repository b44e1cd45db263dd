//! Text in a fixed buffer.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// At most `ROOM - 1` bytes and a NUL. All zeros is the empty text.
///
/// One thread writes, before it publishes the text through an edge of its own; therefore all orderings
/// here are Relaxed.
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

    /// Appends bytes; returns whether there was room.
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

    /// For system calls, after the last write.
    pub(crate) fn as_c_str(&self) -> &CStr {
        // SAFETY: `push` ends the text with a NUL; the buffer is initially zero.
        unsafe { CStr::from_ptr(self.bytes.as_ptr().cast()) }
    }
}
