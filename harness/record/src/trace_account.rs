//! The account of a trace that is kept beside a run: its name, its origin, and its statistics.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workloads::trace::statistics::{AllocationStatistics, TraceStatistics};

use crate::archive::write_whole;

/// Folder of accounts within a run's folder.
const FOLDER: &str = "traces";

/// Everything about a trace except its operations; `traces/NAME.json` of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TraceAccount {
    /// Its name in figures and of its file: letters and digits, with `-`, `_` and `.` in between.
    pub name: String,
    /// Origin of the trace, as text for readers.
    pub source: String,
    /// Digest of the trace file.
    pub digest: String,
    /// Parameters of the recording, if known; for Postmark `files` and `transactions`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, u64>,
    #[serde(flatten)]
    pub contents: TraceContents,
}

/// The statistics of a trace, by the kind of trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceContents {
    Requests(Box<TraceStatistics>),
    Allocations(Box<AllocationStatistics>),
}

impl TraceAccount {
    /// The statistics of a key-value trace.
    #[must_use]
    pub fn requests(&self) -> Option<&TraceStatistics> {
        match &self.contents {
            TraceContents::Requests(statistics) => Some(statistics),
            TraceContents::Allocations(_) => None,
        }
    }

    /// Whether it is a Postmark trace, about which the Nibble paper states numbers.
    #[must_use]
    pub fn is_postmark(&self) -> bool {
        self.name.starts_with("postmark") && self.requests().is_some()
    }

    /// Path of its file, relative to a run's folder.
    ///
    /// # Errors
    /// A name that cannot be a file name.
    pub fn file(&self) -> Result<String, String> {
        let name = &self.name;
        let fits = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
        if name.is_empty() || name.starts_with('.') || !name.bytes().all(fits) {
            return Err(format!(
                "trace \"{name}\": a name has letters, digits, `-`, `_` and `.` only, and begins \
                 with no `.`, because files are called by it"
            ));
        }
        Ok(format!("{FOLDER}/{name}.json"))
    }

    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data") + "\n"
    }

    /// Writes its file below `folder`, completely or not at all; an existing one is replaced.
    ///
    /// # Errors
    /// The file or its name, and the reason.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, String> {
        let path = folder.join(self.file()?);
        fs::create_dir_all(folder.join(FOLDER))
            .and_then(|()| write_whole(&path, self.to_json().as_bytes()))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The file, and the reason.
    pub fn read(path: &Path) -> Result<Self, String> {
        let failed = |error: String| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
    }

    /// All accounts in a run's `folder`, Postmark's first, then by name. Empty if the run replayed no
    /// trace.
    ///
    /// # Errors
    /// The file, and the reason.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, String> {
        let folder = folder.join(FOLDER);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let failed = |error| format!("{}: {error}", folder.display());
        let mut accounts = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                accounts.push(Self::read(&path)?);
            }
        }
        accounts.sort_by_key(|account| (!account.is_postmark(), account.name.clone()));
        Ok(accounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::{self, Folder};

    #[test]
    fn accounts_are_read_as_they_were_written() {
        let folder = Folder::new("accounts");
        assert_eq!(TraceAccount::read_all(&folder.0).unwrap(), []);
        let accounts = made_up::accounts();
        for account in accounts.iter().rev() {
            let path = account.write(&folder.0).unwrap();
            assert_eq!(&TraceAccount::read(&path).unwrap(), account);
            assert_eq!(fs::read_to_string(&path).unwrap(), account.to_json());
        }
        fs::write(folder.0.join("traces/notes.txt"), "not an account").unwrap();
        let read = TraceAccount::read_all(&folder.0).unwrap();
        assert_eq!(read, accounts);
        assert!(read[0].is_postmark());
        let whole: serde_json::Value = serde_json::from_str(&read[0].to_json()).unwrap();
        assert!(whole["requests"]["live"]["bytes-max"].is_u64(), "{whole}");
    }

    #[test]
    fn names_that_are_no_files_are_refused() {
        let mut account = made_up::accounts().remove(0);
        for name in ["", "../x", ".hidden", "a/b", "a b", "ä"] {
            name.clone_into(&mut account.name);
            let told = account.file().unwrap_err();
            assert!(told.contains(&format!("\"{name}\"")), "{told}");
        }
        "postmark-2.0_x".clone_into(&mut account.name);
        assert_eq!(account.file().unwrap(), "traces/postmark-2.0_x.json");
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = Folder::new("accounts-broken");
        let path = made_up::accounts()[0].write(&folder.0).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for broken in [&text[..text.len() / 2], "{}", &text.replace("\"operations\"", "\"works\"")]
        {
            fs::write(&path, broken).unwrap();
            let told = TraceAccount::read_all(&folder.0).unwrap_err();
            assert!(told.contains(&path.display().to_string()), "{told}");
        }
    }
}
