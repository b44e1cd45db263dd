//! `memory-and-time`: what stores hold after object sizes changed, and the CPU time that it took.

use record::{Repetition, Role, Row, Work};

use super::asked_by;
use super::data::Data;
use super::key_value::of_suite;
use super::panels::{Axes, Drawing};
use super::samples::{Label, Measure, Spot, spot};

/// What is shown of a cell, from above, each with the metric of the second filling.
const SHOWN: [(Measure, &str); 3] = [
    (Measure { rank: 0, title: "resident ÷ live value bytes", log: false }, "overhead"),
    (
        Measure { rank: 1, title: "resident after idling ÷ live value bytes", log: false },
        "overhead-after-idle",
    ),
    (Measure { rank: 2, title: "CPU time, ns/operation", log: false }, "cpu-ns"),
];

/// The stores of a suite side by side, in groups by pattern.
pub(super) fn memory_and_time(suite: &str, rows: &[Row]) -> Data {
    let all = asked_by(suite, rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), spots)
}

fn spots(one: &Repetition<'_>) -> Vec<Spot> {
    let Work::Fragmentation(work) = &one.cell.work else { return Vec::new() };
    if one.role() != Role::Store {
        return Vec::new();
    }
    let group = Label::named(format!("{}: {}", work.pattern.name, work.pattern.label));
    let spots = SHOWN
        .iter()
        .map(|&(measure, metric)| spot(measure, metric, Label::named(one.system), group.clone()));
    spots.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;

    #[test]
    fn every_store_has_its_memory_at_once_and_after_idling_and_its_time() {
        let data = memory_and_time("defragmentation", &fixture::rows());
        let table = &data.table;
        for series in ["redis@defrag=tuned@server=redis8", "memcached"] {
            let of_series =
                (0..table.rows.len()).filter(|row| table.text(*row, "series") == series);
            let shown: Vec<(&str, f64)> = of_series
                .map(|row| (table.text(row, "measure"), table.number(row, "value")))
                .collect();
            let titles: Vec<&str> = shown.iter().map(|(title, _)| *title).collect();
            assert_eq!(titles, SHOWN.map(|(measure, _)| measure.title), "{series}");
            assert!(shown.iter().all(|(_, value)| *value > 0.0), "{series}: {shown:?}");
        }
        assert!(memory_and_time("no-such-suite", &fixture::rows()).table.rows.is_empty());
    }
}
