//! `ycsb`: runs YCSB's property files against stores of this suite.

use std::collections::BTreeMap;
use std::path::Path;

use compare::render::aligned;
use serde::Serialize;
use serde_json::json;
use stats::of_processes;
use workloads::distribution::SizeHistogram;
use workloads::ycsb::{Properties, YcsbRun, histogram_file, interpret};

use super::measure::{measure, record};
use super::{Failure, output};
use crate::cli::YcsbArguments;
use crate::plan::{Plan, check_cell};
use crate::targets::Estimate;
use crate::traces::Traces;
use record::{Ageing, Arrivals, Cell, Driver, KeyValue, Row, Timing, archive};
use worker::exit;
use worker::registry;

/// Live bytes at the end, as a percentage of object memory, where nothing is asked for.
const FILL_PERCENT: u32 = 50;

/// Reads the properties, measures every store, and prints throughput and latency of each.
pub(super) fn run(arguments: &YcsbArguments) -> Result<(), Failure> {
    let asked = properties(arguments)?;
    let run = interpret(&asked).map_err(|error| Failure::usage(error.to_string()))?;
    let (cells, told) = cells(arguments, &run)?;
    let notices = [run.notices.clone(), told].concat();
    let mut plan = Plan { cells, notices, ..Plan::default() };
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
    let labels = arguments.stores.iter().map(|store| registry::store(store).map(|it| it.label()));
    let labels = labels.collect::<Result<Vec<String>, String>>().map_err(Failure::usage)?;
    let found: Vec<Answered> = labels.iter().map(|label| Answered::of(label, &rows)).collect();
    if arguments.json {
        output::print_json(&json!({ "folder": measured.folder, "stores": found }));
    } else {
        print!("{}", headline(&found));
        found.iter().for_each(|found| print!("{}", found.text()));
        println!("{}", measured.folder.display());
    }
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

/// Cells of every store, with interleaved repetitions, and what they do other than asked.
fn cells(arguments: &YcsbArguments, run: &YcsbRun) -> Result<(Vec<Cell>, Vec<String>), Failure> {
    let threads = arguments.threads.or(run.threads).unwrap_or(1);
    let driver = match run.target_ops_per_s {
        Some(rate_ops_per_s) => Driver::Open { rate_ops_per_s, arrivals: Arrivals::Constant },
        None => Driver::Closed { batch: 1 },
    };
    let ageing: Ageing = arguments.ageing.parse().map_err(Failure::usage)?;
    let mut work = KeyValue {
        records: run.records,
        fill_percent: arguments.fill_percent.unwrap_or(FILL_PERCENT),
        threads,
        driver,
        operations_per_thread: run.operations.div_ceil(threads.max(1) as u64),
        latency: Timing::All,
        ageing,
        ..KeyValue::plain(run.workload.clone(), 0)
    };
    let mut told = Vec::new();
    told.extend(size_memory(&mut work, arguments.fill_percent.is_some())?);
    let made = work.operations_per_thread * threads as u64;
    if made != run.operations {
        told.push(format!(
            "operationcount = {}: {made} are made, as many by each of {threads} threads",
            run.operations
        ));
    }
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
            let seed = arguments.seed + u64::from(repetition);
            let mut cell = super::workload_options::cell(system, &work, seed);
            cell.id = format!("{}/{repetition}", cell.name());
            cell.repetition = repetition;
            for sentence in check_cell(&cell).map_err(Failure::usage)? {
                if !told.contains(&sentence) {
                    told.push(sentence);
                }
            }
            cells.push(cell);
        }
    }
    Ok((cells, told))
}

/// Sizes the object memory by the fill. Few records do not reach it in the least memory: the fill that they
/// reach takes its place, unless it was asked for.
fn size_memory(work: &mut KeyValue, asked: bool) -> Result<Option<String>, Failure> {
    work.size_memory();
    let fill_percent = work.fill_percent;
    let reached = work.reached_fill_percent();
    if reached >= fill_percent {
        return Ok(None);
    }
    let records = work.records_max();
    let memory_mib = work.object_memory_bytes >> 20;
    let short = format!(
        "fill-percent = {fill_percent}: {records} records fill the least object memory, {memory_mib} MiB, \
         to {reached} %"
    );
    if asked {
        let nearest = reached.max(1);
        return Err(Failure::usage(format!(
            "{short}: the nearest is {nearest}; raise recordcount for more"
        )));
    }
    work.fill_percent = reached.max(1);
    Ok(Some(format!("{short}, which is measured")))
}

/// Percentiles of latency that are shown.
const PERCENTILES: [&str; 5] = ["p50", "p95", "p99", "p99.9", "max"];

/// How a store answered, over all its processes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Answered {
    system: String,
    /// `None` where it was not measured.
    throughput_mops: Option<Estimate>,
    /// In microseconds, by kind of operation and percentile.
    latency_us: BTreeMap<String, BTreeMap<&'static str, Estimate>>,
}

impl Answered {
    fn of(label: &str, rows: &[Row]) -> Self {
        let is_of = |row: &&Row| row.system == label && row.step == "run" && row.expected;
        let runs: Vec<&Row> = rows.iter().filter(is_of).collect();
        let mops: Vec<f64> = runs.iter().map(|row| row.throughput_ops_per_s / 1e6).collect();
        let kinds = runs.first().into_iter().flat_map(|row| row.latency_by_kind_ns.keys());
        Self {
            system: label.to_owned(),
            throughput_mops: of_processes(&mops).map(Estimate::from),
            latency_us: kinds.map(|kind| (kind.clone(), percentiles(&runs, kind))).collect(),
        }
    }

    fn text(&self) -> String {
        let Some(throughput) = &self.throughput_mops else {
            return format!("{}: not measured, see rows.jsonl\n", self.system);
        };
        let Estimate { median, from, to, count } = throughput;
        let mut text =
            format!("{}: {median:.3} Mops/s ({from:.3} to {to:.3}, n = {count})\n", self.system);
        let headings = ["  latency in µs", "p50", "p95", "p99", "p99.9", "max"];
        let rows: Vec<[String; 6]> = self.latency_us.iter().map(latency_line).collect();
        text += &aligned(&headings, &rows, |column| column == 0);
        text
    }
}

/// Which of several stores answers most, with a line's end.
fn headline(found: &[Answered]) -> String {
    let measured =
        found.iter().filter_map(|one| Some((&one.system, one.throughput_mops.as_ref()?)));
    let mut measured: Vec<_> = measured.collect();
    measured.sort_by(|(_, one), (_, other)| other.median.total_cmp(&one.median));
    let [(first, most), (second, next), ..] = measured[..] else { return String::new() };
    let overlap = if next.to >= most.from { ", and their intervals overlap" } else { "" };
    format!(
        "{first} answers most: {:.3} Mops/s; {second} follows with {:.3}{overlap}\n",
        most.median, next.median
    )
}

/// The percentiles of a kind of operation over all processes.
fn percentiles(runs: &[&Row], kind: &str) -> BTreeMap<&'static str, Estimate> {
    let of = |percentile: &'static str| {
        let ns = runs.iter().filter_map(|row| row.latency_by_kind_ns.get(kind)?.get(percentile));
        let us: Vec<f64> = ns.map(|ns| *ns as f64 / 1e3).collect();
        Some((percentile, Estimate::from(of_processes(&us)?)))
    };
    PERCENTILES.into_iter().filter_map(of).collect()
}

fn latency_line((kind, found): (&String, &BTreeMap<&'static str, Estimate>)) -> [String; 6] {
    let told = |percentile: &str| match found.get(percentile) {
        None => "–".to_owned(),
        Some(Estimate { median, from, to, .. }) => format!("{median:.2} ({from:.2} … {to:.2})"),
    };
    let [p50, p95, p99, p999, max] = PERCENTILES.map(told);
    [format!("  {kind}"), p50, p95, p99, p999, max]
}
