//! What hyperfine exports with `--export-json`. Version 1 has an array for each quantity and means
//! of user and system time; version 2 (`schema_version` 2) has an object for each run.

use serde_json::Value;

use super::field::Field;
use super::lines::{Imported, Lines, Quantity, push};
use super::{ImportFault, Tool};
use crate::line::Line;

/// What version 2 measures of each run, by our names. Its counters of the processor are left out.
const OF_A_RUN: [(&str, &str, Quantity); 4] = [
    ("time_wall_clock", "elapsed", Quantity::Seconds),
    ("time_user", "user", Quantity::Seconds),
    ("time_system", "system", Quantity::Seconds),
    ("memory_peak_resident", "peak-memory", Quantity::Bytes),
];

/// Succeeds if hyperfine wrote it; the error says why it did not.
pub(super) fn recognise(json: &Value) -> Result<(), String> {
    let results = json.get("results").and_then(Value::as_array).ok_or("it has no array results")?;
    match results.iter().position(|result| result.get("command").is_none()) {
        Some(at) => Err(format!("results[{at}] has no command")),
        None => Ok(()),
    }
}

/// One cell per result. Runs whose program failed are left out, and so are totals over all runs if
/// one of them failed.
pub(super) fn import(json: &Value, run: &str) -> Result<Imported, ImportFault> {
    let json = Field::root(json);
    let mut lines = Lines::new(Tool::Hyperfine, run);
    let began = json.get("metadata").and_then(|metadata| metadata.get("start_time"));
    let began = began.map(|time| time.text()).transpose()?.unwrap_or_default();
    for result in json.need("results")?.items()? {
        let cell = cell(&result)?;
        let runs = Runs::of(&result)?;
        let failed = runs.succeeded.iter().filter(|&&succeeded| !succeeded).count();
        if failed > 0 {
            let count = runs.succeeded.len();
            lines.note(format!("{cell}: {failed} of {count} runs failed and are left out"));
        }
        // A result whose runs all failed is left out; the notice above says so.
        if failed > 0 && failed == runs.succeeded.len() {
            continue;
        }
        let line = lines.new_line(&cell)?;
        began.clone_into(&mut line.measured);
        let notice = match result.get("measurements") {
            Some(_) => runs.push_each(line)?,
            None => runs.push_arrays(&result, line)?,
        };
        if let Some(notice) = notice {
            lines.note(format!("{cell}: {notice}"));
        }
    }
    lines.finish()
}

/// The name, or else the command, with all parameters: names alone may be ambiguous.
fn cell(result: &Field<'_>) -> Result<String, ImportFault> {
    let named = result.get("name").map_or_else(|| result.need("command"), Ok)?;
    let mut cell = named.text()?.to_owned();
    let mut parameters = Vec::new();
    if let Some(members) = result.get("parameters") {
        for (name, value) in members.members() {
            let value = value.get("value").unwrap_or(value);
            parameters.push(format!("{name}={}", value.text()?));
        }
    }
    if !parameters.is_empty() {
        cell = format!("{cell} ({})", parameters.join(", "));
    }
    Ok(cell)
}

/// The runs of one result.
struct Runs<'v> {
    /// Version 2's objects; none in version 1.
    measurements: Vec<Field<'v>>,
    /// Whether each run's program succeeded; empty where that is not said.
    succeeded: Vec<bool>,
}

impl<'v> Runs<'v> {
    fn of(result: &Field<'v>) -> Result<Self, ImportFault> {
        let succeeded = |code: &Field<'_>| code.is(&Value::from(0));
        let Some(measurements) = result.get("measurements") else {
            let codes = result.get("exit_codes").map(|codes| codes.items()).transpose()?;
            let succeeded = codes.unwrap_or_default().iter().map(succeeded).collect();
            return Ok(Self { measurements: Vec::new(), succeeded });
        };
        let measurements = measurements.items()?;
        if measurements.is_empty() {
            return Err(result.need("measurements")?.unlike("one object a run"));
        }
        let codes = measurements.iter().map(|run| Ok(succeeded(&run.need("exit_code")?)));
        let succeeded = codes.collect::<Result<_, ImportFault>>()?;
        Ok(Self { measurements, succeeded })
    }

    /// Version 2.
    fn push_each(&self, line: &mut Line) -> Result<Option<String>, ImportFault> {
        for (run, _) in self.measurements.iter().zip(&self.succeeded).filter(|(_, kept)| **kept) {
            run.need("time_wall_clock")?;
            for (theirs, ours, quantity) in OF_A_RUN {
                if let Some(measured) = run.get(theirs) {
                    push(line, ours, quantity, measured.need("value")?.number()?);
                }
            }
        }
        Ok(None)
    }

    /// Version 1.
    fn push_arrays(
        &self,
        result: &Field<'_>,
        line: &mut Line,
    ) -> Result<Option<String>, ImportFault> {
        let mut notice = None;
        if result.get("times").is_some() {
            for (theirs, ours, quantity) in [
                ("times", "elapsed", Quantity::Seconds),
                ("memory_usage_byte", "peak-memory", Quantity::Bytes),
            ] {
                let Some(values) = result.get(theirs) else { continue };
                for value in self.succeeded_of(&values)? {
                    push(line, ours, quantity, value);
                }
            }
        } else {
            push(line, "elapsed", Quantity::Seconds, result.need("mean")?.number()?);
            notice = Some("only the mean was exported, so it is one value".to_owned());
        }
        for time in ["user", "system"] {
            let Some(mean) = result.get(time) else { continue };
            let mean = mean.number()?;
            if self.succeeded.iter().all(|&succeeded| succeeded) {
                push(line, time, Quantity::Seconds, mean);
            } else {
                notice = Some("user and system are means with failed runs: left out".to_owned());
            }
        }
        Ok(notice)
    }

    /// The values of runs that succeeded.
    fn succeeded_of(&self, values: &Field<'_>) -> Result<Vec<f64>, ImportFault> {
        let numbers = values.numbers()?;
        if numbers.is_empty()
            || !(self.succeeded.is_empty() || self.succeeded.len() == numbers.len())
        {
            return Err(values.unlike("one number for each exit code, and at least one"));
        }
        let known = self.succeeded.iter().copied().chain(std::iter::repeat(true));
        Ok(numbers
            .into_iter()
            .zip(known)
            .filter_map(|(value, kept)| kept.then_some(value))
            .collect())
    }
}
