//! From `[[copy]]` grids to cells.

use super::{Draft, finish};
use crate::suites::{CopyGrid, Suite};
use record::{Copying, Scale, Work};
use worker::registry;

/// Longest copy: a share of the memory, so that its places differ.
const PLACES_MIN: u64 = 16;

pub(super) fn cells(
    suite: &Suite,
    grid: &CopyGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Result<(), String> {
    for store in &grid.stores {
        let system = registry::store(store)?;
        for copy in &grid.copy_bytes {
            let copy_bytes = copy.0 as usize;
            let memory_bytes = scale.store_bytes;
            let most = memory_bytes / PLACES_MIN;
            if !(1..=most).contains(&copy.0) {
                return Err(format!(
                    "{}: copy-bytes = {copy_bytes}: must be 1 to {most}",
                    suite.name
                ));
            }
            // As many bytes for every size, but no more copies of small ones than of anything else.
            let operations =
                (memory_bytes * 2 / copy_bytes as u64).clamp(1, scale.operations_per_thread / 2);
            for repetition in 0..scale.repetitions {
                let id = format!("copy/{copy_bytes}/{}", system.label());
                let work = Work::Copy(Copying { copy_bytes, memory_bytes, operations });
                draft.cells.push(finish(suite, scale, system.clone(), repetition, id, work));
            }
        }
    }
    Ok(())
}
