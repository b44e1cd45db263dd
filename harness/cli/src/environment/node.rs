//! The name of the node that rows were measured on.

use worker::kernel::KernelFiles;

/// Set by Slurm for every process of a job: the node's name in Slurm's configuration. Several such nodes
/// may be one host.
const SLURM_NODE: &str = "SLURMD_NODENAME";
/// Set by whoever measures on a list of hosts: the node's name in that list.
pub(crate) const NODE: &str = "NIBBLE_NODE";

/// This node's name: the list's, or Slurm's, or else the kernel's; empty where none says.
pub(crate) fn node_name() -> String {
    named(&[NODE, SLURM_NODE].map(|name| std::env::var(name).ok()), &KernelFiles::here())
}

fn named(given: &[Option<String>], files: &KernelFiles) -> String {
    let given = given.iter().flatten().find(|name| !name.is_empty());
    given.cloned().or_else(|| files.text("proc/sys/kernel/hostname")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use worker::kernel::MadeUp;

    #[test]
    fn the_name_that_a_node_is_given_comes_before_the_hosts() {
        let here = MadeUp::new("node-name", &[("proc/sys/kernel/hostname", "host\n")]);
        let given = |name: &str| Some(name.to_owned());
        assert_eq!(named(&[None, given("n3")], &here.files()), "n3");
        assert_eq!(named(&[given("me@n4"), given("n3")], &here.files()), "me@n4");
        assert_eq!(named(&[None, given("")], &here.files()), "host");
        assert_eq!(named(&[None, None], &here.files()), "host");
        let nowhere = MadeUp::new("no-node-name", &[]);
        assert_eq!(named(&[None], &nowhere.files()), "");
    }
}
