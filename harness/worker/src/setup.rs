//! What a store is told when a cell opens it, and whether it can be had: asked by plans before anything
//! runs, and by the worker that opens it.

use engine::{OpenError, Setup};
use workloads::fragmentation::objects_max;

use super::{Stop, files};
use crate::registry;
use record::{Basis, Cell, System, Work, unknown_name};

/// The store of a cell, and what it is told. Its heap is named and not opened; `None` where the cell asks
/// no store.
fn asked(cell: &Cell) -> Option<(&str, Setup)> {
    let System::Store { name, heap, options } = &cell.system else { return None };
    let plain = Setup {
        object_memory_bytes: None,
        live_bytes: 0,
        records_max: 0,
        value_bytes_max: 0,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: options.clone(),
        folder: files::folder(),
        heap: heap.as_deref().and_then(registry::heap),
    };
    let setup = match &cell.work {
        Work::KeyValue(work) => Setup {
            object_memory_bytes: Some(work.object_memory_bytes),
            live_bytes: work.live_value_bytes(),
            records_max: work.records_max(),
            value_bytes_max: work.workload.value_bytes_max(),
            sessions: work.threads,
            cache_bytes: work.cache_bytes(),
            resident: work.resident,
            tells_updates: false,
            ..plain
        },
        Work::Fragmentation(work) => Setup {
            object_memory_bytes: (work.basis == Basis::Bounded).then_some(work.live_bytes),
            live_bytes: work.live_bytes,
            records_max: objects_max(&work.pattern, work.live_bytes) as u64,
            value_bytes_max: work.pattern.object_bytes_max(),
            sessions: work.threads,
            ..plain
        },
        Work::Copy(_)
        | Work::Mapping(_)
        | Work::Chase(_)
        | Work::Windows(_)
        | Work::Touch(_)
        | Work::Allocations(_) => return None,
    };
    Some((name, setup))
}

/// The store of a cell, and what it is told; its heap is opened.
pub(crate) fn setup_of(cell: &Cell) -> Result<(String, Setup), Stop> {
    let (name, setup) = asked(cell).ok_or_else(|| Stop::failed("the cell asks no store"))?;
    if let System::Store { heap: Some(heap), .. } = &cell.system {
        registry::open_heap(heap)?;
    }
    Ok((name.to_owned(), setup))
}

/// Whether the system of `cell` can be had as the cell asks for it, by the same reading of its settings
/// that opens it. Nothing is opened. What it will do other than one may expect is returned, in sentences.
///
/// # Errors
/// The setting that cannot be had, the values that can, and the nearest of them.
pub fn check(cell: &Cell) -> Result<Vec<String>, String> {
    let refused = |error: OpenError| {
        let because = match &error {
            OpenError::UnknownSetting { setting, known } if !known.is_empty() => {
                unknown_name("setting", setting, known.iter().copied())
            }
            error => error.to_string(),
        };
        format!("store `{}`: {because}", cell.system.label())
    };
    if let Work::Copy(_) = &cell.work {
        return registry::copy_routine(&cell.system).map(|_| Vec::new()).map_err(refused);
    }
    if let Work::Windows(work) = &cell.work {
        return super::windows::check(&cell.system, work).map(|()| Vec::new());
    }
    let Some((name, setup)) = asked(cell) else { return Ok(Vec::new()) };
    let options = registry::configured(name, &setup).map_err(refused)?;
    let told = options.told().iter();
    Ok(told.map(|sentence| format!("`{}` {sentence}", cell.system.label())).collect())
}
