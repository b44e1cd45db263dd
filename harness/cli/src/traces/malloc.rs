//! A program's allocations, recorded by a library that is loaded before its own.

use std::ffi::OsString;
use std::path::Path;

use capture::malloc::{RecordOptions, record};
use workloads::trace::{Allocation, Header, Totals};

use super::recorder::Recorder;

/// Runs `command` and makes the trace at `path` of one of its processes: of the one whose program is
/// called `process`, else of the one with the most events.
///
/// # Errors
/// A program that cannot be started or records nothing, a library that is missing, a disk that is
/// full.
pub(crate) fn capture(
    command: &[OsString],
    process: Option<&str>,
    path: &Path,
) -> Result<Totals, String> {
    let recording = record(command, RecordOptions::default()).map_err(|error| error.to_string())?;
    if !recording.status().success() {
        eprintln!("note: {} ended with {}", command[0].display(), recording.status());
    }
    for file in recording.files() {
        eprintln!(
            "recorded: {} (process {}), {} records",
            file.program_name(),
            file.pid,
            file.records
        );
    }
    let file = match process {
        Some(name) => recording.of_program(name).map_err(|error| error.to_string())?,
        None => recording.largest(),
    };
    // Where files lie on this machine says nothing elsewhere.
    let words = command.iter().map(|word| match Path::new(word) {
        path if path.is_absolute() => path.file_name().unwrap_or(word).to_string_lossy(),
        _ => word.to_string_lossy(),
    });
    let words: Vec<_> = words.collect();
    let header = Header::new::<Allocation>(format!(
        "allocations of {} in `{}`",
        file.program_name(),
        words.join(" ")
    ));
    let mut recorder = Recorder::create(path, &header)?;
    let mut allocations = file.allocations().map_err(|error| error.to_string())?;
    for allocation in &mut allocations {
        recorder.push(allocation.map_err(|error| error.to_string())?)?;
    }
    let converted = allocations.converted();
    let notes = [
        ("never freed", converted.live_objects_end),
        ("bytes never freed", converted.live_bytes_end),
        ("records not completed", converted.incomplete_records),
        ("events not recorded", converted.lost_events),
        ("frees of objects that were not recorded", converted.foreign_frees),
        ("frees that were not recorded", converted.implied_frees),
    ];
    for (name, count) in notes.into_iter().filter(|(_, count)| *count > 0) {
        eprintln!("note: {name}: {count}");
        recorder.note(name, &count.to_string())?;
    }
    recorder.finish()
}
