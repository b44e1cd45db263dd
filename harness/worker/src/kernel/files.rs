//! Files in `/proc` and `/sys`; tests use folders of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The kernel's files below a root.
#[derive(Clone, Debug)]
pub struct KernelFiles {
    pub(super) root: PathBuf,
}

impl KernelFiles {
    /// The files of this machine.
    pub fn here() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// A file's text, trimmed; `None` if the file is absent or empty. Paths are relative to the root.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read_to_string(self.root.join(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A file that holds one number.
    pub fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// Names in a folder that begin with `prefix`, sorted.
    pub fn names(&self, folder: impl AsRef<Path>, prefix: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix)).collect();
        names.sort_unstable();
        names
    }

    /// The selected word of a file like `a [b] c`.
    pub fn choice(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.text(path)?;
        let chosen = text
            .split_whitespace()
            .find_map(|word| Some(word.strip_prefix('[')?.strip_suffix(']')?.to_owned()));
        Some(chosen.unwrap_or(text))
    }

    /// The first value of a field of `/proc/cpuinfo`.
    pub fn cpu_field(&self, field: &str) -> Option<String> {
        let text = self.text("proc/cpuinfo")?;
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == field).then(|| value.trim().to_owned())
        })
    }

    /// A field of a file in the form of `/proc/meminfo`, in bytes.
    pub fn memory_field(&self, path: impl AsRef<Path>, field: &str) -> Option<u64> {
        let text = self.text(path)?;
        let line = text.lines().find(|line| line.contains(field))?;
        let after = &line[line.find(field)? + field.len()..];
        Some(after.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    }
}

#[cfg(test)]
mod tests {

    use crate::kernel::MadeUp;

    #[test]
    fn files_are_read_and_absent_ones_are_none() {
        let made_up = MadeUp::new(
            "read",
            &[
                ("sys/thp", "always [madvise] never\n"),
                ("sys/plain", "7\n"),
                ("sys/empty", "\n"),
                ("proc/cpuinfo", "model\t\t: 207\nmodel name\t: A CPU\n"),
                ("proc/meminfo", "MemTotal:   12 kB\nMemFree: 3 kB\n"),
            ],
        );
        let files = made_up.files();
        assert_eq!(files.choice("sys/thp").as_deref(), Some("madvise"));
        assert_eq!(files.choice("sys/plain").as_deref(), Some("7"));
        assert_eq!(files.number::<u64>("sys/plain"), Some(7));
        assert_eq!((files.text("sys/empty"), files.text("sys/absent")), (None, None));
        assert_eq!(files.names("sys", "e"), ["empty"]);
        assert_eq!(files.cpu_field("model").as_deref(), Some("207"));
        assert_eq!(files.cpu_field("model name").as_deref(), Some("A CPU"));
        assert_eq!(files.memory_field("proc/meminfo", "MemFree:"), Some(3072));
        assert_eq!(files.memory_field("proc/meminfo", "Swap:"), None);
    }
}
