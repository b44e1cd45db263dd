//! The program while it runs.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

/// What is kept of what a program prints, in bytes; PostMark prints some 2 KB.
const PRINTED_BYTES_MAX: u64 = 1 << 20;

/// A running program; it is killed when this goes before it has ended.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
    /// None once they were waited for.
    collectors: Option<[JoinHandle<Vec<u8>>; 2]>,
}

/// How a program ended.
#[derive(Debug)]
pub(super) struct End {
    pub status: ExitStatus,
    /// Its standard output.
    pub printed: String,
    /// Its standard error.
    pub complained: String,
}

impl Program {
    /// Starts `program` in `folder` and gives it `script` to read.
    pub(super) fn start(program: &Path, folder: &Path, script: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::process::bind_to_parent(&mut command);
        let mut child = command.spawn()?;
        let collectors = Some([collect(child.stdout.take()), collect(child.stderr.take())]);
        Self { child, collectors }.tell(script)
    }

    /// A script is far smaller than what a pipe holds: this does not wait for the program.
    fn tell(mut self, script: &str) -> io::Result<Self> {
        let told =
            self.child.stdin.take().map_or(Ok(()), |mut input| input.write_all(script.as_bytes()));
        match told {
            // It ended without reading: how it ended says more.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(self),
        }
    }

    /// Whether it has ended, without waiting for that.
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Asks the kernel to end it, and does not wait for that.
    pub(super) fn kill(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
    }

    pub(super) fn wait(mut self) -> io::Result<End> {
        let status = self.child.wait()?;
        let collected = self
            .collectors
            .take()
            .map(|collectors| collectors.map(|collector| collector.join().unwrap_or_default()));
        let [printed, complained] =
            collected.unwrap_or_default().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(End { status, printed, complained })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

/// Reads all of a pipe, so that its writer never waits.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut collected = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is what there is.
            let _ = pipe.take(PRINTED_BYTES_MAX).read_to_end(&mut collected);
        }
        collected
    })
}
