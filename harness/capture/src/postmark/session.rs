//! One recording, from mount to unmount.

use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, TryLockError};
use std::time::Duration;

use workloads::postmark::{FileCounts, Parameters};
use workloads::trace::Operation;

use super::availability::{find_program, may_mount};
use super::folder::Folder;
use super::mounted::Mounted;
use super::program::{End, Program};
use super::report::Report;
use super::state::{Shared, State};
use super::{CaptureError, Unavailable};

/// Batches of operations that may wait; then the file system waits.
const BATCHES: usize = 64;
/// How often to see whether the program still runs.
const POLL: Duration = Duration::from_millis(20);
/// How many characters of what a program printed an error repeats.
const SAID_CHARS_MAX: usize = 400;

/// What was recorded beside the operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The program's version: `v1.51`.
    pub version: String,
    /// The program's statistics, as it printed them.
    pub report: String,
    /// What happened to files; the program and the file system agree on it.
    pub counts: FileCounts,
    /// Operations that went to the sink.
    pub operations: u64,
    /// The time of the last operation, in ns since the first.
    pub elapsed_ns: u64,
}

/// Runs PostMark on a file system of ours and gives each key-value operation that it costs to
/// `sink`, in order. `progress` is told now and then how many there were.
///
/// To stop early, refuse an operation. The mount is gone when this returns, or unwinds. What a
/// killed process left behind is removed by the next recording.
///
/// # Errors
/// When PostMark cannot be recorded here or with these parameters, ends badly, says of its files
/// what the file system did not see, or `sink` fails.
pub fn record(
    parameters: &Parameters,
    sink: &mut dyn FnMut(Operation) -> io::Result<()>,
    progress: &dyn Fn(u64),
) -> Result<Recorded, CaptureError> {
    let program = find_program("postmark").ok_or(Unavailable::NoProgram)?;
    record_from(&program, parameters, sink, progress)
}

/// As [`record`], of the PostMark at `program`.
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
    may_mount()?;
    // What is made first goes last: the program, then the mount, then its folder.
    let folder =
        Folder::create().map_err(|(parent, source)| CaptureError::Folder { parent, source })?;
    let (sender, receiver) = sync_channel(BATCHES);
    let state = State::shared(sender);
    let mounted = Mounted::new(Arc::clone(&state), &folder).map_err(Unavailable::MountFails)?;
    let started = |source| CaptureError::Start { program: program.to_owned(), source };
    let script = parameters.script(&folder.mount_point());
    let mut running = Program::start(program, folder.path(), &script).map_err(started)?;
    // Goes before the program: one that is killed ends only when its last request was answered,
    // and a file system whose batches nobody takes would not answer.
    let batches = receiver;

    let mut trace = Trace { sink, progress, operations: 0, elapsed_ns: 0 };
    while !running.has_ended().map_err(started)? {
        match batches.recv_timeout(POLL) {
            Ok(batch) => trace.take(batch)?,
            Err(RecvTimeoutError::Timeout) if !mounted.has_ended() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // The program may wait for an answer until nobody can give it any more.
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

/// Where operations go.
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

    /// Takes what is left after the program's end; what the file system saw.
    fn finish(
        &mut self,
        state: &Shared,
        batches: &Receiver<Vec<Operation>>,
    ) -> Result<FileCounts, CaptureError> {
        loop {
            while let Ok(batch) = batches.try_recv() {
                self.take(batch)?;
            }
            // The file system may hold the lock until a batch was taken.
            match state.try_lock() {
                Ok(mut state) => {
                    let (rest, seen) = (state.end(), state.counts);
                    drop(state);
                    // Sent between the last look and the lock.
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

/// Whether the program ended well and saw what the file system did.
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
