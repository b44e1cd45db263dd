//! Instructions executed, counted by callgrind: valgrind emulates the processor, so other processes,
//! clock rates and caches have no influence. Counts complement times and never replace them: an
//! instruction that misses the cache costs as much as hundreds that do not.
//!
//! # How repeatable a count is
//! valgrind puts a program, its libraries, its stack and its mappings at the same addresses in every run,
//! so address-space randomisation need not be turned off: `seq 2000` gives the same count each time, to
//! the instruction. Counts differ because of what the program itself reads: random seeds of hash tables
//! (a Rust `HashMap` with its default hasher: up to 0.1 % of what is spent in it), the time, the number
//! of processors, and, with several threads, the order in which they wait. The environment matters too:
//! the loader reads every variable (some hundred instructions each), so both sides are counted in the
//! same environment.
//!
//! Where the kernel or the processor offers less under valgrind, a program takes its fallback path, and
//! that is counted: restartable sequences, `rdpid` and AVX-512 are absent.
//!
//! One-time work, above all loading, cancels out between two runs with different numbers of operations
//! ([`per_operation`]). Random work does not, so check [`repeatable`] first.
//!
//! Processes that the program starts are not counted. All its threads are; they run one at a time.

mod error;
mod files;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub use error::CallgrindError;
use files::Files;

use crate::about::SIGILL;
use crate::child::{End, run};

const VALGRIND: &str = "valgrind";
/// valgrind's messages for an unknown instruction.
const UNKNOWN_INSTRUCTION: [&str; 2] = ["unhandled instruction bytes", "Unrecognised instruction"];
/// The largest relative difference between [`repeatable`] counts.
const REPEATABLE_SHARE: f64 = 0.001;

/// A program that ran to its end and exited successfully. Only its output tells what it did: a worker
/// whose store rejects valgrind's processor also exits successfully.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Instructions executed in total.
    pub instructions: u64,
    /// Its standard output.
    pub stdout: String,
}

/// The version of valgrind, if installed.
#[must_use]
pub fn available() -> Option<String> {
    let output = Command::new(VALGRIND).arg("--version").output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let version = said.trim().strip_prefix("valgrind-").filter(|_| output.status.success())?;
    Some(version.to_owned())
}

/// Counts the instructions of `program` with `arguments` and `stdin`, for at most `limit`; expect fifty
/// times the program's normal run time. Temporary files are written below `scratch`, which is created if
/// missing.
/// if it is missing.
///
/// If valgrind is missing, the program fails or contains instructions that valgrind does not know, or the
/// time limit is exceeded.
pub fn count(
    program: &Path,
    arguments: &[&str],
    stdin: &str,
    scratch: &Path,
    limit: Duration,
) -> Result<Counted, CallgrindError> {
    let files = Files::below(scratch)?;
    let mut valgrind = Command::new(VALGRIND);
    valgrind
        // Ignores valgrind options of this user or folder.
        .args(["--command-line-only=yes", "--tool=callgrind", "--trace-children=no"])
        .arg(files.option("--callgrind-out-file=", "count"))
        .arg(files.option("--log-file=", "log"))
        .arg(program)
        .args(arguments);
    let ended = run(&mut valgrind, stdin, limit).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => CallgrindError::Missing,
        _ => CallgrindError::System { action: "run", path: VALGRIND.into(), source },
    })?;
    let program = program.to_owned();
    let End::Exited(status) = ended.end else {
        return Err(CallgrindError::OutOfTime { program, limit });
    };
    let log = fs::read(files.of("log", ended.process)).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let unknown =
        log.lines().find(|line| UNKNOWN_INSTRUCTION.iter().any(|words| line.contains(words)));
    if unknown.is_some() || status.signal() == Some(SIGILL) {
        let said = unknown.unwrap_or("an illegal instruction").to_owned();
        return Err(CallgrindError::Native { program, said });
    }
    if !status.success() {
        let said = last_line(&ended.stderr).or_else(|| last_line(&log)).unwrap_or_default();
        return Err(CallgrindError::Failed { program, end: status.to_string(), said });
    }
    let path = files.of("count", ended.process);
    let instructions = File::open(&path).and_then(|file| total_in(BufReader::new(file)));
    match instructions {
        Ok(Some(instructions)) => Ok(Counted { instructions, stdout: ended.stdout }),
        Ok(None) | Err(_) => {
            let said = last_line(&log).unwrap_or_default();
            Err(CallgrindError::NoCount { program, said })
        }
    }
}

/// Instructions per operation, from two counts of one program with different numbers of operations.
/// `None` unless the larger number of operations took more instructions.
#[must_use]
pub fn per_operation(
    count_small: u64,
    count_large: u64,
    operations_small: u64,
    operations_large: u64,
) -> Option<f64> {
    let instructions = count_large.checked_sub(count_small).filter(|more| *more > 0)?;
    let operations = operations_large.checked_sub(operations_small).filter(|more| *more > 0)?;
    Some(instructions as f64 / operations as f64)
}

/// Whether counts that should be equal, or instructions per operation, differ by at most 0.1 % of the
/// smallest. False for fewer than two.
#[must_use]
pub fn repeatable(counts: &[f64]) -> bool {
    let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
    let most = counts.iter().copied().fold(0.0, f64::max);
    counts.len() >= 2 && least > 0.0 && most - least <= REPEATABLE_SHARE * least
}

/// The number in the line `totals: N`, the last line of a callgrind file. Instructions are the only
/// event.
fn total_in(file: impl BufRead) -> io::Result<Option<u64>> {
    let mut total = None;
    for line in file.split(b'\n') {
        if let Some(rest) = line?.strip_prefix(b"totals:") {
            total = std::str::from_utf8(rest).ok().and_then(|rest| rest.trim().parse().ok());
        }
    }
    Ok(total)
}

fn last_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_from_among_bytes_of_all_kinds() {
        let file = b"events: Ir\nfn=(1) \xff\n3 4\nsummary: 534134\n\n\ntotals: 534134\n";
        assert_eq!(total_in(&file[..]).unwrap(), Some(534_134));
        assert_eq!(total_in(&b"events: Ir\n"[..]).unwrap(), None);
        assert_eq!(total_in(&b"totals: many\n"[..]).unwrap(), None);
    }

    #[test]
    fn what_happens_once_cancels_out() {
        assert_eq!(per_operation(1_000_400, 1_002_400, 100, 600), Some(4.0));
        assert_eq!(per_operation(1000, 2000, 100, 100), None);
        assert_eq!(per_operation(1000, 2000, 200, 100), None);
        assert_eq!(per_operation(2000, 1000, 100, 200), None);
    }

    #[test]
    fn counts_repeat_within_a_thousandth() {
        assert!(repeatable(&[1_000_000.0, 1_001_000.0, 1_000_500.0]));
        assert!(!repeatable(&[1_000_000.0, 1_001_001.0]));
        assert!(!repeatable(&[1_000_000.0]));
        assert!(!repeatable(&[0.0, 0.0]));
    }
}
