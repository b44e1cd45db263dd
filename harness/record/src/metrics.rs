//! The metrics of a row, by name: one table with their units and directions. Percentiles of latency have
//! names composed of the kind of operation and the percentile: `p99-ns`, `update-p99.9-ns`.

use stats::Better;

use crate::{Census, Repetition, Row, Work};

/// The statistic by which stores that run as servers say what these held before the load.
const EMPTY_SERVERS: &str = "empty_server_resident_bytes";
/// The statistic of stores whose files are memory that no process shows.
const UNMAPPED_FILES: &str = "unmapped_files_bytes";

/// The value of a metric in a row.
type OfRow = fn(&Row) -> Option<f64>;

/// The value of a metric in all steps of a process.
type OfSteps = fn(&[&Row]) -> Option<f64>;

/// A number measured in a row.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in summaries, claims and exports.
    pub name: &'static str,
    pub unit: &'static str,
    pub better: Better,
    /// Its value; `None` where the row did not measure it.
    pub of: fn(&Row) -> Option<f64>,
    /// A value in the unit in which figures show it.
    shown: fn(f64) -> f64,
    /// Whether summaries have it; others are for figures and comparisons alone.
    summarised: bool,
    /// The smallest change that matters to comparisons, as a share; `None` where they do not judge it.
    pub tolerance: Option<f64>,
    /// Its value of all steps of a process together, where one step does not tell it.
    of_steps: Option<OfSteps>,
}

impl Metric {
    const fn new(name: &'static str, unit: &'static str, better: Better, of: OfRow) -> Self {
        let shown = |value: f64| value;
        Self { name, unit, better, of, shown, summarised: true, tolerance: None, of_steps: None }
    }

    const fn shown(self, shown: fn(f64) -> f64) -> Self {
        Self { shown, ..self }
    }

    const fn not_summarised(self) -> Self {
        Self { summarised: false, ..self }
    }

    const fn judged(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The metric of that name; percentiles of latency have no row but `p99-ns`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// Those that comparisons judge.
    pub fn all_judged() -> impl Iterator<Item = &'static Self> {
        METRICS.iter().filter(|metric| metric.tolerance.is_some())
    }

    /// Its name in comparisons, which leaves the unit out.
    #[must_use]
    pub fn short_name(&self) -> &'static str {
        self.name.strip_suffix("-ns").unwrap_or(self.name)
    }

    /// Its value of one process, told by the step `run` or else the last step; `None` where a step did
    /// not end as it should, or did not measure it.
    #[must_use]
    pub fn of_process(&self, process: &Repetition<'_>) -> Option<f64> {
        if !process.counts() {
            return None;
        }
        let value = match self.of_steps {
            Some(of) => of(&process.rows),
            None => (self.of)(process.step("run").or(process.rows.last().copied())?),
        };
        value.filter(|value| value.is_finite() && *value > 0.0)
    }
}

const fn higher(name: &'static str, unit: &'static str, of: OfRow) -> Metric {
    Metric::new(name, unit, Better::Higher, of)
}

const fn lower(name: &'static str, unit: &'static str, of: OfRow) -> Metric {
    Metric::new(name, unit, Better::Lower, of)
}

/// Every metric except percentiles.
pub const METRICS: &[Metric] = &[
    higher("throughput", "1/s", |row| Some(row.throughput_ops_per_s))
        .shown(|per_s| per_s / 1e6)
        .judged(0.05),
    lower("p99-ns", "ns", |row| Some(*row.latency_ns.get("p99")? as f64))
        .shown(ns_in_us)
        .not_summarised()
        .judged(0.25),
    Metric {
        of_steps: Some(memory_of_process),
        ..lower("memory", "ratio", |row| memory_of_process(&[row])).not_summarised().judged(0.03)
    },
    lower("elapsed-s", "s", |row| Some(row.elapsed_ns as f64 / 1e9)),
    lower("wall-ns", "ns", |row| Some(1e9 / row.throughput_ops_per_s)).not_summarised(),
    lower("cpu-ns", "ns", |row| {
        (row.operations > 0).then(|| row.cpu.total_ns() as f64 / row.operations as f64)
    }),
    lower("system-percent", "%", |row| {
        let cpu_ns = row.cpu.total_ns() as f64;
        (cpu_ns > 0.0).then(|| row.cpu.system_ns as f64 / cpu_ns * 100.0)
    })
    .not_summarised(),
    higher("efficiency", "ratio", |row| Some(row.roofline?.efficiency))
        .shown(|share| share * 100.0),
    lower("overhead", "ratio", |row| row.memory.as_ref()?.at_once?.overhead),
    lower("overhead-after-idle", "ratio", |row| row.memory.as_ref()?.after_idle?.overhead),
    lower("overhead-after-trim", "ratio", |row| row.memory.as_ref()?.after_trim?.overhead),
    lower("overhead-all-in", "ratio", all_in),
    lower("overhead-held", "ratio", held).not_summarised(),
    lower("overhead-log-only", "ratio", |row| Some(row.memory.as_ref()?.overheads?.log_only)),
    lower("overhead-peak", "ratio", peak),
    lower("beside-value-bytes", "B", beside_value).not_summarised(),
    lower("write-amplification", "ratio", |row| row.traffic.as_ref()?.write_amplification()),
    lower("read-amplification", "ratio", |row| row.traffic.as_ref()?.read_amplification()),
    lower("space-amplification", "ratio", |row| row.traffic.as_ref()?.space_amplification()),
    higher("copied-bytes-per-s", "B/s", |row| match row.cell.work {
        Work::Copy(copying) => Some(row.throughput_ops_per_s * copying.copy_bytes as f64),
        _ => None,
    })
    .shown(|per_s| per_s / 1e9)
    .not_summarised(),
    higher("hit-rate", "ratio", |row| row.statistics.get("hit_rate").copied())
        .shown(|share| share * 100.0)
        .not_summarised(),
    lower("ns-per-page", "ns", |row| page_ns(row, "map", "p50")),
    higher("switches-per-s", "1/s", |row| row.statistics.get("switches_per_s").copied()),
    lower("ns-per-set", "ns", |row| row.statistics.get("ns_per_set").copied()),
    lower("line-ns", "ns", |row| row.statistics.get("line_ns").copied()),
    lower("operations-per-change", "ratio", |row| {
        row.statistics.get("operations_per_change").copied()
    }),
    lower("operations-per-quiet-phase", "ratio", |row| {
        row.statistics.get("operations_per_quiet_phase").copied()
    }),
    lower("page-table-bytes", "B", |row| row.statistics.get("page_table_bytes").copied())
        .shown(|bytes| bytes / f64::from(1 << 20))
        .not_summarised(),
];

/// Figures show latencies in µs.
fn ns_in_us(ns: f64) -> f64 {
    ns / 1e3
}

/// The metric `name` of `row`, percentiles included; `None` if it was not measured.
#[must_use]
pub fn value(row: &Row, name: &str) -> Option<f64> {
    if let Some(metric) = Metric::by_name(name) {
        return (metric.of)(row);
    }
    if let Some(of_pages) = name.strip_suffix("-ns-per-page") {
        let (kind, percentile) = of_pages.rsplit_once('-')?;
        return page_ns(row, kind, percentile);
    }
    let percentile = name.strip_suffix("-ns")?;
    match percentile.rsplit_once('-') {
        None => row.latency_ns.get(percentile),
        Some(("service", percentile)) => row.open_loop.as_ref()?.service_ns.get(percentile),
        Some((kind, percentile)) => row.latency_by_kind_ns.get(kind)?.get(percentile),
    }
    .map(|ns| *ns as f64)
}

/// [`value`] in the unit in which figures show it.
#[must_use]
pub fn shown(row: &Row, name: &str) -> Option<f64> {
    let value = value(row, name)?;
    Some(match Metric::by_name(name) {
        Some(metric) => (metric.shown)(value),
        None if name.ends_with("-ns") => ns_in_us(value),
        None => value,
    })
}

/// All metrics of `row` that summaries have, percentiles included: positive numbers by name.
#[must_use]
pub fn all(row: &Row) -> Vec<(String, f64)> {
    let told = METRICS.iter().filter(|metric| metric.summarised);
    let plain = told.filter_map(|metric| Some((metric.name.to_owned(), (metric.of)(row)?)));
    let percentiles = row.latency_ns.iter().map(|(name, ns)| (format!("{name}-ns"), *ns));
    let by_kind = row.latency_by_kind_ns.iter().flat_map(|(kind, percentiles)| {
        percentiles.iter().map(move |(name, ns)| (format!("{kind}-{name}-ns"), *ns))
    });
    let latency = percentiles.chain(by_kind).filter(|(name, _)| !name.ends_with("samples-ns"));
    plain
        .chain(latency.map(|(name, ns)| (name, ns as f64)))
        .filter(|(_, value)| value.is_finite() && *value > 0.0)
        .collect()
}

/// Time that one kind of operation takes for each page of its region; cells that map only.
fn page_ns(row: &Row, kind: &str, percentile: &str) -> Option<f64> {
    let Work::Mapping(work) = &row.cell.work else { return None };
    let ns = *row.latency_by_kind_ns.get(kind)?.get(percentile)?;
    Some(ns as f64 / work.pages().max(1) as f64)
}

/// Most resident memory at the positions of an allocation replay.
#[must_use]
pub fn peak_bytes(row: &Row) -> Option<u64> {
    row.positions.iter().map(|position| position.resident_bytes).max()
}

/// Most resident memory ÷ most live bytes of the replayed trace. For stores: the highest sample within
/// the step, over value bytes. For heaps: the highest at any position.
fn peak(row: &Row) -> Option<f64> {
    let (highest, live) = match &row.cell.work {
        Work::KeyValue(work) if work.replay.is_some() => {
            (row.memory.as_ref()?.sampled_max_bytes?, work.live_value_bytes())
        }
        Work::Allocations(work) => (peak_bytes(row)?, work.live_bytes_max),
        _ => return None,
    };
    (live > 0).then(|| highest as f64 / live as f64)
}

/// The larger of a store's capacity and what its process held right after the step, ÷ live bytes; only
/// of stores with a memory bound.
fn all_in(row: &Row) -> Option<f64> {
    let memory = row.memory.as_ref()?;
    let configured = memory.overheads?.all_in;
    Some(
        memory.at_once.and_then(|point| point.overhead).map_or(configured, |it| it.max(configured)),
    )
}

/// Memory ÷ live bytes whatever the store: all-in where its memory is bound, else resident.
fn held(row: &Row) -> Option<f64> {
    all_in(row).or_else(|| row.memory.as_ref()?.at_once?.overhead)
}

/// What a store holds beside values, for each object: its processes and its files in memory, without what
/// the store says is free, and without what its servers held while they were empty.
fn beside_value(row: &Row) -> Option<f64> {
    let held = row.memory.as_ref()?.at_once.filter(|held| held.live_objects > 0)?;
    let free_bytes = row.census.map_or(0, |census| free_and_resident(&census, held.resident_bytes));
    let told = |name: &str| row.statistics.get(name).copied().unwrap_or(0.0);
    let all_bytes = held.resident_bytes as f64 + told(UNMAPPED_FILES);
    let apart_bytes = (free_bytes + held.live_bytes) as f64 + told(EMPTY_SERVERS);
    Some((all_bytes - apart_bytes) / held.live_objects as f64)
}

/// Free object memory that is resident. What is not resident of a store's memory is free, as far as that
/// goes.
fn free_and_resident(census: &Census, resident_bytes: u64) -> u64 {
    let all_bytes = census.object_memory_bytes + census.index_bytes + census.table_bytes;
    census.free_object_bytes.saturating_sub(all_bytes.saturating_sub(resident_bytes))
}

/// Whether the process of a store with a memory bound held more than the store's capacity.
#[must_use]
pub fn exceeds_capacity(row: &Row) -> bool {
    let Some(memory) = &row.memory else { return false };
    let held = memory.at_once.and_then(|point| point.overhead);
    memory.overheads.zip(held).is_some_and(|(overheads, held)| held > overheads.all_in)
}

/// Highest sample or observation of a process's memory ÷ its most live bytes.
fn memory_of_process(rows: &[&Row]) -> Option<f64> {
    let memories = || rows.iter().filter_map(|row| row.memory.as_ref());
    let points = || memories().filter_map(|memory| memory.at_once);
    let live = points().map(|point| point.live_bytes).max().filter(|live| *live > 0)?;
    let sampled = memories().filter_map(|memory| memory.sampled_max_bytes).max();
    let resident = points().map(|point| point.resident_bytes).max().max(sampled)?;
    Some(resident as f64 / live as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    #[test]
    fn names_are_unique_and_end_in_their_units() {
        let mut names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        for metric in METRICS {
            let said = match metric.unit {
                "s" => metric.name.ends_with("-s"),
                "ns" => metric.name.contains("ns"),
                "%" => metric.name.ends_with("-percent"),
                _ => true,
            };
            assert!(said, "{} in {}", metric.name, metric.unit);
        }
        let judged: Vec<&str> = Metric::all_judged().map(Metric::short_name).collect();
        assert_eq!(
            judged,
            ["throughput", "p99", "memory"],
            "histories and baselines have these names"
        );
    }

    #[test]
    fn a_value_by_name_is_the_one_in_the_list() {
        let cell = made_up::sample_cells().remove(4);
        let mut row = made_up::row(&cell, "run");
        row.latency_by_kind_ns.insert("update".to_owned(), [("p99.9".to_owned(), 77)].into());
        let all = all(&row);
        assert!(all.len() > 4);
        for (name, number) in &all {
            assert_eq!(value(&row, name), Some(*number), "{name}");
        }
        assert_eq!(value(&row, "update-p99.9-ns"), Some(77.0));
        assert_eq!(shown(&row, "update-p99.9-ns"), Some(0.077));
        assert_eq!(shown(&row, "throughput"), Some(row.throughput_ops_per_s / 1e6));
        assert_eq!(value(&row, "efficiency"), None, "not measured");
        assert_eq!(value(&row, "no-such-metric"), None);
    }
}
