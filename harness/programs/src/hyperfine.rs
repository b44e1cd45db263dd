//! Results in the JSON that hyperfine exports, version 1: what reads its files reads ours.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::export::{Exported, Summary};

#[derive(Serialize)]
struct Document<'a> {
    results: Vec<Benchmark<'a>>,
}

/// Times in seconds, memory in bytes.
#[derive(Serialize)]
struct Benchmark<'a> {
    command: &'a str,
    mean: f64,
    /// Absent of a single run.
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    times: Vec<f64>,
    memory_usage_byte: Vec<u64>,
    /// None of a run that a signal ended.
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<&'a str, &'a str>,
}

/// The document, indented, with a newline at its end.
#[must_use]
pub fn json(commands: &[Exported<'_>]) -> String {
    let results = commands.iter().filter_map(|exported| {
        let summary = Summary::of(&exported.runs)?;
        let each = exported.runs.iter();
        Some(Benchmark {
            command: &exported.command.name,
            mean: summary.mean_s,
            stddev: summary.deviation_s,
            median: summary.median_s,
            user: summary.user_s,
            system: summary.system_s,
            min: summary.min_s,
            max: summary.max_s,
            times: each.clone().map(|run| run.elapsed_s()).collect(),
            memory_usage_byte: each.clone().map(|run| run.peak_bytes).collect(),
            exit_codes: each.map(|run| run.ending.code()).collect(),
            parameters: exported
                .command
                .parameters
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
        })
    });
    let document = Document { results: results.collect() };
    let mut json = serde_json::to_string_pretty(&document).expect("plain data");
    json.push('\n');
    json
}
