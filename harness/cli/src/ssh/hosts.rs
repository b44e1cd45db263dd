//! The file of hosts: one on each line, as `ssh` takes it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a file of hosts cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostsError {
    /// It cannot be read.
    Read { file: PathBuf, reason: String },
    /// It names no host.
    Empty { file: PathBuf },
    /// A line names no host.
    Line { file: PathBuf, line: usize, text: String },
    /// A host stands there twice.
    Twice { file: PathBuf, lines: [usize; 2], host: String },
}

/// What a line may be.
const FORM: &str =
    "one host a line as ssh takes it: NAME, USER@NAME or ssh://USER@NAME:PORT; # begins a comment";

impl fmt::Display for HostsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { file, reason } => {
                write!(f, "{}: {reason}; --hosts names a file with {FORM}", file.display())
            }
            Self::Empty { file } => {
                write!(f, "{}: no host is in it; it holds {FORM}", file.display())
            }
            Self::Line { file, line, text } => {
                write!(f, "{}: line {line}: `{text}` is no host; write {FORM}", file.display())
            }
            Self::Twice { file, lines: [first, second], host } => write!(
                f,
                "{}: line {second}: `{host}` stands in line {first} already; a host measures one shard at a \
                 time: leave one of the lines out",
                file.display()
            ),
        }
    }
}

impl std::error::Error for HostsError {}

/// The hosts of a file, in its order.
pub(crate) fn read_hosts(file: &Path) -> Result<Vec<String>, HostsError> {
    let text = fs::read_to_string(file).map_err(|error| HostsError::Read {
        file: file.to_owned(),
        reason: format!("cannot be read: {error}"),
    })?;
    hosts_in(file, &text)
}

fn hosts_in(file: &Path, text: &str) -> Result<Vec<String>, HostsError> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let (file, line, host) = (file.to_owned(), at + 1, without_comment(line).trim());
        if host.is_empty() {
            continue;
        }
        // What begins with `-` would be an option of ssh.
        let is_host =
            |letter: char| letter.is_ascii_alphanumeric() || "-_.:@/[]%+".contains(letter);
        if host.starts_with('-') || !host.chars().all(is_host) {
            return Err(HostsError::Line { file, line, text: host.to_owned() });
        }
        if let Some((first, _)) = found.iter().find(|(_, other)| *other == host) {
            return Err(HostsError::Twice { file, lines: [*first, line], host: host.to_owned() });
        }
        found.push((line, host));
    }
    match found.is_empty() {
        true => Err(HostsError::Empty { file: file.to_owned() }),
        false => Ok(found.into_iter().map(|(_, host)| host.to_owned()).collect()),
    }
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, HostsError> {
        hosts_in(Path::new("hosts"), text)
    }

    #[test]
    fn hosts_stand_one_on_a_line() {
        let hosts = read(
            "# ours\nnode1\n\n  me@node2.example.org  # the second\nssh://me@[fe80::1]:2222\n",
        );
        let expected = ["node1", "me@node2.example.org", "ssh://me@[fe80::1]:2222"];
        assert_eq!(hosts.unwrap(), expected);
    }

    #[test]
    fn a_line_that_names_no_host_is_named() {
        for (text, words) in [
            (
                "node1\nnode2 slots=4\n",
                "hosts: line 2: `node2 slots=4` is no host; write one host a line",
            ),
            ("-oProxyCommand=x", "line 1: `-oProxyCommand=x`"),
            ("node1;reboot", "line 1: `node1;reboot`"),
            ("node1\n# between\nnode1", "line 3: `node1` stands in line 1 already"),
            (" \n# none\n", "hosts: no host is in it"),
        ] {
            let said = read(text).unwrap_err().to_string();
            assert!(said.contains(words), "{said}");
        }
        let said = read_hosts(Path::new("/no/such/file")).unwrap_err().to_string();
        assert!(
            said.contains("/no/such/file: cannot be read") && said.contains("--hosts"),
            "{said}"
        );
    }
}
