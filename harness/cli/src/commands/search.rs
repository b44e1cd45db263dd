//! `search`: the highest rate of an open loop that keeps a percentile of latency under a bound.

use compare::render::colour::{GOOD, painted};
use serde::Serialize;
use serde_json::{Value, json};
use stats::of_processes;

use super::measure::{Session, record};
use super::time::parse_latency_ns;
use super::{Failure, output};
use crate::cli::SearchArguments;
use crate::compare::Search;
use crate::plan::{Plan, check_key_value};
use crate::targets::Estimate;
use record::{Arrivals, Cell, Driver, Flag, KeyValue, Outcome, Row, System, Timing, Work};
use worker::exit;
use worker::registry;

/// Smallest ratio of two rates that the search tells apart.
const RESOLUTION: f64 = 1.05;
/// The search gives up below this rate.
const LOWEST_OPS_PER_S: f64 = 1000.0;
/// Share of a closed loop's throughput that is probed first.
const FIRST_SHARE: f64 = 0.5;
/// Rates tried after the one found did not stand its repetitions.
const WITHDRAWALS_MAX: usize = 8;

/// Searches, confirms in fresh processes, and prints every probe and the rate.
pub(super) fn run(arguments: &SearchArguments) -> Result<(), Failure> {
    let promise = Promise::parse(&arguments.percentile, &arguments.bound)?;
    let system = registry::store(&arguments.store).map_err(Failure::usage)?;
    let mut work = super::workload_options::work(&arguments.work)?;
    if work.batch() != 1 {
        return Err(Failure::usage("a schedule sends single requests: drop --batch"));
    }
    if !(0.1..=3600.0).contains(&arguments.seconds) {
        return Err(Failure::usage(format!(
            "seconds = {}: must be 0.1 to 3600",
            arguments.seconds
        )));
    }
    if !(1..=100).contains(&arguments.repetitions) {
        return Err(Failure::usage(format!(
            "repetitions = {}: must be 1 to 100",
            arguments.repetitions
        )));
    }
    work.latency = Timing::All;
    check_loops(&system, &work, arguments)?;
    let plan = Plan::default();
    let name = format!("search-{}", system.label().replace(['/', ':'], "-"));
    let session = Session::open(record(&name, None, &[], &plan), &plan, &[], &arguments.output)?;
    let mut probing = Probing {
        arguments,
        system,
        work,
        promise,
        session,
        processes: 0,
        found: Found::default(),
    };
    let found = probing.search()?;
    let interrupted = probing.session.is_interrupted();
    let document = probing.as_data();
    let measured = probing.session.finish()?;
    if arguments.json {
        output::print_json(&document);
    } else {
        println!("{}", measured.folder.display());
    }
    match (interrupted, found) {
        (true, _) => Err(Failure::silent(exit::INTERRUPTED)),
        (false, true) => Ok(()),
        (false, false) => Err(Failure::silent(exit::UNEXPECTED)),
    }
}

/// Refuses what the store does not answer in either loop, before the first of many processes runs.
fn check_loops(
    system: &System,
    work: &KeyValue,
    arguments: &SearchArguments,
) -> Result<(), Failure> {
    let open = at_rate(work, LOWEST_OPS_PER_S, arguments.seconds);
    for work in [&open, work] {
        let cell = super::workload_options::cell(system.clone(), work, arguments.seed);
        super::workload_options::check(&cell)?;
    }
    Ok(())
}

/// The same requests, sent at a rate for so many seconds.
fn at_rate(work: &KeyValue, rate_ops_per_s: f64, seconds: f64) -> KeyValue {
    let operations = rate_ops_per_s * seconds / work.threads as f64;
    KeyValue {
        driver: Driver::Open { rate_ops_per_s, arrivals: Arrivals::Poisson },
        operations_per_thread: (operations.ceil() as u64).max(1),
        ..work.clone()
    }
}

/// A percentile of latency, from the scheduled start, and its bound.
struct Promise {
    percentile: String,
    bound_ns: u64,
}

impl Promise {
    fn parse(percentile: &str, bound: &str) -> Result<Self, Failure> {
        const NAMES: [&str; 7] = ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"];
        if !NAMES.contains(&percentile) {
            return Err(Failure::usage(record::unknown_name("percentile", percentile, NAMES)));
        }
        let bound_ns = parse_latency_ns("bound", bound)?;
        Ok(Self { percentile: percentile.to_owned(), bound_ns })
    }

    fn latency_ns(&self, row: &Row) -> u64 {
        row.latency_ns.get(&self.percentile).copied().unwrap_or(u64::MAX)
    }

    fn is_kept(&self, row: &Row) -> bool {
        row.outcome == Outcome::Measured
            && !row.flags.contains(&Flag::Overloaded)
            && self.latency_ns(row) <= self.bound_ns
    }
}

struct Probing<'a> {
    arguments: &'a SearchArguments,
    system: System,
    work: KeyValue,
    promise: Promise,
    session: Session,
    processes: u32,
    found: Found,
}

/// What was measured so far.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Found {
    closed_loop_ops_per_s: Option<f64>,
    probes: Vec<Probe>,
    /// The rate that kept the promise in fresh processes.
    highest_ops_per_s: Option<f64>,
    /// The percentile at that rate over these processes.
    latency_ns: Option<Estimate>,
}

/// A rate that was tried in a process.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Probe {
    rate_ops_per_s: f64,
    latency_ns: u64,
    kept: bool,
    flags: Vec<&'static str>,
}

impl Probing<'_> {
    /// Searches; returns whether it found a rate.
    fn search(&mut self) -> Result<bool, Failure> {
        let Some(closed) = self.measure(None)? else { return Ok(false) };
        let capacity = closed.throughput_ops_per_s;
        self.found.closed_loop_ops_per_s = Some(capacity);
        self.print(&format!("closed loop: {:.3} Mops/s", capacity / 1e6));
        let mut search = Search::new(capacity * FIRST_SHARE, LOWEST_OPS_PER_S, RESOLUTION);
        for _ in 0..=WITHDRAWALS_MAX {
            while let Some(rate) = search.probe() {
                let Some(row) = self.measure(Some(rate))? else { return Ok(false) };
                let is_kept = self.promise.is_kept(&row);
                self.keep(rate, &row, is_kept, if is_kept { "kept" } else { "broken" });
                search.tell(is_kept);
            }
            let Some(rate) = search.highest() else { break };
            if self.confirm(rate)? {
                return Ok(true);
            }
            if self.session.is_interrupted() {
                return Ok(false);
            }
            search.withdraw();
        }
        let Promise { percentile, bound_ns } = &self.promise;
        self.print(&format!(
            "no rate from {LOWEST_OPS_PER_S} ops/s on keeps {percentile} under {bound_ns} ns"
        ));
        Ok(false)
    }

    /// Measures the rate again, in as many fresh processes as there are repetitions: most have to keep
    /// the promise.
    fn confirm(&mut self, rate: f64) -> Result<bool, Failure> {
        let mut latencies = Vec::new();
        let mut kept = 0;
        for _ in 0..self.arguments.repetitions {
            let Some(row) = self.measure(Some(rate))? else { return Ok(false) };
            let is_kept = self.promise.is_kept(&row);
            self.keep(
                rate,
                &row,
                is_kept,
                if is_kept { "kept, again" } else { "broken this time" },
            );
            kept += u32::from(is_kept);
            latencies.push(self.promise.latency_ns(&row) as f64);
        }
        if kept * 2 <= self.arguments.repetitions {
            return Ok(false);
        }
        let latency = of_processes(&latencies).map(Estimate::from);
        let Some(Estimate { median, from, to, .. }) = latency else { return Ok(false) };
        (self.found.highest_ops_per_s, self.found.latency_ns) = (Some(rate), latency);
        let Promise { percentile, bound_ns } = &self.promise;
        self.print(&painted(
            GOOD,
            &format!(
                "highest rate with {percentile} under {} µs: {:.3} Mops/s; kept in {kept} of {} fresh \
                 processes, {percentile} median {:.1} µs ({:.1} … {:.1})",
                *bound_ns as f64 / 1e3,
                rate / 1e6,
                self.arguments.repetitions,
                median / 1e3,
                from / 1e3,
                to / 1e3,
            ),
        ));
        Ok(true)
    }

    /// Prints a line past the progress bar, unless a document is to follow.
    fn print(&self, line: &str) {
        if !self.arguments.json {
            self.session.print(line);
        }
    }

    fn as_data(&self) -> Value {
        json!({
            "store": self.system.label(),
            "percentile": self.promise.percentile,
            "bound-ns": self.promise.bound_ns,
            "found": self.found,
            "folder": self.session.folder(),
        })
    }

    fn keep(&mut self, rate: f64, row: &Row, kept: bool, verdict: &str) {
        let flags: Vec<&'static str> = row.flags.iter().map(|flag| flag.word()).collect();
        self.print(&format!(
            "{:>9.3} Mops/s: {} {:>10.1} µs, {verdict} [{}]",
            rate / 1e6,
            self.promise.percentile,
            self.promise.latency_ns(row) as f64 / 1e3,
            flags.join(", ")
        ));
        let latency_ns = self.promise.latency_ns(row);
        self.found.probes.push(Probe { rate_ops_per_s: rate, latency_ns, kept, flags });
    }

    /// One fresh process: at `rate`, or as fast as it is answered. `None` once the user has stopped the run.
    fn measure(&mut self, rate: Option<f64>) -> Result<Option<Row>, Failure> {
        let mut work = match rate {
            Some(rate) => at_rate(&self.work, rate, self.arguments.seconds),
            None => self.work.clone(),
        };
        check_key_value(&work).map_err(Failure::usage)?;
        work.size_records();
        let mut cell =
            super::workload_options::cell(self.system.clone(), &work, self.arguments.seed);
        self.processes += 1;
        cell.id = format!("search/{}/{}", self.processes, cell.id);
        let rows = self.session.run(&[Cell { work: Work::KeyValue(work), ..cell }]);
        if self.session.is_interrupted() {
            return Ok(None);
        }
        let row = rows.into_iter().find(|row| row.step == "run");
        row.map(Some).ok_or_else(|| Failure {
            code: exit::UNEXPECTED,
            message: Some("the store did not reach its requests; see rows.jsonl".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_read_and_refused() {
        for (bound, ns) in [("50us", 50_000), ("1.5ms", 1_500_000), ("1s", 1_000_000_000)] {
            assert_eq!(Promise::parse("p99.9", bound).unwrap().bound_ns, ns);
        }
        for (percentile, bound, expected) in [
            ("p999", "1ms", "did you mean p99"),
            ("p99", "fast", "write 50us"),
            ("p99", "-1ms", "write 50us"),
        ] {
            let message = Promise::parse(percentile, bound).err().unwrap().message.unwrap();
            assert!(message.contains(expected), "{message}");
        }
    }
}
