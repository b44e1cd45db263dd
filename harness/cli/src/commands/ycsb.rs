//! `ycsb`: runs YCSB's property files against stores of this suite.

use std::path::Path;

use stats::of_processes;
use workloads::distribution::SizeHistogram;
use workloads::ycsb::{Properties, YcsbRun, histogram_file, interpret};

use super::Failure;
use super::measure::{measure, record};
use crate::cli::YcsbArguments;
use crate::plan::{Plan, check_key_value, check_store};
use crate::traces::Traces;
use record::{Ageing, Arrivals, Cell, Driver, KeyValue, Row, Timing, archive};
use worker::exit;
use worker::registry;

/// Reads the properties, measures every store, and prints throughput and latency of each.
pub(super) fn run(arguments: &YcsbArguments) -> Result<(), Failure> {
    let asked = properties(arguments)?;
    let run = interpret(&asked).map_err(|error| Failure::usage(error.to_string()))?;
    let mut plan =
        Plan { cells: cells(arguments, &run)?, notices: run.notices.clone(), ..Plan::default() };
    if let Some(retry) = plan.cells.first().filter(|cell| cell.expected_bytes() > available()) {
        return Err(Failure::machine(format!(
            "{} records may need {} MiB, of which {} MiB are available: lower recordcount, or raise \
             --fill-percent",
            run.records,
            retry.expected_bytes() >> 20,
            available() >> 20
        )));
    }
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    plan.notices.insert(0, format!("properties: {}", as_text(&asked)));
    let record = record(&format!("ycsb-{}", run.workload.name), None, &[], &plan);
    let measured = measure(&plan, record, (&[], &Traces::default()), &arguments.output)?;
    let (_, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    for store in &arguments.stores {
        let label = registry::store(store).map_err(Failure::usage)?.label();
        print_store(&label, &rows);
    }
    println!("{}", measured.folder.display());
    if measured.interrupted {
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    if measured.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

fn available() -> u64 {
    worker::kernel::available_memory_bytes() / 100 * 80
}

/// Files first, in their order, then `-p` settings: later ones override earlier ones.
fn properties(arguments: &YcsbArguments) -> Result<Properties, Failure> {
    let mut all = Properties::default();
    for path in &arguments.files {
        let fail = |error: String| Failure::usage(format!("{}: {error}", path.display()));
        let text = read(path)?;
        all.extend(Properties::parse(&text).map_err(|error| fail(error.to_string()))?);
    }
    for setting in &arguments.settings {
        all.set(setting).map_err(|error| Failure::usage(error.to_string()))?;
    }
    if let Some(path) = histogram_file(&all) {
        let histogram = SizeHistogram::from_file(&read(Path::new(path))?)
            .map_err(|error| Failure::usage(format!("{path}: {error}")))?;
        let sizes = workloads::SizeDistribution::Histogram(histogram);
        all.set(&format!("fieldlengthhistogram={sizes}"))
            .map_err(|error| Failure::usage(error.to_string()))?;
    }
    Ok(all)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: cannot be read: {error}", path.display())))
}

fn as_text(properties: &Properties) -> String {
    let settings: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={value}")).collect();
    settings.join(", ")
}

/// Cells of every store, with interleaved repetitions.
fn cells(arguments: &YcsbArguments, run: &YcsbRun) -> Result<Vec<Cell>, Failure> {
    let threads = arguments.threads.or(run.threads).unwrap_or(1);
    let driver = match run.target_ops_per_s {
        Some(rate_ops_per_s) => Driver::Open { rate_ops_per_s, arrivals: Arrivals::Constant },
        None => Driver::Closed { batch: 1 },
    };
    let ageing: Ageing = arguments.ageing.parse().map_err(Failure::usage)?;
    let mut work = KeyValue {
        records: run.records,
        fill_percent: arguments.fill_percent,
        threads,
        driver,
        operations_per_thread: run.operations.div_ceil(threads.max(1) as u64),
        latency: Timing::All,
        ageing,
        ..KeyValue::plain(run.workload.clone(), 0)
    };
    work.size_memory();
    check_key_value(&work).map_err(Failure::usage)?;
    if !(1..=1000).contains(&arguments.repetitions) {
        return Err(Failure::usage(format!(
            "repetitions = {}: must be 1 to 1000",
            arguments.repetitions
        )));
    }
    let mut cells = Vec::new();
    for repetition in 0..arguments.repetitions {
        for store in &arguments.stores {
            let system = registry::store(store).map_err(Failure::usage)?;
            check_store(&system, &work).map_err(Failure::usage)?;
            let seed = arguments.seed + u64::from(repetition);
            let mut cell = super::workload_options::cell(system, &work, seed);
            cell.id = format!("{}/{repetition}", cell.name());
            cell.repetition = repetition;
            cells.push(cell);
        }
    }
    Ok(cells)
}

fn print_store(label: &str, rows: &[Row]) {
    let runs: Vec<&Row> = rows
        .iter()
        .filter(|row| row.system == label && row.step == "run" && row.expected)
        .collect();
    let mops: Vec<f64> = runs.iter().map(|row| row.throughput_ops_per_s / 1e6).collect();
    let Some(throughput) = of_processes(&mops) else {
        println!("{label}: not measured, see rows.jsonl");
        return;
    };
    println!(
        "{label}: {:.3} Mops/s ({:.3} to {:.3}, n = {})",
        throughput.estimate, throughput.low, throughput.high, throughput.count
    );
    let Some(row) = runs.first() else { return };
    for kind in row.latency_by_kind_ns.keys() {
        let at = |percentile: &str| {
            let values: Vec<f64> = runs
                .iter()
                .filter_map(|row| row.latency_by_kind_ns.get(kind)?.get(percentile))
                .map(|ns| *ns as f64 / 1e3)
                .collect();
            stats::median(&values).unwrap_or(f64::NAN)
        };
        println!(
            "  {kind:<18} p50 {:>8.2} µs  p95 {:>8.2}  p99 {:>8.2}  p99.9 {:>8.2}  max {:>8.2}",
            at("p50"),
            at("p95"),
            at("p99"),
            at("p99.9"),
            at("max")
        );
    }
}
