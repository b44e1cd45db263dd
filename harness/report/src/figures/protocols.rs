//! `memory-protocols`: the same stores under each protocol that memory can be measured by, side by side.

use record::{Basis, Repetition, Role, Row, Work, repetitions};
use workloads::fragmentation::Volume;

use super::data::Data;
use super::panels::{Axes, Drawing, fill};
use super::samples::{Label, Measure, Spot, points, spot};
use super::selections::is_paper_protocol;

const MEMORY: Measure = Measure { rank: 0, title: "memory ÷ live value bytes", log: false };

/// What is shown of a cell: its place, the protocol, and the metric of the second filling.
const BOUNDED: &[(f64, &str, &str)] = &[(0.0, "bounded", "overhead-held")];
const AMPLE: &[(f64, &str, &str)] = &[
    (1.0, "ample, at once", "overhead"),
    (2.0, "ample, after idle", "overhead-after-idle"),
    (3.0, "ample, after purge", "overhead-after-trim"),
];

/// A panel for each pattern, a group of bars for each protocol.
pub(super) fn memory_protocols(rows: &[Row]) -> Data {
    let mut data = Data::default();
    let mut all = repetitions(rows);
    all.retain(|one| one.role() == Role::Store);
    let points = points(&mut data, &all, spots);
    fill(&mut data, Drawing::Bars, Axes::default(), &points);
    data
}

fn spots(one: &Repetition<'_>) -> Vec<Spot> {
    let Work::Fragmentation(work) = &one.cell.work else { return Vec::new() };
    if !is_paper_protocol(work) || work.pattern.volume != Volume::Fill {
        return Vec::new();
    }
    let protocols = match work.basis {
        Basis::Bounded => BOUNDED,
        Basis::Ample => AMPLE,
    };
    let panel = Label::named(format!("{}: {}", work.pattern.name, work.pattern.label));
    let spots = protocols.iter().map(|&(at, protocol, metric)| Spot {
        panel: panel.clone(),
        ..spot(MEMORY, metric, Label::named(one.system), Label::new(at, protocol))
    });
    spots.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;

    #[test]
    fn a_store_stands_in_every_column_that_it_was_measured_by() {
        let rows: Vec<Row> = fixture::rows();
        let data = memory_protocols(&rows);
        let columns = |system: &str| -> Vec<String> {
            let of_system =
                (0..data.table.rows.len()).filter(|row| data.table.text(*row, "series") == system);
            let of_p1 = of_system.filter(|row| {
                data.table.text(*row, "panel").starts_with("P1")
                    && !data.table.number(*row, "value").is_nan()
            });
            of_p1.map(|row| data.table.text(row, "group").to_owned()).collect()
        };
        assert_eq!(columns("nibble"), ["bounded"]);
        assert_eq!(
            columns("hashmap"),
            ["ample, at once", "ample, after idle", "ample, after purge"]
        );
        assert!(columns("null").is_empty(), "the price of the harness holds no objects");
    }
}
