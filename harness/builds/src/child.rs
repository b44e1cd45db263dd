//! Runs a child process with an input and a time limit, and collects its output.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Limit for each output.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;
/// Tries to start a program that is still open for writing: between fork and exec, a process that another
/// thread starts holds our open files.
const STARTS: u32 = 100;
const BETWEEN_STARTS: Duration = Duration::from_millis(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// How long to wait for outputs after their process has ended.
const ARRIVAL: Duration = Duration::from_secs(10);

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// Killed at the time limit.
    OutOfTime,
}

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) process: u32,
    pub(crate) end: End,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Kills the process when dropped.
#[derive(Debug)]
pub(crate) struct Owned(pub(crate) Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `command` with `stdin`, for at most `limit`.
pub(crate) fn run(command: &mut Command, stdin: &str, limit: Duration) -> io::Result<Ended> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Owned(start(command)?);
    let began = Instant::now();
    let (mut input, text) = (child.0.stdin.take().expect("a pipe"), stdin.to_owned());
    // A program may end without reading all of its input.
    spawn(move || drop(input.write_all(text.as_bytes())));
    let stdout = heard(child.0.stdout.take().expect("a pipe"));
    let stderr = heard(child.0.stderr.take().expect("a pipe"));
    let end = loop {
        if let Some(status) = child.0.try_wait()? {
            break End::Exited(status);
        }
        if began.elapsed() >= limit {
            break End::OutOfTime;
        }
        sleep(BETWEEN_LOOKS);
    };
    let process = child.0.id();
    drop(child);
    // A process started by this one may hold the outputs open; that is not waited for.
    let text = |output: Receiver<Vec<u8>>| {
        let bytes = output.recv_timeout(ARRIVAL).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Ended { process, end, stdout: text(stdout), stderr: text(stderr) })
}

fn start(command: &mut Command) -> io::Result<Child> {
    for _ in 1..STARTS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                sleep(BETWEEN_STARTS);
            }
            started => return started,
        }
    }
    command.spawn()
}

/// Collects the content of `pipe`, sent in one piece.
fn heard(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    spawn(move || {
        let mut bytes = Vec::new();
        // Data that arrived before an error are still useful.
        let _ = pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
        // The receiver may have given up.
        let _ = sender.send(bytes);
    });
    receiver
}
