//! `latency`: adds the latency histograms of a run's cells up and prints their percentiles.

use std::collections::BTreeMap;
use std::path::Path;

use hdrhistogram::Histogram;

use super::Failure;
use record::archive;

/// Percentiles printed.
const PERCENTILES: [f64; 6] = [50.0, 90.0, 99.0, 99.9, 99.99, 100.0];

/// Prints a line for each kind of operation of each system.
pub(super) fn run(folder: &Path, filter: Option<&str>) -> Result<(), Failure> {
    let (_, rows) = archive::load(folder).map_err(Failure::usage)?;
    let mut merged: BTreeMap<(String, String), Histogram<u64>> = BTreeMap::new();
    let mut cells = 0;
    for row in rows.iter().filter(|row| filter.is_none_or(|text| row.cell.id.contains(text))) {
        let Some(name) = &row.histograms else { continue };
        let path = folder.join(name);
        let fail = |error: String| Failure::internal(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        cells += 1;
        for (kind, histogram) in archive::read_log(&text).map_err(fail)? {
            match merged.get_mut(&(row.system.clone(), kind.clone())) {
                Some(known) => known.add(&histogram).map_err(|error| fail(error.to_string()))?,
                None => {
                    merged.insert((row.system.clone(), kind), histogram);
                }
            }
        }
    }
    if merged.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no cell{} has latency histograms",
            folder.display(),
            filter.map_or_else(String::new, |text| format!(" whose id contains `{text}`"))
        )));
    }
    println!("latency in µs, histograms of {cells} cells added up");
    println!(
        "{:<32} {:<18} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "system", "operation", "samples", "p50", "p90", "p99", "p99.9", "p99.99", "max"
    );
    for ((system, kind), histogram) in &merged {
        let values: Vec<String> = PERCENTILES
            .iter()
            .map(|at| format!("{:>9.2}", histogram.value_at_percentile(*at) as f64 / 1e3))
            .collect();
        println!("{system:<32} {kind:<18} {:>10} {}", histogram.len(), values.join(" "));
    }
    Ok(())
}
