//! Instructions that the workers of both sides execute, one thread each, under callgrind: a second,
//! quiet signal beside time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use builds::{Flavour, callgrind};
use compare::Instructions;

use super::side::{Base, LiveSide};
use crate::commands::Failure;
use record::{Ageing, Cell, Driver, Work};

/// Operations of the shorter and of the longer count: loading and all else that happens once cancels
/// out between them.
const OPERATIONS: [u64; 2] = [10_000, 40_000];
/// Object memory of a counted cell: instructions do not depend on caches.
const OBJECT_MEMORY_BYTES: u64 = 8 << 20;
/// valgrind plays the processor some fifty times slower.
const LIMIT: Duration = Duration::from_secs(300);

/// Instructions an operation of every key-value cell, and what a reader has to know: preparing and verifying
/// requests is counted, too, and is the same for both sides.
pub(super) fn count(
    sides: &[LiveSide],
    bases: &[Base],
    results: &Path,
) -> Result<(Vec<Instructions>, Vec<String>), Failure> {
    let Some(version) = callgrind::available() else {
        let note = "Instructions are not counted: valgrind is missing (apt-get install valgrind).";
        return Ok((Vec::new(), vec![note.to_owned()]));
    };
    let mut notes = vec![format!(
        "Instructions: callgrind {version}, generic builds, one thread, {} against {} operations; requests \
         are prepared and verified by instructions that both sides share.",
        OPERATIONS[1], OPERATIONS[0]
    )];
    let programs = [&sides[0], &sides[1]].map(|side| generic(side, results));
    let mut found = Vec::new();
    for reason in programs.iter().filter_map(|program| program.as_ref().err()) {
        notes.push(format!("Instructions are not counted: {reason}"));
    }
    let [Ok(a), Ok(b)] = programs else { return Ok((found, notes)) };
    for base in bases {
        let mut counted = Vec::new();
        for (side, program) in [(&sides[0], &a), (&sides[1], &b)] {
            let Some(cell) = small(&side.cell(&base.cell)?) else { continue };
            match per_operation(program, &cell, results) {
                Ok((instructions, note)) => {
                    counted.push(instructions);
                    notes.extend(note.map(|note| format!("{}: {note}", base.name)));
                }
                Err(reason) => notes.push(format!("{}: not counted: {reason}", base.name)),
            }
        }
        if let [baseline_per_operation, candidate_per_operation] = counted[..] {
            let cell = base.name.clone();
            found.push(Instructions { cell, baseline_per_operation, candidate_per_operation });
        }
    }
    Ok((found, notes))
}

/// A program that valgrind can play: a path that was named is taken as it is, a revision is built without
/// instructions of this processor alone.
fn generic(side: &LiveSide, results: &Path) -> Result<PathBuf, String> {
    if side.is_build() {
        return Ok(side.program.clone());
    }
    let revision = side.about.facts.get("revision").map_or("unknown", String::as_str);
    if revision.starts_with("unknown") || revision.ends_with("-dirty") {
        return Err(format!(
            "{} was built from `{revision}`, which names no commit that could be built generic",
            side.name
        ));
    }
    super::side::build(revision, results, Flavour::Generic)
        .map_err(|failure| failure.message.unwrap_or_default())
}

/// The cell with one thread and little memory; `None` of what is no closed loop of requests.
fn small(cell: &Cell) -> Option<Cell> {
    let mut cell = cell.clone();
    let Work::KeyValue(work) = &mut cell.work else { return None };
    if !matches!(work.driver, Driver::Closed { .. }) {
        return None;
    }
    work.threads = 1;
    work.object_memory_bytes = OBJECT_MEMORY_BYTES;
    work.ageing = Ageing::None;
    work.operations_per_thread = OPERATIONS[0];
    work.size_records();
    cell.timeout_ms = LIMIT.as_millis() as u64;
    Some(cell)
}

fn per_operation(
    program: &Path,
    cell: &Cell,
    results: &Path,
) -> Result<(f64, Option<String>), String> {
    let counted = |operations: u64| -> Result<u64, String> {
        let mut cell = cell.clone();
        if let Work::KeyValue(work) = &mut cell.work {
            work.operations_per_thread = operations;
        }
        let line = serde_json::to_string(&cell).expect("a cell is plain data") + "\n";
        let scratch = results.join("builds").join("callgrind");
        let counted = callgrind::count(program, &["worker"], &line, &scratch, LIMIT)
            .map_err(|error| error.to_string())?;
        if has_measured(&counted.stdout) {
            return Ok(counted.instructions);
        }
        let last = counted.stdout.lines().last().unwrap_or_default();
        Err(format!("the worker did not end well under valgrind: {last}"))
    };
    let [first, again, long] = [OPERATIONS[0], OPERATIONS[0], OPERATIONS[1]].map(counted);
    let (first, again, long) = (first?, again?, long?);
    let instructions = callgrind::per_operation(first, long, OPERATIONS[0], OPERATIONS[1])
        .ok_or_else(|| format!("{long} instructions for more operations than {first}"))?;
    let repeats = callgrind::repeatable(&[first as f64, again as f64]);
    let note = (!repeats)
        .then(|| format!("two counts of the same differ: {first} and {again} instructions in all"));
    Ok((instructions, note))
}

/// Whether a worker that said this measured its run: refused stores and wrong values end it well, too.
fn has_measured(stdout: &str) -> bool {
    let mut events =
        stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    events.any(|event| {
        event["event"] == "step" && event["step"] == "run" && event["outcome"] == "measured"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_was_measured_counts() {
        let said = |step: &str, outcome: &str| {
            format!(
                "{{\"event\":\"before\",\"step\":\"{step}\",\"grows-bytes\":0}}\n\
                 {{\"event\":\"step\",\"step\":\"{step}\",\"outcome\":\"{outcome}\"}}\n\
                 {{\"event\":\"done\"}}\n"
            )
        };
        assert!(has_measured(&said("run", "measured")));
        assert!(!has_measured(&said("run", "full")));
        assert!(!has_measured(&said("load", "measured")));
        assert!(!has_measured("no event"));
    }
}
