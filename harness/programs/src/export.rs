//! Summaries of commands as tables in files: CSV, Markdown, AsciiDoc, Org. Columns are those of
//! hyperfine.

use std::fmt::Write;

use stats::median;

use crate::{Command, Run};

/// A command and its runs.
#[derive(Clone, Debug)]
pub struct Exported<'a> {
    pub command: &'a Command,
    pub runs: Vec<&'a Run>,
}

/// What the runs of a command took, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub mean_s: f64,
    /// The sample's standard deviation; none of a single run.
    pub deviation_s: Option<f64>,
    pub median_s: f64,
    pub min_s: f64,
    pub max_s: f64,
    /// Means.
    pub user_s: f64,
    pub system_s: f64,
}

impl Summary {
    /// `None` of no runs.
    #[must_use]
    pub fn of(runs: &[&Run]) -> Option<Self> {
        let of = |time: fn(&Run) -> f64| runs.iter().map(|run| time(run)).collect::<Vec<f64>>();
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let times = of(Run::elapsed_s);
        let middle = mean(&times);
        let squares: f64 = times.iter().map(|time| (time - middle).powi(2)).sum();
        Some(Self {
            mean_s: middle,
            deviation_s: (runs.len() > 1).then(|| (squares / (runs.len() - 1) as f64).sqrt()),
            median_s: median(&times)?,
            min_s: times.iter().copied().fold(f64::INFINITY, f64::min),
            max_s: times.iter().copied().fold(0.0, f64::max),
            user_s: mean(&of(|run| run.user_ns as f64 * 1e-9)),
            system_s: mean(&of(|run| run.system_ns as f64 * 1e-9)),
        })
    }
}

impl Run {
    /// Wall time in seconds.
    #[must_use]
    pub fn elapsed_s(&self) -> f64 {
        self.elapsed_ns as f64 * 1e-9
    }
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Markdown,
    AsciiDoc,
    Org,
}

/// The commands that have runs, with what these took.
fn summaries<'a>(commands: &'a [Exported<'a>]) -> Vec<(&'a Exported<'a>, Summary)> {
    let known = commands.iter().filter_map(|one| Some((one, Summary::of(&one.runs)?)));
    known.collect()
}

/// The table in this format. CSV is in seconds, the others in the unit that suits the slowest.
#[must_use]
pub fn written(commands: &[Exported<'_>], format: Format) -> String {
    let all = summaries(commands);
    if format == Format::Csv {
        return csv(&all);
    }
    let slowest = all.iter().map(|(_, summary)| summary.mean_s).fold(0.0, f64::max);
    let (unit, factor) = if slowest < 1.0 { ("ms", 1e3) } else { ("s", 1.0) };
    let fastest = all.iter().map(|(_, summary)| summary.mean_s).fold(f64::INFINITY, f64::min);
    let headings = [
        "Command",
        &format!("Mean [{unit}]"),
        &format!("Min [{unit}]"),
        &format!("Max [{unit}]"),
        "Relative",
    ]
    .map(str::to_owned);
    let rows = all.iter().map(|(exported, summary)| {
        let told = |time: f64| format!("{:.1}", time * factor);
        let spread = summary.deviation_s.map_or(String::new(), |it| format!(" ± {}", told(it)));
        [
            format!("`{}`", exported.command.name.replace('|', r"\|")),
            format!("{}{spread}", told(summary.mean_s)),
            told(summary.min_s),
            told(summary.max_s),
            format!("{:.2}", summary.mean_s / fastest),
        ]
    });
    let mut text = String::new();
    let bars = |row: &[String; 5]| format!("| {} |\n", row.join(" | "));
    match format {
        Format::Csv => {}
        Format::Markdown => {
            text += &bars(&headings);
            text += "|:---|---:|---:|---:|---:|\n";
            rows.for_each(|row| text += &bars(&row));
        }
        Format::Org => {
            text += &bars(&headings);
            text += "|--+--+--+--+--|\n";
            rows.for_each(|row| text += &bars(&row));
        }
        Format::AsciiDoc => {
            text += "[cols=\"<,>,>,>,>\"]\n|===\n";
            let cells = |row: &[String; 5]| {
                row.iter().map(|cell| format!("| {cell}\n")).collect::<String>() + "\n"
            };
            text += &cells(&headings);
            rows.for_each(|row| text += &cells(&row));
            text += "|===\n";
        }
    }
    text
}

/// In seconds; a column for each parameter.
fn csv(all: &[(&Exported<'_>, Summary)]) -> String {
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in all.iter().flat_map(|(exported, _)| &exported.command.parameters) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = "command,mean,stddev,median,user,system,min,max".to_owned();
    names.iter().for_each(|name| text += &format!(",{}", quoted(&format!("parameter_{name}"))));
    text.push('\n');
    for (exported, it) in all {
        let deviation = it.deviation_s.map_or(String::new(), |it| it.to_string());
        let _ = write!(
            text,
            "{},{},{deviation},{},{},{},{},{}",
            quoted(&exported.command.name),
            it.mean_s,
            it.median_s,
            it.user_s,
            it.system_s,
            it.min_s,
            it.max_s
        );
        for name in &names {
            let value = exported.command.parameters.iter().find(|(one, _)| one == *name);
            let _ = write!(text, ",{}", quoted(value.map_or("", |(_, value)| value)));
        }
        text.push('\n');
    }
    text
}

/// As in RFC 4180.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
