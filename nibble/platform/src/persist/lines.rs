//! The instructions that write lines back and order them, and whether the processor has them.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

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

/// The instruction that writes a line back and keeps it cached. Only a processor that has it yields one.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteBack(());

impl WriteBack {
    pub(super) fn of_this_processor() -> Option<Self> {
        has_write_back().then_some(Self(()))
    }

    /// Writes back the line that a word is in.
    #[inline]
    pub(super) fn line_of(self, word: &AtomicU64) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: the word is mapped while it is borrowed; the processor has the instruction, or there
        // would be no `self`; contents do not change.
        unsafe {
            core::arch::asm!("clwb [{}]", in(reg) word, options(nostack, preserves_flags));
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = word;
    }
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
        let word = AtomicU64::new(7);
        assert_eq!(WriteBack::of_this_processor().is_some(), has_write_back());
        if let Some(write_back) = WriteBack::of_this_processor() {
            write_back.line_of(&word);
        }
        store_fence();
        assert_eq!(word.into_inner(), 7);
    }
}
