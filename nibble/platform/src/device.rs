//! The block device below a folder, and what the kernel counts of it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Unit of the kernel's counts, whatever the device's own sectors are.
const SECTOR_BYTES: u64 = 512;

/// A block device, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    name: String,
    /// Where the kernel shows its counts.
    counts: PathBuf,
}

/// Bytes that went through a device since the machine started, whoever asked for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Read from it.
    pub read_bytes: u64,
    /// Written to it.
    pub written_bytes: u64,
}

impl BlockDevice {
    /// The device that holds what is at `path`; `None` where it cannot be told: in memory, on a network,
    /// in an overlay, and on file systems that span several.
    #[must_use]
    pub fn holding(path: &Path) -> Option<Self> {
        let number = fs::metadata(path).ok()?.dev();
        let (major, minor) = (libc::major(number), libc::minor(number));
        let link = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        let name = fs::canonicalize(&link).ok()?.file_name()?.to_str()?.to_owned();
        let device = Self { name, counts: link.join("stat") };
        device.passed().is_some().then_some(device)
    }

    /// Its name, as in `/dev`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What went through it so far; `None` if it is gone.
    #[must_use]
    pub fn passed(&self) -> Option<Passed> {
        Passed::in_counts(&fs::read_to_string(&self.counts).ok()?)
    }
}

/// Writes all dirty files of the file system that holds `path` to its device.
///
/// # Errors
/// If there is no such path, or a file cannot be written.
pub fn flush(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(path)?)?)
}

impl Passed {
    /// Reads a line of `/sys/block/DEVICE/stat`.
    fn in_counts(line: &str) -> Option<Self> {
        let sectors = |at| line.split_whitespace().nth(at)?.parse::<u64>().ok();
        Some(Self {
            read_bytes: sectors(2)? * SECTOR_BYTES,
            written_bytes: sectors(6)? * SECTOR_BYTES,
        })
    }

    /// The difference from `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            written_bytes: self.written_bytes.saturating_sub(earlier.written_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_the_third_and_the_seventh_number() {
        let line = "  10 0 24 3  7 1 56 9  0 5 12 0 0 0 0 0 0\n";
        let passed = Passed::in_counts(line).unwrap();
        assert_eq!(passed, Passed { read_bytes: 24 * 512, written_bytes: 56 * 512 });
        assert_eq!(Passed::in_counts("10 0 24 3"), None);
    }

    #[test]
    fn files_in_memory_have_no_device() {
        assert_eq!(BlockDevice::holding(Path::new("/proc")), None);
        assert_eq!(BlockDevice::holding(Path::new("/no/such/place")), None);
    }
}
