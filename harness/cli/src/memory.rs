//! How much memory a cell touches, of all that it may hold.

use engine::AllocatorChoice;

use record::{Cell, Work};
use worker::registry;

/// From here on a cell is large: taking so much memory and giving it back lasts for seconds.
const LARGE_BYTES: u64 = 2 << 30;

/// How much memory the cell's process touches. Stores on a heap hold what lives, however much they may
/// hold.
pub(crate) fn touched_bytes(cell: &Cell) -> u64 {
    let expected = cell.expected_bytes();
    let Work::KeyValue(work) = &cell.work else { return expected };
    match registry::traits_of(&cell.system) {
        Some(traits) if traits.allocator != AllocatorChoice::Own => {
            let idle = work.object_memory_bytes.saturating_sub(2 * work.live_value_bytes());
            expected.saturating_sub(idle)
        }
        _ => expected,
    }
}

/// Cells of one class touch memory alike, within a factor of two: what one gives back the next can take.
/// Class 0 is below 2 GiB, class 1 below 4 GiB, and so on.
pub(crate) fn memory_class(cell: &Cell) -> u32 {
    let large = if cell.is_exclusive() { touched_bytes(cell) / LARGE_BYTES } else { 0 };
    large.checked_ilog2().map_or(0, |doublings| doublings + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::plan::tests::AMPLE;
    use crate::suites::built_in;
    use crate::traces::Traces;
    use record::Scale;

    #[test]
    fn stores_on_a_heap_touch_what_lives() {
        let scale = Scale::by_name("quick").unwrap();
        let suites = [built_in("rivals").unwrap()];
        let all = plan(&suites, &scale, &Traces::default(), AMPLE).unwrap().cells;
        let class = |system: &str| {
            let id = format!("fill-12-live-set-fixed-threads-1-batch-1/{system}/0");
            memory_class(all.iter().find(|cell| cell.id.ends_with(&id)).unwrap())
        };
        assert_eq!(["masstree:jemalloc", "nibble"].map(class), [1, 3]);
    }
}
