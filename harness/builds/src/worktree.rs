//! A revision's files during compilation.
//!
//! They are below the system's folder for temporary files, not in the checkout: cargo merges the
//! configurations of all folders above a workspace, so below `results/` each revision would be built with
//! the flags of the main checkout in addition to its own.
//!
//! All revisions of one checkout use the same path, one after the other, so two programs differ by their
//! sources and not by the paths in them. The files are written anew each time, because cargo decides by
//! modification times which results of another revision it may keep.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git::{git, said};
use crate::{BuildError, Commit, Repository};

/// Removed when dropped.
#[derive(Debug)]
pub(crate) struct Worktree<'a> {
    repository: &'a Repository,
    path: PathBuf,
}

impl<'a> Worktree<'a> {
    /// Checks `commit` out. The caller holds the lock of `folder`, which must be an absolute path: it
    /// determines the one place for the files.
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
        // Constructed first: dropping it also removes the remains of a killed process and of an
        // interrupted git.
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

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // By name: pruning would also remove the user's worktrees on disks that are not mounted. If git
        // has no worktree here, the command fails harmlessly.
        let path = self.path.to_string_lossy();
        git(self.repository.root(), ["worktree", "remove", "--force", "--force", &path]).map(drop)
    }
}

impl Drop for Worktree<'_> {
    fn drop(&mut self) {
        // The next worktree removes what is left.
        let _ = self.remove();
    }
}

/// The first configuration that cargo would find above a workspace in `folder`. The user's own is exempt,
/// as it applies everywhere.
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

/// FNV-1a, because the number must be the same in every version of this program.
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
