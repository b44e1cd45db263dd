//! A revision's program: built once, then cached.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::flavour::Flavour;
use crate::kept::Kept;
use crate::worktree::Worktree;
use crate::{BuildError, Commit, Repository, cargo};

/// Locked by the process that builds.
const LOCK: &str = "lock";

/// Builds the program of `commit` as a release, or finds the cached one, and returns its path:
/// `FOLDER/COMMIT/nibble-bench` or `FOLDER/COMMIT-generic/nibble-bench`. The program answers
/// [`ask`](crate::ask).
///
/// `folder` is created if missing. Beside the programs it holds cargo's target folder for all revisions,
/// gigabytes in size, so that libraries are built once. It may be deleted whenever nothing is being
/// built. During compilation the revision's files are below the system's folder for temporary files.
/// Processes that build in the same folder wait for each other.
///
/// Flags in the environment (`RUSTFLAGS`, `CARGO_BUILD_*`, `CARGO_PROFILE_*`, `CFLAGS`, …) are ignored,
/// and so are cargo's configurations above the checkout, except the user's in `CARGO_HOME`. A program is
/// built again if the compiler has changed or the program was built for another processor.
///
/// `progress` receives messages, one line at a time.
///
/// # Errors
/// If the revision does not compile, its program does not answer, a tool is missing, or a system call
/// fails. No files of the revision are left behind then.
pub fn build(
    repository: &Repository,
    commit: &Commit,
    folder: &Path,
    flavour: Flavour,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, BuildError> {
    fs::create_dir_all(folder).map_err(BuildError::system("make the folder", folder))?;
    let folder = fs::canonicalize(folder).map_err(BuildError::system("find the folder", folder))?;
    let kept = Kept::of(repository, commit, &folder, flavour)?;
    if let Some(program) = kept.program()? {
        return Ok(program);
    }
    let _lock = locked(&folder, progress)?;
    // Another process may have built it in the meantime.
    if let Some(program) = kept.program()? {
        return Ok(program);
    }
    progress(&format!("checking out {}", commit.short()));
    let worktree = Worktree::of(repository, commit, &folder)?;
    let target = folder.join(match flavour {
        Flavour::Native => "target-native",
        Flavour::Generic => "target-generic",
    });
    let built = cargo::build(worktree.path(), commit, &target, flavour, progress)?;
    kept.keep(&built)
}

/// Waits until no other process builds in `folder`. The kernel releases the lock when the process ends
/// for any reason.
fn locked(folder: &Path, progress: &mut dyn FnMut(&str)) -> Result<File, BuildError> {
    let path = folder.join(LOCK);
    let system = |action| BuildError::system(action, &path);
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(system("open the lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            progress(&format!("waiting for another build in {}", folder.display()));
            lock.lock().map_err(system("hold the lock"))?;
        }
        Err(TryLockError::Error(error)) => return Err(system("hold the lock")(error)),
    }
    Ok(lock)
}
