//! Checks of the disk: where stores keep files, and whether what they synchronise is on a device.

use super::{Check, judged};

pub(super) const CHECKS: &[Check] = &[Check {
    name: "files",
    why: "Stores for disks keep their files there; on a file system in memory or in layers nothing is \
          synchronised, and their numbers are those of memory.",
    remedy: "name a folder on a disk: nibble-bench run --files FOLDER, or the variable TMPDIR",
    judge: |readings| match &readings.files_unfit {
        Some(reason) => judged(false, reason.clone()),
        None => {
            let device = readings.files_device.as_deref().unwrap_or("a device that cannot be told");
            judged(true, format!("on {device}"))
        }
    },
}];
