//! What was measured, as words: the labels by which claims select rows. `docs/src/format.md` lists
//! them.

use std::collections::BTreeMap;

use record::Repetition;
use record::dimensions;
use record::{Basis, Cell, Fragmentation, Frees, Observe, System, Work};

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
        Work::KeyValue(work) => {
            let family = if work.replay.is_some() { "replay" } else { "key-value" };
            label("family", family.to_owned());
            for (name, text) in dimensions::labels(work) {
                label(name, text);
            }
        }
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
