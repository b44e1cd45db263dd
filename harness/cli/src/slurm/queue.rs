//! The states of a job's tasks.

use std::collections::BTreeMap;
use std::process::Command;

use super::error::{SlurmError, asked};

/// Job, task, state, nodes, reason.
const FORMAT: &str = "--format=%F|%K|%T|%N|%r";

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits, for the reason that Slurm gives.
    Waits(String),
    /// It runs on the node of that name.
    Runs(String),
    /// It was cancelled by somebody.
    Cancelled,
    /// It ended, well or not.
    Ended,
}

/// The tasks that Slurm knows, by job and number.
pub(crate) type Tasks = BTreeMap<(String, u32), State>;

/// Asks for the tasks of these jobs. Slurm forgets jobs a while after their end.
pub(crate) fn tasks(jobs: &[String]) -> Result<Tasks, SlurmError> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--states=all", FORMAT]);
    command.arg(format!("--jobs={}", jobs.join(",")));
    match asked("squeue", &mut command) {
        Ok(text) => Ok(text.lines().filter_map(task).collect()),
        Err(SlurmError::Refused { words, .. }) if words.contains("Invalid job id") => {
            Ok(Tasks::new())
        }
        Err(error) => Err(error),
    }
}

fn task(line: &str) -> Option<((String, u32), State)> {
    let fields: Vec<&str> = line.trim().split('|').collect();
    let [job, number, state, node, reason] = fields[..] else { return None };
    Some(((job.to_owned(), number.parse().ok()?), state_of(state, node, reason)))
}

fn state_of(word: &str, node: &str, reason: &str) -> State {
    match word {
        "RUNNING" | "COMPLETING" | "STAGE_OUT" | "SIGNALING" => State::Runs(node.to_owned()),
        "PENDING" | "CONFIGURING" | "REQUEUED" | "RESIZING" | "REQUEUE_FED" => {
            State::Waits(reason.to_owned())
        }
        "REQUEUE_HOLD" | "RESV_DEL_HOLD" | "SPECIAL_EXIT" | "SUSPENDED" | "STOPPED" => {
            State::Waits(format!("{word}: {reason}"))
        }
        "CANCELLED" => State::Cancelled,
        // All others are ends: COMPLETED, FAILED, TIMEOUT, NODE_FAIL, PREEMPTED, OUT_OF_MEMORY, DEADLINE &c.
        _ => State::Ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded on a cluster of four nodes, one of which was killed.
    const RECORDED: &str = "\
7|4|RUNNING|n4|None
7|3|COMPLETED|n3|None
7|2|PENDING||BeginTime
7|1|COMPLETING|n1|None
8|2|FAILED|n2|JobLaunchFailure
9|1|CANCELLED||None
9|2|PENDING||QOSMaxJobsPerUserLimit
9|3|NODE_FAIL|n2|NodeDown
9|4|REQUEUE_HOLD||job requeued in held state
";

    #[test]
    fn tasks_are_read_from_what_squeue_prints() {
        let tasks: Tasks = RECORDED.lines().filter_map(task).collect();
        let of = |job: &str, number| tasks[&(job.to_owned(), number)].clone();
        assert_eq!(of("7", 4), State::Runs("n4".to_owned()));
        assert_eq!(
            (of("7", 3), of("8", 2), of("9", 3)),
            (State::Ended, State::Ended, State::Ended)
        );
        assert_eq!(of("7", 1), State::Runs("n1".to_owned()), "its processes are being ended");
        assert_eq!(of("9", 2), State::Waits("QOSMaxJobsPerUserLimit".to_owned()));
        assert_eq!(of("9", 1), State::Cancelled);
        assert!(matches!(of("9", 4), State::Waits(why) if why.starts_with("REQUEUE_HOLD")));
        assert_eq!(task("slurm_load_jobs error"), None);
        assert_eq!(task("7|N/A|RUNNING|n1|None"), None, "a job that is no array");
    }
}
