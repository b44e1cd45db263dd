//! `traffic`: what a command reads and writes.

use std::path::Path;

use programs::{Failure as NoTraffic, Traffic};
use serde::Serialize;

use super::options;
use crate::cli::TrafficArguments;
use crate::commands::{Failure, output};

/// Runs the command, and tells.
pub(in crate::commands) fn run(arguments: &TrafficArguments) -> Result<(), Failure> {
    let folder = arguments.folder.as_deref().unwrap_or(Path::new("."));
    let told = programs::traffic(&arguments.command, folder).map_err(options::failure)?;
    let document = Document::of(&told);
    match arguments.json {
        true => output::print_json(&document),
        false => output::print(&document.table(folder)),
    }
    if told.ending.is_success() {
        return Ok(());
    }
    let name = programs::Command::new(arguments.command.clone()).name;
    let (when, said) = ("run 1".to_owned(), String::new());
    let failed = NoTraffic::Failed { name, when, ending: told.ending, said };
    Err(Failure { message: Some(told.ending.to_string()), ..options::failure(failed) })
}

/// What is told, and printed as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    written: Counted,
    read: Counted,
    /// The block device; `None` where it cannot be told.
    device: Option<String>,
}

/// Bytes in one direction.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Counted {
    handed_bytes: u64,
    file_bytes: u64,
    device_bytes: Option<u64>,
}

impl Document {
    fn of(told: &Traffic) -> Self {
        let passed = told.device.as_ref().map(|(_, passed)| passed);
        Self {
            written: Counted {
                handed_bytes: told.transfers.handed_written_bytes,
                file_bytes: told.transfers.file_written_bytes(),
                device_bytes: passed.map(|passed| passed.written_bytes),
            },
            read: Counted {
                handed_bytes: told.transfers.handed_read_bytes,
                file_bytes: told.transfers.file_read_bytes,
                device_bytes: passed.map(|passed| passed.read_bytes),
            },
            device: told.device.as_ref().map(|(name, _)| name.clone()),
        }
    }

    fn table(&self, folder: &Path) -> String {
        let line =
            |name: &str, written: u64, read: u64| format!("{name:14}{written:>20}{read:>20}\n");
        let Self { written, read, device } = self;
        let mut text = format!("{:14}{:>20}{:>20}\n", "bytes", "written", "read");
        text += &line("handed", written.handed_bytes, read.handed_bytes);
        text += &line("files", written.file_bytes, read.file_bytes);
        match (device, written.device_bytes, read.device_bytes) {
            (Some(device), Some(written), Some(read)) => {
                text += &line(&format!("device {device}"), written, read);
                text += "\nThe device counts what everybody on this machine moves.\n";
            }
            _ => {
                text += &format!(
                    "\nNo block device holds {}: --folder names one on a disk.\n",
                    folder.display()
                );
            }
        }
        text
    }
}
