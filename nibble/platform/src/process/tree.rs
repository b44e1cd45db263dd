//! The processes that a process started, and those that they started.

use procfs::ProcResult;
use procfs::process::{Process, StatFlags, all_processes};

pub(super) fn process(pid: u32) -> ProcResult<Process> {
    Process::new(pid.cast_signed())
}

/// All living descendants of `pid`. A descendant whose parent died first is no longer found.
///
/// If there are none, only the lists of children are read.
#[must_use]
pub fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(pid) = open.pop() {
        let children = listed_children(pid).unwrap_or_else(|| scanned_children(pid));
        found.extend(&children);
        open.extend(children);
    }
    found
}

/// Descendants of `pid` with memory of their own: until a process executes a program, its pages
/// are its parent's.
pub(super) fn owners_of_memory(pid: u32) -> impl Iterator<Item = u32> {
    let forked_only = StatFlags::PF_FORKNOEXEC.bits();
    descendants(pid).into_iter().filter(move |&pid| {
        process(pid).and_then(|one| one.stat()).is_ok_and(|stat| stat.flags & forked_only == 0)
    })
}

/// Children of all threads of `pid`; `None` if the kernel keeps no such lists.
fn listed_children(pid: u32) -> Option<Vec<u32>> {
    // A thread may end meanwhile.
    let tasks = process(pid).and_then(|one| one.tasks()).ok()?.flatten();
    let lists = tasks.filter_map(|task| task.children().ok());
    lists.reduce(|all, more| [all, more].concat())
}

/// Children of `pid`, found by examining every process.
fn scanned_children(pid: u32) -> Vec<u32> {
    let stats = all_processes().into_iter().flatten().filter_map(|one| one.ok()?.stat().ok());
    let children = stats.filter(|stat| stat.ppid == pid.cast_signed());
    children.map(|stat| stat.pid.cast_unsigned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::shell;
    use super::*;

    #[test]
    fn grandchildren_are_descendants_by_lists_and_by_scanning() {
        // The outer shell starts the inner one and waits for it.
        let mut child = shell("sh -c 'echo ready; read line; exit 0'; exit 0");
        let found = descendants(child.id());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(scanned_children(child.id()), found);
        assert!(descendants(std::process::id()).contains(&found[0]));
        assert_eq!(owners_of_memory(child.id()).collect::<Vec<_>>(), found);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(listed_children(u32::MAX).is_none(), "no such process");
    }

    #[test]
    fn a_process_that_only_forked_has_its_parents_pages() {
        // A subshell that is forked and does not execute a program.
        let mut child = shell("( echo ready; read line ) ; exit 0");
        let found = descendants(child.id());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(owners_of_memory(child.id()).count(), 0);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
