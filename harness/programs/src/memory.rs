//! Memory of all processes that a run started, as the kernel says at one moment.

use std::collections::BTreeSet;
use std::fs;

use platform::process::{MemoryRollup, descendants};

use crate::raw;

/// Bit of the flags in `/proc/PID/stat`: the process has not executed a program since it was forked.
const FORKED_ONLY: u64 = 0x40;

/// What a tree of processes holds at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// Of one process its resident memory; of several the sum of their proportional shares, so that a
    /// page that they share counts once.
    pub(crate) bytes: u64,
    /// The most that any single one of them has been resident with so far.
    pub(crate) highest_bytes: u64,
    pub(crate) processes: u32,
}

/// Living descendants of this process, without those in `known`.
pub(crate) fn tree(known: &BTreeSet<u32>) -> Vec<u32> {
    let all = descendants(std::process::id());
    all.into_iter().filter(|pid| !known.contains(pid)).collect()
}

/// What the processes of [`tree`] hold; `None` where none of them lives.
///
/// One process costs two small files. Several cost a walk over their page tables.
pub(crate) fn held(known: &BTreeSet<u32>) -> Option<Held> {
    let mut found = Vec::new();
    for pid in tree(known) {
        found.extend(Resident::of(pid).map(|resident| (pid, resident)));
    }
    let highest = found.iter().map(|(_, resident)| resident.highest_bytes).max()?;
    if let [(_, only)] = found[..] {
        return Some(Held { bytes: only.bytes, highest_bytes: highest, processes: 1 });
    }
    let mut held = Held { highest_bytes: highest, ..Held::default() };
    for (pid, resident) in &found {
        if borrows_memory(*pid) {
            continue;
        }
        held.processes += 1;
        // One that may not be looked into counts with all it has.
        held.bytes +=
            MemoryRollup::of(*pid).map_or(resident.bytes, |rollup| rollup.proportional_bytes);
    }
    Some(held)
}

/// Resident memory of one process, from `/proc/PID/status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Resident {
    bytes: u64,
    highest_bytes: u64,
}

impl Resident {
    /// `None` of a process that is gone, or has no memory any more.
    fn of(pid: u32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
            Some(kib * 1024)
        };
        Some(Self { bytes: field("VmRSS:")?, highest_bytes: field("VmHWM:")? })
    }
}

/// Whether the process was just forked and still lives in its parent's memory.
fn borrows_memory(pid: u32) -> bool {
    let Some((parent, flags)) = parent_and_flags(pid) else { return false };
    flags & FORKED_ONLY != 0 && raw::share_memory(pid, parent)
}

/// From `/proc/PID/stat`, behind the name in parentheses, which may hold anything.
fn parent_and_flags(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(1);
    let parent = fields.next()?.parse().ok()?;
    // Process group, session, terminal and its group stand between.
    let flags = fields.nth(4)?.parse().ok()?;
    Some((parent, flags))
}

/// The name of a living process; `None` of one that ended, waited for or not.
pub(crate) fn living_name(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (start, fields) = stat.rsplit_once(") ")?;
    let name = start.split_once('(')?.1.to_owned();
    (!fields.starts_with(['Z', 'X'])).then_some(name)
}
