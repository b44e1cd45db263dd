//! One server's process: how it is started, whether it answers, and how it ended.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::OpenError;
use platform::process::ProcessMemory;

use crate::config::Config;
use crate::connection::Connection;
use crate::keeper;
use crate::reply::Reply;

/// The longest wait for an answer: a server that takes longer has stopped working.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a server may take to end after it has closed a connection.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(2);
/// Room for the text of a refusal.
const REFUSAL_BYTES: usize = 128;

/// A server that was started. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    /// For messages: `redis-server 1 of 2`.
    name: String,
    pid: u32,
    child: Mutex<Child>,
    files: Files,
}

/// Where a server's socket and log are.
#[derive(Clone, Debug)]
struct Files {
    socket: PathBuf,
    log: PathBuf,
}

impl Files {
    fn of(folder: &Path, number: usize) -> Self {
        Self {
            socket: folder.join(format!("{number}.socket")),
            log: folder.join(format!("{number}.log")),
        }
    }
}

/// The command that starts server `number`.
///
/// # Errors
/// If its log cannot be created.
pub(crate) fn command(
    config: &Config,
    program: &Path,
    library: Option<&Path>,
    folder: &Path,
    number: usize,
) -> io::Result<Command> {
    let files = Files::of(folder, number);
    let log = File::create(&files.log)?;
    let mut command = Command::new(program);
    command.args(["--port", "0", "--unixsocket"]).arg(&files.socket);
    command.args(["--save", "", "--appendonly", "no", "--daemonize", "no"]);
    command.args(["--maxmemory", &config.max_memory_bytes().to_string()]);
    command.args(["--maxmemory-policy", "noeviction"]);
    command.args(["--activedefrag", if config.active_defrag { "yes" } else { "no" }]);
    command.arg("--dir").arg(folder);
    match library {
        Some(library) => command.env("LD_PRELOAD", library),
        None => command.env_remove("LD_PRELOAD"),
    };
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(command)
}

impl ServerProcess {
    /// Wraps a child that [`command`] started as server `number`.
    pub(crate) fn new(config: &Config, folder: &Path, number: usize, child: Child) -> Self {
        let (program, servers) = (config.server.program(), config.servers);
        Self {
            name: format!("{program} {} of {servers}", number + 1),
            pid: child.id(),
            child: Mutex::new(child),
            files: Files::of(folder, number),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the server answers.
    pub(crate) fn wait_until_ready(&self, deadline: Instant) -> Result<(), OpenError> {
        let unusable = |reason: String| OpenError::Unusable { what: self.name.clone(), reason };
        loop {
            if let Some(status) = self.status() {
                let words = self.last_words();
                if words.contains("Active defragmentation cannot be enabled") {
                    return Err(OpenError::Missing {
                        what: format!("the active defragmentation of {}", self.name),
                        remedy: "this requires a server built with its own jemalloc; omit \
                                 `active-defrag`, or put such a server into PATH"
                            .to_owned(),
                    });
                }
                return Err(unusable(format!("it ended at its start ({status}): {words}")));
            }
            // The server may not listen yet.
            let left = deadline.saturating_duration_since(Instant::now()).max(PAUSE);
            if let Ok(mut connection) = Connection::open(&self.files.socket, left)
                && self.ask(&mut connection, &[b"PING"], &mut []) == Ok(Reply::Status)
            {
                return Ok(());
            }
            if Instant::now() > deadline {
                let words = self.last_words();
                return Err(unusable(format!("it did not answer in time: {words}")));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Opens a connection and waits for an answer on it, so that the connection has been accepted,
    /// not only queued. The queue is limited, and a server that is short of a core may let it fill.
    pub(crate) fn connect(&self) -> Result<Connection, String> {
        let mut connection = Connection::open(&self.files.socket, ANSWER_TIMEOUT)
            .map_err(|error| self.fate(&error))?;
        let mut refusal = [0; REFUSAL_BYTES];
        match self.ask(&mut connection, &[b"PING"], &mut refusal)? {
            Reply::Status => Ok(connection),
            Reply::Error(bytes) => {
                let text = String::from_utf8_lossy(&refusal[..bytes.min(REFUSAL_BYTES)]);
                Err(format!("{} refuses a connection: {text}", self.name))
            }
            other => Err(format!("{} answers PING with {other:?}", self.name)),
        }
    }

    /// Sends a command and waits for the reply.
    ///
    /// # Errors
    /// What happened to the server.
    pub(crate) fn ask(
        &self,
        connection: &mut Connection,
        parts: &[&[u8]],
        buffer: &mut [u8],
    ) -> Result<Reply, String> {
        let answer = connection.append(parts).and_then(|()| connection.reply(buffer));
        answer.map_err(|error| self.fate(&error))
    }

    /// What happened to the server whose connection failed with `error`.
    pub(crate) fn fate(&self, error: &str) -> String {
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
    pub(crate) fn resident_bytes(&self) -> u64 {
        ProcessMemory::of(self.pid).map_or(0, |memory| memory.resident_bytes())
    }

    /// Its mappings, as listed by the kernel.
    pub(crate) fn maps(&self) -> String {
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
        let log = fs::read(&self.files.log).unwrap_or_default();
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
