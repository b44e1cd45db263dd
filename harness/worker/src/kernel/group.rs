//! A control group of memory for a worker: what its store and the page cache hold for it is limited.
//!
//! A group is a folder named after the process that is in it. A process makes its own, and another removes
//! it when the process has ended. Hierarchies of version 1 and 2 are used at their usual mount points.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::KernelFiles;
use super::limits::groups;

/// With which the name of a group begins; the number of its process follows.
const PREFIX: &str = "nibble-bench-";

/// A group that holds this process.
#[derive(Debug)]
pub struct MemoryGroup {
    folder: PathBuf,
    version: &'static Version,
}

/// How one version of the kernel's interface is spoken.
#[derive(Debug)]
struct Version {
    number: u32,
    /// Its name among the process' memberships.
    controller: &'static str,
    limit: &'static str,
    unlimited: &'static str,
    /// Keeps memory that is not of files where it is; absent where there is no swap.
    unswapped: (&'static str, &'static str),
}

const VERSIONS: [Version; 2] = [
    Version {
        number: 1,
        controller: "memory",
        limit: "memory.limit_in_bytes",
        unlimited: "-1",
        unswapped: ("memory.swappiness", "0"),
    },
    Version {
        number: 2,
        controller: "",
        limit: "memory.max",
        unlimited: "max",
        unswapped: ("memory.swap.max", "0"),
    },
];

/// No group of memory can be made.
#[derive(Debug)]
pub struct NoGroup {
    /// The last folder that was tried, and what the system said of it.
    last: Option<(PathBuf, io::Error)>,
}

impl fmt::Display for NoGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.last {
            Some((folder, error)) => write!(f, "{}: {error}", folder.display())?,
            None => f.write_str("no memory controller is mounted below /sys/fs/cgroup")?,
        }
        f.write_str(
            ": run as root, or in a group that you may change, such as `systemd-run --user --scope -p \
             Delegate=yes COMMAND`",
        )
    }
}

impl MemoryGroup {
    /// Moves this process into a group of its own, which may hold `limit_bytes`. What it has touched before
    /// stays where it is counted.
    ///
    /// # Errors
    /// [`NoGroup`] if the process may not make one.
    pub fn enter(files: &KernelFiles, limit_bytes: u64) -> Result<Self, NoGroup> {
        Self::made(files, std::process::id(), |group| {
            fs::write(group.file(group.version.limit), limit_bytes.to_string())?;
            let (file, value) = group.version.unswapped;
            // Absent without swap.
            let _ = fs::write(group.file(file), value);
            fs::write(group.file("cgroup.procs"), std::process::id().to_string())
        })
    }

    /// Whether this process may make one.
    ///
    /// # Errors
    /// [`NoGroup`] if not.
    pub fn check(files: &KernelFiles) -> Result<(), NoGroup> {
        let group = Self::made(files, std::process::id(), |group| {
            fs::write(group.file(group.version.limit), group.version.unlimited)
        })?;
        // It is empty; if it stays, the next removal of abandoned ones finds it.
        let _ = fs::remove_dir(group.folder);
        Ok(())
    }

    /// Lifts the limit: what follows is not the store's.
    pub fn lift(&self) {
        // A group that is gone limits nothing.
        let _ = fs::write(self.file(self.version.limit), self.version.unlimited);
    }

    /// What rows say of it.
    #[must_use]
    pub fn told(&self) -> String {
        format!("a control group of version {}", self.version.number)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The group of `process`, below the first of this process' groups where `prepare` succeeds.
    fn made(
        files: &KernelFiles,
        process: u32,
        prepare: impl Fn(&Self) -> io::Result<()>,
    ) -> Result<Self, NoGroup> {
        let mut last = None;
        for (version, parent) in parents(files) {
            let folder = parent.join(format!("{PREFIX}{process}"));
            let group = Self { folder, version };
            // Left by a process that had this number.
            let _ = fs::remove_dir(&group.folder);
            match fs::create_dir(&group.folder).and_then(|()| prepare(&group)) {
                Ok(()) => return Ok(group),
                Err(error) => {
                    let _ = fs::remove_dir(&group.folder);
                    last = Some((group.folder, error));
                }
            }
        }
        Err(NoGroup { last })
    }
}

/// Removes the groups of processes that are gone.
pub fn remove_abandoned_groups(files: &KernelFiles) {
    for (_, parent) in parents(files) {
        for name in files.names(&parent, PREFIX) {
            let process = name.strip_prefix(PREFIX).unwrap_or_default();
            let is_number = process.parse::<u32>().is_ok();
            if is_number && !files.root.join("proc").join(process).exists() {
                // Another may have been faster.
                let _ = fs::remove_dir(parent.join(name));
            }
        }
    }
}

/// The groups that hold this process, innermost first, of each version that has limits of memory.
fn parents(files: &KernelFiles) -> impl Iterator<Item = (&'static Version, PathBuf)> {
    VERSIONS.iter().flat_map(|version| {
        let groups = groups(files, version.controller).into_iter();
        let there = groups.map(|group| files.root.join(group)).filter(|group| is_group(group));
        there.map(move |group| (version, group))
    })
}

fn is_group(folder: &Path) -> bool {
    folder.join("cgroup.procs").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::MadeUp;

    /// Of this machine: a made-up folder limits nothing.
    #[test]
    fn a_group_limits_what_a_process_keeps_of_a_file() {
        let here = KernelFiles::here();
        if let Err(error) = MemoryGroup::check(&here) {
            println!("skipped: {error}");
            return;
        }
        assert!(own_groups(&here).is_empty(), "the one of the check is gone");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("it is there");
        let group = MemoryGroup::made(&here, child.id(), |group| {
            fs::write(group.file(group.version.limit), (64 << 20).to_string())?;
            fs::write(group.file("cgroup.procs"), child.id().to_string())
        });
        let group = group.expect("it was possible above");
        let limit = || fs::read_to_string(group.file(group.version.limit)).unwrap();
        let members = fs::read_to_string(group.file("cgroup.procs")).unwrap();
        assert_eq!((limit().trim(), members.trim()), ("67108864", child.id().to_string().as_str()));
        remove_abandoned_groups(&here);
        assert!(group.folder.exists(), "its process is there");
        group.lift();
        assert!(
            limit().trim().parse::<u64>().is_ok_and(|bytes| bytes > 1 << 60)
                || limit().trim() == "max"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        remove_abandoned_groups(&here);
        assert!(!group.folder.exists());
    }

    fn own_groups(files: &KernelFiles) -> Vec<String> {
        let own = format!("{PREFIX}{}", std::process::id());
        parents(files).flat_map(|(_, parent)| files.names(parent, &own)).collect()
    }

    #[test]
    fn without_a_controller_the_remedy_is_named() {
        let none = MadeUp::new("no-groups", &[("proc/self/cgroup", "0::/user\n")]);
        let error = MemoryGroup::check(&none.files()).unwrap_err().to_string();
        assert!(error.starts_with("no memory controller is mounted"), "{error}");
        assert!(error.contains("run as root"), "{error}");
    }
}
