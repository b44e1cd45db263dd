//! Mounts that go with their owner.

use std::env;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fuser::{BackgroundSession, Config, Filesystem, MountOption, SessionACL};
use procfs::process::Process;

const DEVICE: &str = "/dev/fuse";
/// The bit of CAP_SYS_ADMIN.
const MAY_MOUNT: u64 = 1 << 21;

/// Why nothing can be mounted by FUSE. Displays as a sentence without a full stop, with the remedy.
#[derive(Debug)]
pub enum MayNotMount {
    /// The kernel offers no FUSE, or a container hides it.
    NoDevice,
    /// The device exists but may not be opened.
    DeviceClosed(io::Error),
    /// This process lacks the capability to mount, and the set-user-id helper is missing.
    NoRight,
}

impl fmt::Display for MayNotMount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice => write!(
                formatter,
                "there is no {DEVICE} (modprobe fuse; a container needs --device {DEVICE})"
            ),
            Self::DeviceClosed(error) => write!(
                formatter,
                "{DEVICE} cannot be opened: {error} (be root, or chmod 666 {DEVICE} as root)"
            ),
            Self::NoRight => formatter.write_str(
                "mounting needs CAP_SYS_ADMIN or fusermount3 (be root, or install the package \
                 fuse3; a container needs --cap-add SYS_ADMIN)",
            ),
        }
    }
}

impl std::error::Error for MayNotMount {}

/// Whether mounting seems possible, without trying it.
///
/// # Errors
/// The reason.
pub fn may_mount() -> Result<(), MayNotMount> {
    if !Path::new(DEVICE).exists() {
        return Err(MayNotMount::NoDevice);
    }
    File::options().read(true).write(true).open(DEVICE).map_err(MayNotMount::DeviceClosed)?;
    let status = Process::myself().and_then(|own| own.status());
    let capable = status.is_ok_and(|status| status.capeff & MAY_MOUNT != 0);
    let folders = env::var_os("PATH").unwrap_or_default();
    let helped = || env::split_paths(&folders).any(|path| path.join("fusermount3").is_file());
    if capable || helped() { Ok(()) } else { Err(MayNotMount::NoRight) }
}

/// A mounted file system, served by a thread of its own.
#[derive(Debug)]
pub struct Mounted {
    mount_point: PathBuf,
    /// `None` once unmounted.
    session: Option<BackgroundSession>,
}

impl Mounted {
    /// Mounts at an empty folder, which must outlive the mount. One thread serves it, so requests have an order.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(files: impl Filesystem, mount_point: &Path, name: &str) -> io::Result<Self> {
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName(name.to_owned())];
        config.acl = SessionACL::Owner;
        config.n_threads = Some(1);
        match fuser::spawn_mount(files, mount_point, &config) {
            Ok(session) => Ok(Self { mount_point: mount_point.to_owned(), session: Some(session) }),
            Err(error) => {
                // The mount may exist although the first exchange with the kernel failed.
                detach(mount_point);
                Err(error)
            }
        }
    }

    /// Whether the mount is no longer served: it was unmounted by others, or its thread died.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.guard.is_finished())
    }

    /// Unmounts even while in use.
    pub fn unmount(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Fails while a process is inside, or if others have unmounted it.
        if let Some(session) = self.session.take()
            && session.umount_and_join().is_err()
        {
            detach(&self.mount_point);
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.end();
    }
}

/// Detaches a mount at once; the kernel ends it when it is no longer in use. Does nothing if nothing is
/// mounted.
pub fn detach(mount_point: &Path) {
    let quietly = |program: &str, option: &str| {
        let mut command = Command::new(program);
        command.arg(option).arg(mount_point).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !quietly("umount", "-l") {
        quietly("fusermount3", "-uz");
    }
}
