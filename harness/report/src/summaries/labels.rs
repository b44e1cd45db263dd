//! What was measured, as words: the labels by which claims select rows. `docs/src/format.md` lists
//! them.

use std::collections::BTreeMap;

use record::Repetition;
use record::{Basis, Cell, Driver, Fragmentation, Frees, KeyValue, Observe, System, Work};

fn threads(cell: &Cell) -> usize {
    match &cell.work {
        Work::Fragmentation(work) => work.threads,
        Work::KeyValue(work) => work.threads,
        Work::Copy(_) => 1,
        Work::Allocations(work) => work.threads as usize,
        Work::Mapping(work) => work.threads,
    }
}

/// The labels of one step of a cell.
pub(super) fn of(one: &Repetition<'_>, step: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut label = |name: &str, text: String| labels.insert(name.to_owned(), text);
    label("system", one.system.to_owned());
    label("step", step.to_owned());
    let settings = match &one.cell.system {
        System::Heap { .. } | System::Kernel => None,
        System::Store { options, .. } => Some(options),
    };
    let engine = one.system.split('@').next().unwrap_or(one.system);
    label("engine", engine.to_owned());
    for (name, value) in settings.into_iter().flatten() {
        label(&format!("set.{name}"), value.clone());
    }
    match &one.cell.work {
        Work::Fragmentation(work) => fragmentation(work, &mut label),
        Work::KeyValue(work) => key_value(work, &mut label),
        Work::Copy(work) => {
            label("family", "copy".to_owned());
            label("copy-bytes", work.copy_bytes.to_string());
        }
        Work::Allocations(work) => {
            label("family", "allocations".to_owned());
            label("trace", work.trace.clone());
        }
        Work::Mapping(work) => {
            label("family", "mapping".to_owned());
            label("region-bytes", work.region_bytes.to_string());
            label("page-bytes", work.page_bytes.to_string());
        }
    }
    if !matches!(one.cell.work, Work::Copy(_) | Work::Allocations(_)) {
        label("threads", threads(one.cell).to_string());
    }
    labels
}

fn fragmentation(work: &Fragmentation, label: &mut impl FnMut(&str, String) -> Option<String>) {
    label("family", "fragmentation".to_owned());
    label("pattern", work.pattern.name.clone());
    let basis = match work.basis {
        Basis::Ample => "ample",
        Basis::Bounded => "bounded",
    };
    label("basis", basis.to_owned());
    let frees = match work.frees {
        Frees::Own => "own",
        Frees::Other => "other",
    };
    label("frees", frees.to_owned());
    let observe = match work.observe {
        Observe::End => "end",
        Observe::Each => "each",
    };
    label("observe", observe.to_owned());
}

fn key_value(work: &KeyValue, label: &mut impl FnMut(&str, String) -> Option<String>) {
    match &work.replay {
        None => {
            label("family", "key-value".to_owned());
            label("workload", work.workload.name.clone());
            label("keys", work.workload.keys.to_string());
            label("value-bytes", work.workload.value_bytes.to_string());
            label("object-memory-bytes", work.object_memory_bytes.to_string());
        }
        Some(replay) => {
            label("family", "replay".to_owned());
            label("trace", replay.trace.clone());
            label("working-sets", replay.working_sets.word().to_owned());
            label("copies", replay.copies.to_string());
            let miss = serde_json::to_value(replay.miss).expect("plain data");
            label("miss", miss.as_str().unwrap_or_default().to_owned());
        }
    }
    label("fill-percent", work.fill_percent.to_string());
    label("ageing", work.ageing.to_string());
    label("resident", work.resident.to_string());
    label("batch", work.batch().to_string());
    let latency = serde_json::to_value(work.latency).expect("plain data");
    label("latency", latency.as_str().unwrap_or_default().to_owned());
    let source = serde_json::to_value(work.source).expect("plain data");
    label("source", source.as_str().unwrap_or_default().to_owned());
    let driver = match work.driver {
        Driver::Closed { .. } => "closed",
        Driver::Open { rate_ops_per_s, arrivals } => {
            label("rate", rate_ops_per_s.to_string());
            label("arrivals", arrivals.word().to_owned());
            "open"
        }
        Driver::Timed { speed } => {
            label("speed", speed.to_string());
            "timed"
        }
    };
    label("loop", driver.to_owned());
}
