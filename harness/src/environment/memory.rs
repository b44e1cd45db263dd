//! How much memory this machine has, and how much of it is free to measure in.

use std::fs;

/// Memory the kernel thinks a new program could use without pushing others out. On virtual
/// machines that grow after boot the node's own figure may be smaller than the machine's; the
/// smaller one counts, and so does a memory limit of the control group.
#[must_use]
pub fn available_memory_bytes() -> u64 {
    let machine = meminfo("/proc/meminfo", "MemAvailable:").unwrap_or(u64::MAX);
    let nodes = node_free_bytes().unwrap_or(u64::MAX);
    machine.min(nodes).min(group_limit_bytes().unwrap_or(u64::MAX))
}

/// Memory of the machine.
#[must_use]
pub fn total_memory_bytes() -> u64 {
    meminfo("/proc/meminfo", "MemTotal:").unwrap_or(0)
}

fn meminfo(path: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.contains(field))?;
    let after = &line[line.find(field)? + field.len()..];
    Some(after.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// What all memory nodes together manage, less what is in use: total minus the machine's used.
fn node_free_bytes() -> Option<u64> {
    let mut total = 0;
    for entry in fs::read_dir("/sys/devices/system/node").ok()?.flatten() {
        let path = entry.path().join("meminfo");
        total += meminfo(path.to_str()?, "MemTotal:").unwrap_or(0);
    }
    let used = total_memory_bytes() - meminfo("/proc/meminfo", "MemAvailable:")?;
    (total > 0).then(|| total.saturating_sub(used))
}

/// The control group's limit less its use, for version 1 and 2 hierarchies mounted where they
/// usually are.
fn group_limit_bytes() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let pairs = [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ];
    pairs.iter().find_map(|(limit, used)| Some(number(limit)?.saturating_sub(number(used)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_memory_is_available_and_no_more_than_there_is() {
        assert!(available_memory_bytes() > 1 << 20);
        assert!(available_memory_bytes() <= total_memory_bytes());
    }
}
