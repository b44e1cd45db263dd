//! Copies of bytes that others may be overwriting, whatever their number and alignment.
//!
//! On x86-64 both are made of instructions that the compiler does not see. To it, and to the
//! processor, they are what relaxed atomic loads or stores of the single bytes would be. Elsewhere
//! they do nothing and say so: then all who share the bytes must access them otherwise.

use super::vectors::{MOVES_ANY, move_any};

/// Copies the bytes at `from` to `to`; returns `false`, and does nothing, where there is no such
/// instruction.
///
/// # Safety
/// `from` is readable for as many bytes as `to` has. While others may write them, they do so by
/// [`store_bytes`] or as relaxed atomic bytes.
#[inline]
#[must_use]
pub unsafe fn load_bytes(from: *const u8, to: &mut [u8]) -> bool {
    if MOVES_ANY {
        // SAFETY: the caller's, of `from`; `to` is this call's alone.
        unsafe { move_any(from, to.as_mut_ptr(), to.len()) };
    }
    MOVES_ANY
}

/// The first four bytes and the eight behind them; `None` where there is no such instruction.
///
/// # Safety
/// Twelve bytes are readable at `from`. While others may write them, they do so by [`store_bytes`] or as
/// relaxed atomic bytes.
#[inline]
#[must_use]
pub unsafe fn load_header(from: *const u8) -> Option<(u32, u64)> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let (first, rest): (u32, u64);
        // SAFETY: the caller's; what races is loaded as relaxed atomic bytes would be, and the compiler
        // assumes nothing of it.
        unsafe {
            core::arch::asm!(
                "mov {first:e}, dword ptr [{from}]",
                "mov {rest}, qword ptr [{from} + 4]",
                from = in(reg) from,
                first = out(reg) first,
                rest = lateout(reg) rest,
                options(nostack, preserves_flags, readonly)
            );
        }
        Some((first, rest))
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let _ = from;
        None
    }
}

/// Copies `from` to the bytes at `to`; returns `false`, and does nothing, where there is no such
/// instruction.
///
/// # Safety
/// `to` is writable for as many bytes as `from` has. While others may access them, they do so by
/// the functions of this module or as relaxed atomic bytes.
#[inline]
#[must_use]
pub unsafe fn store_bytes(from: &[u8], to: *mut u8) -> bool {
    if MOVES_ANY {
        // SAFETY: the caller's, of `to`; nobody writes `from` meanwhile.
        unsafe { move_any(from.as_ptr(), to, from.len()) };
    }
    MOVES_ANY
}
