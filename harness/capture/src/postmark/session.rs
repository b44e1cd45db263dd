//! One recording, from mount to unmount.

use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, TryLockError};
use std::time::Duration;

use crashfs::may_mount;
use workloads::postmark::{FileCounts, Parameters};
use workloads::trace::Operation;

use super::availability::find_program;
use super::filesystem::mount;
use super::folder::Folder;
use super::program::{End, Program};
use super::report::Report;
use super::state::{Shared, State};
use super::{CaptureError, Unavailable};

/// Capacity of the queue in batches of operations; when it is full, the file system waits.
const BATCHES: usize = 64;
/// How often to check whether the program still runs.
const POLL: Duration = Duration::from_millis(20);
/// Length of the output quoted in an error, in characters.
const SAID_CHARS_MAX: usize = 400;

/// Results of a recording besides the operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The program's version: `v1.51`.
    pub version: String,
    /// The program's statistics, as printed.
    pub report: String,
    /// Counts of file operations, on which the program and the file system agree.
    pub counts: FileCounts,
    /// Operations passed to the sink.
    pub operations: u64,
    /// Time of the last operation, in ns since the first.
    pub elapsed_ns: u64,
}

/// Runs PostMark on our file system and passes each resulting key-value operation to `sink`, in order.
/// `progress` occasionally receives the number so far.
///
/// To stop early, return an error from `sink`. The mount is gone when this returns or unwinds. The next
/// recording removes the remains of a killed process.
///
/// # Errors
/// When PostMark cannot be recorded here or with these parameters, fails, or reports statistics that the
/// file system did not see, or when `sink` fails.
pub fn record(
    parameters: &Parameters,
    sink: &mut dyn FnMut(Operation) -> io::Result<()>,
    progress: &dyn Fn(u64),
) -> Result<Recorded, CaptureError> {
    let program = find_program("postmark").ok_or(Unavailable::NoProgram)?;
    record_from(&program, parameters, sink, progress)
}

/// As [`record`], with the PostMark at `program`.
///
/// # Errors
/// As [`record`].
pub fn record_from(
    program: &Path,
    parameters: &Parameters,
    sink: &mut dyn FnMut(Operation) -> io::Result<()>,
    progress: &dyn Fn(u64),
) -> Result<Recorded, CaptureError> {
    parameters.validate()?;
    may_mount().map_err(Unavailable::MayNotMount)?;
    // Dropped in reverse order: the program, then the mount, then its folder.
    let folder =
        Folder::create().map_err(|(parent, source)| CaptureError::Folder { parent, source })?;
    let (sender, receiver) = sync_channel(BATCHES);
    let state = State::shared(sender);
    let mounted = mount(Arc::clone(&state), &folder).map_err(Unavailable::MountFails)?;
    let started = |source| CaptureError::Start { program: program.to_owned(), source };
    let script = parameters.script(&folder.mount_point());
    let mut running = Program::start(program, folder.path(), &script).map_err(started)?;
    // Dropped before the program: a killed program ends only when its last request was answered, and a
    // file system whose batches are not received would not answer.
    let batches = receiver;

    let mut trace = Trace { sink, progress, operations: 0, elapsed_ns: 0 };
    while !running.has_ended().map_err(started)? {
        match batches.recv_timeout(POLL) {
            Ok(batch) => trace.take(batch)?,
            Err(RecvTimeoutError::Timeout) if !mounted.has_ended() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // The program may be waiting for an answer that will not come.
                running.kill();
                mounted.unmount();
                return Err(CaptureError::FileSystemEnded);
            }
        }
    }
    let end = running.wait().map_err(started)?;
    let seen = trace.finish(&state, &batches)?;
    mounted.unmount();
    let report = judge(program, end, seen)?;
    let Trace { operations, elapsed_ns, .. } = trace;
    let Report { version, counts, text } = report;
    Ok(Recorded { version, report: text, counts, operations, elapsed_ns })
}

/// The destination of the operations.
struct Trace<'a> {
    sink: &'a mut dyn FnMut(Operation) -> io::Result<()>,
    progress: &'a dyn Fn(u64),
    operations: u64,
    elapsed_ns: u64,
}

impl Trace<'_> {
    fn take(&mut self, batch: Vec<Operation>) -> Result<(), CaptureError> {
        for operation in batch {
            self.elapsed_ns = operation.time_ns;
            (self.sink)(operation).map_err(CaptureError::Sink)?;
            self.operations += 1;
        }
        (self.progress)(self.operations);
        Ok(())
    }

    /// Receives the remaining operations after the program's end; returns the file system's counts.
    fn finish(
        &mut self,
        state: &Shared,
        batches: &Receiver<Vec<Operation>>,
    ) -> Result<FileCounts, CaptureError> {
        loop {
            while let Ok(batch) = batches.try_recv() {
                self.take(batch)?;
            }
            // The file system may hold the lock until a batch is received.
            match state.try_lock() {
                Ok(mut state) => {
                    let (rest, seen) = (state.end(), state.counts);
                    drop(state);
                    // Batches sent between the last check and the lock.
                    while let Ok(batch) = batches.try_recv() {
                        self.take(batch)?;
                    }
                    self.take(rest)?;
                    return Ok(seen);
                }
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
                Err(TryLockError::Poisoned(_)) => return Err(CaptureError::FileSystemEnded),
            }
        }
    }
}

/// Checks that the program succeeded, and saw what the file system did.
fn judge(program: &Path, end: End, seen: FileCounts) -> Result<Report, CaptureError> {
    let said = || tail(&format!("{}{}", end.printed, end.complained));
    if !end.status.success() {
        let (program, status) = (program.to_owned(), end.status);
        return Err(CaptureError::Failed { program, status, said: said() });
    }
    let report =
        Report::parse(&end.printed).ok_or_else(|| CaptureError::NoReport { said: said() })?;
    if report.counts != seen {
        return Err(CaptureError::Disagrees { reported: report.counts, seen });
    }
    Ok(report)
}

/// The end of a text, in one line.
fn tail(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = words.char_indices().rev().nth(SAID_CHARS_MAX - 1).map_or(0, |(at, _)| at);
    words[start..].to_owned()
}
