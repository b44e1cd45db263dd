//! Bytes that processes read and wrote, as the kernel counts them.

use std::fs;
use std::io;

use procfs::process::Io;

use super::system_error;
use super::tree::{descendants, process};

/// Bytes that the kernel has counted so far for a process, its threads, and the children it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Given to calls that write, to files, pipes and terminals alike.
    pub handed_written_bytes: u64,
    /// Taken from calls that read, from files, pipes and terminals alike.
    pub handed_read_bytes: u64,
    /// Of pages of files that were made dirty, and of writes past the page cache.
    pub dirtied_bytes: u64,
    /// Of dirty pages that were thrown away before they were written, because their file was.
    pub cancelled_bytes: u64,
    /// Read from the storage of files, into the page cache or past it.
    pub file_read_bytes: u64,
}

impl Transfers {
    /// Of process `pid`, which may have ended if nobody has waited for it.
    ///
    /// # Errors
    /// If the process is gone, or belongs to somebody else, or the kernel does not count.
    pub fn of(pid: u32) -> io::Result<Self> {
        process(pid)
            .and_then(|one| one.io())
            .map(|counted| Self::from(&counted))
            .map_err(system_error)
    }

    /// Of process `pid` and of all its living descendants. What a descendant did is lost if it ends and
    /// its parent does not wait for it.
    ///
    /// # Errors
    /// As for [`Self::of`].
    pub fn of_tree(pid: u32) -> io::Result<Self> {
        let own = Self::of(pid)?;
        let others = descendants(pid).into_iter().filter_map(|pid| Self::of(pid).ok());
        Ok(others.fold(own, |sum, one| sum.zip(&one, u64::saturating_add)))
    }

    /// Written to files: what was made dirty, without what was thrown away.
    #[must_use]
    pub fn file_written_bytes(&self) -> u64 {
        self.dirtied_bytes.saturating_sub(self.cancelled_bytes)
    }

    /// The difference from `earlier`; 0 if a descendant's counts disappeared with it.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            handed_written_bytes: with(self.handed_written_bytes, other.handed_written_bytes),
            handed_read_bytes: with(self.handed_read_bytes, other.handed_read_bytes),
            dirtied_bytes: with(self.dirtied_bytes, other.dirtied_bytes),
            cancelled_bytes: with(self.cancelled_bytes, other.cancelled_bytes),
            file_read_bytes: with(self.file_read_bytes, other.file_read_bytes),
        }
    }
}

impl From<&Io> for Transfers {
    fn from(counted: &Io) -> Self {
        Self {
            handed_written_bytes: counted.wchar,
            handed_read_bytes: counted.rchar,
            dirtied_bytes: counted.write_bytes,
            cancelled_bytes: counted.cancelled_write_bytes,
            file_read_bytes: counted.read_bytes,
        }
    }
}

/// Runs `body`, and returns how many bytes the calling thread read meanwhile, from wherever, the two
/// looks at its own counts included. 0 where the kernel does not count.
pub fn read_meanwhile<T>(body: impl FnOnce() -> T) -> (T, u64) {
    let before = own_reads();
    let done = body();
    let after = own_reads();
    let bytes =
        before.zip(after).map_or(0, |((earlier, _), (later, looked))| later - earlier + looked);
    (done, bytes)
}

/// Bytes that the calling thread has read so far, and how many the look itself took, which are not among
/// them.
fn own_reads() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/thread-self/io").ok()?;
    let counted = text.lines().find_map(|line| line.strip_prefix("rchar: "))?;
    Some((counted.trim().parse().ok()?, text.len() as u64))
}

#[cfg(test)]
mod tests {
    use std::process::Child;

    use super::super::tests::shell;
    use super::*;

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    /// A child that is alive, one that was waited for, and the process itself count together.
    #[test]
    fn a_tree_has_written_what_all_its_processes_wrote() {
        let gone = "head -c 300000 /dev/zero > /dev/null";
        let alive = "sh -c 'head -c 50000 /dev/zero > /dev/null; echo ready; read line; exit 0'";
        let child = shell(&format!("{gone}; {alive}; exit 0"));
        let tree = Transfers::of_tree(child.id()).unwrap();
        let own = Transfers::of(child.id()).unwrap();
        let written = tree.handed_written_bytes;
        assert_eq!(written, 350_000 + "ready\n".len() as u64, "{tree:?}");
        assert_eq!(own.handed_written_bytes, 300_000, "{own:?}");
        assert!(tree.handed_read_bytes >= 350_000, "{tree:?}");
        end(child);
        assert!(Transfers::of_tree(u32::MAX).is_err());
    }

    #[test]
    fn what_a_thread_reads_is_told_to_the_byte() {
        let (text, of_body) = read_meanwhile(|| fs::read("/proc/self/maps").unwrap());
        let ((), of_nothing) = read_meanwhile(|| ());
        // Both include two looks, whose lengths differ by digits of the counts.
        let of_looks = of_body - text.len() as u64;
        assert!(of_looks.abs_diff(of_nothing) < 16, "{of_looks} {of_nothing}");
        assert!(text.len() > 1000);
    }

    #[test]
    fn a_difference_is_of_each_count_and_never_below_nothing() {
        let earlier = Transfers { dirtied_bytes: 5, cancelled_bytes: 1, ..Transfers::default() };
        let later = Transfers {
            handed_written_bytes: 9,
            dirtied_bytes: 12,
            cancelled_bytes: 4,
            ..Transfers::default()
        };
        let between = later.since(&earlier);
        assert_eq!((between.handed_written_bytes, between.file_written_bytes()), (9, 4));
        assert_eq!(earlier.since(&later), Transfers::default());
    }
}
