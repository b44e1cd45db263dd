//! Counts from outside what a store's files cost in a step. The worker's pipes count as its reads and
//! writes too; what went through them is known here to the byte, and is subtracted.

use std::path::PathBuf;

use platform::device::{self, BlockDevice};
use platform::process::Transfers;

use record::{Passed, Traffic};

/// What is counted of a worker and of all that it started.
#[derive(Debug, Default)]
pub(super) struct Meter {
    folders: Vec<PathBuf>,
    device: Option<BlockDevice>,
    /// Bytes that the worker wrote to its parent so far.
    heard_bytes: u64,
    /// Bytes that it was answered.
    told_bytes: u64,
    begun: Option<Counts>,
}

/// All counts at one moment, at which the worker stands still.
#[derive(Clone, Copy, Debug)]
struct Counts {
    transfers: Transfers,
    device: Option<device::Passed>,
    heard_bytes: u64,
    told_bytes: u64,
}

impl Meter {
    /// Notes a line of the worker, without its end.
    pub(super) fn heard(&mut self, line: &str) {
        self.heard_bytes += line.len() as u64 + 1;
    }

    /// Notes an answer of that many bytes.
    pub(super) fn told(&mut self, bytes: usize) {
        self.told_bytes += bytes as u64;
    }

    /// Notes where the store keeps its files. Without any, nothing is counted.
    pub(super) fn opened(&mut self, folders: Vec<PathBuf>) {
        self.device = folders.first().and_then(|folder| BlockDevice::holding(folder));
        self.folders = folders;
    }

    /// Begins to count. Worker `pid` has said its last line so far, and awaits an answer that it has
    /// not been given.
    pub(super) fn begin(&mut self, pid: u32) {
        self.begun = if self.folders.is_empty() { None } else { self.counts(pid) };
    }

    /// What was counted since; the worker stands still as it did then. `harness_read_bytes` of what it
    /// read were read for the harness.
    pub(super) fn traffic(&mut self, pid: u32, harness_read_bytes: u64) -> Option<Traffic> {
        let earlier = self.begun.take()?;
        let later = self.counts(pid)?;
        let passed = later.transfers.since(&earlier.transfers);
        let through =
            later.device.zip(earlier.device).map(|(later, earlier)| later.since(&earlier));
        let heard_bytes = later.heard_bytes - earlier.heard_bytes;
        let told_bytes = later.told_bytes - earlier.told_bytes;
        Some(Traffic {
            written: Passed {
                handed_bytes: passed.handed_written_bytes.saturating_sub(heard_bytes),
                file_bytes: passed.file_written_bytes(),
                device_bytes: through.map(|through| through.written_bytes),
            },
            read: Passed {
                handed_bytes: passed
                    .handed_read_bytes
                    .saturating_sub(told_bytes + harness_read_bytes),
                file_bytes: passed.file_read_bytes,
                device_bytes: through.map(|through| through.read_bytes),
            },
            files_bytes: self.folders.iter().map(|folder| kit::folder::files_bytes(folder)).sum(),
            device: self.device.as_ref().map(|device| device.name().to_owned()),
            ..Traffic::default()
        })
    }

    fn counts(&self, pid: u32) -> Option<Counts> {
        Some(Counts {
            transfers: Transfers::of_tree(pid).ok()?,
            device: self.device.as_ref().and_then(BlockDevice::passed),
            heard_bytes: self.heard_bytes,
            told_bytes: self.told_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use super::*;

    /// A worker's behaviour in a shell: it says a line, waits, works, says two lines and waits again.
    const SCRIPT: &str = "read_one() { IFS= read -r answer; }
        echo before; read_one
        head -c 1000000 /dev/zero > \"$1/file\"
        cat \"$1/file\" > /dev/null
        echo a long line of numbers that the step reported; echo quiet; read_one";

    #[test]
    fn pipes_do_not_count_as_the_stores() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut input = child.stdin.take().unwrap();
        let mut meter = Meter::default();
        let mut hear = |meter: &mut Meter| meter.heard(&lines.next().unwrap().unwrap());

        meter.opened(vec![folder.path().to_owned()]);
        hear(&mut meter);
        meter.begin(child.id());
        writeln!(input, "go").unwrap();
        meter.told(3);
        hear(&mut meter);
        hear(&mut meter);
        let traffic = meter.traffic(child.id(), 0).unwrap();
        // `head` and `cat` both write what they read.
        assert_eq!(traffic.written.handed_bytes, 2_000_000, "{traffic:?}");
        // Both are loaded with their libraries, which is read too.
        assert!((2_000_000..2_100_000).contains(&traffic.read.handed_bytes), "{traffic:?}");
        assert!((1_000_000..1_100_000).contains(&traffic.files_bytes), "{traffic:?}");
        assert_eq!(traffic.written.device_bytes.is_some(), traffic.device.is_some());
        assert!(meter.traffic(child.id(), 0).is_none(), "nothing was begun");
        writeln!(input, "go").unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn without_files_nothing_is_counted() {
        let mut meter = Meter::default();
        meter.begin(std::process::id());
        assert!(meter.traffic(std::process::id(), 0).is_none());
    }
}
