//! Core ids and pinning.

use std::io;
use std::sync::OnceLock;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Cores this process may run on.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => vec![0],
    }
}

/// The core on which the calling thread runs now; it may have moved when this returns.
///
/// Uses the C library, which reads the kernel's restartable-sequence area if there is one (under a
/// nanosecond), and otherwise calls the vDSO.
#[must_use]
pub fn current_core() -> usize {
    // Miri does not distinguish cores.
    if cfg!(miri) {
        return 0;
    }
    rustix::thread::sched_getcpu()
}

/// Whether [`current_core`] is a single load, because the C library keeps a restartable-sequence
/// area for every thread. Otherwise it calls the vDSO.
#[must_use]
pub fn has_rseq() -> bool {
    if cfg!(miri) {
        return false;
    }
    // A symbol of glibc since 2.35: the size of the area, 0 if the kernel or a tunable forbids it.
    // SAFETY: the name ends in a zero byte.
    let size = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr()) };
    // SAFETY: where the symbol exists it is a constant `unsigned int`.
    !size.is_null() && unsafe { *size.cast::<u32>() } > 0
}

/// Like [`current_core`], through the instruction `rdtscp`, which waits for earlier loads.
///
/// Linux keeps node and core in the auxiliary register that it returns. On other architectures this
/// asks the C library.
#[inline]
#[must_use]
pub fn current_core_by_rdtscp() -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut auxiliary = 0;
        // SAFETY: every x86-64 processor that runs a kernel with restartable sequences has
        // `rdtscp`, and `auxiliary` is a valid place for its result.
        unsafe { core::arch::x86_64::__rdtscp(&raw mut auxiliary) };
        auxiliary as usize & AUXILIARY_CORE
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        current_core()
    }
}

/// Like [`current_core`], through the instruction `rdpid`, which does nothing else.
///
/// If the processor lacks it ([`has_rdpid`]), this asks the C library.
#[inline]
#[must_use]
pub fn current_core_by_rdpid() -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if has_rdpid() {
        let auxiliary: u64;
        // SAFETY: the processor has the instruction, just tested; it writes one register.
        unsafe {
            core::arch::asm!("rdpid {}", out(reg) auxiliary, options(nomem, nostack, preserves_flags));
        }
        return auxiliary as usize & AUXILIARY_CORE;
    }
    current_core()
}

/// Linux keeps the core in the low 12 bits of the auxiliary register, and the node above.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const AUXILIARY_CORE: usize = 0xFFF;

/// Whether the processor has `rdpid` (CPUID leaf 7, ECX bit 22). Checked once.
#[inline]
#[must_use]
pub fn has_rdpid() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(detect_rdpid)
}

fn detect_rdpid() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{__cpuid, __cpuid_count};
        #[allow(unused_unsafe, reason = "a safe function in newer compilers")]
        // SAFETY: every x86-64 processor has CPUID.
        let leaves = unsafe { __cpuid(0) }.eax;
        #[allow(unused_unsafe, reason = "as above")]
        // SAFETY: as above; leaf 7 exists where there are so many.
        let has = leaves >= 7 && unsafe { __cpuid_count(7, 0) }.ecx & (1 << 22) != 0;
        has
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        false
    }
}

/// The signature of the hypervisor (`KVMKVMKVM`); `None` on bare metal.
#[must_use]
pub fn hypervisor_vendor() -> Option<String> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::__cpuid;
        const HYPERVISOR_PRESENT: u32 = 1 << 31;
        const VENDOR_LEAF: u32 = 0x4000_0000;
        #[allow(unused_unsafe, reason = "a safe function in newer compilers")]
        // SAFETY: every x86-64 processor has CPUID leaf 1.
        if unsafe { __cpuid(1) }.ecx & HYPERVISOR_PRESENT == 0 {
            return None;
        }
        #[allow(unused_unsafe, reason = "as above")]
        // SAFETY: hypervisors answer this leaf where they say that they are there.
        let leaf = unsafe { __cpuid(VENDOR_LEAF) };
        let bytes = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
        let text = String::from_utf8_lossy(&bytes);
        let vendor = text.trim_matches(|letter: char| letter == '\0' || letter == ' ');
        Some(if vendor.is_empty() { "unnamed" } else { vendor }.to_owned())
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        None
    }
}

/// Binds the calling thread to `core`.
///
/// # Errors
/// If the core does not exist or is not allowed.
pub fn pin_to(core: usize) -> io::Result<()> {
    pin_to_any(&[core])
}

/// Binds the calling thread to a set of cores.
///
/// # Errors
/// If one of the cores does not exist, or none is allowed.
pub fn pin_to_any(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &core in cores {
        if core >= CpuSet::MAX_CPU {
            return Err(rustix::io::Errno::INVAL.into());
        }
        set.set(core);
    }
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_stays() {
        std::thread::spawn(|| {
            let core = *allowed_cores().last().unwrap();
            pin_to(core).unwrap();
            assert_eq!(current_core(), core);
            assert_eq!(current_core_by_rdtscp(), core);
            assert_eq!(current_core_by_rdpid(), core);
            assert_eq!(allowed_cores(), [core]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn detection_agrees_with_the_kernel() {
        let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let has = |wanted| flags.split_whitespace().any(|flag| flag == wanted);
        assert_eq!(has_rdpid(), has("rdpid"));
        assert_eq!(hypervisor_vendor().is_some(), has("hypervisor"));
    }

    /// The tunable is read at process start, so this runs another process.
    #[test]
    fn no_area_is_kept_where_a_tunable_forbids_it() {
        const NAME: &str = "cpu::tests::no_area_is_kept_where_a_tunable_forbids_it";
        if std::env::var_os("GLIBC_TUNABLES").is_some() {
            assert!(!has_rseq());
            return;
        }
        let mut other = std::process::Command::new(std::env::current_exe().unwrap());
        other.args(["--exact", NAME]).env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
        assert!(other.output().unwrap().status.success());
    }

    #[test]
    fn a_core_that_does_not_exist_is_an_error() {
        assert!(pin_to(1 << 20).is_err());
    }
}
