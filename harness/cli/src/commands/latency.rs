//! `latency`: adds the latency histograms of a run's cells up and prints their percentiles, with
//! intervals over the cells.

use std::collections::BTreeMap;
use std::path::Path;

use compare::render::aligned;
use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};
use stats::{Interval, of_processes};

use super::{Failure, output};
use crate::cli::LatencyArguments;
use crate::targets::Estimate;
use record::archive;

/// Percentiles printed.
const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
    ("max", 100.0),
];

/// By system and kind of operation: a histogram for each cell.
type Histograms = BTreeMap<(String, String), Vec<Histogram<u64>>>;

/// Prints a line for each kind of operation of each system.
pub(super) fn run(arguments: &LatencyArguments) -> Result<(), Failure> {
    let LatencyArguments { run: folder, filter, json } = arguments;
    let (cells, found) = read(folder, filter.as_deref())?;
    if found.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no cell{} has latency histograms",
            folder.display(),
            filter.as_ref().map_or_else(String::new, |text| format!(" whose id contains `{text}`"))
        )));
    }
    if *json {
        let kinds = found.iter().map(|((system, kind), all)| as_data(system, kind, all));
        let kinds = kinds.collect::<Result<Vec<Value>, Failure>>()?;
        output::print_json(&json!({ "cells": cells, "unit": "ns", "latencies": kinds }));
        return Ok(());
    }
    println!(
        "latency in µs, histograms of {cells} cells added up; in brackets the 95 % interval over cells, of \
         one or two the range"
    );
    let headings =
        ["system", "operation", "samples", "p50", "p90", "p99", "p99.9", "p99.99", "max"];
    let rows = found.iter().map(|((system, kind), all)| row(system, kind, all));
    let rows = rows.collect::<Result<Vec<_>, Failure>>()?;
    print!("{}", aligned(&headings, &rows, |column| column < 2));
    Ok(())
}

/// The number of cells with histograms, and these by system and kind of operation.
fn read(folder: &Path, filter: Option<&str>) -> Result<(usize, Histograms), Failure> {
    let (_, rows) = archive::load(folder).map_err(Failure::usage)?;
    let mut found = Histograms::new();
    let mut cells = 0;
    for row in rows.iter().filter(|row| filter.is_none_or(|text| row.cell.id.contains(text))) {
        let Some(name) = &row.histograms else { continue };
        let path = folder.join(name);
        let fail = |error: String| Failure::internal(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        cells += 1;
        for (kind, histogram) in archive::read_log(&text).map_err(fail)? {
            found.entry((row.system.clone(), kind)).or_default().push(histogram);
        }
    }
    Ok((cells, found))
}

/// All histograms added up.
fn merged(all: &[Histogram<u64>]) -> Result<Histogram<u64>, Failure> {
    let (first, rest) = all.split_first().expect("a kind has a histogram");
    let mut merged = first.clone();
    for one in rest {
        merged
            .add(one)
            .map_err(|error| Failure::internal(format!("adding histograms up: {error}")))?;
    }
    Ok(merged)
}

/// A percentile of what was added up, with the interval of the cells' own; in nanoseconds.
fn percentile(merged: &Histogram<u64>, all: &[Histogram<u64>], at: f64) -> Interval {
    let of_cells = all.iter().map(|one| one.value_at_percentile(at) as f64);
    let estimate = merged.value_at_percentile(at) as f64;
    let ends = of_processes(&of_cells.collect::<Vec<_>>());
    let ends = ends.unwrap_or_else(|| Interval::exact(estimate, all.len()));
    Interval { estimate, low: ends.low.min(estimate), high: ends.high.max(estimate), ..ends }
}

fn row(system: &str, kind: &str, all: &[Histogram<u64>]) -> Result<[String; 9], Failure> {
    let merged = merged(all)?;
    let told = |at: f64| {
        let Interval { estimate, low, high, count, .. } = percentile(&merged, all, at);
        let us = |ns: f64| format!("{:.2}", ns / 1e3);
        if count < 2 {
            us(estimate)
        } else {
            format!("{} ({} … {})", us(estimate), us(low), us(high))
        }
    };
    let [p50, p90, p99, p999, p9999, max] = PERCENTILES.map(|(_, at)| told(at));
    let samples = merged.len().to_string();
    Ok([system.to_owned(), kind.to_owned(), samples, p50, p90, p99, p999, p9999, max])
}

fn as_data(system: &str, kind: &str, all: &[Histogram<u64>]) -> Result<Value, Failure> {
    let merged = merged(all)?;
    let percentiles: Map<String, Value> = PERCENTILES
        .iter()
        .map(|(name, at)| {
            let found = Estimate::from(percentile(&merged, all, *at));
            ((*name).to_owned(), serde_json::to_value(found).expect("plain data"))
        })
        .collect();
    Ok(json!({
        "system": system,
        "operation": kind,
        "samples": merged.len(),
        "percentiles": percentiles,
    }))
}
