//! A mount that is removed with its owner.

use std::io;
use std::path::PathBuf;

use fuser::{BackgroundSession, Config, MountOption, SessionACL};

use super::filesystem::Files;
use super::folder::{Folder, detach};
use super::state::Shared;

/// Our mounted file system, served by a thread of its own.
#[derive(Debug)]
pub(super) struct Mounted {
    mount_point: PathBuf,
    /// `None` once unmounted.
    session: Option<BackgroundSession>,
}

impl Mounted {
    /// Mounts in `folder`, which must outlive the mount.
    pub(super) fn new(state: Shared, folder: &Folder) -> io::Result<Self> {
        let mount_point = folder.mount_point();
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("nibble-postmark".into())];
        config.acl = SessionACL::Owner;
        // One thread, because the order of requests is the order of the trace.
        config.n_threads = Some(1);
        match fuser::spawn_mount(Files::new(state), &mount_point, &config) {
            Ok(session) => Ok(Self { mount_point, session: Some(session) }),
            Err(error) => {
                // The mount may exist although the first exchange with the kernel failed.
                detach(&mount_point);
                Err(error)
            }
        }
    }

    /// Whether the mount is no longer served: it was unmounted by others, or its thread died.
    pub(super) fn has_ended(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.guard.is_finished())
    }

    /// Unmounts even while in use.
    pub(super) fn unmount(mut self) {
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
