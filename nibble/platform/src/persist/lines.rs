//! The instructions that write lines back and order them, and whether the processor has them.

use std::sync::OnceLock;

/// Whether the processor has `clwb` (CPUID leaf 7, EBX bit 24). Checked once.
#[must_use]
pub fn has_write_back() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(detect)
}

fn detect() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{__cpuid, __cpuid_count};
        #[allow(unused_unsafe, reason = "a safe function in newer compilers")]
        // SAFETY: every x86-64 processor has CPUID.
        let leaves = unsafe { __cpuid(0) }.eax;
        #[allow(unused_unsafe, reason = "as above")]
        // SAFETY: as above; leaf 7 exists where there are so many.
        let has = leaves >= 7 && unsafe { __cpuid_count(7, 0) }.ebx & (1 << 24) != 0;
        has
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        false
    }
}

/// Writes the line of an address back, and keeps it cached. Only where [`has_write_back`].
#[inline]
pub(super) fn write_back(line: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: callers hold an address of their own mapping, and the processor has the instruction
    // (checked when the region was mapped); contents do not change.
    unsafe {
        core::arch::asm!("clwb [{}]", in(reg) line, options(nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// Orders earlier stores and write-backs before later ones.
#[inline]
pub(super) fn store_fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: part of SSE, which every x86-64 processor has.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SeqCst: the strongest that there is elsewhere; pairs with nothing.
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_agrees_with_the_kernel_and_the_instruction_runs() {
        let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        assert_eq!(has_write_back(), flags.split_whitespace().any(|flag| flag == "clwb"));
        let line = [7_u8; 64];
        if has_write_back() {
            write_back(line.as_ptr());
        }
        store_fence();
        assert_eq!(line, [7; 64]);
    }
}
