//! Limits set by the control groups of this process, for hierarchies of version 1 and 2 at their usual
//! mount points.

use std::path::{Path, PathBuf};

use super::KernelFiles;

const MOUNT: &str = "sys/fs/cgroup";
/// Version 1 encodes "no limit" as the largest multiple of a page.
const UNLIMITED_BYTES: u64 = 1 << 62;

/// The CPU quota in cores: the smallest of all groups that contain this process. `None` if none is
/// limited.
pub fn quota_cores(files: &KernelFiles) -> Option<f64> {
    let second = groups(files, "").into_iter().filter_map(|group| {
        let text = files.text(group.join("cpu.max"))?;
        let (quota, period) = text.split_once(' ')?;
        Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
    });
    let first = groups(files, "cpu").into_iter().filter_map(|group| {
        let quota = files.number::<f64>(group.join("cpu.cfs_quota_us"))?;
        let period = files.number::<f64>(group.join("cpu.cfs_period_us"))?;
        (quota > 0.0).then_some(quota / period)
    });
    second.chain(first).reduce(f64::min)
}

/// Memory limits of the groups that contain this process, each with the amount in use.
pub fn memory_limits(files: &KernelFiles) -> Vec<(u64, u64)> {
    let read = |controller, limit: &str, used: &str| -> Vec<(u64, u64)> {
        let groups = groups(files, controller).into_iter();
        let pairs = groups.filter_map(|group| {
            Some((files.number(group.join(limit))?, files.number(group.join(used))?))
        });
        pairs.filter(|&(limit, _)| limit < UNLIMITED_BYTES).collect()
    };
    let mut limits = read("", "memory.max", "memory.current");
    limits.extend(read("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"));
    limits
}

/// How often the kernel has killed a process because memory ran out: of the machine, and of the groups
/// that contain this process. Only a growth says something. `None` where the kernel does not count.
pub fn oom_kills(files: &KernelFiles) -> Option<u64> {
    let second = groups(files, "").into_iter().map(|group| group.join("memory.events"));
    let first = groups(files, "memory").into_iter().map(|group| group.join("memory.oom_control"));
    let counted = |path: PathBuf| -> Option<u64> {
        let text = files.text(path)?;
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
        count.trim().parse().ok()
    };
    let all = std::iter::once(PathBuf::from("proc/vmstat")).chain(second).chain(first);
    all.filter_map(counted).reduce(|sum, count| sum + count)
}

/// This process's group and all its ancestors, of a version 1 controller, or of version 2 if the name is
/// empty. The mount point itself comes last: inside a container it is the container's group.
pub(super) fn groups(files: &KernelFiles, controller: &str) -> Vec<PathBuf> {
    let mount = Path::new(MOUNT).join(controller);
    let memberships = files.text("proc/self/cgroup").unwrap_or_default();
    let path = memberships.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let names = parts.next()?;
        let path = parts.next()?.trim_start_matches('/').to_owned();
        names.split(',').any(|name| name == controller).then_some(path)
    });
    let path = path.unwrap_or_default();
    Path::new(&path).ancestors().map(|group| mount.join(group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::MadeUp;

    #[test]
    fn the_tightest_group_of_version_2_counts() {
        let made_up = MadeUp::new(
            "groups-2",
            &[
                ("proc/self/cgroup", "0::/user/shell\n"),
                ("sys/fs/cgroup/user/cpu.max", "150000 100000\n"),
                ("sys/fs/cgroup/user/shell/cpu.max", "max 100000\n"),
                ("sys/fs/cgroup/user/memory.max", "4096\n"),
                ("sys/fs/cgroup/user/memory.current", "1024\n"),
                ("sys/fs/cgroup/user/shell/memory.max", "max\n"),
                ("sys/fs/cgroup/user/shell/memory.current", "1024\n"),
            ],
        );
        assert_eq!(quota_cores(&made_up.files()), Some(1.5));
        assert_eq!(memory_limits(&made_up.files()), [(4096, 1024)]);
    }

    #[test]
    fn version_1_is_read_and_its_word_for_unlimited_understood() {
        let files = [
            ("proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n"),
            ("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8192\n"),
            ("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4096\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n"),
        ];
        let made_up = MadeUp::new("groups-1", &files);
        assert_eq!(quota_cores(&made_up.files()), Some(0.5));
        assert_eq!(memory_limits(&made_up.files()), [(8192, 4096)]);
    }

    #[test]
    fn no_groups_are_no_limits() {
        let made_up = MadeUp::new("groups-0", &[]);
        assert_eq!(quota_cores(&made_up.files()), None);
        assert_eq!(memory_limits(&made_up.files()), []);
    }

    #[test]
    fn kills_for_lack_of_memory_are_counted_wherever_the_kernel_does() {
        let made_up = MadeUp::new(
            "oom",
            &[
                ("proc/self/cgroup", "4:memory:/job\n0::/user\n"),
                ("proc/vmstat", "oom_kill_other 9\noom_kill 2\n"),
                ("sys/fs/cgroup/user/memory.events", "oom 7\noom_kill 1\noom_group_kill 5\n"),
                ("sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\noom_kill 3\n"),
            ],
        );
        assert_eq!(oom_kills(&made_up.files()), Some(6));
        assert_eq!(oom_kills(&MadeUp::new("no-oom", &[]).files()), None);
    }
}
