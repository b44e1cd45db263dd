//! The processes that a process started, and those that they started.

use std::fs;
use std::path::{Path, PathBuf};

/// The kernel's flag for a process that was forked and has not executed a program yet.
const FORKED_ONLY: u64 = 0x40;

/// The folder in `/proc` for process `pid`.
pub(super) fn proc_folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
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
    descendants(pid).into_iter().filter(|&pid| {
        let stat = fs::read_to_string(proc_folder(pid).join("stat")).unwrap_or_default();
        // Numbered as in proc(5), whose first field is 1.
        stat_field(&stat, 9).is_some_and(|flags| flags & FORKED_ONLY == 0)
    })
}

/// Children of all threads of `pid`; `None` if the kernel keeps no such lists.
fn listed_children(pid: u32) -> Option<Vec<u32>> {
    let mut children = Vec::new();
    let mut listed = false;
    for task in fs::read_dir(proc_folder(pid).join("task")).ok()?.flatten() {
        // A thread may have ended in the meantime.
        let Ok(list) = fs::read_to_string(task.path().join("children")) else { continue };
        listed = true;
        children.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    listed.then_some(children)
}

/// Children of `pid`, found by examining every process.
fn scanned_children(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let children = entries.filter_map(|entry| {
        let child = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        (stat_field(&stat, 4)? == u64::from(pid)).then_some(child)
    });
    children.collect()
}

/// A numeric field of `/proc/PID/stat` after the name, by its position in proc(5).
pub(super) fn stat_field(stat: &str, place: usize) -> Option<u64> {
    // The name in parentheses may contain anything; the third field follows the last parenthesis.
    stat.rsplit_once(") ")?.1.split_whitespace().nth(place.checked_sub(3)?)?.parse().ok()
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

    #[test]
    fn fields_are_read_past_any_name() {
        let stat = "7 (a) S 1 (b) S 1 7 7 0 -1 4194368 100 20";
        assert_eq!(stat_field(stat, 4), Some(1));
        assert_eq!(stat_field(stat, 9), Some(4_194_368));
        assert_eq!(stat_field(stat, 2), None);
        assert_eq!(stat_field(stat, 40), None);
        assert_eq!(stat_field("", 4), None);
    }
}
