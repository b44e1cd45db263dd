//! The page: everything of a run in one file.

use std::fs;
use std::path::{Path, PathBuf};

use super::html::{element, escape, list, table};
use super::{figure, outcomes, reference, systems};
use crate::archive::RunRecord;
use crate::figures::Drawn;
use crate::figures::table::prefixed;
use crate::record::Row;

const STYLE: &str = include_str!("style.css");

/// Writes `report.html` into `folder`; it is complete or not there.
///
/// # Errors
/// The file and what the system said.
pub fn write(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
    drawn: &[Drawn],
) -> Result<PathBuf, String> {
    let html = page(run, rows, drawn)?;
    let path = folder.join("report.html");
    let part = folder.join("report.html.part");
    fs::write(&part, html)
        .and_then(|()| fs::rename(&part, &path))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn page(run: &RunRecord, rows: &[Row], drawn: &[Drawn]) -> Result<String, String> {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escape(&title(run))
    );
    html += &headline(run, rows);
    html += &contents(drawn);
    for drawn in drawn {
        html += &figure::section(run, drawn)?;
    }
    html += &format!("<section id=\"how\">\n{}</section>\n", reference::how_measured());
    html += &format!("<section id=\"systems\">\n{}</section>\n", systems::section(rows));
    html += &format!("<section id=\"outcomes\">\n{}</section>\n", outcomes::section(rows));
    html += &format!("<section id=\"machine\">\n{}</section>\n", machine(run));
    html += &format!("<section id=\"definitions\">\n{}</section>\n", reference::definitions());
    Ok(html + "</main>\n</body>\n</html>\n")
}

fn title(run: &RunRecord) -> String {
    format!("{}, {}", run.name, run.started)
}

/// What was run, where, and what one must know before reading on.
fn headline(run: &RunRecord, rows: &[Row]) -> String {
    let mut html = element("h1", &title(run));
    let notices = notices(run, rows);
    let mut lines = vec![
        vec!["command".to_owned(), run.command.clone()],
        vec!["scale".to_owned(), scale(run)],
        vec!["machine".to_owned(), machine_line(run)],
        vec!["time".to_owned(), time(run)],
        vec!["steps".to_owned(), outcomes::sentence(rows)],
    ];
    for (name, question) in &run.suites {
        lines.push(vec![format!("suite {name}"), question.clone()]);
    }
    if !notices.is_empty() {
        html += &format!("<div class=\"notice\" role=\"note\">{}</div>\n", list(&notices));
    }
    html + &table(&["what was run", ""], &lines)
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
pub(crate) fn machine_line(run: &RunRecord) -> String {
    let fact = |name: &str| run.machine.facts.get(name).map(String::as_str);
    let mut line = fact("cpu").unwrap_or("unknown processor").to_owned();
    for (name, unit) in [("cores", " cores"), ("memory-mib", " MiB memory")] {
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

fn time(run: &RunRecord) -> String {
    let end = run.finished.as_deref().unwrap_or("no end");
    format!("{} to {end}, {} cells planned", run.started, run.cells_planned)
}

fn contents(drawn: &[Drawn]) -> String {
    let mut html = "<nav><ol>\n".to_owned();
    let entry = |id: &str, text: &str| {
        format!("<li><a href=\"#{}\">{}</a></li>\n", escape(id), escape(text))
    };
    for drawn in drawn {
        html += &entry(drawn.figure.name, drawn.figure.title);
    }
    for (id, text) in [
        ("how", "How it is measured"),
        ("systems", "Systems"),
        ("outcomes", "Outcomes"),
        ("machine", "Machine"),
        ("definitions", "Definitions"),
    ] {
        html += &entry(id, text);
    }
    html + "</ol></nav>\n"
}

fn machine(run: &RunRecord) -> String {
    let facts = run.machine.facts.iter();
    let rows: Vec<Vec<String>> =
        facts.map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    element("h2", "Machine") + &table(&["fact", "value"], &rows)
}
