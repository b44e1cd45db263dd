//! A revision's program: built once, and kept.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::flavour::Flavour;
use crate::kept::Kept;
use crate::worktree::Worktree;
use crate::{BuildError, Commit, Repository, cargo};

/// Held by the process that builds.
const LOCK: &str = "lock";

/// Builds the program of `commit`, a release, or finds the one that was built before, and answers
/// where it is: `FOLDER/COMMIT/nibble-bench` or `FOLDER/COMMIT-generic/nibble-bench`. It answers
/// [`ask`](crate::ask).
///
/// `folder` is made if it is missing. Beside the programs it holds cargo's results for all
/// revisions, gigabytes, so that libraries are built once; it may be deleted at any time that
/// nothing is built. The revision's files stand below the system's folder for temporary files
/// while they are compiled. Processes that build in the same folder wait for each other.
///
/// Flags in the environment (`RUSTFLAGS`, `CARGO_BUILD_*`, `CARGO_PROFILE_*`, `CFLAGS`, …) are
/// disregarded, and so are cargo's configurations above the checkout, except the user's in
/// `CARGO_HOME`. A program is built again when the compiler has changed or it was built for
/// another processor.
///
/// `progress` hears what happens, a line at a time.
///
/// # Errors
/// If the revision does not compile, its program does not answer, a tool is missing, or the system
/// refuses something. No files of the revision are left behind then.
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
    // Another process may have built it meanwhile.
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

/// Waits until nobody else builds in `folder`. The kernel lets go of the lock when the process
/// ends, in whatever way.
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
