//! What a suite asks of coordinated clients. What they cannot do is refused by its name.

use clients::Job;
use record::{Arrivals, Driver, KeyValue, Scale};
use workloads::requests::Workload;
use workloads::value::HEADER_BYTES;

use super::super::{Failure, scale};
use crate::cli::ClusterRunArguments;
use crate::plan::{MachineLimits, check_enough, works};
use crate::suites::{self, KeyValueGrid, Suite};

/// Settings of requests that clients keep.
const KEPT: [&str; 5] = ["distributions", "value-bytes", "key-bytes", "fill-percent", "latency"];
/// A value's writer is sixteen bits of it.
const WRITERS_MAX: u64 = 65_535;
/// Requests a second, of all clients.
const RATE_MAX: f64 = 1e7;
/// The most intervals of a run.
const INTERVALS_MAX: u64 = 20_000;

/// A suite, and what its only combination asks.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) suite: Suite,
    pub(super) work: AskedWork,
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct AskedWork {
    pub(super) workload: Workload,
    pub(super) records: u64,
    pub(super) threads: usize,
    pub(super) rate_ops_per_s: f64,
    pub(super) arrivals: Arrivals,
}

pub(super) fn asked(arguments: &ClusterRunArguments) -> Result<Asked, Failure> {
    let suite =
        suites::load(&arguments.suite).map_err(|error| Failure::usage(error.to_string()))?;
    let scale = scale(&arguments.scale)?;
    let fail = |message: String| Failure::usage(format!("{}: {message}", suite.name));
    let grid = only_grid(&suite).map_err(fail)?;
    check_grid(grid).map_err(fail)?;
    let mut work = only_work(&suite, grid, &scale).map_err(fail)?;
    check_workload(&work.workload).map_err(fail)?;
    work.size_records();
    work.records = arguments.records.unwrap_or(work.records);
    check_enough(&work).map_err(fail)?;
    let (rate_ops_per_s, arrivals) = match (arguments.rate, work.driver) {
        (Some(rate), Driver::Open { arrivals, .. }) => (rate, arrivals),
        (Some(rate), _) => (rate, Arrivals::default()),
        (None, Driver::Open { rate_ops_per_s, arrivals }) => (rate_ops_per_s, arrivals),
        (None, _) => {
            return Err(fail(
                "coordinated clients follow a schedule: name its rate by --rate, or by \
                 `rate-ops-per-s`"
                    .to_owned(),
            ));
        }
    };
    let notes = vec![format!(
        "the suite's stores ({}) are left out: {} is measured",
        grid.stores.join(", "),
        arguments.target
    )];
    let work = AskedWork {
        workload: work.workload,
        records: work.records,
        threads: arguments.connections.map_or(work.threads, |count| count as usize),
        rate_ops_per_s,
        arrivals,
    };
    Ok(Asked { suite, work, notes })
}

/// Refuses numbers that no run can have.
pub(super) fn check(job: &Job) -> Result<(), Failure> {
    let fail = |message: String| Err(Failure::usage(message));
    let (writers, rate) = (job.writers(), job.rate_ops_per_s);
    if !(1.0..=RATE_MAX).contains(&rate) {
        return fail(format!("rate {rate}: must be 1 to {RATE_MAX}"));
    }
    if writers > WRITERS_MAX {
        return fail(format!(
            "{} clients of {} connections are {writers} writers: at most {WRITERS_MAX}",
            job.clients, job.connections
        ));
    }
    if job.records < writers {
        return fail(format!(
            "{} records for {writers} connections: each writes records of its own, so name at least \
             --records {writers}",
            job.records
        ));
    }
    let intervals = job.duration_ms.div_ceil(job.interval_ms);
    if intervals > INTERVALS_MAX || job.interval_ms > job.duration_ms {
        return fail(format!(
            "intervals of {} ms in {} ms: 1 to {INTERVALS_MAX} intervals; --interval names another \
             length",
            job.interval_ms, job.duration_ms
        ));
    }
    Ok(())
}

/// The only table of a suite.
fn only_grid(suite: &Suite) -> Result<&KeyValueGrid, String> {
    let others = [
        ("fragmentation", suite.fragmentation.len()),
        ("copy", suite.copy.len()),
        ("mapping", suite.mapping.len()),
        ("chase", suite.chase.len()),
        ("windows", suite.windows.len()),
        ("touch", suite.touch.len()),
        ("allocations", suite.allocations.len()),
        ("replay", suite.replay.len()),
    ];
    if let Some((name, _)) = others.iter().find(|(_, count)| *count > 0) {
        return Err(format!(
            "[[{name}]]: coordinated clients send requests of one [[key-value]] table: drop it"
        ));
    }
    match suite.key_value.as_slice() {
        [grid] => Ok(grid),
        grids => Err(format!(
            "it has {} [[key-value]] tables, and a run is of one: keep one",
            grids.len()
        )),
    }
}

fn check_grid(grid: &KeyValueGrid) -> Result<(), String> {
    if let Some(name) = grid.settings().map(|(row, _)| row.name).find(|name| !KEPT.contains(name)) {
        return Err(format!("`{name}`: coordinated clients do not know it: drop it"));
    }
    if let Some((store, knob)) = grid.knob_names().next() {
        return Err(format!(
            "`{store}.{knob}`: servers have a configuration of their own (CONFIG SET): drop it"
        ));
    }
    if grid.batch != [1] {
        return Err("`batch`: a schedule sends single requests: drop it".to_owned());
    }
    if grid.repetitions.is_some() {
        return Err("`repetitions`: a run is one: drop it, and run again".to_owned());
    }
    if grid.operations_factor.is_some() {
        return Err(
            "`operations-factor`: --duration says how long requests are due: drop it".to_owned()
        );
    }
    Ok(())
}

/// The only combination of a grid.
fn only_work(suite: &Suite, grid: &KeyValueGrid, scale: &Scale) -> Result<KeyValue, String> {
    // Nothing but the machine's own suites depends on them.
    let limits = MachineLimits { memory_bytes: u64::MAX, cores: 1, cache_bytes: 0 };
    let mut all = works(suite, grid, (scale, limits))?;
    match all.len() {
        1 => Ok(all.remove(0)),
        count => Err(format!(
            "its [[key-value]] table has {count} combinations, and a run is of one: keep one value of \
             each key ({})",
            all.iter().take(3).map(KeyValue::name).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn check_workload(workload: &Workload) -> Result<(), String> {
    let name = &workload.name;
    if !workload.only_gets_and_updates() {
        return Err(format!(
            "workload `{name}`: coordinated clients read and overwrite loaded records, and nothing else \
             ({workload}): take get-50, ycsb-a, ycsb-b or ycsb-c"
        ));
    }
    if let Some(sizes) = workload.key_bytes.as_ref().filter(|sizes| sizes.min() == 0) {
        return Err(format!(
            "workload `{name}` with key-bytes = {sizes}: clusters find servers by bytes of keys: at least 1"
        ));
    }
    match workload.value_bytes.min() {
        bytes if bytes < HEADER_BYTES => Err(format!(
            "value-bytes = {bytes}: a value says who wrote it, and when: at least {HEADER_BYTES}"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(more: &str) -> String {
        let text = format!(
            "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nfill-percent = [50]\nthreads = [2]\n\
             {more}"
        );
        let suite = Suite::parse("my.toml", &text).unwrap();
        let all = only_grid(&suite).and_then(|grid| {
            check_grid(grid)?;
            let work = only_work(&suite, grid, &Scale::by_name("smoke").unwrap())?;
            check_workload(&work.workload)
        });
        all.unwrap_err()
    }

    #[test]
    fn what_clients_cannot_do_is_refused_by_its_name() {
        let plain = "get-percent = [50]\nvalue-bytes = [64]\n";
        for (more, name) in [
            (format!("{plain}ageing = \"churn:2\""), "`ageing`"),
            (format!("{plain}batch = [8]"), "`batch`"),
            (format!("{plain}repetitions = 2"), "`repetitions`"),
            (format!("{plain}operations-factor = 2.0"), "`operations-factor`"),
            (format!("{plain}nibble.segment-bytes = [\"1MiB\"]"), "`nibble.segment-bytes`"),
            ("get-percent = [50, 95]".to_owned(), "2 combinations"),
            ("get-percent = [50]\nvalue-bytes = [8]".to_owned(), "value-bytes = 8"),
            ("workloads = [\"ycsb-d\"]".to_owned(), "workload `ycsb-d`"),
            ("workloads = [\"ycsb-f\"]".to_owned(), "workload `ycsb-f`"),
            (format!("{plain}key-bytes = [\"0..9\"]"), "key-bytes = 0-9"),
            (format!("{plain}key-bytes = [16, 24]"), "2 combinations"),
            (
                format!("{plain}[[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"P1\"]"),
                "[[fragmentation]]",
            ),
        ] {
            let error = refused(&more);
            assert!(error.contains(name), "{more}: {error}");
        }
    }
}
