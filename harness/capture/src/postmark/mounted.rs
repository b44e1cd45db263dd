//! A mount that goes with its owner.

use std::io;
use std::path::PathBuf;

use fuser::{BackgroundSession, Config, MountOption, SessionACL};

use super::filesystem::Files;
use super::folder::{Folder, detach};
use super::state::Shared;

/// Our file system where it is mounted, served by a thread of its own.
#[derive(Debug)]
pub(super) struct Mounted {
    mount_point: PathBuf,
    /// None once it was unmounted.
    session: Option<BackgroundSession>,
}

impl Mounted {
    /// Mounts in `folder`, which has to outlive this.
    pub(super) fn new(state: Shared, folder: &Folder) -> io::Result<Self> {
        let mount_point = folder.mount_point();
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("nibble-postmark".into())];
        config.acl = SessionACL::Owner;
        // One thread: the order of requests is the order of the trace.
        config.n_threads = Some(1);
        match fuser::spawn_mount(Files::new(state), &mount_point, &config) {
            Ok(session) => Ok(Self { mount_point, session: Some(session) }),
            Err(error) => {
                // The mount may have been made before the first exchange with the kernel failed.
                detach(&mount_point);
                Err(error)
            }
        }
    }

    /// Whether nobody serves the mount any more: somebody else unmounted it, or its thread died.
    pub(super) fn has_ended(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.guard.is_finished())
    }

    /// Unmounts, whoever still uses it.
    pub(super) fn unmount(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Refused while a process is inside, and where somebody else has unmounted it.
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
