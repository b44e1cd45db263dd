//! What commands took, as a table of a terminal.

use compare::Values;
use compare::render::aligned;
use compare::render::numbers::values;

use crate::measured::Measure;
use crate::{MEASURES, Run};

const HEADINGS: [&str; 9] = [
    "command",
    "elapsed (95 %)",
    "lowest … highest",
    "user",
    "system",
    "peak memory",
    "mean memory",
    "page faults",
    "runs",
];

/// A row for each name with its runs: medians, of elapsed time with its interval over processes.
#[must_use]
pub fn table(commands: &[(&str, Vec<&Run>)]) -> String {
    let rows: Vec<[String; 9]> = commands.iter().map(|(name, runs)| row(name, runs)).collect();
    aligned(&HEADINGS, &rows, |column| column == 0)
}

fn row(name: &str, runs: &[&Run]) -> [String; 9] {
    let all =
        |measure: &Measure| -> Vec<f64> { runs.iter().map(|run| (measure.of)(run)).collect() };
    let middle = |name: &str| {
        let Some(measure) = MEASURES.iter().find(|measure| measure.name == name) else {
            return String::new();
        };
        let middle = Values::of(&all(measure)).median().unwrap_or(f64::NAN);
        let [told] = values([middle], measure.unit);
        told.trim_end_matches(" faults").to_owned()
    };
    let times = all(&MEASURES[0]);
    let ends = times
        .iter()
        .fold([f64::INFINITY, 0.0_f64], |[low, high], time| [low.min(*time), high.max(*time)]);
    let range = if times.is_empty() { [f64::NAN; 2] } else { ends };
    [
        name.to_owned(),
        interval(&times, MEASURES[0].unit),
        values(range, MEASURES[0].unit).join(" … "),
        middle("user"),
        middle("system"),
        middle("peak-memory"),
        middle("mean-memory"),
        middle("minor-faults"),
        runs.len().to_string(),
    ]
}

/// The median with its interval, where there is one.
fn interval(times: &[f64], unit: &str) -> String {
    let Some(found) = Values::of(times).interval() else { return "–".to_owned() };
    let [middle, low, high] = values([found.estimate, found.low, found.high], unit);
    if found.count < 2 { middle } else { format!("{middle} ({low} … {high})") }
}
