//! What one step of one process measured, by name. `docs/src/format.md` lists the metrics.

use crate::cell::Work;
use crate::record::Row;

/// The metrics of `row`: positive numbers, each with its unit in its name; `throughput` is operations
/// a second.
pub(super) fn of(row: &Row) -> Vec<(String, f64)> {
    let mut metrics: Vec<(String, f64)> = Vec::new();
    let mut metric = |name: &str, value: Option<f64>| {
        let value = value.filter(|value| value.is_finite() && *value > 0.0);
        metrics.extend(value.map(|value| (name.to_owned(), value)));
    };
    metric("throughput", Some(row.throughput_ops_per_s));
    metric("elapsed-s", Some(row.elapsed_ns as f64 / 1e9));
    let cpu_ns = row.cpu.total_ns() as f64 / row.operations.max(1) as f64;
    metric("cpu-ns", Some(cpu_ns).filter(|_| row.operations > 0));
    metric("efficiency", row.roofline.map(|roofline| roofline.efficiency));
    if let Some(memory) = &row.memory {
        for (name, point) in [
            ("overhead", memory.at_once),
            ("overhead-after-idle", memory.after_idle),
            ("overhead-after-trim", memory.after_trim),
        ] {
            metric(name, point.and_then(|point| point.overhead));
        }
        metric("overhead-all-in", memory.overheads.map(|overheads| overheads.all_in));
        metric("overhead-log-only", memory.overheads.map(|overheads| overheads.log_only));
    }
    metric("overhead-peak", peak(row));
    if let Work::Mapping(work) = &row.cell.work {
        let map_ns = row.latency_by_kind_ns.get("map").and_then(|map| map.get("p50"));
        metric("ns-per-page", map_ns.map(|ns| *ns as f64 / work.pages().max(1) as f64));
    }
    for (name, ns) in row.latency_ns.iter().filter(|(name, _)| *name != "samples") {
        metric(&format!("{name}-ns"), Some(*ns as f64));
    }
    for (kind, percentiles) in &row.latency_by_kind_ns {
        for (name, ns) in percentiles.iter().filter(|(name, _)| *name != "samples") {
            metric(&format!("{kind}-{name}-ns"), Some(*ns as f64));
        }
    }
    metrics
}

/// Highest memory ÷ the most live bytes of a trace.
fn peak(row: &Row) -> Option<f64> {
    let (highest, live) = match &row.cell.work {
        Work::KeyValue(work) if work.replay.is_some() => {
            (row.memory.as_ref()?.sampled_max_bytes?, work.live_value_bytes())
        }
        Work::Allocations(work) => (
            row.positions.iter().map(|position| position.resident_bytes).max()?,
            work.live_bytes_max,
        ),
        _ => return None,
    };
    (live > 0).then(|| highest as f64 / live as f64)
}
