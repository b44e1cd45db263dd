//! The checkout that contains a folder, and the commits that revisions name.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::git::{git, said};

/// The package that contains the program.
pub(crate) const PACKAGE: &str = "harness";
/// Its folder in a checkout.
pub(crate) const PACKAGE_FOLDER: &str = "harness/cli";

/// A checkout of this project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    root: PathBuf,
}

/// The full name of an existing commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Commit(String);

/// Why there is no checkout, or no such commit.
#[derive(Debug)]
pub enum RepositoryError {
    /// git is not installed.
    NoGit,
    /// The folder is in no checkout that git accepts.
    NotACheckout {
        folder: PathBuf,
        /// git's message.
        said: String,
    },
    /// The checkout is of another project.
    NotThisProject { root: PathBuf },
    /// No commit here has this name.
    UnknownRevision { revision: String },
    /// No commit here has this name, and the history is truncated.
    Shallow { revision: String, root: PathBuf },
    /// A system call failed.
    System {
        /// The action that failed.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl Repository {
    /// The checkout that contains the current folder.
    ///
    /// # Errors
    /// If git is missing, or there is no checkout of this project.
    pub fn here() -> Result<Self, RepositoryError> {
        let current = std::env::current_dir().map_err(|source| RepositoryError::System {
            action: "find the folder",
            path: ".".into(),
            source,
        })?;
        Self::around(&current)
    }

    /// The checkout that contains `folder`.
    ///
    /// # Errors
    /// If git is missing, or there is no checkout of this project.
    pub fn around(folder: &Path) -> Result<Self, RepositoryError> {
        fs::metadata(folder).map_err(|source| RepositoryError::System {
            action: "look into the folder",
            path: folder.to_owned(),
            source,
        })?;
        let output = ask_git(folder, &["rev-parse", "--show-toplevel"])?;
        let name = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        if !output.status.success() || name.is_empty() {
            return Err(RepositoryError::NotACheckout {
                folder: folder.to_owned(),
                said: said(&output),
            });
        }
        let root = PathBuf::from(OsStr::from_bytes(name));
        if is_this_project(&root) {
            Ok(Self { root })
        } else {
            Err(RepositoryError::NotThisProject { root })
        }
    }

    /// Absolute path of its root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commit that `revision` names: a branch, a tag, an abbreviated commit, `HEAD~3`, …
    ///
    /// # Errors
    /// If no commit here has that name. Nothing is fetched.
    pub fn commit(&self, revision: &str) -> Result<Commit, RepositoryError> {
        let unknown = || RepositoryError::UnknownRevision { revision: revision.to_owned() };
        // Not revisions here, even where git would accept them.
        if revision.is_empty() || revision.starts_with(['-', '^']) || revision.contains('\0') {
            return Err(unknown());
        }
        let commit = format!("{revision}^{{commit}}");
        let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let output = ask_git(&self.root, &asked)?;
        let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let is_full = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if output.status.success() && is_full {
            return Ok(Commit(name));
        }
        let shallow = ask_git(&self.root, &["rev-parse", "--is-shallow-repository"])?;
        if shallow.stdout.trim_ascii() == b"true" {
            let (revision, root) = (revision.to_owned(), self.root.clone());
            return Err(RepositoryError::Shallow { revision, root });
        }
        Err(unknown())
    }
}

impl Commit {
    /// The full hexadecimal name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, as `nibble-bench` prints its revision.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn ask_git(folder: &Path, arguments: &[&str]) -> Result<Output, RepositoryError> {
    git(folder, arguments.iter().copied()).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => RepositoryError::NoGit,
        _ => RepositoryError::System { action: "run git in", path: folder.to_owned(), source },
    })
}

/// Whether `root` has a workspace with the package that contains the program.
pub(crate) fn is_this_project(root: &Path) -> bool {
    let manifest = root.join(PACKAGE_FOLDER).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let mut section = "";
    root.join("Cargo.toml").is_file()
        && manifest.lines().map(str::trim).any(|line| {
            if line.starts_with('[') {
                section = line;
            }
            let name = line.split_once('=').filter(|(key, _)| key.trim() == "name");
            section == "[package]"
                && name.is_some_and(|(_, value)| value.trim().trim_matches('"') == PACKAGE)
        })
}

impl fmt::Display for RepositoryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit => {
                write!(formatter, "git is missing: install it, or name two programs by their paths")
            }
            Self::NotACheckout { folder, said } => write!(
                formatter,
                "{} lies in no checkout ({said}): revisions can be named in a checkout of this \
                 project, programs by their paths anywhere",
                folder.display()
            ),
            Self::NotThisProject { root } => write!(
                formatter,
                "{} is a checkout of another project: it has no package {PACKAGE} in \
                 {PACKAGE_FOLDER}; go to one of this project, or name programs by their paths",
                root.display()
            ),
            Self::UnknownRevision { revision } => write!(
                formatter,
                "{revision:?} names no commit here: git fetch --tags origin, or look for it in \
                 git log"
            ),
            Self::Shallow { revision, root } => write!(
                formatter,
                "{revision:?} names no commit here, and the history of {} is cut off: git fetch \
                 --unshallow --tags; in GitHub Actions give actions/checkout fetch-depth: 0",
                root.display()
            ),
            Self::System { action, path, source } => {
                write!(formatter, "cannot {action} {}: {source}", path.display())
            }
        }
    }
}

impl Error for RepositoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
