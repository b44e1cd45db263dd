//! Processes that outlive the one that was started: found, because this process adopts what loses its
//! parent, and ended.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use crate::memory::{living_name, tree};
use crate::raw::{Patience, Usage, wait};

/// How long what is about to end may take to do so.
const GRACE: Duration = Duration::from_millis(200);
/// How long a killed process may take to be gone.
const DEATH: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// From now on this process adopts descendants whose parents end.
///
/// # Errors
/// The system's error.
pub(crate) fn adopt() -> io::Result<()> {
    // Any id says yes; the kernel takes no other meaning from it.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Kills all descendants of this process but those in `known`.
pub(crate) fn kill(known: &BTreeSet<u32>) {
    tree(known).into_iter().for_each(platform::process::kill);
}

/// What was left of a run.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// What those counted that were waited for here.
    pub(crate) usage: Usage,
    /// Names of the processes that would have gone on.
    pub(crate) ended: Vec<String>,
}

/// Reaps what is left of a run after its first process ended. What does not end by itself in 0.2 s is
/// killed, and named.
pub(crate) fn end(known: &BTreeSet<u32>) -> Left {
    let mut left = Left::default();
    let mut named = BTreeSet::new();
    let began = Instant::now();
    loop {
        let mut open = tree(known);
        // Only children can be waited for; those of others become ours when these end.
        open.retain(|pid| match wait(*pid, Patience::NotAtAll) {
            Ok(Some((_, usage))) => {
                left.usage = left.usage.plus(&usage);
                false
            }
            Ok(None) | Err(_) => true,
        });
        if open.is_empty() || began.elapsed() > GRACE + DEATH {
            return left;
        }
        if began.elapsed() > GRACE {
            for pid in open {
                if named.insert(pid) {
                    left.ended.extend(living_name(pid));
                }
                platform::process::kill(pid);
            }
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}
