//! Whether PostMark can be recorded here.

use std::env;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

use crashfs::{MayNotMount, may_mount};

use super::filesystem::mount;
use super::folder::Folder;
use super::state::State;

/// The prerequisites of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    pub program: PathBuf,
}

/// Why PostMark cannot be recorded here. Displays as a sentence without a full stop.
#[derive(Debug)]
pub enum Unavailable {
    /// The program is not installed.
    NoProgram,
    /// Nothing can be mounted.
    MayNotMount(MayNotMount),
    /// All prerequisites seem to be met, but mounting fails.
    MountFails(io::Error),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => {
                f.write_str("the program postmark is not installed (scripts/setup installs it)")
            }
            Self::MayNotMount(reason) => reason.fmt(f),
            Self::MountFails(error) => write!(
                f,
                "mounting a file system by FUSE failed: {error} (be root, or install the package \
                 fuse3; a container may need --security-opt apparmor=unconfined)"
            ),
        }
    }
}

impl std::error::Error for Unavailable {}

/// Whether PostMark can be recorded here: the program is installed, and a trial mount of our file system
/// succeeds.
///
/// # Errors
/// The reason, as a sentence.
pub fn availability() -> Result<Available, Unavailable> {
    let available = Available { program: find_program("postmark").ok_or(Unavailable::NoProgram)? };
    may_mount().map_err(Unavailable::MayNotMount)?;
    let folder = Folder::create().map_err(|(_, error)| Unavailable::MountFails(error))?;
    // No requests are sent to this file system.
    let state = State::shared(sync_channel(1).0);
    mount(state, &folder).map_err(Unavailable::MountFails)?.unmount();
    Ok(available)
}

/// Path of an installed program.
pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_names_a_remedy() {
        let closed = || io::Error::from(io::ErrorKind::PermissionDenied);
        for reason in [
            Unavailable::NoProgram,
            Unavailable::MayNotMount(MayNotMount::NoDevice),
            Unavailable::MayNotMount(MayNotMount::DeviceClosed(closed())),
            Unavailable::MayNotMount(MayNotMount::NoRight),
            Unavailable::MountFails(closed()),
        ] {
            let text = reason.to_string();
            assert!(text.contains('(') && !text.ends_with('.') && !text.contains('\n'), "{text}");
        }
    }
}
