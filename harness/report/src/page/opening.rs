//! What a reader must know first: what was asked, where, when, and what limits every conclusion.

use std::collections::BTreeMap;

use super::outcomes;
use super::table::Table;
use crate::figures::table::prefixed;
use crate::suites::BUILT_IN;
use record::{Flag, Row, archive::RunRecord, is_sound, repetition::without_repetition};

/// Question, machine, and what limits every conclusion.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) title: String,
    pub(super) question: String,
    /// How many other suites asked something.
    pub(super) further: usize,
    pub(super) summary: String,
    /// What bears on all numbers.
    pub(super) limits: Vec<String>,
    /// What the run says of itself besides.
    pub(super) notices: Vec<String>,
}

impl Opening {
    /// `headline` is the question of the first figure shown.
    pub(super) fn of(run: &RunRecord, rows: &[Row], cells: usize, headline: Option<&str>) -> Self {
        let end = match run.finished.as_deref() {
            Some(end) => format!("to {end}"),
            None => "with no end".to_owned(),
        };
        let summary = format!(
            "{}. Scale {}; {} {end}; {cells} of {} cells planned; {} steps: {}.",
            machine_line(run),
            scale(run),
            run.started,
            run.cells_planned,
            rows.len(),
            outcomes::sentence(rows)
        );
        let only = match run.suites.as_slice() {
            [(_, question)] => Some(question.as_str()),
            _ => None,
        };
        Self {
            title: format!("{}, {}", run.name, run.started),
            question: only.or(headline).unwrap_or(&run.name).to_owned(),
            further: run.suites.len().saturating_sub(1),
            summary,
            limits: limits(run, rows).into_iter().chain([scope(run, rows)]).collect(),
            notices: notices(run, rows),
        }
    }
}

/// Whether the run asked what published claims are about: a suite that comes with the program.
pub(super) fn asks_what_claims_ask(run: &RunRecord) -> bool {
    let is_built_in = |name: &str| BUILT_IN.iter().any(|(known, _)| *known == name);
    run.suites.iter().any(|(name, _)| is_built_in(name))
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

/// What bears on every number of this run, in sentences.
fn limits(run: &RunRecord, rows: &[Row]) -> Vec<String> {
    let mut limits = Vec::new();
    if run.scale.as_ref().is_some_and(|scale| scale.name == "smoke") {
        limits.push(
            "Scale smoke: too small to conclude from. It shows that everything runs, and its \
             numbers mean nothing more."
                .to_owned(),
        );
    }
    if run.interrupted {
        limits.push("The run was stopped by the user: not every cell was measured.".to_owned());
    } else if run.finished.is_none() {
        limits.push("The run did not come to its end: not every cell was measured.".to_owned());
    }
    let unexpected = rows.iter().filter(|row| !row.expected).count();
    if unexpected > 0 {
        limits.push(format!(
            "{} ended in an outcome that the plan does not allow for; see Outcomes.",
            steps(unexpected)
        ));
    }
    let flagged = |flag: Flag| rows.iter().filter(|row| row.flags.contains(&flag)).count();
    let told = [
        (Flag::Stolen, "lost more than 5 % of the processor's time to others on the host"),
        (Flag::Cached, "had a live set that fits the last-level cache, so they measure the cache"),
        (Flag::DriverBound, "spent over 15 % of an operation's time in the harness"),
    ];
    limits.extend(told.into_iter().filter_map(|(flag, words)| match flagged(flag) {
        0 => None,
        count => Some(format!("{} {words}.", steps(count))),
    }));
    limits.extend(unlike(rows));
    limits
}

/// Of what the numbers are, and of what they are not.
fn scope(run: &RunRecord, rows: &[Row]) -> String {
    format!(
        "All numbers are of this machine{} and of this run. Intervals are over its processes{} and say \
         nothing of other machines.",
        fact(run, "cores").map_or(String::new(), |cores| format!(" with {cores} cores")),
        repetitions(rows).map_or(String::new(), |range| format!(", {range} a number,"))
    )
}

fn steps(count: usize) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}

/// That stores answered under conditions that differ, where they did.
fn unlike(rows: &[Row]) -> Option<String> {
    let conditions = rows.iter().filter_map(|row| row.conditions.as_ref());
    let kinds = super::distinct(conditions.map(record::Conditions::that_matter));
    (kinds.len() > 1).then(|| {
        format!(
            "Stores answered under {} kinds of conditions, such as page size and transport; letters in \
             brackets mark those that differ.",
            kinds.len()
        )
    })
}

/// How many processes measured the same thing, at least and at most.
fn repetitions(rows: &[Row]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.last && is_sound(row)) {
        *counts.entry(without_repetition(&row.cell.id)).or_insert(0) += 1;
    }
    let (least, most) = (counts.values().min()?, counts.values().max()?);
    Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
}

/// What limits every conclusion from this run and what it says of itself, in sentences.
pub(super) fn all_notices(run: &RunRecord, rows: &[Row]) -> Vec<String> {
    limits(run, rows).into_iter().chain(notices(run, rows)).collect()
}

/// What the run says of itself.
fn notices(run: &RunRecord, rows: &[Row]) -> Vec<String> {
    let mut notices = run.notices.clone();
    notices.extend(
        outcomes::left_out(rows)
            .into_iter()
            .map(|(system, reason)| format!("Left out: {system}: {reason}")),
    );
    if !run.resumed.is_empty() {
        let times = run.resumed.join(", ");
        notices.push(format!("The run was interrupted and resumed at {times}."));
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

fn fact<'a>(run: &'a RunRecord, name: &str) -> Option<&'a str> {
    run.machine.facts.get(name).map(String::as_str)
}

/// The machine in one line.
pub fn machine_line(run: &RunRecord) -> String {
    let mut line = fact(run, "cpu").unwrap_or("unknown processor").to_owned();
    for (name, unit) in
        [("cores", " cores"), ("cache-l3", " last-level cache"), ("memory-mib", " MiB memory")]
    {
        if let Some(value) = fact(run, name) {
            line += &format!(", {value}{unit}");
        }
    }
    if fact(run, "virtualised") == Some("true") {
        line += ", virtual machine";
    }
    for (name, before) in [("kernel", "Linux "), ("operating-system", "")] {
        if let Some(value) = fact(run, name) {
            line += &format!(", {before}{value}");
        }
    }
    line
}
