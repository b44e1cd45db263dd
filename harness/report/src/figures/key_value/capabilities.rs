//! `capabilities`: the paper's table of what designs are capable of, from measurements.

use std::collections::{BTreeMap, BTreeSet};

use stats::of_processes;

use super::{finish, spot};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::requests;
use crate::figures::samples::{Label, Mark, Measure, Point};
use crate::figures::table::{Column, Table};
use record::{
    Basis, KeyValue, Role, Row, Work, metrics,
    repetition::{Repetition, Source, repetitions},
};

/// A capability: a ratio, and the threshold from which on a store has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Capability {
    Reads,
    Updates,
    Inserts,
    HighFill,
    Whole,
}

impl Capability {
    const ALL: [Self; 5] = [Self::Reads, Self::Updates, Self::Inserts, Self::HighFill, Self::Whole];

    fn measure(self) -> Measure {
        let title = match self {
            Self::Reads => "2 threads ÷ 1, GET",
            Self::Updates => "2 threads ÷ 1, update",
            Self::Inserts => "2 threads ÷ 1, insert",
            Self::HighFill => "at 90 % ÷ 20 % fill",
            Self::Whole => "memory ÷ live, P1–P6",
        };
        Measure { rank: self as u8, title, log: false }
    }

    /// ●, ○ or ×.
    fn rate(self, value: f64) -> &'static str {
        let (full, half) = match self {
            Self::Reads | Self::Updates | Self::Inserts => (1.6, 1.2),
            Self::HighFill => (0.8, 0.5),
            // Less is better.
            Self::Whole => (-1.25, -1.6),
        };
        let value = if self == Self::Whole { -value } else { value };
        match value {
            _ if value >= full => "●",
            _ if value >= half => "○",
            _ => "×",
        }
    }
}

/// Of which ratio a cell is a side, at which fill if both sides have the same, and whether it is the
/// numerator.
type Side = (Capability, Option<u32>, bool);

fn side(work: &KeyValue) -> Option<Side> {
    let (mix, uniform) = (&work.workload.mix, work.distribution() == "uniform");
    if !uniform || work.batch() != 1 {
        return None;
    }
    let capability = match () {
        () if !work.ageing.is_none() && mix.get == 50.0 => {
            let above = match work.fill_percent {
                20 => false,
                90 => true,
                _ => return None,
            };
            return Some((Capability::HighFill, None, above));
        }
        () if mix.get == 100.0 => Capability::Reads,
        () if mix.update == 100.0 => Capability::Updates,
        () if mix.insert == 100.0 => Capability::Inserts,
        () => return None,
    };
    match work.threads {
        1 => Some((capability, Some(work.fill_percent), false)),
        2 => Some((capability, Some(work.fill_percent), true)),
        _ => None,
    }
}

/// Throughput of both sides, by store, capability, fill and repetition.
type Sides<'a> = BTreeMap<(&'a str, Capability, Option<u32>, u32), [Option<f64>; 2]>;

pub(in crate::figures) fn capabilities(rows: &[Row]) -> Data {
    let mut all = repetitions(rows);
    all.retain(|one| {
        let asked = ["capabilities", "rivals"].iter().any(|suite| one.asked_by(suite));
        (asked || is_pattern(one)) && one.role() == Role::Store
    });
    let mut sides: Sides<'_> = BTreeMap::new();
    let mut memory: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    // A store with a memory bound is judged by its bounded cells, not by its ample ones.
    let bounded: BTreeSet<&str> = all
        .iter()
        .filter(|one| {
            matches!(&one.cell.work, Work::Fragmentation(work) if work.basis == Basis::Bounded)
        })
        .map(|one| one.system)
        .collect();
    let mut sizes: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut behind: BTreeMap<&str, Vec<Source>> = BTreeMap::new();
    let mut data = Data::default();
    for one in &all {
        let repetition = one.cell.repetition;
        if let Some(overhead) = overhead(one, bounded.contains(one.system)) {
            behind.entry(one.system).or_default().push(one.source());
            if let Work::Fragmentation(work) = &one.cell.work {
                let known = sizes.entry(one.system).or_default();
                known.extend([work.pattern.object_bytes_min(), work.pattern.object_bytes_max()]);
            }
            let worst = memory.entry((one.system, repetition)).or_insert(overhead);
            *worst = worst.max(overhead);
        }
        let Some((capability, fill, above)) = requests(one).and_then(side) else { continue };
        behind.entry(one.system).or_default().push(one.source());
        let mops = one
            .step("run")
            .filter(|_| one.counts())
            .map(|row| row.throughput_ops_per_s)
            .filter(|mops| *mops > 0.0);
        if mops.is_none() {
            data.note_absence(one.system, capability.measure().title, &[one]);
        }
        let both = sides.entry((one.system, capability, fill, repetition)).or_default();
        both[usize::from(above)] = both[usize::from(above)].or(mops);
    }
    let mut values: BTreeMap<(&str, Capability), Vec<f64>> = BTreeMap::new();
    for ((system, capability, ..), both) in sides {
        if let [Some(below), Some(above)] = both {
            values.entry((system, capability)).or_default().push(above / below);
        }
    }
    for ((system, _), worst) in memory {
        values.entry((system, Capability::Whole)).or_default().push(worst);
    }
    // A store that only one suite measures, such as those of the memory figure, is not in this
    // table.
    let asked: BTreeSet<&str> =
        values.keys().filter(|(_, what)| *what == Capability::Inserts).map(|one| one.0).collect();
    values.retain(|(system, _), _| asked.contains(system));
    all.retain(|one| asked.contains(one.system));
    let points: Vec<Point> = values
        .iter()
        .map(|((system, capability), values)| Point {
            spot: spot(capability.measure(), "throughput", Label::named(*system), Label::none()),
            value: of_processes(values),
            mark: Mark::None,
            // People read the rated table.
            sources: Vec::new(),
        })
        .collect();
    data.shown = Some(rated(&asked, &values, &sizes, &behind));
    finish(data, (Drawing::Bars, Axes::default()), &points, &all)
}

/// The cells of the memory figure: patterns of the paper.
fn is_pattern(one: &Repetition<'_>) -> bool {
    matches!(&one.cell.work, Work::Fragmentation(work)
        if work.threads == 1 && !work.sized && work.key_bytes.is_none()
            && work.pattern.name.starts_with('P'))
}

/// Memory ÷ live value bytes after the sizes changed, of `bounded` stores where memory was the limit.
fn overhead(one: &Repetition<'_>, bounded: bool) -> Option<f64> {
    let Work::Fragmentation(work) = &one.cell.work else { return None };
    let refill = one.step("refill").filter(|_| one.counts())?;
    match work.basis {
        Basis::Bounded => metrics::value(refill, "overhead-all-in"),
        Basis::Ample if bounded => None,
        Basis::Ample => metrics::value(refill, "overhead"),
    }
}

/// The table as the paper rates.
fn rated(
    systems: &BTreeSet<&str>,
    values: &BTreeMap<(&str, Capability), Vec<f64>>,
    sizes: &BTreeMap<&str, BTreeSet<usize>>,
    behind: &BTreeMap<&str, Vec<Source>>,
) -> Table {
    let mut columns = vec![Column::new("series", "system", 0)];
    let headings = ["reads", "updates", "inserts", "high utilisation", "whole memory"];
    columns.extend(headings.map(|heading| Column::new(heading, heading, 0)));
    columns.push(Column::new("sizes", "values stored", 0));
    let mut table = Table::new(&columns);
    for system in systems {
        let mut row = vec![(*system).into()];
        for capability in Capability::ALL {
            let value = values.get(&(*system, capability)).and_then(|values| of_processes(values));
            let text = value.map_or_else(
                || "·".to_owned(),
                |value| format!("{} {:.2}", capability.rate(value.estimate), value.estimate),
            );
            row.push(text.as_str().into());
        }
        let range = sizes.get(system).and_then(|known| Some((known.first()?, known.last()?)));
        let range = range.map_or_else(
            || "·".to_owned(),
            |(low, high)| {
                let bytes = workloads::bytes::format_bytes;
                format!("{} to {}", bytes(*low), bytes(*high))
            },
        );
        row.push(range.as_str().into());
        table.push(row, behind.get(system).cloned().unwrap_or_default());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::requests::rows_of;

    /// A cell of one thread at another fill is no base of a cell of two.
    #[test]
    fn threads_are_compared_at_one_fill() {
        let rows = rows_of("capabilities");
        let of_nibble = |mix: fn(&KeyValue) -> bool| {
            let is = move |row: &&Row| matches!(&row.cell.work, Work::KeyValue(work) if mix(work));
            rows.iter().filter(|row| row.system == "nibble").filter(is).cloned()
        };
        let reads = |work: &KeyValue| work.workload.mix.get == 100.0 && work.threads == 2;
        let two: Vec<Row> = of_nibble(reads).collect();
        let inserts = of_nibble(|work| work.workload.mix.insert == 100.0);
        let mut asked: Vec<Row> = inserts.chain(two.iter().cloned()).collect();
        let shown = |rows: &[Row]| {
            let table = capabilities(rows).table;
            let is_read = |row: &usize| table.text(*row, "measure").ends_with("GET");
            (0..table.rows.len()).filter(is_read).any(|row| table.number(row, "value").is_finite())
        };
        let one_at = |fill_percent: u32| {
            two.iter().cloned().map(move |mut row| {
                let Work::KeyValue(work) = &mut row.cell.work else { unreachable!("requests") };
                (work.threads, work.fill_percent) = (1, fill_percent);
                row.cell.id = format!("{}-alone-{fill_percent}", row.cell.id);
                row
            })
        };
        asked.extend(one_at(12));
        assert!(!shown(&asked));
        asked.extend(one_at(4));
        assert!(shown(&asked));
    }
}
