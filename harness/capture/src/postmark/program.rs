//! The running program.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

/// Limit of the output that is kept, in bytes; PostMark prints about 2 KB.
const PRINTED_BYTES_MAX: u64 = 1 << 20;

/// A running program, killed when dropped before it has ended.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
    /// `None` once they have been joined.
    collectors: Option<[JoinHandle<Vec<u8>>; 2]>,
}

/// How a program ended.
#[derive(Debug)]
pub(super) struct End {
    pub status: ExitStatus,
    pub printed: String,
    pub complained: String,
}

impl Program {
    /// Starts `program` in `folder` with `script` as its input.
    pub(super) fn start(program: &Path, folder: &Path, script: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::process::bind_to_parent(&mut command);
        let mut child = command.spawn()?;
        let collectors = Some([collect(child.stdout.take()), collect(child.stderr.take())]);
        Self { child, collectors }.tell(script)
    }

    /// Writes the script. It fits into the pipe's buffer, so this does not block.
    fn tell(mut self, script: &str) -> io::Result<Self> {
        let told =
            self.child.stdin.take().map_or(Ok(()), |mut input| input.write_all(script.as_bytes()));
        match told {
            // The program ended without reading; its exit status is more informative.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(self),
        }
    }

    /// Whether it has ended; does not wait.
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Kills it without waiting for its end.
    pub(super) fn kill(&mut self) {
        // It may have ended already.
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

/// Reads a pipe to its end, so that its writer never blocks.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut collected = Vec::new();
        if let Some(pipe) = pipe {
            // Data read before an error is kept.
            let _ = pipe.take(PRINTED_BYTES_MAX).read_to_end(&mut collected);
        }
        collected
    })
}
