//! What `memtier_benchmark` writes with `--json-out-file`: one section per run, with an object for
//! each operation and one for all. Several runs (`-x`) have a section each only under
//! `--print-all-runs`; otherwise there are the best, the worst and the average.

use serde_json::Value;

use super::field::Field;
use super::lines::{Imported, Lines, Quantity, THROUGHPUT, push};
use super::percentile::percentile;
use super::{ImportFault, Tool};

const ONLY_RUN: &str = "ALL STATS";
const AVERAGE: &str = "AGGREGATED AVERAGE RESULTS";
const TOTALS: &str = "Totals";
/// Latencies are in milliseconds.
const MILLISECOND_NS: f64 = 1e6;

/// The settings that name a cell, by memtier's name for them.
const CELL: [&str; 5] = ["ratio", "data_size", "key_pattern", "pipeline", "protocol"];
/// What else decides what is asked.
const ASKS: [&str; 9] = [
    "requests",
    "test_time",
    "rate_limit",
    "data_size_range",
    "data_size_list",
    "key_minimum",
    "key_maximum",
    "multi_key_get",
    "reconnect_interval",
];

/// Succeeds if memtier wrote it; the error says why it did not.
pub(super) fn recognise(json: &Value) -> Result<(), String> {
    if sections(&Field::root(json)).is_empty() {
        return Err(format!("it has none of {ONLY_RUN}, RUN #1 RESULTS, {AVERAGE}"));
    }
    Ok(())
}

/// One cell, one value a run.
pub(super) fn import(json: &Value, stem: &str) -> Result<Imported, ImportFault> {
    let json = Field::root(json);
    let sections = sections(&json);
    let configuration = json.get("configuration");
    let cell = configuration.as_ref().and_then(cell).unwrap_or_else(|| stem.to_owned());
    let mut lines = Lines::new(Tool::Memtier, stem);
    if let Some(configuration) = &configuration {
        lines.line(&cell).asks = written(configuration, &ASKS).join(" ");
    }
    for (name, section) in &sections {
        if name.starts_with(AVERAGE) {
            lines.note(format!(
                "{cell}: of several runs only their average is in it, so it is one value: run \
                 memtier with --print-all-runs"
            ));
        }
        import_section(section, &cell, &mut lines)?;
    }
    let runs = configuration.and_then(|configuration| configuration.get("run_count")?.written());
    if let Some(runs) = runs.filter(|runs| {
        sections.iter().any(|(name, _)| run_number(name).is_some())
            && *runs != sections.len().to_string()
    }) {
        lines.note(format!("{cell}: {} of {runs} runs are in it", sections.len()));
    }
    let full = json.get("benchmark_completion").and_then(|completion| completion.get("full_run"));
    if full.is_some_and(|full| full.is(&Value::Bool(false))) {
        lines.note(format!("{cell}: memtier was interrupted"));
    }
    lines.finish()
}

/// The sections to read: single runs in their order where there are any, else the only run, else
/// the average.
fn sections<'v>(json: &Field<'v>) -> Vec<(&'v str, Field<'v>)> {
    let mut runs: Vec<_> = json.members().filter(|(name, _)| run_number(name).is_some()).collect();
    runs.sort_by_key(|(name, _)| run_number(name));
    if runs.is_empty() {
        runs.extend(json.get(ONLY_RUN).map(|section| (ONLY_RUN, section)));
    }
    if runs.is_empty() {
        runs.extend(json.members().find(|(name, _)| name.starts_with(AVERAGE)));
    }
    runs
}

/// The number in `RUN #2 RESULTS`.
fn run_number(name: &str) -> Option<u32> {
    name.strip_prefix("RUN #")?.strip_suffix(" RESULTS")?.parse().ok()
}

fn cell(configuration: &Field<'_>) -> Option<String> {
    let mut parts = written(configuration, &CELL);
    let connections = ["threads", "clients"].map(|key| configuration.get(key)?.written());
    if let [Some(threads), Some(clients)] = connections {
        parts.push(format!("clients={threads}x{clients}"));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn written(configuration: &Field<'_>, keys: &[&str]) -> Vec<String> {
    let of = |key: &&str| Some(format!("{key}={}", configuration.get(key)?.written()?));
    keys.iter().filter_map(of).collect()
}

fn import_section(section: &Field<'_>, cell: &str, lines: &mut Lines) -> Result<(), ImportFault> {
    let totals = section.need(TOTALS)?;
    let rate = totals.need("Ops/sec")?;
    let throughput = rate.number()?;
    // An interrupted run writes this, whatever it did.
    if throughput == 0.0 {
        return Err(rate.unlike("above 0: let memtier run to its end"));
    }
    push(lines.line(cell), THROUGHPUT, Quantity::Rate, throughput);
    for (name, operation) in section.members() {
        let prefix = match name {
            TOTALS => String::new(),
            // `Sets`, `Gets`; of `--command` the command with an s.
            _ => format!("{}-", name.strip_suffix('s').unwrap_or(name).to_lowercase()),
        };
        // Histograms and the start time stand beside the operations.
        let Some(rate) = operation.get("Ops/sec") else { continue };
        let count = operation.get("Count").unwrap_or(rate).number()?;
        if count > 0.0 {
            import_operation(&operation, &prefix, cell, lines)?;
        }
    }
    Ok(())
}

/// The mean and every percentile there is.
fn import_operation(
    operation: &Field<'_>,
    prefix: &str,
    cell: &str,
    lines: &mut Lines,
) -> Result<(), ImportFault> {
    // Older versions call the mean plainly `Latency`.
    let mean = operation.get("Average Latency").or_else(|| operation.get("Latency"));
    let mut latencies: Vec<(String, Field<'_>)> =
        mean.map(|mean| ("mean".to_owned(), mean)).into_iter().collect();
    if let Some(percentiles) = operation.get("Percentile Latencies") {
        latencies.extend(
            percentiles.members().filter_map(|(name, latency)| {
                Some((percentile(name.strip_prefix('p')?)?, latency))
            }),
        );
    }
    for (metric, latency) in latencies {
        let metric = format!("{prefix}{metric}");
        let value_ns = latency.number()? * MILLISECOND_NS;
        // No answer takes less than a microsecond: some versions lose the percentiles of all
        // operations together.
        if value_ns == 0.0 {
            lines.note(format!("{cell}: {metric} is 0, so memtier lost it: left out"));
        } else {
            push(lines.line(cell), &metric, Quantity::Nanoseconds, value_ns);
        }
    }
    Ok(())
}
