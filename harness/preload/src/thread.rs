//! Per-thread state: the thread's number, and whether it is inside an allocator function.
//!
//! Eight bytes of static thread-local memory, declared and addressed in assembly. `thread_local!` in a
//! shared library calls the dynamic loader, and in some releases of the C library the loader then updates
//! the thread's table for recently loaded libraries, by `realloc`: a recorder of `realloc` that asks for
//! its thread would recurse for ever. An address relative to the thread pointer needs no call. It is
//! valid for every thread from its first instruction to its last, because the library is loaded with the
//! program.

use core::arch::{asm, global_asm};
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};

global_asm!(
    ".pushsection .tbss.nibble_preload_thread, \"awT\", %nobits",
    ".p2align 3",
    ".globl nibble_preload_thread",
    ".hidden nibble_preload_thread",
    ".type nibble_preload_thread, %object",
    ".size nibble_preload_thread, 8",
    "nibble_preload_thread:",
    ".zero 8",
    ".popsection",
);

/// All zeros when the thread begins.
#[repr(C)]
pub(crate) struct Thread {
    /// From 1 within a process; 0 until assigned.
    number: Cell<u32>,
    inside: Cell<bool>,
}

const _: () = assert!(size_of::<Thread>() == 8);

/// Calls `with` for the calling thread.
#[inline]
pub(crate) fn current<R>(with: impl FnOnce(&Thread) -> R) -> R {
    let address: *const Thread;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: computes an address; touches no stack and no memory but the offset's table.
    unsafe {
        asm!(
            "mov {address}, qword ptr fs:[0]",
            "add {address}, qword ptr [rip + nibble_preload_thread@GOTTPOFF]",
            address = out(reg) address,
            options(nostack, readonly),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: computes an address; touches no stack and no memory but the offset's table.
    unsafe {
        asm!(
            "adrp {offset}, :gottprel:nibble_preload_thread",
            "ldr {offset}, [{offset}, :gottprel_lo12:nibble_preload_thread]",
            "mrs {address}, tpidr_el0",
            "add {address}, {address}, {offset}",
            address = out(reg) address,
            offset = out(reg) _,
            options(nostack, readonly),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    compile_error!("say here how this architecture addresses thread-local memory");
    // SAFETY: the eight bytes above, used by this thread alone, zero or written by `Thread`; no reference
    // outlives the call.
    with(unsafe { &*address })
}

impl Thread {
    /// Its number, unique among all threads of this process, past and future.
    pub(crate) fn number(&self) -> u32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        if self.number.get() == 0 {
            // Relaxed: the number only has to be unique.
            self.number.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        }
        self.number.get()
    }

    /// Whether the thread is inside an allocator function.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.get()
    }

    /// Runs `work` as inside. Calls from one allocator function to another are not requests of the
    /// program.
    pub(crate) fn inside<R>(&self, work: impl FnOnce() -> R) -> R {
        self.inside.set(true);
        let result = work();
        self.inside.set(false);
        result
    }
}
