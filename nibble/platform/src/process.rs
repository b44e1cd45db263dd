//! A process as seen by the kernel: its memory, its resources, its end.

pub mod remote;
mod transfers;
mod tree;
mod usage;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use procfs::ProcError;
use procfs::process::{Process, Status};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getpid, getppid, getrlimit, kill_process,
    kill_process_group, set_parent_process_death_signal, setrlimit, waitid,
};

pub use transfers::{Transfers, read_meanwhile};
pub use tree::descendants;
pub use usage::{MachineUsage, ResourceUsage, available_bytes, minor_faults_of, own_minor_faults};

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
        let status = tree::process(pid).and_then(|one| one.status());
        status.map(|status| Self::from_status(&status)).map_err(system_error)
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
        let status = Process::myself().and_then(|own| own.status());
        status.map(|status| Self::from_status(&status)).map_err(system_error)
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

    fn from_status(status: &Status) -> Self {
        let bytes = |kib: Option<u64>| kib.unwrap_or(0) * 1024;
        Self {
            anonymous_bytes: bytes(status.rssanon),
            shared_bytes: bytes(status.rssshmem),
            huge_pool_bytes: bytes(status.hugetlbpages),
            file_bytes: bytes(status.rssfile),
            swap_bytes: bytes(status.vmswap),
        }
    }
}

/// Bytes of the page tables of process `pid`; 0 if it is gone.
#[must_use]
pub fn page_table_bytes(pid: u32) -> u64 {
    let status = tree::process(pid).and_then(|one| one.status());
    status.ok().and_then(|status| status.vmpte).unwrap_or(0) * 1024
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
        let rollup = tree::process(pid).and_then(|one| one.smaps_rollup()).map_err(system_error)?;
        // One for all of its memory; none for a process without any.
        let area = rollup.memory_map_rollup.iter().next();
        let field = |name| area.and_then(|area| area.extension.map.get(name).copied());
        let bytes = |name| field(name).unwrap_or(0);
        Ok(Self {
            resident_bytes: bytes("Rss"),
            proportional_bytes: bytes("Pss"),
            anonymous_bytes: bytes("Anonymous"),
            anonymous_huge_bytes: bytes("AnonHugePages"),
            private_dirty_bytes: bytes("Private_Dirty"),
            swap_bytes: bytes("Swap"),
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

/// What went wrong with a file in `/proc`.
pub(crate) fn system_error(error: ProcError) -> io::Error {
    match error {
        ProcError::Io(error, _) => error,
        ProcError::NotFound(_) => io::ErrorKind::NotFound.into(),
        ProcError::PermissionDenied(_) => io::ErrorKind::PermissionDenied.into(),
        other => io::Error::other(other),
    }
}

/// Asks the kernel to kill this process when its parent thread ends.
pub fn die_with_parent() {
    // It fails only for a signal that does not exist.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Makes the kernel kill what `command` starts when the starting thread ends, however that ends. If
/// that thread is already gone, the process does not run.
pub fn bind_to_parent(command: &mut Command) {
    let parent = getpid();
    let bind = move || {
        die_with_parent();
        // The parent may have died before this took effect.
        if getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
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
    let child = id(pid).ok_or(Errno::CHILD)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    retry_on_intr(|| waitid(WaitId::Pid(child), options))?;
    Ok(())
}

/// Sends SIGKILL to every process of the group led by `leader`.
pub fn kill_group(leader: u32) {
    let _ = id(leader).map(|group| kill_process_group(group, Signal::KILL));
}

/// Sends SIGKILL to `pid`. Does nothing if the process is already gone.
pub fn kill(pid: u32) {
    let _ = id(pid).map(|pid| kill_process(pid, Signal::KILL));
}

/// Sends SIGINT to `pid`, as Ctrl-C does.
pub fn interrupt(pid: u32) {
    let _ = id(pid).map(|pid| kill_process(pid, Signal::INT));
}

/// Lets this process have as many descriptors as it may allow itself.
pub fn allow_most_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // It fails only for a limit above the hard one.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Asks for the id of this process's parent, which is one system call that does nothing.
#[inline]
pub fn ask_parent() {
    std::hint::black_box(getppid());
}

fn id(pid: u32) -> Option<Pid> {
    Pid::from_raw(pid.cast_signed())
}

/// An anonymous file in memory, `bytes` long and zeroed, that child processes inherit.
///
/// # Errors
/// The system's error.
pub fn inheritable_memory_file(bytes: usize) -> io::Result<OwnedFd> {
    memory_file(bytes, MemfdFlags::empty())
}

/// An anonymous file in memory, `bytes` long and zeroed, that disappears with its last descriptor
/// and mapping.
pub(crate) fn memory_file(bytes: usize, flags: MemfdFlags) -> io::Result<OwnedFd> {
    let descriptor = memfd_create("nibble-bench", flags)?;
    ftruncate(&descriptor, bytes as u64)?;
    Ok(descriptor)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Stdio};

    use super::*;

    #[test]
    fn fields_are_read_in_bytes_and_absent_ones_are_zero() {
        let mut status = Process::myself().unwrap().status().unwrap();
        (status.rssanon, status.rssshmem, status.vmswap) = (Some(12), Some(4), None);
        let memory = ProcessMemory::from_status(&status);
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
