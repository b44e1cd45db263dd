//! Whether PostMark can be recorded here.

use std::env;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use procfs::process::Process;

use super::folder::Folder;
use super::mounted::Mounted;
use super::state::State;

const DEVICE: &str = "/dev/fuse";
/// The bit of CAP_SYS_ADMIN.
const MAY_MOUNT: u64 = 1 << 21;

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
    /// The kernel offers no FUSE, or a container hides it.
    NoDevice,
    /// The device exists but may not be opened.
    DeviceClosed(io::Error),
    /// This process lacks the capability to mount, and the set-user-id helper is missing.
    MayNotMount,
    /// All prerequisites seem to be met, but mounting fails.
    MountFails(io::Error),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => {
                f.write_str("the program postmark is not installed (scripts/setup installs it)")
            }
            Self::NoDevice => write!(
                f,
                "there is no {DEVICE} (modprobe fuse; a container needs --device {DEVICE})"
            ),
            Self::DeviceClosed(error) => write!(
                f,
                "{DEVICE} cannot be opened: {error} (be root, or chmod 666 {DEVICE} as root)"
            ),
            Self::MayNotMount => f.write_str(
                "mounting needs CAP_SYS_ADMIN or fusermount3 (be root, or install the package \
                 fuse3; a container needs --cap-add SYS_ADMIN)",
            ),
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
    may_mount()?;
    let folder = Folder::create().map_err(|(_, error)| Unavailable::MountFails(error))?;
    // No requests are sent to this file system.
    let state = State::shared(sync_channel(1).0);
    Mounted::new(state, &folder).map_err(Unavailable::MountFails)?.unmount();
    Ok(available)
}

/// Whether mounting seems possible, without trying it.
pub(super) fn may_mount() -> Result<(), Unavailable> {
    if !Path::new(DEVICE).exists() {
        return Err(Unavailable::NoDevice);
    }
    File::options().read(true).write(true).open(DEVICE).map_err(Unavailable::DeviceClosed)?;
    let status = Process::myself().and_then(|own| own.status());
    let capable = status.is_ok_and(|status| status.capeff & MAY_MOUNT != 0);
    if !capable && find_program("fusermount3").is_none() {
        return Err(Unavailable::MayNotMount);
    }
    Ok(())
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
            Unavailable::NoDevice,
            Unavailable::DeviceClosed(closed()),
            Unavailable::MayNotMount,
            Unavailable::MountFails(closed()),
        ] {
            let text = reason.to_string();
            assert!(text.contains('(') && !text.ends_with('.') && !text.contains('\n'), "{text}");
        }
    }
}
