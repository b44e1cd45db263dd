//! One server: the command that starts it, and how it is asked.

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use engine::OpenError;
use kit::servers::{ServerProcess, log_into};

use crate::config::Config;
use crate::connection::Connection;
use crate::reply::Reply;

/// The longest wait for an answer: a server that takes longer has stopped working.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Room for the text of a refusal.
const REFUSAL_BYTES: usize = 128;
/// What a server says at its start if its allocator cannot tell where moving objects helps.
const NO_DEFRAGMENTATION: &str = "Active defragmentation cannot be enabled";

/// A server that was started. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct RedisServer {
    process: ServerProcess,
    socket: PathBuf,
}

impl Deref for RedisServer {
    type Target = ServerProcess;

    fn deref(&self) -> &ServerProcess {
        &self.process
    }
}

fn socket(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number}.socket"))
}

fn log(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number}.log"))
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
    let mut command = Command::new(program);
    command.args(["--port", "0", "--unixsocket"]).arg(socket(folder, number));
    command.args(["--save", "", "--appendonly", "no", "--daemonize", "no"]);
    command.args(["--maxmemory", &config.max_memory_bytes().to_string()]);
    command.args(["--maxmemory-policy", "noeviction"]);
    command.args(config.defrag.arguments());
    command.arg("--dir").arg(folder);
    match library {
        Some(library) => command.env("LD_PRELOAD", library),
        None => command.env_remove("LD_PRELOAD"),
    };
    log_into(&mut command, &log(folder, number))?;
    Ok(command)
}

impl RedisServer {
    /// Wraps a child that [`command`] started as server `number`.
    pub(crate) fn new(config: &Config, folder: &Path, number: usize, child: Child) -> Self {
        let (program, servers) = (config.server.program(), config.servers);
        let name = format!("{program} {} of {servers}", number + 1);
        let process = ServerProcess::new(name, log(folder, number), child);
        Self { process, socket: socket(folder, number) }
    }

    /// Waits until the server answers.
    pub(crate) fn wait_until_ready(&self, deadline: Instant) -> Result<(), OpenError> {
        let answers = |left| match Connection::open(&self.socket, left) {
            Ok(mut connection) => {
                self.ask(&mut connection, &[b"PING"], &mut []) == Ok(Reply::Status)
            }
            Err(_) => false,
        };
        self.process.wait_until_ready(deadline, answers).map_err(|error| match error {
            OpenError::Unusable { reason, .. } if reason.contains(NO_DEFRAGMENTATION) => {
                OpenError::Missing {
                    what: format!("the active defragmentation of {}", self.name()),
                    remedy: "this requires a server built with its own jemalloc, such as \
                             `server=redis8`; or leave `defrag` off"
                        .to_owned(),
                }
            }
            other => other,
        })
    }

    /// Opens a connection and waits for an answer on it, so that the connection has been accepted,
    /// not only queued. The queue is limited, and a server that is short of a core may let it fill.
    pub(crate) fn connect(&self) -> Result<Connection, String> {
        let mut connection =
            Connection::open(&self.socket, ANSWER_TIMEOUT).map_err(|error| self.fate(&error))?;
        let mut refusal = [0; REFUSAL_BYTES];
        match self.ask(&mut connection, &[b"PING"], &mut refusal)? {
            Reply::Status => Ok(connection),
            Reply::Error(bytes) => {
                let text = String::from_utf8_lossy(&refusal[..bytes.min(REFUSAL_BYTES)]);
                Err(format!("{} refuses a connection: {text}", self.name()))
            }
            other => Err(format!("{} answers PING with {other:?}", self.name())),
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
}
