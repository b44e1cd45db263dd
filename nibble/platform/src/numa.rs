//! Memory nodes: which exist, which cores they have, and binding memory to one.

use std::fs;
use std::io;
use std::path::Path;

use crate::cpu;
use crate::mapping::Mapping;

/// A memory node of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The node's number in the kernel.
    pub number: usize,
    /// Those of its cores that this process may run on, in ascending order.
    pub cores: Vec<usize>,
}

/// The nodes whose cores this process may use; at least one. A machine that reports no nodes counts
/// as one.
#[must_use]
pub fn nodes() -> Vec<Node> {
    let allowed = cpu::allowed_cores();
    let mut nodes = nodes_below(Path::new("/sys/devices/system/node"));
    for node in &mut nodes {
        node.cores.retain(|core| allowed.contains(core));
    }
    nodes.retain(|node| !node.cores.is_empty());
    if nodes.is_empty() { vec![Node { number: 0, cores: allowed }] } else { nodes }
}

fn nodes_below(folder: &Path) -> Vec<Node> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut nodes: Vec<Node> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let list = fs::read_to_string(entry.path().join("cpulist")).ok()?;
            Some(Node { number, cores: parse_list(&list) })
        })
        .collect();
    nodes.sort_by_key(|node| node.number);
    nodes
}

/// Parses a list such as `0-3,8,10-11`; what is not a number is skipped.
fn parse_list(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

impl Mapping {
    /// Requests future pages of `offset..offset + bytes` from a node; if the node is full, they
    /// come from elsewhere (`mbind` with `MPOL_PREFERRED`). Existing pages stay where they are. The
    /// range is widened to whole pages.
    ///
    /// # Errors
    /// The system's error, for example for a node that does not exist.
    ///
    /// # Panics
    /// If the range is not inside the mapping.
    pub fn bind(&self, offset: usize, bytes: usize, node: usize) -> io::Result<()> {
        const MPOL_PREFERRED: libc::c_ulong = 1;
        const WORD_BITS: usize = libc::c_ulong::BITS as usize;
        let from = offset / crate::mapping::PAGE_BYTES * crate::mapping::PAGE_BYTES;
        let start = self.range(from, offset + bytes - from);
        let mut nodes: [libc::c_ulong; 16] = [0; 16];
        let Some(word) = nodes.get_mut(node / WORD_BITS) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        *word = 1 << (node % WORD_BITS);
        // SAFETY: the range lies inside our mapping (checked by `range`), `nodes` has the number
        // of bits stated, and a policy changes no contents.
        let result = unsafe {
            libc::syscall(
                libc::SYS_mbind,
                start.as_ptr(),
                offset + bytes - from,
                MPOL_PREFERRED,
                nodes.as_ptr(),
                // The kernel reads one bit fewer than it is told.
                nodes.len() * WORD_BITS + 1,
                0,
            )
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pages;

    #[test]
    fn lists_are_read() {
        assert_eq!(parse_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse_list("\n"), []);
    }

    #[test]
    fn every_allowed_core_is_on_exactly_one_node() {
        let mut cores: Vec<_> = nodes().into_iter().flat_map(|node| node.cores).collect();
        cores.sort_unstable();
        assert_eq!(cores, cpu::allowed_cores());
        assert_eq!(nodes_below(Path::new("/nowhere")), []);
    }

    #[test]
    fn memory_is_bound_to_nodes_that_exist() {
        const BYTES: usize = 1 << 20;
        let mapping = Mapping::anonymous(BYTES, Pages::Small).unwrap();
        let Some(node) = nodes().pop() else { unreachable!("there is always one") };
        match mapping.bind(4096, BYTES - 4096, node.number) {
            Ok(()) => {
                mapping.populate(0, BYTES);
                let maps = fs::read_to_string("/proc/self/numa_maps").unwrap();
                let start = format!("{:x} ", mapping.start().addr().get() + 4096);
                let line = maps.lines().find(|line| line.starts_with(&start)).expect("an area");
                assert!(line.contains(&format!("prefer:{}", node.number)), "{line}");
                assert!(line.contains(&format!("N{}=255", node.number)), "{line}");
            }
            // A kernel without nodes, or a sandbox.
            Err(error) => {
                assert!(matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)), "{error}")
            }
        }
        assert!(mapping.bind(0, BYTES, 1023).is_err(), "no such node");
        assert!(mapping.bind(0, BYTES, 1 << 20).is_err(), "no such bit");
    }
}
