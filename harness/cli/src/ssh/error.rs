//! Why a host did not do what it was asked, in the words of `ssh` or of the host, with the remedy.

use std::fmt;
use std::process::Output;

/// What is said, and what helps.
const REMEDIES: [(&str, &str); 9] = [
    (
        "Permission denied",
        "nobody is asked for a password here: put a key on the host (`ssh-copy-id HOST`), or name one with \
         --ssh=-i --ssh=FILE",
    ),
    (
        "Host key verification failed",
        "connect to it once by hand (`ssh HOST`), or --ssh=-oStrictHostKeyChecking=accept-new",
    ),
    ("Could not resolve", "is the name right? `ssh -G HOST` shows what ssh makes of it"),
    ("refused", "does sshd run there, at that port? --ssh=-p --ssh=PORT names another"),
    ("timed out", "is it up, and does a firewall let ssh through? `ssh HOST true` tells"),
    ("No route to host", "is it up, and on this network? `ssh HOST true` tells"),
    ("No space left", "free some space there, in the home folder"),
    ("GLIBC_", "its C library is older than that of the build: build on the oldest host"),
    ("unknown option", "`man ssh` lists the options that --ssh passes on"),
];

/// Why a host did not answer as hoped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SshError {
    /// `ssh` is not installed here.
    Missing,
    /// The host cannot be reached, or the connection broke, in `ssh`'s words.
    Unreachable { host: String, words: String },
    /// It was reached, and what it was asked failed, in its words.
    Refused { host: String, asked: &'static str, words: String },
    /// It answered something that is not understood.
    Answer { host: String, text: String },
    /// Its processor cannot run this program.
    Lacks { host: String, model: String, lacking: Vec<String> },
    /// Two hosts are unlike in what rows of one run share.
    Unlike { hosts: [String; 2], differences: Vec<String> },
    /// A shard ended there before it was whole, without a word.
    Unfinished { host: String },
    /// Something failed on this machine.
    Here { host: String, reason: String },
}

impl SshError {
    /// Whether another try may help: the host is away.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    /// What the end of `ssh` means.
    pub(super) fn of(host: &str, asked: &'static str, output: &Output) -> Self {
        /// The code by which `ssh` tells its own failures from the command's.
        const OWN: i32 = 255;
        let (host, words) = (host.to_owned(), words(output));
        match output.status.code() {
            Some(OWN) => Self::Unreachable { host, words },
            _ => Self::Refused { host, asked, words },
        }
    }
}

impl fmt::Display for SshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(
                f,
                "`ssh` is not on this machine: install it (`openssh-client` in Debian), or measure the shards by \
                 hand with `run --shard K/N` on each host and `merge` them"
            ),
            Self::Unreachable { host, words } => {
                write!(f, "{host} cannot be reached: ssh says: {words}")?;
                remedy(f, words)
            }
            Self::Refused { host, asked, words } => {
                write!(f, "{host}: {asked} failed: {words}")?;
                remedy(f, words)
            }
            Self::Answer { host, text } => write!(
                f,
                "{host} answered `{text}`, which is not what Linux answers: does a login there print anything, or \
                 start another shell?"
            ),
            Self::Lacks { host, model, lacking } => write!(
                f,
                "{host} ({model}) lacks what this program was compiled for: {}; build for what all hosts have \
                 (RUSTFLAGS=\"-C target-cpu=x86-64-v3\"), or leave the host out, as --allow-mismatch does",
                lacking.join(", ")
            ),
            Self::Unlike { hosts: [first, second], differences } => write!(
                f,
                "{first} and {second} are unlike: {}; use hosts of one kind, or --allow-mismatch, and the run \
                 says so",
                differences.join("; ")
            ),
            Self::Unfinished { host } => write!(
                f,
                "{host}: the shard ended before it was whole; its log in the sweep's folder may say why"
            ),
            Self::Here { host, reason } => write!(f, "{host}: on this machine: {reason}"),
        }
    }
}

impl std::error::Error for SshError {}

fn remedy(f: &mut fmt::Formatter<'_>, words: &str) -> fmt::Result {
    let remedy = REMEDIES.iter().find(|(said, _)| words.contains(said));
    remedy.map_or(Ok(()), |(_, remedy)| write!(f, "; {remedy}"))
}

/// The last that was said, in a line.
fn words(output: &Output) -> String {
    /// Lines that say why, at most; a login may print pages before.
    const LINES: usize = 3;
    let text = String::from_utf8_lossy(&output.stderr);
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("Warning: Permanently added");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(is_said).collect();
    match lines.is_empty() {
        true => format!("nothing ({})", output.status),
        false => lines[lines.len().saturating_sub(LINES)..].join(" / "),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn ended(code: i32, stderr: &str) -> SshError {
        let output = Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
        };
        SshError::of("node1", "copying the program", &output)
    }

    /// What OpenSSH 9.2 wrote.
    #[test]
    fn sshs_words_come_with_the_remedy() {
        for (stderr, remedy) in [
            ("ssh: connect to host node1 port 22: Connection refused\r\n", "does sshd run there"),
            ("ssh: connect to host node1 port 22: No route to host\r\n", "is it up"),
            ("ssh: connect to host node1 port 22: Connection timed out\r\n", "firewall"),
            ("ssh: Could not resolve hostname node1: Name or service not known\r\n", "ssh -G"),
            ("me@node1: Permission denied (publickey).\r\n", "ssh-copy-id"),
            (
                "No ED25519 host key is known for node1 and you have requested strict checking.\r\n\
                 Host key verification failed.\r\n",
                "accept-new",
            ),
        ] {
            let error = ended(255, stderr);
            let said = error.to_string();
            assert!(
                said.contains(stderr.lines().last().unwrap()) && said.contains(remedy),
                "{said}"
            );
            assert!(error.may_pass() && said.starts_with("node1 cannot be reached"), "{said}");
        }
        let error = ended(255, "Warning: Permanently added 'node1' to the list of known hosts.\n");
        assert!(error.to_string().contains("ssh says: nothing (exit status: 255)"), "{error}");
    }

    #[test]
    fn a_hosts_own_words_are_no_failure_of_ssh() {
        let error = ended(1, "sh: line 1: cat: write error: No space left on device\n");
        assert!(!error.may_pass());
        let said = error.to_string();
        assert!(said.starts_with("node1: copying the program failed: sh: line 1"), "{said}");
        assert!(said.ends_with("in the home folder"), "{said}");
        let error = ended(
            1,
            "./nibble-bench: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by \
             ./nibble-bench)\n",
        );
        assert!(error.to_string().contains("build on the oldest host"), "{error}");
    }
}
