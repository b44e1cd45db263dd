//! The machine's memory, how much of it is available for measurements, and its swap.

use super::{KernelFiles, limits};

const NODES: &str = "sys/devices/system/node";

/// Memory that the kernel believes a new program could use without evicting others, as far as control
/// groups allow it. On virtual machines that are given memory as they touch it, a node manages less than
/// that at first, and grows.
#[must_use]
pub fn available_memory_bytes() -> u64 {
    let files = KernelFiles::here();
    let machine = files.memory_field("proc/meminfo", "MemAvailable:").unwrap_or(u64::MAX);
    let groups = limits::memory_limits(&files).into_iter();
    let room = groups.map(|(limit, used)| limit.saturating_sub(used)).min();
    machine.min(room.unwrap_or(u64::MAX))
}

#[must_use]
pub fn total_memory_bytes() -> u64 {
    KernelFiles::here().memory_field("proc/meminfo", "MemTotal:").unwrap_or(0)
}

/// Swap space and the amount in use.
pub fn swap_bytes(files: &KernelFiles) -> Option<(u64, u64)> {
    let total = files.memory_field("proc/meminfo", "SwapTotal:")?;
    let free = files.memory_field("proc/meminfo", "SwapFree:")?;
    Some((total, total.saturating_sub(free)))
}

/// Memory nodes with the amount each manages: `node0 24000 MiB`.
pub fn nodes(files: &KernelFiles) -> Option<String> {
    let nodes = files.names(NODES, "node").into_iter().filter_map(|node| {
        let bytes = files.memory_field(format!("{NODES}/{node}/meminfo"), "MemTotal:")?;
        Some(format!("{node} {} MiB", bytes >> 20))
    });
    let nodes = nodes.collect::<Vec<_>>().join(", ");
    Some(nodes).filter(|nodes| !nodes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::MadeUp;

    #[test]
    fn some_memory_is_available_and_no_more_than_there_is() {
        assert!(available_memory_bytes() > 1 << 20);
        assert!(available_memory_bytes() <= total_memory_bytes());
    }

    #[test]
    fn nodes_and_swap_are_read() {
        let files = [
            (
                "proc/meminfo",
                "MemTotal: 8192 kB\nMemAvailable: 6144 kB\nSwapTotal: 300 kB\nSwapFree: 100 kB\n",
            ),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:  4096 kB\n"),
            ("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:  2048 kB\n"),
        ];
        let made_up = MadeUp::new("memory", &files);
        let files = made_up.files();
        assert_eq!(nodes(&files).as_deref(), Some("node0 4 MiB, node1 2 MiB"));
        assert_eq!(swap_bytes(&files), Some((300 << 10, 200 << 10)));
        let empty = MadeUp::new("no-memory", &[]);
        assert_eq!((nodes(&empty.files()), swap_bytes(&empty.files())), (None, None));
    }
}
