//! From the rows of a comparison to values by cell, metric, round and side.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use compare::{Blocks, Recorded, RecordedCell};

use super::tolerance::Tolerances;
use super::{LETTERS, Place};
use record::{Row, id_in_comparison, metrics::Metric, of_comparison, repetitions};

/// The id of one process: `compare/ROUND/PLACE-SIDE/NAME`. The name is what both sides share.
#[must_use]
pub fn id(place: &Place, name: &str) -> String {
    id_in_comparison(place.round, &place.place.to_string(), LETTERS[place.side], name)
}

/// A cell's name and a metric's.
type Key = (String, &'static str);

/// Both values of a side in a round, as far as they were measured.
type Sides = BTreeMap<char, Vec<f64>>;

#[derive(Clone, Debug, Default)]
pub struct Measured(BTreeMap<Key, BTreeMap<u32, Sides>>);

impl Measured {
    /// Of the rows of a comparison; rows of other cells are passed over.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        let mut measured = Self::default();
        measured.add(rows);
        measured
    }

    /// Adds whole cells.
    pub fn add(&mut self, rows: &[Row]) {
        for repetition in repetitions(rows) {
            let Some((round, side, name)) = of_comparison(&repetition.cell.id) else { continue };
            for metric in Metric::all_judged() {
                let rounds = self.0.entry((name.to_owned(), metric.short_name())).or_default();
                let values = rounds.entry(round).or_default().entry(side).or_default();
                values.extend(metric.of_process(&repetition));
            }
        }
    }

    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.0.keys().map(|(name, _)| name.as_str()).collect()
    }

    /// Every value of one side, in the order of rounds.
    #[must_use]
    pub fn values(&self, name: &str, metric: &'static str, side: char) -> Vec<f64> {
        let rounds = self.0.get(&(name.to_owned(), metric));
        let sides = rounds.into_iter().flat_map(BTreeMap::values);
        sides.filter_map(|sides| sides.get(&side)).flatten().copied().collect()
    }

    /// A and B of each complete block of these rounds, of all cells.
    #[must_use]
    pub fn pairs(&self, metric: &str, rounds: &Range<u32>) -> Vec<[f64; 2]> {
        let of_metric = self.0.iter().filter(|((_, of), _)| *of == metric);
        let sides = of_metric.flat_map(|(_, of)| of.range(rounds.clone()));
        sides.filter_map(|(_, sides)| Some([both(sides, 'A')?, both(sides, 'B')?])).collect()
    }

    /// The complete blocks of B against A with the control C, for each cell and each metric that is judged.
    /// A metric that no process measured (latency of cells that time none) has no entry.
    #[must_use]
    pub fn blocks(&self, tolerances: &Tolerances, rounds: &Range<u32>) -> Vec<Blocks> {
        let mut all = Vec::new();
        for name in self.names() {
            for (metric, tolerance) in tolerances.iter() {
                let Some(of) = self.0.get(&(name.to_owned(), metric.short_name())) else {
                    continue;
                };
                if of.values().flat_map(BTreeMap::values).all(Vec::is_empty) {
                    // Only where something else was measured: else every process of it failed.
                    let other = |metric: &Metric| !self.is_empty(name, metric);
                    if Metric::all_judged().any(other) {
                        continue;
                    }
                }
                let short = metric.short_name();
                let mut blocks = Blocks::empty(name, short, metric.unit, metric.better, tolerance);
                for (_, sides) in of.range(rounds.clone()) {
                    let [a, b, control] = ['A', 'B', 'C'].map(|side| both(sides, side));
                    if let (Some(a), Some(b), Some(control)) = (a, b, control) {
                        blocks.a.push(a);
                        blocks.b.push(b);
                        blocks.control.push(control);
                    }
                }
                all.push(blocks);
            }
        }
        all
    }

    fn is_empty(&self, name: &str, metric: &Metric) -> bool {
        let rounds = self.0.get(&(name.to_owned(), metric.short_name()));
        rounds.is_none_or(|of| of.values().flat_map(BTreeMap::values).all(Vec::is_empty))
    }

    /// What a recording holds for resampling: only rounds in which every cell has every side.
    #[must_use]
    pub fn recorded(&self, tolerances: &Tolerances, sides: &[char]) -> Recorded {
        let judged: Vec<(&str, &'static Metric, f64)> = self
            .names()
            .into_iter()
            .flat_map(|name| tolerances.iter().map(move |(metric, share)| (name, metric, share)))
            .filter(|(name, metric, _)| !self.is_empty(name, metric))
            .collect();
        let of = |name: &str, metric: &Metric| &self.0[&(name.to_owned(), metric.short_name())];
        let complete = |round: u32| {
            judged.iter().all(|(name, metric, _)| {
                let of_round = of(name, metric).get(&round);
                of_round.is_some_and(|of| sides.iter().all(|side| both(of, *side).is_some()))
            })
        };
        let rounds: BTreeSet<u32> = self.0.values().flat_map(|of| of.keys().copied()).collect();
        let rounds: Vec<u32> = rounds.into_iter().filter(|round| complete(*round)).collect();
        let mut cells = Vec::new();
        for (name, metric, tolerance) in judged {
            let of = of(name, metric);
            let values = |side: char| {
                let of_round = |round: &u32| both(&of[round], side).expect("a complete round");
                (side.to_string(), rounds.iter().map(of_round).collect())
            };
            cells.push(RecordedCell {
                cell: name.to_owned(),
                metric: metric.short_name().to_owned(),
                unit: metric.unit.to_owned(),
                better: metric.better,
                tolerance,
                sides: sides.iter().copied().map(values).collect(),
            });
        }
        Recorded { cells }
    }
}

/// The geometric mean of a side's two processes in a block.
fn both(sides: &Sides, side: char) -> Option<f64> {
    match sides.get(&side)?[..] {
        [first, second] => Some((first * second).sqrt()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Order, places};
    use record::{Outcome, made_up as fixture};

    /// Two rounds of three sides of one cell; B is 10 % slower.
    fn rows() -> Vec<Row> {
        let cell = crate::plan::tests::sample_cells().remove(0);
        let rows = places(0..2, 1, 3, 1, Order::Mirrored).into_iter().map(|place| {
            let cell = record::Cell { id: id(&place, "some/cell"), ..cell.clone() };
            let throughput_ops_per_s = if place.side == 1 { 90.0 } else { 100.0 };
            Row { throughput_ops_per_s, ..fixture::row(&cell, "fill") }
        });
        rows.collect()
    }

    #[test]
    fn ids_name_round_place_side_and_cell() {
        let place = Place { round: 12, place: 3, cell: 0, side: 2 };
        let id = id(&place, "key-value/get-50/nibble");
        assert_eq!(id, "compare/12/3-C/key-value/get-50/nibble");
        assert_eq!(of_comparison(&id), Some((12, 'C', "key-value/get-50/nibble")));
        assert_eq!(of_comparison("key-value/get-50/nibble/0"), None);
    }

    #[test]
    fn complete_blocks_have_a_value_of_each_side() {
        let measured = Measured::of(&rows());
        let blocks = measured.blocks(&Tolerances::default(), &(0..2));
        let throughput = blocks.iter().find(|blocks| blocks.metric == "throughput").unwrap();
        assert_eq!(throughput.cell, "some/cell");
        assert_eq!((throughput.a.len(), throughput.b.len()), (2, 2));
        assert!((throughput.b[0] / throughput.a[0] - 0.9).abs() < 1e-12);
        assert_eq!(measured.blocks(&Tolerances::default(), &(1..2))[0].a.len(), 1);
        assert_eq!(measured.values("some/cell", "throughput", 'B'), [90.0; 4]);
    }

    #[test]
    fn a_process_that_failed_makes_its_block_incomplete() {
        let mut rows = rows();
        rows[2].outcome = Outcome::Crashed;
        let measured = Measured::of(&rows);
        assert_eq!(measured.blocks(&Tolerances::default(), &(0..2))[0].a.len(), 1);
        let recorded = measured.recorded(&Tolerances::default(), &['A', 'B', 'C']);
        assert!(recorded.cells.iter().all(|cell| cell.sides["A"].len() == 1));
    }
}
