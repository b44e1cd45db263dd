//! Leads a worker through its cell: answers wherever it waits, and says when a step that is to be sampled
//! begins and ends.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use record::Cell;
use worker::is_sampled;
use worker::protocol::Event;

/// What happens at the ends of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Begins,
    Ended,
}

/// Runs `command`, a worker or something that starts one, on `cell` to its end.
///
/// # Errors
/// The worker did not get through the cell, or `at` failed.
pub(super) fn follow(
    mut command: Command,
    cell: &Cell,
    mut at: impl FnMut(Moment) -> Result<(), String>,
) -> Result<(), String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("starting the worker: {error}"))?;
    let mut input = child.stdin.take().expect("standard input is piped");
    let output = child.stdout.take().expect("standard output is piped");
    // A worker that is gone is told by its exit.
    let _ = writeln!(input, "{}", serde_json::to_string(cell).expect("a cell is plain data"));
    let mut followed = Followed::default();
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let Ok(event) = serde_json::from_str::<Event>(&line) else { continue };
        if let Err(reason) = followed.note(cell, &event, &mut at) {
            followed.failure.get_or_insert(reason);
        }
        if waits(&event) {
            let _ = writeln!(input, "go");
        }
    }
    drop(input);
    let ended = child.wait_with_output().map_err(|error| format!("waiting for it: {error}"))?;
    if let Some(failure) = followed.failure {
        return Err(failure);
    }
    if !ended.status.success() || !followed.sampled {
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("without a word");
        return Err(format!(
            "it ended ({}) before its measured step was over: {said}",
            ended.status
        ));
    }
    Ok(())
}

/// What is known of a worker.
#[derive(Default)]
struct Followed {
    sampled: bool,
    failure: Option<String>,
}

impl Followed {
    fn note(
        &mut self,
        cell: &Cell,
        event: &Event,
        at: &mut impl FnMut(Moment) -> Result<(), String>,
    ) -> Result<(), String> {
        match event {
            Event::Before { step, .. } if is_sampled(cell, step) => at(Moment::Begins),
            Event::Step(report) if is_sampled(cell, &report.step) => {
                self.sampled = true;
                at(Moment::Ended)
            }
            Event::Failed { outcome, reason } => Err(format!("{}: {reason}", outcome.word())),
            _ => Ok(()),
        }
    }
}

/// Whether the worker stands still until it is answered.
fn waits(event: &Event) -> bool {
    matches!(
        event,
        Event::Ready { .. }
            | Event::Before { .. }
            | Event::Observe { .. }
            | Event::Position { .. }
            | Event::Ending
    )
}
