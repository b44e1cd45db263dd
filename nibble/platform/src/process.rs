//! A process as seen by the kernel: its memory, its resources, its end.

mod tree;
mod usage;

use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

pub use tree::descendants;
pub use usage::{MachineUsage, ResourceUsage};

/// Memory of a process from `/proc/PID/status`, in bytes. Reading it is cheap, because the kernel
/// keeps these counters anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Resident private anonymous pages.
    pub anonymous_bytes: u64,
    /// Resident shared-memory pages.
    pub shared_bytes: u64,
    /// Pages of the huge-page pool.
    pub huge_pool_bytes: u64,
    /// Resident file pages; not part of what an engine holds.
    pub file_bytes: u64,
    /// Swapped-out anonymous pages.
    pub swap_bytes: u64,
}

impl ProcessMemory {
    /// Reads the memory of process `pid`.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn of(pid: u32) -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string(format!("/proc/{pid}/status"))?))
    }

    /// Reads the memory of process `pid` and all its living descendants.
    ///
    /// A descendant counts from the moment it executes a program; until then its pages are its
    /// parent's.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn of_tree(pid: u32) -> io::Result<Self> {
        let own = Self::of(pid)?;
        let others = tree::owners_of_memory(pid).filter_map(|pid| Self::of(pid).ok());
        Ok(others.fold(own, |sum, one| sum.plus(&one)))
    }

    /// Reads the memory of the calling process.
    ///
    /// # Errors
    /// If `/proc` is not mounted.
    pub fn of_self() -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string("/proc/self/status")?))
    }

    /// Anonymous, shared and huge-page-pool memory together: the suite's metric before the baseline
    /// is subtracted.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        self.anonymous_bytes + self.shared_bytes + self.huge_pool_bytes
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            anonymous_bytes: self.anonymous_bytes + other.anonymous_bytes,
            shared_bytes: self.shared_bytes + other.shared_bytes,
            huge_pool_bytes: self.huge_pool_bytes + other.huge_pool_bytes,
            file_bytes: self.file_bytes + other.file_bytes,
            swap_bytes: self.swap_bytes + other.swap_bytes,
        }
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

/// Memory of a process from `/proc/PID/smaps_rollup`, in bytes. For this the kernel walks every
/// page table, so use it only between phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRollup {
    /// Resident memory of every kind.
    pub resident_bytes: u64,
    /// Proportional share of the resident memory.
    pub proportional_bytes: u64,
    /// Anonymous pages.
    pub anonymous_bytes: u64,
    /// Anonymous memory on transparent huge pages.
    pub anonymous_huge_bytes: u64,
    /// Private pages that were written to.
    pub private_dirty_bytes: u64,
    /// Swapped-out memory.
    pub swap_bytes: u64,
}

impl MemoryRollup {
    /// Reads the memory of process `pid`.
    ///
    /// # Errors
    /// If the process is gone or may not be inspected.
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

    /// Reads the memory of process `pid` and all its living descendants, as
    /// [`ProcessMemory::of_tree`] does.
    ///
    /// # Errors
    /// If the process is gone or may not be inspected.
    pub fn of_tree(pid: u32) -> io::Result<Self> {
        let own = Self::of(pid)?;
        let others = tree::owners_of_memory(pid).filter_map(|pid| Self::of(pid).ok());
        Ok(others.fold(own, |sum, one| sum.plus(&one)))
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            resident_bytes: self.resident_bytes + other.resident_bytes,
            proportional_bytes: self.proportional_bytes + other.proportional_bytes,
            anonymous_bytes: self.anonymous_bytes + other.anonymous_bytes,
            anonymous_huge_bytes: self.anonymous_huge_bytes + other.anonymous_huge_bytes,
            private_dirty_bytes: self.private_dirty_bytes + other.private_dirty_bytes,
            swap_bytes: self.swap_bytes + other.swap_bytes,
        }
    }
}

/// Asks the kernel to kill this process when its parent thread ends.
pub fn die_with_parent() {
    // SAFETY: prctl with these arguments only sets an attribute of this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Makes the kernel kill what `command` starts when the starting thread ends, however that ends. If
/// that thread is already gone, the process does not run.
pub fn bind_to_parent(command: &mut Command) {
    let parent = std::process::id();
    let bind = move || {
        die_with_parent();
        // The parent may have died before this took effect. SAFETY: getppid has no preconditions.
        if unsafe { libc::getppid() }.cast_unsigned() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(bind) };
}

/// Waits until child `pid` has ended, without reaping it, so that its id and that of its group are
/// not reused.
///
/// # Errors
/// If there is no such child.
pub fn wait_for_end(pid: u32) -> io::Result<()> {
    loop {
        // SAFETY: siginfo_t is plain data, for which all zeros is a value.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `info` is a valid place for the result.
        let result =
            unsafe { libc::waitid(libc::P_PID, pid, &raw mut info, libc::WEXITED | libc::WNOWAIT) };
        if result == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Sends SIGKILL to every process of the group led by `leader`.
pub fn kill_group(leader: u32) {
    // SAFETY: killpg has no memory effects in this process.
    unsafe { libc::killpg(leader.cast_signed(), libc::SIGKILL) };
}

/// Sends SIGKILL to `pid`. Does nothing if the process is already gone.
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

/// An anonymous file in memory, `bytes` long and zeroed, that child processes inherit.
///
/// # Errors
/// The system's error.
pub fn inheritable_memory_file(bytes: usize) -> io::Result<OwnedFd> {
    memory_file(bytes, 0)
}

/// An anonymous file in memory, `bytes` long and zeroed, that disappears with its last descriptor
/// and mapping.
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

/// The value in bytes of a line `Name:   123 kB`; 0 if there is no such line.
fn kib_field(text: &str, name: &str) -> u64 {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Stdio};

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

    /// A shell that runs `script` and has printed `ready` when this returns.
    pub(super) fn shell(script: &str) -> Child {
        started(Command::new("sh").args(["-c", script]))
    }

    fn started(command: &mut Command) -> Child {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        child
    }

    #[test]
    fn memory_of_a_tree_is_that_of_all_its_processes() {
        let mut child = shell("sh -c 'echo ready; read line; exit 0'; exit 0");
        let inner = descendants(child.id())[0];
        let (outer, inner) = (child.id(), inner);
        let sum = |of: fn(u32) -> io::Result<ProcessMemory>| {
            of(outer).unwrap().resident_bytes() + of(inner).unwrap().resident_bytes()
        };
        let tree = ProcessMemory::of_tree(outer).unwrap();
        assert_eq!(tree.resident_bytes(), sum(ProcessMemory::of));
        assert!(tree.resident_bytes() > ProcessMemory::of(outer).unwrap().resident_bytes());
        let rollup = MemoryRollup::of_tree(outer).unwrap();
        let parts = [outer, inner].map(|pid| MemoryRollup::of(pid).unwrap().anonymous_bytes);
        assert_eq!(rollup.anonymous_bytes, parts[0] + parts[1]);
        assert!(ProcessMemory::of_tree(u32::MAX).is_err());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn what_is_bound_dies_with_the_thread_that_started_it() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("sh");
            bind_to_parent(command.args(["-c", "echo ready; read line"]));
            started(&mut command)
        })
        .join()
        .unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn a_group_dies_together_after_its_leader_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo ready; read line"]).process_group(0);
        let mut leader = started(&mut command);
        let left = descendants(leader.id());
        assert_eq!(left.len(), 1, "{left:?}");
        drop(leader.stdin.take());
        wait_for_end(leader.id()).unwrap();
        wait_for_end(leader.id()).expect("it is still to be waited for");
        assert!(ProcessMemory::of(left[0]).is_ok());
        kill_group(leader.id());
        assert!(leader.wait().is_ok());
        assert!(wait_for_end(leader.id()).is_err());
        // Init reaps adopted processes at its leisure; until then they have no memory.
        while ProcessMemory::of(left[0]).is_ok_and(|memory| memory != ProcessMemory::default()) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_process_that_is_gone_is_an_error() {
        assert!(ProcessMemory::of(u32::MAX).is_err());
    }
}
