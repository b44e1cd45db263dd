//! One run of a command, watched from outside.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use platform::process::{ProcessMemory, bind_to_parent, wait_for_end};

use crate::drain::Drain;
use crate::raw::{self, Patience};
use crate::sampler::{Ended, Sampler};
use crate::strays::Left;
use crate::{Ending, Failure, Point, memory, strays};

/// One run at a time: all descendants of this process that it did not have before are the run's.
static ALONE: Mutex<()> = Mutex::new(());

/// How long a pipe may stay open after all processes of the run are gone.
const CLOSING: Duration = Duration::from_secs(2);

/// Until it executes a program, a child holds so much beside its copy of our anonymous memory: pages of
/// our program that it touches.
const TOUCHED_BYTES: u64 = 2 << 20;

/// Where standard input comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Empty.
    #[default]
    Null,
    File(PathBuf),
}

/// Where outputs go. Whatever it is, the last lines of standard error are kept unless it is inherited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Discarded by the kernel.
    #[default]
    Null,
    /// Discarded here, behind a pipe.
    Pipe,
    /// The beginning is shown, up to 64 KiB of each stream.
    Shown,
    /// As ours, without a bound.
    Inherit,
    /// Standard output to a file, which every run begins anew.
    File(PathBuf),
}

/// How a command is started.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub words: &'a [OsString],
    /// Added to the environment, or replacing what is there.
    pub environment: &'a [(OsString, OsString)],
    pub input: &'a Input,
    pub output: &'a Output,
    pub timeout: Duration,
    /// Whether processes that outlive the program may go on: servers that a set-up starts.
    pub servers_stay: bool,
    /// Asked every few milliseconds whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Launch").field("words", &self.words).finish_non_exhaustive()
    }
}

/// What one run took.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// From before the program was started until it ended.
    pub elapsed_ns: u64,
    /// Processor time of all its processes, in user mode and in the kernel.
    pub user_ns: u64,
    pub system_ns: u64,
    /// The most that all processes held at once: the highest sample, or what the kernel says of the
    /// largest process if that is more. What the kernel says of a process that is smaller than this one
    /// is not used: it counts our pages before the program is executed. 0 where a run was too short to
    /// be sampled, and that small.
    pub peak_bytes: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub ending: Ending,
    /// Last lines of standard error.
    pub said: String,
    /// Names of processes that went on when the program had ended, and were ended.
    pub left: Vec<String>,
    /// Memory over time.
    pub curve: Vec<Point>,
}

/// Runs a command to its end. All processes that it started are gone when this returns, unless servers
/// may stay.
///
/// # Errors
/// [`Failure::NotStarted`]; [`Failure::System`] where a file cannot be opened. A program that fails is a
/// [`Run`].
pub fn run(launch: Launch<'_>) -> Result<Run, Failure> {
    let _alone = alone();
    strays::adopt().map_err(system("adopt processes of", "/proc/self"))?;
    let known: BTreeSet<u32> = memory::tree(&BTreeSet::new()).into_iter().collect();
    let mut process = process(launch)?;
    let copied = ProcessMemory::of_self().map_or(0, |own| own.anonymous_bytes);
    let began = Instant::now();
    let mut child = process.spawn().map_err(|source| not_started(launch.words, source))?;
    // Its copies of pipes would keep them open.
    drop(process);
    let shown = *launch.output == Output::Shown;
    let said = child.stderr.take().map(|pipe| Drain::of(pipe, shown));
    let printed = child.stdout.take().map(|pipe| Drain::of(pipe, shown));
    let sampler = Sampler::new(began, launch.timeout);
    let (elapsed, sampled) = std::thread::scope(|scope| {
        let sampling = scope.spawn(|| sampler.run(&known, launch.stop));
        let waited = wait_for_end(child.id());
        let elapsed = began.elapsed();
        sampler.finish();
        (waited.map(|()| elapsed), sampling.join().unwrap_or_default())
    });
    let elapsed = elapsed.map_err(system("wait for", "the program"))?;
    let waited = raw::wait(child.id(), Patience::UntilItEnds);
    let (status, usage) = waited
        .and_then(|ended| ended.ok_or_else(|| io::ErrorKind::NotFound.into()))
        .map_err(system("wait for", "the program"))?;
    let left = if launch.servers_stay { Left::default() } else { strays::end(&known) };
    // A server holds its pipes for as long as it runs.
    let closing = if launch.servers_stay { Duration::from_millis(20) } else { CLOSING };
    let usage = usage.plus(&left.usage);
    let ending = match sampler.ended() {
        Some(Ended::TimedOut) => Ending::TimedOut(launch.timeout),
        Some(Ended::Stopped) => Ending::Stopped,
        // Ctrl-C reaches the program as it reaches us.
        None if (launch.stop)() => Ending::Stopped,
        None => Ending::of(status),
    };
    if let Some(printed) = printed {
        printed.last_lines(closing);
    }
    // The kernel's peak of a child begins with our pages.
    let floor = copied + TOUCHED_BYTES;
    let of_kernel = if usage.peak_bytes > floor { usage.peak_bytes } else { 0 };
    // What was last looked at when it had just begun is not known.
    let was_seen = sampled.curve.len() > 1
        && sampled
            .curve
            .last()
            .is_some_and(|last| Duration::from_nanos(last.elapsed_ns) >= elapsed / 2);
    let of_samples = if was_seen { sampled.highest_bytes.max(sampled.peak_bytes()) } else { 0 };
    Ok(Run {
        elapsed_ns: elapsed.as_nanos() as u64,
        user_ns: usage.user_ns,
        system_ns: usage.system_ns,
        peak_bytes: of_kernel.max(of_samples),
        minor_faults: usage.minor_faults,
        major_faults: usage.major_faults,
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        ending,
        said: said.map(|said| said.last_lines(closing)).unwrap_or_default(),
        left: left.ended,
        curve: sampled.curve,
    })
}

/// Keeps others from starting processes meanwhile, which a run would take for its own.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn process(launch: Launch<'_>) -> Result<Process, Failure> {
    let missing = || not_started(launch.words, io::ErrorKind::NotFound.into());
    let (program, arguments) = launch.words.split_first().ok_or_else(missing)?;
    let mut process = Process::new(program);
    process.args(arguments).envs(launch.environment.iter().map(|(name, value)| (name, value)));
    process.stdin(match launch.input {
        Input::Null => Stdio::null(),
        Input::File(path) => File::open(path).map_err(system("read", path))?.into(),
    });
    let (printed, said) = match launch.output {
        Output::Null => (Stdio::null(), Stdio::piped()),
        Output::Pipe | Output::Shown => (Stdio::piped(), Stdio::piped()),
        Output::Inherit => (Stdio::inherit(), Stdio::inherit()),
        Output::File(path) => {
            (File::create(path).map_err(system("write", path))?.into(), Stdio::piped())
        }
    };
    process.stdout(printed).stderr(said);
    bind_to_parent(&mut process);
    Ok(process)
}

fn not_started(words: &[OsString], source: io::Error) -> Failure {
    let program = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let is_line = words.len() == 1 && program.contains(' ');
    Failure::NotStarted { program, is_line, source }
}

fn system(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Failure {
    let path = path.into();
    move |source| Failure::System { action, path, source }
}
