//! What memory alone costs under each workload of a run, so that every other row can say how near it
//! comes.

use std::collections::BTreeMap;

use record::{Cell, Outcome, Roofline, Row, Work};
use worker::registry;

/// Times of the roofline store by workload and repetition.
#[derive(Clone, Debug, Default)]
pub struct Rooflines(BTreeMap<(String, u32), f64>);

impl Rooflines {
    /// Remembers a row of the roofline store; passes over any other.
    pub fn note(&mut self, row: &Row) {
        if is_run(row)
            && registry::is_roofline(&row.cell.system)
            && let Some((key, ns)) = key(&row.cell).zip(row.ns_per_operation())
        {
            self.0.insert(key, ns);
        }
    }

    /// Says of a row how near it comes, where its workload's roofline was measured before.
    pub fn complete(&self, row: &mut Row) {
        let engine = row.ns_per_operation().filter(|_| is_run(row));
        let found = key(&row.cell).and_then(|key| self.0.get(&key));
        if let Some((&ns_per_operation, engine)) = found.zip(engine) {
            row.roofline =
                Some(Roofline { ns_per_operation, efficiency: ns_per_operation / engine });
        }
    }
}

/// Requests on a schedule take the time that the schedule leaves them.
fn key(cell: &Cell) -> Option<(String, u32)> {
    let Work::KeyValue(work) = &cell.work else { return None };
    let text = serde_json::to_string(work).expect("a workload is plain data");
    work.rate_ops_per_s().is_none().then_some((text, cell.repetition))
}

fn is_run(row: &Row) -> bool {
    row.step == "run" && row.outcome == Outcome::Measured
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::made_up as fixture;

    #[test]
    fn a_row_is_held_against_the_roofline_of_its_own_workload_and_repetition() {
        let cells = fixture::sample_cells();
        let cell = cells.iter().find(|cell| matches!(cell.work, Work::KeyValue(_))).unwrap();
        let mut run = fixture::row(cell, "run");
        let mut roofline = run.clone();
        roofline.cell.system = registry::roofline();
        roofline.elapsed_ns = run.elapsed_ns / 4;
        let mut rooflines = Rooflines::default();
        rooflines.note(&run);
        rooflines.complete(&mut run);
        assert_eq!(run.roofline, None, "a store is no roofline");
        rooflines.note(&roofline);
        rooflines.complete(&mut run);
        assert!((run.roofline.unwrap().efficiency - 0.25).abs() < 1e-6);
        run.cell.repetition += 1;
        run.roofline = None;
        rooflines.complete(&mut run);
        assert_eq!(run.roofline, None, "another repetition");
    }
}
