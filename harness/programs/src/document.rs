//! What was measured, as a document for programs, and curves as a table for plots.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::measured::{MEASURES, Measure};
use crate::{Command, Point, Run};

/// Version of the documents of `measure` and `allocators`.
const SCHEMA: u32 = 1;
/// Points of a curve that are written; of more the highest of each stretch.
const POINTS_MAX: usize = 500;

/// The document: what was called, a result for each name, and what a reader should know.
#[must_use]
pub fn document(
    called: &str,
    results: &[(String, &Command, Vec<&Run>, Value)],
    notes: &[String],
) -> Value {
    let results: Vec<Value> = results
        .iter()
        .map(|(name, command, runs, more)| result(name, command, runs, more))
        .collect();
    json!({ "schema": SCHEMA, "command": called, "results": results, "notes": notes })
}

fn result(name: &str, command: &Command, runs: &[&Run], more: &Value) -> Value {
    let parameters: serde_json::Map<String, Value> = command
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    let mut result = json!({
        "name": name,
        "command": command.line(),
        "parameters": parameters,
        "runs": runs.iter().map(|run| of_run(run)).collect::<Vec<_>>(),
        "curve": typical(runs).map(|run| thinned(&run.curve)).unwrap_or_default(),
    });
    for measure in &MEASURES {
        result[measure.name] = estimate(runs, measure);
    }
    if let (Some(result), Some(more)) = (result.as_object_mut(), more.as_object()) {
        result.extend(more.clone());
    }
    result
}

/// A median with its interval and unit; null where nothing was measured.
fn estimate(runs: &[&Run], measure: &Measure) -> Value {
    let values: Vec<f64> = runs.iter().map(|run| (measure.of)(run)).collect();
    let Some(found) = compare::Values::of(&values).interval() else { return Value::Null };
    json!({
        "unit": measure.unit,
        "median": found.estimate,
        "from": found.low,
        "to": found.high,
        "count": found.count,
    })
}

fn of_run(run: &Run) -> Value {
    json!({
        "elapsed-ns": run.elapsed_ns,
        "user-ns": run.user_ns,
        "system-ns": run.system_ns,
        "peak-bytes": run.peak_bytes,
        "minor-faults": run.minor_faults,
        "major-faults": run.major_faults,
        "voluntary-switches": run.voluntary_switches,
        "involuntary-switches": run.involuntary_switches,
        "ending": run.ending.to_string(),
        "exit-code": run.ending.code(),
        "left": run.left,
        "samples": run.curve.len(),
    })
}

/// The run in the middle by elapsed time: whose curve is shown.
fn typical<'a>(runs: &[&'a Run]) -> Option<&'a Run> {
    let mut sorted = runs.to_vec();
    sorted.sort_by_key(|run| run.elapsed_ns);
    sorted.get(sorted.len() / 2).copied()
}

/// At most [`POINTS_MAX`] points, of each stretch the highest.
fn thinned(curve: &[Point]) -> Vec<Point> {
    let stretch = curve.len().div_ceil(POINTS_MAX).max(1);
    let highest = |points: &[Point]| points.iter().max_by_key(|point| point.bytes).copied();
    curve.chunks(stretch).filter_map(highest).collect()
}

/// Memory over time of the typical run of each name, for `plots/programs.gp`.
#[must_use]
pub fn curve_table(results: &[(String, Vec<&Run>)]) -> String {
    let mut table = "series\telapsed-s\tmemory-mib\n".to_owned();
    for (name, runs) in results {
        let name = name.replace(['\t', '\n', '"'], " ");
        let Some(run) = typical(runs) else { continue };
        for point in thinned(&run.curve) {
            let elapsed = point.elapsed_ns as f64 * 1e-9;
            let mib = point.bytes as f64 / f64::from(1 << 20);
            let _ = writeln!(table, "{name}\t{elapsed:.6}\t{mib:.3}");
        }
    }
    table
}
