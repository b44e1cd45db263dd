//! What a command reads and writes, counted at three places: system calls, files, and the device.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use platform::device::{BlockDevice, Passed, flush};
use platform::process::{Transfers, bind_to_parent, wait_for_end};

use crate::{Ending, Failure};

/// What one run of a command read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub ending: Ending,
    /// Of the program and of all that it started and waited for.
    pub transfers: Transfers,
    /// The device that holds the folder, and what passed through it meanwhile; `None` where it cannot be
    /// told.
    pub device: Option<(String, Passed)>,
}

/// Runs a command to its end. Dirty files of the file system that holds `folder` are written before it
/// begins, and again after it ended, before the device's counts are read. Standard output goes to our
/// standard error.
///
/// # Errors
/// [`Failure::NotStarted`]; [`Failure::System`] where the folder cannot be opened, or nothing is counted.
/// A program that fails is a result.
pub fn traffic(words: &[OsString], folder: &Path) -> Result<Traffic, Failure> {
    let refused = |action, path: &Path| {
        let path = path.to_owned();
        move |source| Failure::System { action, path, source }
    };
    let device = BlockDevice::holding(folder);
    flush(folder).map_err(refused("write the dirty files of", folder))?;
    let before = device.as_ref().and_then(BlockDevice::passed);

    let mut process = Process::new(&words[0]);
    process.args(&words[1..]).stdin(Stdio::null()).stdout(our_errors());
    bind_to_parent(&mut process);
    let mut child = process.spawn().map_err(|source| Failure::NotStarted {
        program: words[0].to_string_lossy().into_owned(),
        is_line: words.len() == 1 && words[0].to_string_lossy().contains(' '),
        source,
    })?;
    let of_child = PathBuf::from(format!("/proc/{}/io", child.id()));
    wait_for_end(child.id()).map_err(refused("wait for", &of_child))?;
    // Counts of a process stay until somebody waits for it.
    let transfers = Transfers::of(child.id()).map_err(refused("read", &of_child));
    let status = child.wait().map_err(refused("wait for", &of_child))?;

    flush(folder).map_err(refused("write the dirty files of", folder))?;
    let after = device.as_ref().and_then(BlockDevice::passed);
    let passed = after.zip(before).map(|(after, before)| after.since(&before));
    Ok(Traffic {
        ending: Ending::of(status),
        transfers: transfers?,
        device: device.zip(passed).map(|(device, passed)| (device.name().to_owned(), passed)),
    })
}

/// Standard error, for a child's standard output.
fn our_errors() -> Stdio {
    io::stderr().as_fd().try_clone_to_owned().map_or_else(|_| Stdio::null(), Stdio::from)
}
