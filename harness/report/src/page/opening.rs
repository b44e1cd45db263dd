//! What a reader must know first: what was run, where, when, and what limits every conclusion.

use super::outcomes;
use super::table::Table;
use crate::figures::table::prefixed;
use record::{Row, archive::RunRecord};

/// Title, summary and what limits every conclusion.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) limits: Vec<String>,
}

impl Opening {
    pub(super) fn of(run: &RunRecord, rows: &[Row], cells: usize) -> Self {
        let end = match run.finished.as_deref() {
            Some(end) => format!("to {end}"),
            None => "with no end".to_owned(),
        };
        let summary = format!(
            "Measured on {} at scale {}, from {} {end}: {cells} of {} cells planned, {} steps: {}.",
            machine_line(run),
            scale(run),
            run.started,
            run.cells_planned,
            rows.len(),
            outcomes::sentence(rows)
        );
        let mut limits = notices(run, rows);
        limits.push(
            "All numbers are of one machine and this run; intervals are over its processes and \
             say nothing of other machines."
                .to_owned(),
        );
        Self { title: format!("{}, {}", run.name, run.started), summary, limits }
    }
}

/// The command, the questions, the time.
pub(super) fn what_was_run(run: &RunRecord) -> Table {
    let mut lines =
        vec![vec!["command".to_owned(), run.command.clone()], vec!["scale".to_owned(), scale(run)]];
    for (name, question) in &run.suites {
        lines.push(vec![format!("suite {name}"), question.clone()]);
    }
    Table::plain(&["what", "as asked"], lines)
}

/// What limits every conclusion from this run, in sentences.
pub(super) fn notices(run: &RunRecord, rows: &[Row]) -> Vec<String> {
    let mut notices = Vec::new();
    if run.scale.as_ref().is_some_and(|scale| scale.name == "smoke") {
        notices.push(
            "Scale smoke: too small to conclude from. It shows that everything runs, and its \
             numbers mean nothing more."
                .to_owned(),
        );
    }
    notices.extend(run.notices.iter().cloned());
    if run.interrupted {
        notices.push("The run was stopped by the user: not every cell was measured.".to_owned());
    } else if run.finished.is_none() {
        notices.push("The run did not come to its end: not every cell was measured.".to_owned());
    }
    notices.extend(
        outcomes::left_out(rows)
            .into_iter()
            .map(|(system, reason)| format!("Left out: {system}: {reason}")),
    );
    if !run.resumed.is_empty() {
        let times = run.resumed.join(", ");
        notices.push(format!("The run was interrupted and resumed at {times}."));
    }
    let unexpected = rows.iter().filter(|row| !row.expected).count();
    if unexpected > 0 {
        let steps = if unexpected == 1 { "1 step" } else { &format!("{unexpected} steps") };
        notices.push(format!(
            "{steps} ended in an outcome that the plan does not allow for; see Outcomes."
        ));
    }
    notices
}

/// The sizes of the scale.
pub(super) fn scale(run: &RunRecord) -> String {
    let Some(scale) = &run.scale else { return "none: sizes given by hand".to_owned() };
    let objects = match scale.objects_max {
        u64::MAX => String::new(),
        most => format!(" and at most {} objects", prefixed(most as f64)),
    };
    format!(
        "{}: live sets of {} MiB{objects}, stores of {} MiB, {} operations per thread, {} \
         repetition(s), idle wait {} s",
        scale.name,
        scale.live_bytes >> 20,
        scale.store_bytes >> 20,
        prefixed(scale.operations_per_thread as f64),
        scale.repetitions,
        scale.idle_ms as f64 / 1e3
    )
}

/// The machine in one line.
pub fn machine_line(run: &RunRecord) -> String {
    let fact = |name: &str| run.machine.facts.get(name).map(String::as_str);
    let mut line = fact("cpu").unwrap_or("unknown processor").to_owned();
    for (name, unit) in
        [("cores", " cores"), ("cache-l3", " last-level cache"), ("memory-mib", " MiB memory")]
    {
        if let Some(value) = fact(name) {
            line += &format!(", {value}{unit}");
        }
    }
    if fact("virtualised") == Some("true") {
        line += ", virtual machine";
    }
    for (name, before) in [("kernel", "Linux "), ("operating-system", "")] {
        if let Some(value) = fact(name) {
            line += &format!(", {before}{value}");
        }
    }
    line
}
