//! One server's process: whether it answers, what it holds, and how it ended.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::OpenError;
use platform::process::ProcessMemory;

use super::keeper;

/// How long a server may take to end after it has closed a connection.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// A server that was started. Dropping it ends it.
#[derive(Debug)]
pub struct ServerProcess {
    name: String,
    pid: u32,
    child: Mutex<Child>,
    log: PathBuf,
}

impl ServerProcess {
    /// A child whose words go to `log`. The name is for messages: `redis-server 1 of 2`.
    #[must_use]
    pub fn new(name: String, log: PathBuf, child: Child) -> Self {
        Self { name, pid: child.id(), child: Mutex::new(child), log }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until `answers`, which is told how much time is left and asked again and again,
    /// because the server may not listen yet.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] with its last words if it ends, or does not answer until `deadline`.
    pub fn wait_until_ready(
        &self,
        deadline: Instant,
        mut answers: impl FnMut(Duration) -> bool,
    ) -> Result<(), OpenError> {
        let unusable = |reason: String| OpenError::Unusable { what: self.name.clone(), reason };
        loop {
            if let Some(status) = self.status() {
                let words = self.last_words();
                return Err(unusable(format!("it ended at its start ({status}): {words}")));
            }
            if answers(deadline.saturating_duration_since(Instant::now()).max(PAUSE)) {
                return Ok(());
            }
            if Instant::now() > deadline {
                let words = self.last_words();
                return Err(unusable(format!("it did not answer in time: {words}")));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// What happened to the server whose connection failed with `error`.
    #[must_use]
    pub fn fate(&self, error: &str) -> String {
        let deadline = Instant::now() + END_TIMEOUT;
        let (name, pid) = (&self.name, self.pid);
        loop {
            if let Some(status) = self.status() {
                let words = self.last_words();
                return format!("{name} (process {pid}) ended ({status}); its last words: {words}");
            }
            if Instant::now() > deadline {
                return format!("{name} (process {pid}) runs and does not answer: {error}");
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Its private memory in bytes, as counted by the kernel; 0 if it is gone.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        ProcessMemory::of(self.pid).map_or(0, |memory| memory.resident_bytes())
    }

    /// Its mappings, as listed by the kernel.
    #[must_use]
    pub fn maps(&self) -> String {
        fs::read_to_string(format!("/proc/{}/maps", self.pid)).unwrap_or_default()
    }

    /// How it ended, if it has.
    fn status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().unwrap_or(None)
    }

    /// The last lines of its log; long ones are shortened.
    fn last_words(&self) -> String {
        const LINES: usize = 3;
        const LINE_CHARACTERS: usize = 120;
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LINES)..].iter();
        let short = last.map(|line| line.chars().take(LINE_CHARACTERS).collect::<String>());
        short.collect::<Vec<_>>().join(" / ")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        keeper::end(self.child.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}
