//! How a run ended, in words, and which endings are taken for success.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It was ended because the user stopped the measurement.
    Stopped,
}

impl Ending {
    pub(crate) fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or(0)),
        }
    }

    /// Whether it ended by itself and reported success.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }

    /// The exit code, of a run that had one.
    #[must_use]
    pub fn code(self) -> Option<i32> {
        if let Self::Exited(code) = self { Some(code) } else { None }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exited(code) => write!(formatter, "exit code {code}"),
            Self::Signalled(signal) => match signal_name(signal) {
                Some(name) => write!(formatter, "killed by signal {signal} ({name})"),
                None => write!(formatter, "killed by signal {signal}"),
            },
            Self::TimedOut(limit) => {
                write!(formatter, "no end after {} s, so it was killed", limit.as_secs_f64())
            }
            Self::Stopped => formatter.write_str("stopped"),
        }
    }
}

/// Names of the signals that end programs.
fn signal_name(signal: i32) -> Option<&'static str> {
    let names = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    names.into_iter().find_map(|(number, name)| (number == signal).then_some(name))
}

/// Which failing ends are measured all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ignored {
    /// None.
    #[default]
    Nothing,
    /// All: exit codes and signals.
    Everything,
    /// These exit codes.
    Codes(Vec<i32>),
}

impl Ignored {
    /// As on the command line: `all-non-zero`, or codes as `1,3`.
    ///
    /// # Errors
    /// The text and what is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "all-non-zero" {
            return Ok(Self::Everything);
        }
        let codes: Result<Vec<i32>, _> = text.split(',').map(|code| code.trim().parse()).collect();
        codes.map(Self::Codes).map_err(|_| {
            format!("`{text}`: write all-non-zero, or exit codes with commas between them, as 1,3")
        })
    }

    /// Whether a run that ended so is measured.
    #[must_use]
    pub fn accepts(&self, ending: Ending) -> bool {
        match (ending, self) {
            (Ending::TimedOut(_) | Ending::Stopped, _) => false,
            (ending, _) if ending.is_success() => true,
            (_, Self::Everything) => true,
            (Ending::Exited(code), Self::Codes(codes)) => codes.contains(&code),
            _ => false,
        }
    }
}
