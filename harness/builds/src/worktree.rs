//! A revision's files, for as long as they are compiled.
//!
//! They stand below the system's folder for temporary files, not in the checkout: cargo joins the
//! configurations of all folders above a workspace, so that below `results/` each revision would
//! be built with the flags of the main checkout beside its own.
//!
//! All revisions of one checkout stand in the same place, one after the other, so that two
//! programs differ by their sources and not by the paths in them. They are written anew each time:
//! cargo tells by times which of another revision's results it may keep.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::{git, said};
use crate::{BuildError, Commit, Repository};

/// Removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Worktree<'a> {
    repository: &'a Repository,
    path: PathBuf,
}

impl<'a> Worktree<'a> {
    /// Checks `commit` out. The caller holds the lock of `folder`, which must be a full path: there
    /// is one place for it.
    pub(crate) fn of(
        repository: &'a Repository,
        commit: &Commit,
        folder: &Path,
    ) -> Result<Self, BuildError> {
        let temporary = env::temp_dir();
        let temporary = fs::canonicalize(&temporary)
            .map_err(BuildError::system("find the folder for temporary files", &temporary))?;
        if let Some(file) = configuration_above(&temporary) {
            return Err(BuildError::ConfigurationAbove { file, temporary });
        }
        let path = temporary.join(format!("nibble-bench-build-{:016x}", hash(folder)));
        // Made first: it also removes what a process left that was killed, and what git began.
        let worktree = Self { repository, path };
        worktree.remove().map_err(BuildError::system("remove the folder", &worktree.path))?;
        let Some(path) = worktree.path.to_str() else {
            let said = format!("{} is no UTF-8: set TMPDIR", worktree.path.display());
            return Err(BuildError::NotCheckedOut { commit: commit.clone(), said });
        };
        let add = ["worktree", "add", "--force", "--detach", path, commit.name()];
        let output = git(repository.root(), add).map_err(BuildError::starting("git"))?;
        if output.status.success() {
            Ok(worktree)
        } else {
            Err(BuildError::NotCheckedOut { commit: commit.clone(), said: said(&output) })
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // By name: to prune would also take worktrees of the user's whose disk is away. Where git
        // knows of none here, it says so in vain.
        let path = self.path.to_string_lossy();
        git(self.repository.root(), ["worktree", "remove", "--force", "--force", &path]).map(drop)
    }
}

impl Drop for Worktree<'_> {
    fn drop(&mut self) {
        // What stays behind goes when the next one is made.
        let _ = self.remove();
    }
}

/// The first configuration that cargo would find above a workspace in `folder`, other than the
/// user's own, which counts everywhere.
fn configuration_above(folder: &Path) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))
        .and_then(|home| fs::canonicalize(home).ok());
    folder
        .ancestors()
        .map(|above| above.join(".cargo"))
        .filter(|found| fs::canonicalize(found).ok() != home)
        .flat_map(|found| [found.join("config.toml"), found.join("config")])
        .find(|file| file.is_file())
}

/// FNV-1a: the same number in every version of this program.
fn hash(path: &Path) -> u64 {
    path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_above_is_found() {
        let outer = env::temp_dir().join(format!("configuration-above-{}", std::process::id()));
        let inner = outer.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(configuration_above(&inner), None);
        let file = outer.join(".cargo/config.toml");
        fs::create_dir_all(outer.join(".cargo")).unwrap();
        fs::write(&file, "").unwrap();
        let found = configuration_above(&inner);
        fs::remove_dir_all(&outer).unwrap();
        assert_eq!(found, Some(file));
    }
}
