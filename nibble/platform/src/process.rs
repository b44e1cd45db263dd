//! A process as the kernel sees it: its memory, its resources, its end.

mod usage;

use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

pub use usage::{MachineUsage, ResourceUsage};

/// Memory of a process from `/proc/PID/status`, in bytes. Cheap: the kernel keeps the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Private anonymous pages resident.
    pub anonymous_bytes: u64,
    /// Shared memory pages resident.
    pub shared_bytes: u64,
    /// Pages of the huge-page pool.
    pub huge_pool_bytes: u64,
    /// File pages resident; not part of what an engine holds.
    pub file_bytes: u64,
    /// Swapped-out anonymous pages.
    pub swap_bytes: u64,
}

impl ProcessMemory {
    /// Of process `pid`.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn of(pid: u32) -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string(format!("/proc/{pid}/status"))?))
    }

    /// Of the calling process.
    ///
    /// # Errors
    /// When `/proc` is not mounted.
    pub fn of_self() -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string("/proc/self/status")?))
    }

    /// Anonymous, shared and huge-page-pool memory together: the suite's metric before the
    /// baseline is taken off.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        self.anonymous_bytes + self.shared_bytes + self.huge_pool_bytes
    }

    fn parse(status: &str) -> Self {
        let field = |name| kib_field(status, name);
        Self {
            anonymous_bytes: field("RssAnon:"),
            shared_bytes: field("RssShmem:"),
            huge_pool_bytes: field("HugetlbPages:"),
            file_bytes: field("RssFile:"),
            swap_bytes: field("VmSwap:"),
        }
    }
}

/// Memory of a process from `/proc/PID/smaps_rollup`, in bytes. The kernel walks every page
/// table for it: for phase boundaries only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRollup {
    /// Resident, of every kind.
    pub resident_bytes: u64,
    /// Proportional share.
    pub proportional_bytes: u64,
    /// Anonymous pages.
    pub anonymous_bytes: u64,
    /// Anonymous memory on transparent huge pages.
    pub anonymous_huge_bytes: u64,
    /// Private pages written to.
    pub private_dirty_bytes: u64,
    /// Swapped out.
    pub swap_bytes: u64,
}

impl MemoryRollup {
    /// Of process `pid`.
    ///
    /// # Errors
    /// When the process is gone or may not be inspected.
    pub fn of(pid: u32) -> io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
        let field = |name| kib_field(&text, name);
        Ok(Self {
            resident_bytes: field("Rss:"),
            proportional_bytes: field("Pss:"),
            anonymous_bytes: field("Anonymous:"),
            anonymous_huge_bytes: field("AnonHugePages:"),
            private_dirty_bytes: field("Private_Dirty:"),
            swap_bytes: field("Swap:"),
        })
    }
}

/// Asks the kernel to kill this process when its parent thread ends.
pub fn die_with_parent() {
    // SAFETY: prctl with these arguments only sets an attribute of this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Sends SIGKILL to `pid`. A process that is gone already is none of our business.
pub fn kill(pid: u32) {
    signal(pid, libc::SIGKILL);
}

/// Sends SIGINT to `pid`, as Ctrl-C does.
pub fn interrupt(pid: u32) {
    signal(pid, libc::SIGINT);
}

fn signal(pid: u32, signal: libc::c_int) {
    // SAFETY: kill has no memory effects in this process.
    unsafe { libc::kill(pid.cast_signed(), signal) };
}

/// An anonymous file in memory that child processes inherit, `bytes` long and zeroed.
///
/// # Errors
/// The system's error.
pub fn inheritable_memory_file(bytes: usize) -> io::Result<OwnedFd> {
    memory_file(bytes, 0)
}

/// An anonymous file in memory, `bytes` long and zeroed, that goes with its last descriptor and
/// mapping.
pub(crate) fn memory_file(bytes: usize, flags: libc::c_uint) -> io::Result<OwnedFd> {
    let length = libc::off_t::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: the name is a valid C string; without MFD_CLOEXEC children inherit the descriptor.
    let raw = unsafe { libc::memfd_create(c"nibble-bench".as_ptr(), flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `raw` is a fresh descriptor that nobody else owns.
    let descriptor = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: `raw` is open.
    if unsafe { libc::ftruncate(raw, length) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(descriptor)
}

/// The value in bytes of a `Name:   123 kB` line, 0 where there is no such line.
fn kib_field(text: &str, name: &str) -> u64 {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_bytes_and_absent_ones_are_zero() {
        let memory =
            ProcessMemory::parse("VmRSS:\t 99 kB\nRssAnon:\t    12 kB\nRssShmem:\t 4 kB\n");
        assert_eq!(memory.anonymous_bytes, 12 * 1024);
        assert_eq!(memory.resident_bytes(), 16 * 1024);
        assert_eq!(memory.swap_bytes, 0);
    }

    #[test]
    fn this_process_is_resident() {
        assert!(ProcessMemory::of_self().unwrap().resident_bytes() > 0);
        let rollup = MemoryRollup::of(std::process::id()).unwrap();
        assert!(rollup.resident_bytes >= rollup.anonymous_bytes && rollup.anonymous_bytes > 0);
    }

    #[test]
    fn a_process_that_is_gone_is_an_error() {
        assert!(ProcessMemory::of(u32::MAX).is_err());
    }
}
