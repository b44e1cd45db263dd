//! What the end of a worker means.

use std::io;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use record::Outcome;

/// Why the parent killed the worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kill {
    /// It did not end in time.
    Timeout { timeout: Duration },
    /// It exceeded its limit.
    Memory { resident_bytes: u64, limit_bytes: u64 },
    /// The user stopped the run.
    Interrupt,
}

/// How a worker ended.
#[derive(Debug)]
pub(super) struct Death {
    pub(super) kill: Option<Kill>,
    /// Whether it said that every step was done.
    pub(super) done: bool,
    pub(super) status: io::Result<ExitStatus>,
    /// Whether the kernel killed a process for lack of memory while the worker ran; `None` where it does
    /// not count.
    pub(super) memory_ran_out: Option<bool>,
    /// The end of its standard error.
    pub(super) complaint: String,
}

impl Death {
    /// The outcome and its reason; `None` for a worker that did its work and left.
    ///
    /// A worker that said it was done and then fails to exit cleanly has still crashed: an
    /// engine whose destructor aborts is not healthy.
    pub(super) fn outcome(&self) -> Option<(Outcome, String)> {
        match self.kill {
            Some(Kill::Timeout { timeout }) => {
                let reason = format!("killed after {:.1} s without an end", timeout.as_secs_f64());
                return Some((Outcome::Timeout, reason));
            }
            Some(Kill::Memory { resident_bytes, limit_bytes }) => {
                let reason = format!(
                    "killed with {} MiB resident: the cell's limit is {} MiB",
                    resident_bytes >> 20,
                    limit_bytes >> 20
                );
                return Some((Outcome::OutOfMemory, reason));
            }
            Some(Kill::Interrupt) => return None,
            None => {}
        }
        let status = match &self.status {
            Ok(status) => status,
            Err(error) => {
                return Some((Outcome::Failed, format!("waiting for the worker: {error}")));
            }
        };
        if let Some(signal) = status.signal() {
            // Anybody may send SIGKILL; memory ran out only where the kernel counted it.
            let ran_out = signal == libc::SIGKILL && self.memory_ran_out == Some(true);
            let outcome = if ran_out { Outcome::OutOfMemory } else { Outcome::Crashed };
            let cause = match signal {
                libc::SIGKILL => match self.memory_ran_out {
                    Some(true) => "SIGKILL, and the kernel counts a kill for lack of memory",
                    Some(false) => {
                        "SIGKILL from outside: the kernel counts no kill for lack of memory"
                    }
                    None => "SIGKILL: whether memory ran out, this kernel does not count",
                },
                libc::SIGSEGV => "SIGSEGV (segmentation fault)",
                libc::SIGABRT => "SIGABRT (abort)",
                libc::SIGBUS => "SIGBUS (bus error)",
                libc::SIGILL => "SIGILL (illegal instruction)",
                _ => return Some((outcome, self.with_complaint(&format!("signal {signal}")))),
            };
            return Some((outcome, self.with_complaint(&format!("ended by {cause}"))));
        }
        match status.code() {
            Some(0) if self.done => None,
            Some(0) => Some((Outcome::Crashed, self.with_complaint("ended before it was done"))),
            code => {
                let code = code.unwrap_or(-1);
                Some((Outcome::Crashed, self.with_complaint(&format!("exit code {code}"))))
            }
        }
    }

    fn with_complaint(&self, reason: &str) -> String {
        if self.complaint.is_empty() {
            reason.to_owned()
        } else {
            format!("{reason}: {}", self.complaint)
        }
    }
}

/// The last lines a worker wrote to standard error, for the reason of its death.
pub(super) fn last_words(mut errors: impl Read) -> String {
    const KEPT_BYTES: usize = 2000;
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
        let surplus = bytes.len().saturating_sub(KEPT_BYTES);
        bytes.drain(..surplus);
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.into_iter().take(3).collect::<Vec<_>>().join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(raw_status: i32, done: bool) -> Death {
        Death {
            kill: None,
            done,
            status: Ok(ExitStatus::from_raw(raw_status)),
            memory_ran_out: Some(false),
            complaint: String::new(),
        }
    }

    #[test]
    fn every_end_has_its_outcome() {
        assert_eq!(death(0, true).outcome(), None);
        let outcome = |death: Death| death.outcome().map(|(outcome, _)| outcome);
        assert_eq!(outcome(death(0, false)), Some(Outcome::Crashed));
        assert_eq!(outcome(death(101 << 8, false)), Some(Outcome::Crashed));
        assert_eq!(outcome(death(libc::SIGSEGV, true)), Some(Outcome::Crashed));
        let kill = Some(Kill::Timeout { timeout: Duration::from_secs(2) });
        assert_eq!(outcome(Death { kill, ..death(9, false) }), Some(Outcome::Timeout));
        let kill = Some(Kill::Memory { resident_bytes: 2 << 20, limit_bytes: 1 << 20 });
        let death = Death { kill, ..death(9, false) };
        let (outcome, reason) = death.outcome().unwrap();
        assert_eq!(outcome, Outcome::OutOfMemory);
        assert_eq!(reason, "killed with 2 MiB resident: the cell's limit is 1 MiB");
    }

    #[test]
    fn a_worker_killed_from_outside_did_not_run_out_of_memory() {
        let killed = |memory_ran_out: Option<bool>| {
            let death = Death { memory_ran_out, ..death(libc::SIGKILL, false) };
            death.outcome().expect("a bad end")
        };
        assert_eq!(killed(Some(true)).0, Outcome::OutOfMemory);
        for unproven in [Some(false), None] {
            let (outcome, reason) = killed(unproven);
            assert_eq!(outcome, Outcome::Crashed, "{reason}");
            assert!(reason.starts_with("ended by SIGKILL"), "{reason}");
        }
    }
}
