//! The name of the node that rows were measured on.

use worker::kernel::KernelFiles;

/// Set by Slurm for every process of a job: the node's name in Slurm's configuration. Several such nodes
/// may be one host.
const SLURM_NODE: &str = "SLURMD_NODENAME";

/// This node's name: Slurm's, or else the kernel's; empty where neither says.
pub(crate) fn node_name() -> String {
    named(std::env::var(SLURM_NODE).ok(), &KernelFiles::here())
}

fn named(by_slurm: Option<String>, files: &KernelFiles) -> String {
    by_slurm
        .filter(|name| !name.is_empty())
        .or_else(|| files.text("proc/sys/kernel/hostname"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use worker::kernel::MadeUp;

    #[test]
    fn slurms_name_of_a_node_comes_before_the_hosts() {
        let here = MadeUp::new("node-name", &[("proc/sys/kernel/hostname", "host\n")]);
        assert_eq!(named(Some("n3".to_owned()), &here.files()), "n3");
        assert_eq!(named(Some(String::new()), &here.files()), "host");
        assert_eq!(named(None, &here.files()), "host");
        let nowhere = MadeUp::new("no-node-name", &[]);
        assert_eq!(named(None, &nowhere.files()), "");
    }
}
