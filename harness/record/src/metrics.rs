//! The metrics of a row, by name: one table with their units and directions. Percentiles of latency have
//! names composed of the kind of operation and the percentile: `p99-ns`, `update-p99.9-ns`.

use crate::{Row, Work};

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// A number measured in a row.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in summaries, claims and exports.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Direction,
    /// Its value; `None` where the row did not measure it.
    pub of: fn(&Row) -> Option<f64>,
}

const fn higher(name: &'static str, unit: &'static str, of: fn(&Row) -> Option<f64>) -> Metric {
    Metric { name, unit, better: Direction::Higher, of }
}

const fn lower(name: &'static str, unit: &'static str, of: fn(&Row) -> Option<f64>) -> Metric {
    Metric { name, unit, better: Direction::Lower, of }
}

/// Every metric except percentiles.
pub const METRICS: &[Metric] = &[
    higher("throughput", "1/s", |row| Some(row.throughput_ops_per_s)),
    lower("elapsed-s", "s", |row| Some(row.elapsed_ns as f64 / 1e9)),
    lower("cpu-ns", "ns", |row| {
        (row.operations > 0).then(|| row.cpu.total_ns() as f64 / row.operations as f64)
    }),
    lower("system-percent", "%", |row| {
        let cpu_ns = row.cpu.total_ns() as f64;
        (cpu_ns > 0.0).then(|| row.cpu.system_ns as f64 / cpu_ns * 100.0)
    }),
    higher("efficiency", "ratio", |row| Some(row.roofline?.efficiency)),
    lower("overhead", "ratio", |row| row.memory.as_ref()?.at_once?.overhead),
    lower("overhead-after-idle", "ratio", |row| row.memory.as_ref()?.after_idle?.overhead),
    lower("overhead-after-trim", "ratio", |row| row.memory.as_ref()?.after_trim?.overhead),
    lower("overhead-all-in", "ratio", |row| Some(row.memory.as_ref()?.overheads?.all_in)),
    lower("overhead-log-only", "ratio", |row| Some(row.memory.as_ref()?.overheads?.log_only)),
    lower("overhead-peak", "ratio", peak),
    higher("copied-bytes-per-s", "B/s", |row| match row.cell.work {
        Work::Copy(copying) => Some(row.throughput_ops_per_s * copying.copy_bytes as f64),
        _ => None,
    }),
    lower("ns-per-page", "ns", |row| page_ns(row, "map", "p50")),
];

/// Metrics that no summary has; only figures show them.
const SHOWN_ALONE: [&str; 2] = ["system-percent", "copied-bytes-per-s"];

/// The metric `name` of `row`, percentiles included; `None` if it was not measured.
#[must_use]
pub fn value(row: &Row, name: &str) -> Option<f64> {
    if let Some(metric) = METRICS.iter().find(|metric| metric.name == name) {
        return (metric.of)(row);
    }
    let percentile = name.strip_suffix("-ns")?;
    match percentile.rsplit_once('-') {
        None => row.latency_ns.get(percentile),
        Some((kind, percentile)) => row.latency_by_kind_ns.get(kind)?.get(percentile),
    }
    .map(|ns| *ns as f64)
}

/// All metrics of `row`, percentiles included: positive numbers by name.
#[must_use]
pub fn all(row: &Row) -> Vec<(String, f64)> {
    let told = METRICS.iter().filter(|metric| !SHOWN_ALONE.contains(&metric.name));
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

/// Time per page of one kind of operation; cells that map only.
#[must_use]
pub fn page_ns(row: &Row, kind: &str, percentile: &str) -> Option<f64> {
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

/// Highest sample or observation of a process's memory ÷ its most live bytes.
#[must_use]
pub fn memory_of_process(rows: &[&Row]) -> Option<f64> {
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
        assert_eq!(value(&row, "efficiency"), None, "not measured");
        assert_eq!(value(&row, "no-such-metric"), None);
    }
}
