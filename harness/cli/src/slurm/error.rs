//! Why Slurm did not do what it was asked, in its own words, with the remedy.

use std::fmt;
use std::io::ErrorKind;
use std::process::{Command, Output};

/// What Slurm says, and what helps.
const REMEDIES: [(&str, &str); 8] = [
    ("nvalid partition", "`sinfo` lists the partitions; --sbatch=--partition=NAME chooses one"),
    (
        "nvalid account",
        "`sacctmgr show associations user=$USER` lists accounts; --sbatch=--account=NAME chooses one",
    ),
    (
        "QOS",
        "this is more than you may have: ask for fewer --nodes or a shorter --sbatch=--time=…, or choose \
         --sbatch=--qos=NAME",
    ),
    (
        "node configuration is not available",
        "no node of the partition is like that: `sinfo --Node --long` lists them",
    ),
    (
        "ime limit",
        "`sinfo --format='%P %l'` says how long partitions let jobs run; --sbatch=--time=…",
    ),
    ("nrecognized option", "`sbatch --help` lists the options that --sbatch passes on"),
    (
        UNREACHABLE,
        "`scontrol ping` says whether the controller runs; SLURM_CONF names its configuration",
    ),
    ("unge", "munged is asked who you are and must run on this host: `munge -n | unmunge`"),
];

const UNREACHABLE: &str = "Unable to contact slurm controller";

/// Why Slurm did not answer as hoped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlurmError {
    /// Its client is not installed.
    Missing { program: &'static str },
    /// It refused, in these words.
    Refused { program: &'static str, words: String },
    /// It answered something that is not understood.
    Answer { program: &'static str, text: String },
}

impl SlurmError {
    /// Whether the same question may be answered in a while: the controller is away.
    pub(crate) fn may_pass(&self) -> bool {
        const PASSING: [&str; 4] =
            [UNREACHABLE, "Socket timed out", "Connection refused", "temporarily unable"];
        match self {
            Self::Refused { words, .. } => PASSING.iter().any(|one| words.contains(one)),
            _ => false,
        }
    }
}

impl fmt::Display for SlurmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program } => write!(
                f,
                "`{program}` is not on this machine: install Slurm's client (`slurm-client` in Debian), or measure \
                 the shards by hand with `run --shard K/N` on each node and `merge` them"
            ),
            Self::Refused { program, words } => {
                write!(f, "{program} says: {words}")?;
                let remedy = REMEDIES.iter().find(|(said, _)| words.contains(said));
                remedy.map_or(Ok(()), |(_, remedy)| write!(f, "; {remedy}"))
            }
            Self::Answer { program, text } => {
                write!(f, "{program} answered `{text}`, which names no job: is it Slurm's?")
            }
        }
    }
}

impl std::error::Error for SlurmError {}

/// What a program of Slurm printed.
pub(super) fn asked(program: &'static str, command: &mut Command) -> Result<String, SlurmError> {
    match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(SlurmError::Missing { program }),
        Err(error) => Err(SlurmError::Refused { program, words: error.to_string() }),
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(SlurmError::Refused { program, words: words(&output) }),
    }
}

/// What it said, in a line, without its name before each sentence.
fn words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let said = |line: &str| {
        let line = line.trim();
        let (_, rest) = line.split_once(": error: ").unwrap_or(("", line));
        rest.to_owned()
    };
    let words: Vec<String> = text.lines().map(said).filter(|line| !line.is_empty()).collect();
    if words.is_empty() { format!("nothing ({})", output.status) } else { words.join(" / ") }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    /// What sbatch 22.05 wrote, or what its manual says it writes.
    fn refused(stderr: &str) -> SlurmError {
        let output = Output {
            status: ExitStatus::from_raw(1 << 8),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
        };
        SlurmError::Refused { program: "sbatch", words: words(&output) }
    }

    #[test]
    fn slurms_words_come_with_the_remedy() {
        for (stderr, words, remedy) in [
            (
                "sbatch: error: invalid partition specified: nope\n\
                 sbatch: error: Batch job submission failed: Invalid partition name specified\n",
                "sbatch says: invalid partition specified: nope / Batch job submission failed: Invalid \
                 partition name specified;",
                "--sbatch=--partition=NAME",
            ),
            (
                "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job \
                 violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n",
                "QOSMaxSubmitJobPerUserLimit / Batch",
                "fewer --nodes",
            ),
            (
                "sbatch: unrecognized option '--frobnicate'\nTry \"sbatch --help\" for more information\n",
                "unrecognized option '--frobnicate'",
                "options that --sbatch passes on",
            ),
            (
                "sbatch: error: Batch job submission failed: Requested node configuration is not available\n",
                "Requested node configuration",
                "sinfo --Node --long",
            ),
            ("", "nothing (exit status: 1)", ""),
        ] {
            let error = refused(stderr);
            let said = error.to_string();
            assert!(said.contains(words) && said.contains(remedy), "{said}");
            assert!(!error.may_pass(), "{said}");
        }
    }

    #[test]
    fn a_controller_that_is_away_may_come_back() {
        let error = refused(
            "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)\n",
        );
        assert!(error.may_pass() && error.to_string().contains("scontrol ping"), "{error}");
        let missing = asked("sbatch", &mut Command::new("no-such-program-of-slurm")).unwrap_err();
        assert_eq!(missing, SlurmError::Missing { program: "sbatch" });
        assert!(missing.to_string().contains("run --shard K/N") && !missing.may_pass());
    }
}
