//! What a thread knows of itself: its number, and whether it is inside an allocator already.
//!
//! Eight bytes of static thread-local memory, declared and addressed in assembly. `thread_local!`
//! in a shared library asks the dynamic loader, and the loaders of some releases of the C library
//! then bring the thread's table up to date with what the program loaded meanwhile, by `realloc`: a
//! recorder of `realloc` that asks for its thread would never return. An address relative to the
//! thread's own needs no call. It is there for every thread from its first instruction to its last,
//! because the library is loaded with the program.

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

/// Zero when the thread begins.
#[repr(C)]
pub(crate) struct Thread {
    /// From 1 within a process, 0 until it is asked for.
    number: Cell<u32>,
    inside: Cell<bool>,
}

const _: () = assert!(size_of::<Thread>() == 8);

/// Calls `with` on the calling thread.
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
    // SAFETY: the eight bytes above, of this thread alone, zero or what `Thread` wrote; no reference
    // outlives the call.
    with(unsafe { &*address })
}

impl Thread {
    /// Its number, which no other thread of this process had or will have.
    pub(crate) fn number(&self) -> u32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        if self.number.get() == 0 {
            // Relaxed: a number of its own is all that is asked for.
            self.number.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        }
        self.number.get()
    }

    /// Whether the thread is inside an allocator's function.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.get()
    }

    /// Does `work` inside. What an allocator asks of another one, or of itself, is not what the
    /// program asked.
    pub(crate) fn inside<R>(&self, work: impl FnOnce() -> R) -> R {
        self.inside.set(true);
        let result = work();
        self.inside.set(false);
        result
    }
}
