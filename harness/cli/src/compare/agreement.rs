//! Whether two runs of the same cells measured the same: a cell agrees where the intervals of its
//! medians overlap.

use std::collections::BTreeMap;

use record::{Cell, Repetition, Row, repetitions};
use stats::{Interval, median, of_nodes};

/// A cell that both runs measured often enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Id of the cell without its repetition.
    pub cell: String,
    /// Operations per second in the first run.
    pub a: Interval,
    /// Operations per second in the second.
    pub b: Interval,
}

impl Compared {
    /// Whether the intervals overlap.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.a.overlaps(&self.b)
    }
}

/// Two runs, cell by cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Sorted by id.
    pub cells: Vec<Compared>,
    /// Cells that both have, of which one has fewer than three sound repetitions.
    pub too_few: Vec<String>,
    /// Cells of the same id that ask for something else: other sizes, another scale.
    pub unlike: Vec<String>,
}

impl Agreement {
    /// Number of cells that agree.
    #[must_use]
    pub fn agreeing(&self) -> usize {
        self.cells.iter().filter(|cell| cell.agrees()).count()
    }

    /// Whether at least `percent` of the cells agree; of no cells none do.
    #[must_use]
    pub fn reaches(&self, percent: u32) -> bool {
        reaches(self.agreeing(), self.cells.len(), percent)
    }

    /// The median of all intervals' half-widths in percent of their medians.
    #[must_use]
    pub fn half_width_percent(&self) -> Option<f64> {
        let widths = self.cells.iter().flat_map(|cell| [&cell.a, &cell.b]);
        median(&widths.map(Interval::half_width_percent).collect::<Vec<_>>())
    }
}

/// Whether `agreeing` are at least `percent` of `all`; of nothing they never are.
pub(super) fn reaches(agreeing: usize, all: usize, percent: u32) -> bool {
    all > 0 && agreeing * 100 >= all * percent as usize
}

/// Compares the throughput of each cell that has rows in both runs: of its step `run`, or else of
/// its last step.
#[must_use]
pub fn agreement(a: &[Row], b: &[Row]) -> Agreement {
    let (a, mut b) = (by_cell(a), by_cell(b));
    let mut agreement = Agreement::default();
    for (id, a) in a {
        let Some(b) = b.remove(&id) else { continue };
        if a.cell.system != b.cell.system || a.cell.work != b.cell.work {
            agreement.unlike.push(id);
            continue;
        }
        let (a, b) = (of_nodes(&a.throughputs), of_nodes(&b.throughputs));
        match a.zip(b).filter(|(a, b)| a.has_level() && b.has_level()) {
            Some((a, b)) => agreement.cells.push(Compared { cell: id, a, b }),
            None => agreement.too_few.push(id),
        }
    }
    agreement
}

/// Throughput of the repetitions of a cell.
struct Measured<'a> {
    cell: &'a Cell,
    /// Each with its node.
    throughputs: Vec<(&'a str, f64)>,
}

fn by_cell(rows: &[Row]) -> BTreeMap<String, Measured<'_>> {
    let mut cells: BTreeMap<String, Measured<'_>> = BTreeMap::new();
    for repetition in repetitions(rows) {
        let cell = repetition.cell;
        let measured = cells
            .entry(cell.name().to_owned())
            .or_insert_with(|| Measured { cell, throughputs: Vec::new() });
        measured
            .throughputs
            .extend(throughput(&repetition).map(|value| (repetition.node(), value)));
    }
    cells
}

/// Of a repetition all of whose steps ended as they should.
fn throughput(repetition: &Repetition<'_>) -> Option<f64> {
    let row = repetition.step("run").or(repetition.rows.last().copied())?;
    Some(row.throughput_ops_per_s).filter(|_| repetition.counts())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use record::repetition::without_repetition;
    use record::{Outcome, Work, made_up as fixture};

    /// Repetitions of one fragmentation cell of that system, whose last phase was that fast.
    fn rows(system: &str, throughputs: &[f64]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (repetition, &throughput) in throughputs.iter().enumerate() {
            let work = Work::Fragmentation(fixture::work("P1"));
            let cell = fixture::cell(fixture::heap(system, "default"), work, repetition as u32);
            for (step, throughput_ops_per_s) in [("fill", 7.0), ("refill", throughput)] {
                rows.push(Row { throughput_ops_per_s, ..fixture::row(&cell, step) });
            }
        }
        rows
    }

    /// Rows of the committed run.
    fn reference() -> Vec<Row> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference");
        record::archive::load(&folder).unwrap().1
    }

    #[test]
    fn runs_that_measured_alike_agree_and_others_do_not() {
        let a = [rows("glibc", &[100.0, 101.0, 102.0]), rows("jemalloc", &[50.0, 51.0, 50.5])];
        let b = [rows("glibc", &[101.0, 100.5, 102.0]), rows("jemalloc", &[60.0, 60.5, 61.0])];
        let agreement = agreement(&a.concat(), &b.concat());
        let verdicts: Vec<(bool, bool)> = agreement
            .cells
            .iter()
            .map(|cell| (cell.cell.contains("/glibc/"), cell.agrees()))
            .collect();
        assert_eq!(verdicts, [(true, true), (false, false)]);
        assert_eq!((agreement.cells[0].a.estimate, agreement.cells[0].b.estimate), (101.0, 101.0));
        assert!(agreement.reaches(50) && !agreement.reaches(51));
        // All four are some 2 %; those of the phases before would be 0.
        let width = agreement.half_width_percent().unwrap();
        assert!((1.0..4.0).contains(&width), "{width}");
    }

    #[test]
    fn a_run_agrees_with_itself() {
        let rows = reference();
        let agreement = agreement(&rows, &rows);
        assert!(!agreement.cells.is_empty());
        assert_eq!(agreement.agreeing(), agreement.cells.len());
        assert!(agreement.unlike.is_empty());
    }

    #[test]
    fn unsound_repetitions_and_other_questions_do_not_count() {
        let a = rows("glibc", &[100.0, 101.0, 102.0]);
        let mut b = a.clone();
        b[0].outcome = Outcome::Crashed;
        let few = agreement(&a, &b);
        assert_eq!((few.cells.len(), few.too_few.len()), (0, 1));
        assert!(!few.reaches(0), "nothing was compared");
        let mut b = a.clone();
        for row in &mut b {
            if let Work::Fragmentation(work) = &mut row.cell.work {
                work.live_bytes *= 2;
            }
        }
        let unlike = agreement(&a, &b);
        assert_eq!((unlike.cells.len(), unlike.unlike.len()), (0, 1));
    }

    #[test]
    fn the_clock_of_a_closed_loop_is_its_run() {
        let rows = reference();
        let closed = |row: &&Row| matches!(row.cell.work, Work::KeyValue(_));
        let rows: Vec<Row> = rows.iter().filter(closed).cloned().collect();
        let compared = &agreement(&rows, &rows).cells[0];
        let runs: Vec<f64> = rows
            .iter()
            .filter(|row| row.step == "run" && without_repetition(&row.cell.id) == compared.cell)
            .map(|row| row.throughput_ops_per_s)
            .collect();
        assert_eq!(compared.a.estimate, median(&runs).unwrap());
    }
}
