//! The calls that need `unsafe`: a child's end with its resources, and whether two processes share
//! their memory.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What the kernel counted for a process that ended, and for the children that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    /// Of the process that held most, not of all together.
    pub(crate) peak_bytes: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
}

impl Usage {
    /// Both together; of peaks the higher.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
            voluntary_switches: self.voluntary_switches + other.voluntary_switches,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }
}

/// Whether [`wait`] waits for a child that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    UntilItEnds,
    NotAtAll,
}

/// Waits for child `pid` and reaps it; `None` where it still runs and is not waited for.
///
/// # Errors
/// If there is no such child.
pub(crate) fn wait(pid: u32, patience: Patience) -> io::Result<Option<(ExitStatus, Usage)>> {
    let flags = if patience == Patience::NotAtAll { libc::WNOHANG } else { 0 };
    let mut status = 0;
    // SAFETY: rusage is plain integers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let ended = loop {
        // SAFETY: both places live for the call, and hold what it writes.
        let ended =
            unsafe { libc::wait4(pid.cast_signed(), &raw mut status, flags, &raw mut usage) };
        if ended >= 0 {
            break ended;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    if ended == 0 {
        return Ok(None);
    }
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let usage = Usage {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    };
    Ok(Some((ExitStatus::from_raw(status), usage)))
}

/// Whether both processes have one address space, as after `vfork`; false where the kernel does not say.
pub(crate) fn share_memory(one: u32, other: u32) -> bool {
    // From linux/kcmp.h: compares the descriptors of address spaces.
    const KCMP_VM: libc::c_long = 1;
    let [one, other] = [one, other].map(libc::c_long::from);
    // SAFETY: the call takes numbers and writes nothing.
    let compared = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_VM, 0, 0) };
    compared == 0
}
