//! `memory-per-object`: what stores hold for each object beside its value, net of what they keep free.

use record::{Repetition, Role, Row};

use super::asked_by;
use super::data::Data;
use super::key_value::{of_suite, size};
use super::panels::{Axes, Drawing};
use super::requests;
use super::samples::{Label, Measure, Spot, spot};

const BESIDE: Measure = Measure { rank: 0, title: "bytes beside each value", log: false };

/// The stores of a suite side by side, a panel for each size of values. There are too many to draw: most
/// stand in the table only.
pub(super) fn memory_per_object(suite: &str, rows: &[Row]) -> Data {
    of_suite(&asked_by(suite, rows), (Drawing::Bars, Axes::default()), spots)
}

fn spots(one: &Repetition<'_>) -> Vec<Spot> {
    let Some(work) = requests(one).filter(|_| one.role() == Role::Store) else {
        return Vec::new();
    };
    let spot = spot(BESIDE, "beside-value-bytes", Label::named(one.system), size(work));
    vec![Spot { panel: size(work), ..spot }]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::figures::fixture::requests::rows_of;

    /// 100 bytes of memory beside each value, of which the store says that 40 are free.
    #[test]
    fn free_memory_counts_for_no_object() {
        let mut rows = rows_of("memory-per-object");
        for row in rows.iter_mut().filter(|row| row.step == "run") {
            let held = row.memory.as_mut().unwrap().at_once.as_mut().unwrap();
            held.live_objects = 1000;
            held.resident_bytes = held.live_bytes + 100 * 1000;
            row.census = Some(record::Census { free_object_bytes: 40_000, ..Default::default() });
        }
        let table = memory_per_object("memory-per-object", &rows).table;
        let values = (0..table.rows.len()).map(|row| table.number(row, "value"));
        assert!(values.clone().all(|value| value == 60.0 || value.is_nan()), "{values:?}");
        let of_nibble = (0..table.rows.len()).filter(|row| table.text(*row, "series") == "nibble");
        let sizes: BTreeSet<&str> = of_nibble.map(|row| table.text(row, "group")).collect();
        assert_eq!(sizes.len(), 2, "{sizes:?}");
    }

    /// The process shows 30 bytes beside each value; 50 more are in files that it has not mapped.
    #[test]
    fn files_in_memory_count_where_no_process_shows_them() {
        let mut rows = rows_of("memory-per-object");
        rows.retain(|row| row.system == "leveldb");
        for row in rows.iter_mut().filter(|row| row.step == "run") {
            let held = row.memory.as_mut().unwrap().at_once.as_mut().unwrap();
            held.live_objects = 1000;
            held.resident_bytes = held.live_bytes + 30 * 1000;
            row.statistics.insert("unmapped_files_bytes".to_owned(), 50_000.0);
        }
        let table = memory_per_object("memory-per-object", &rows).table;
        let values: Vec<f64> =
            (0..table.rows.len()).map(|row| table.number(row, "value")).collect();
        let placed = |size: &str| (0..table.rows.len()).any(|row| table.text(row, "panel") == size);
        assert!(placed("64 B") && placed("1KiB"), "both sizes");
        assert!(values.iter().all(|value| *value == 80.0), "{values:?}");
    }
}
