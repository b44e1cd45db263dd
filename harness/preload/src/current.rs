//! The recording of the current process.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::record::Record;
use crate::recording::Recording;
use crate::system::{self, Message};

/// Null until the first event. Forked processes have the same address, and its memory is wiped there.
static CURRENT: AtomicPtr<Recording> = AtomicPtr::new(null_mut());

/// Records `event`, if this process is recorded.
#[inline]
pub(crate) fn record(event: Record) {
    // Acquire: pairs with the Release in `make`.
    let mut recording = CURRENT.load(Ordering::Acquire);
    if recording.is_null() {
        recording = system::keep_errno(make);
    }
    // SAFETY: null, or memory for a recording that is never taken away: zeroes, which are one, or
    // what it became.
    if let Some(recording) = unsafe { recording.as_ref() } {
        recording.record(event);
    }
}

/// Null if the system is out of memory.
#[cold]
fn make() -> *mut Recording {
    static SAID: AtomicBool = AtomicBool::new(false);

    let bytes = size_of::<Recording>() as u64;
    let memory = match system::memory_wiped_on_fork(bytes) {
        Ok(memory) => memory,
        Err(error) => {
            // Relaxed: nothing else depends on it.
            if !SAID.swap(true, Ordering::Relaxed) {
                Message::new()
                    .text(b"not recorded: the system gives no memory that is wiped on fork: error ")
                    .number(error)
                    .say();
            }
            return null_mut();
        }
    };
    // Release: pairs with the Acquire in `record`; Acquire: with the Release of another thread.
    let (made, seen) = (Ordering::AcqRel, Ordering::Acquire);
    match CURRENT.compare_exchange(null_mut(), memory.cast(), made, seen) {
        Ok(_) => memory.cast(),
        Err(other) => {
            system::unmap(memory, bytes);
            other
        }
    }
}
