//! The routines that copy bytes into the log (DISS section 6.1).

#[cfg(not(loom))]
use std::ptr;

#[cfg(not(loom))]
use crate::knobs::CopyRoutine;

/// Copies `bytes` bytes.
///
/// When the function returns, non-temporal stores are ordered before later stores of this thread,
/// as with the other routines.
///
/// # Safety
/// `from` is readable and `to` writable for `bytes` bytes, the two do not overlap, and nobody
/// else accesses `to` meanwhile.
#[cfg(not(loom))]
#[inline]
pub(super) unsafe fn copy(routine: CopyRoutine, from: *const u8, to: *mut u8, bytes: usize) {
    match routine {
        // SAFETY: as of this function.
        CopyRoutine::Memcpy => unsafe { ptr::copy_nonoverlapping(from, to, bytes) },
        // SAFETY: as of this function.
        CopyRoutine::RepMovsb => unsafe { rep_movsb(from, to, bytes) },
        // SAFETY: as of this function.
        CopyRoutine::NonTemporal => unsafe { non_temporal(from, to, bytes) },
    }
}

#[cfg(not(loom))]
impl CopyRoutine {
    /// Copies `from` to the front of `to`, as the log does; for measuring the routine alone.
    ///
    /// # Panics
    /// If `to` is shorter.
    #[inline]
    pub fn copy(self, from: &[u8], to: &mut [u8]) {
        let to = &mut to[..from.len()];
        // SAFETY: both slices have `from.len()` bytes, and `&mut` says that nobody else uses `to`.
        unsafe { copy(self, from.as_ptr(), to.as_mut_ptr(), from.len()) };
    }
}

/// Models have one routine, whose accesses they check.
#[cfg(loom)]
pub(super) use in_models::copy;

#[cfg(loom)]
mod in_models {
    use crate::knobs::CopyRoutine;
    use crate::raw::bytes::{Byte, Place, copy_nonoverlapping};

    /// # Safety
    /// As in other builds.
    pub(in crate::raw) unsafe fn copy<P: Place>(
        _: CopyRoutine,
        from: *const P,
        to: *mut Byte,
        bytes: usize,
    ) {
        // SAFETY: the caller's.
        unsafe { copy_nonoverlapping(from, to, bytes) }
    }
}

/// # Safety
/// As [`copy`].
#[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
#[inline]
unsafe fn rep_movsb(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: reads and writes exactly the two ranges; the ABI keeps the direction flag clear.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags)
        );
    }
}

/// # Safety
/// As [`copy`].
#[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
unsafe fn non_temporal(from: *const u8, to: *mut u8, bytes: usize) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LANE: usize = size_of::<__m128i>();
    let front = to.align_offset(LANE).min(bytes);
    let lanes = (bytes - front) / LANE;
    let back = front + lanes * LANE;
    // SAFETY: the unaligned front is a part of both ranges.
    unsafe { ptr::copy_nonoverlapping(from, to, front) };
    for offset in (front..back).step_by(LANE) {
        // Inside both ranges: `offset + LANE <= back <= bytes`.
        let (source, target) = (from.wrapping_add(offset), to.wrapping_add(offset));
        // SAFETY: readable; needs no alignment.
        let lane = unsafe { _mm_loadu_si128(source.cast()) };
        // SAFETY: writable, and aligned because `front` was chosen so.
        unsafe { _mm_stream_si128(target.cast(), lane) };
    }
    let (source, target) = (from.wrapping_add(back), to.wrapping_add(back));
    // SAFETY: the rest is a part of both ranges.
    unsafe { ptr::copy_nonoverlapping(source, target, bytes - back) };
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { _mm_sfence() };
}

/// # Safety
/// As [`copy`].
#[cfg(all(not(loom), any(miri, not(target_arch = "x86_64"))))]
unsafe fn rep_movsb(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: as of this function.
    unsafe { ptr::copy_nonoverlapping(from, to, bytes) }
}

/// # Safety
/// As [`copy`].
#[cfg(all(not(loom), any(miri, not(target_arch = "x86_64"))))]
unsafe fn non_temporal(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: as of this function.
    unsafe { ptr::copy_nonoverlapping(from, to, bytes) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_routine_copies_what_it_is_told_and_nothing_else() {
        let source: Vec<u8> = (0..=255).cycle().take(700).collect();
        for &routine in CopyRoutine::ALL {
            for bytes in (0..70).chain([127, 128, 500, 600]) {
                for shift in [0, 1, 7, 15] {
                    let mut target = vec![0xEE; 700];
                    // SAFETY: both ranges lie in their vectors, which are different.
                    unsafe { copy(routine, source.as_ptr(), target[shift..].as_mut_ptr(), bytes) };
                    assert_eq!(target[shift..shift + bytes], source[..bytes], "{routine} {bytes}");
                    assert!(target[..shift].iter().all(|&byte| byte == 0xEE));
                    assert!(target[shift + bytes..].iter().all(|&byte| byte == 0xEE));
                }
            }
        }
    }
}
