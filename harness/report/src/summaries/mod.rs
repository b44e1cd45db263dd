//! Summary rows: one for all processes that measured the same thing. Claims are asked of them
//! (crate `expect`), and `summary.jsonl` of a run's folder holds them.

mod labels;

use std::collections::BTreeMap;
use std::path::Path;

use expect::Summary;

use record::{Cell, Conditions, Repetition, Row, TraceAccount, repetitions};

/// The file of a run's folder.
pub const FILE: &str = "summary.jsonl";

/// The summary rows of a run: of its rows, and of the accounts of traces in its `folder`. One for each
/// system, work and step; values in the order of repetitions, of processes only whose every step ended
/// as it should.
///
/// # Errors
/// An account of a trace that cannot be read.
pub fn summaries(folder: &Path, rows: &[Row]) -> Result<Vec<Summary>, String> {
    let all = repetitions(rows);
    let mut found: BTreeMap<BTreeMap<String, String>, Vec<(&Repetition<'_>, &Row)>> =
        BTreeMap::new();
    for one in &all {
        for row in &one.rows {
            let labels = labels::of(one, &row.step);
            found.entry(labels).or_default().push((one, row));
        }
    }
    let of_nodes = rows.iter().any(|row| row.node != rows[0].node);
    let mut summaries: Vec<Summary> =
        found.into_iter().map(|(labels, processes)| summary(labels, processes, of_nodes)).collect();
    summaries.extend(TraceAccount::read_all(folder)?.iter().map(facts));
    Ok(summaries)
}

/// The labels of the rows that a cell will have, but for their step.
#[must_use]
pub fn labels_of(cell: &Cell) -> BTreeMap<String, String> {
    let system = cell.system.label();
    let mut labels = labels::of(&Repetition { cell, system: &system, rows: Vec::new() }, "");
    labels.remove("step");
    labels
}

/// The labels and the metrics of one row alone.
pub(crate) fn of_one(row: &Row) -> (BTreeMap<String, String>, BTreeMap<String, f64>) {
    let one = Repetition { cell: &row.cell, system: &row.system, rows: vec![row] };
    (labels::of(&one, &row.step), record::metrics::all(row).into_iter().collect())
}

/// The rows as lines of text.
#[must_use]
pub fn text(summaries: &[Summary]) -> String {
    let line = |summary| serde_json::to_string(summary).expect("plain data") + "\n";
    summaries.iter().map(line).collect()
}

fn summary(
    labels: BTreeMap<String, String>,
    mut processes: Vec<(&Repetition<'_>, &Row)>,
    of_nodes: bool,
) -> Summary {
    processes.sort_by_key(|(one, _)| one.cell.repetition);
    let mut metrics: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let counting = processes.iter().filter(|(one, _)| of_nodes && one.counts());
    let nodes = counting.map(|(_, row)| row.node.clone()).collect();
    for (_, row) in processes.iter().filter(|(one, _)| one.counts()) {
        for (name, value) in record::metrics::all(row) {
            metrics.entry(name).or_default().push(value);
        }
    }
    let conditions = processes.iter().find_map(|(_, row)| row.conditions.as_ref());
    let failed = processes.iter().find(|(one, _)| !one.counts());
    Summary {
        labels,
        absent: failed.filter(|_| metrics.is_empty()).map(|(one, _)| one.reason()),
        metrics,
        rounds: Vec::new(),
        nodes,
        exact: false,
        conditions: conditions.map(Conditions::that_matter).unwrap_or_default(),
        cells: processes.iter().map(|(one, _)| one.cell.id.clone()).collect(),
    }
}

/// What a trace asks for is counted, not measured.
fn facts(account: &TraceAccount) -> Summary {
    let labels = [("family", "trace"), ("trace", &account.name), ("system", "trace")];
    let metrics = record::facts(account);
    Summary {
        labels: labels.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
        metrics: metrics.into_iter().map(|(name, value)| (name.to_owned(), vec![value])).collect(),
        rounds: Vec::new(),
        nodes: Vec::new(),
        exact: true,
        conditions: BTreeMap::new(),
        cells: vec![format!("traces/{}.json", account.name)],
        absent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::{self, Folder};

    fn of_fixture() -> Vec<Summary> {
        let folder = Folder::new("summaries");
        fixture::write_accounts(&folder.0);
        summaries(&folder.0, &fixture::rows()).unwrap()
    }

    #[test]
    fn every_step_of_every_cell_is_in_one_summary() {
        let rows = fixture::rows();
        let summaries = of_fixture();
        let mut steps: Vec<String> = rows
            .iter()
            .filter(|row| !row.cell.counters)
            .map(|row| format!("{} {}", row.cell.id, row.step))
            .collect();
        let mut found: Vec<String> = summaries
            .iter()
            .filter(|summary| summary.labels["family"] != "trace")
            .flat_map(|summary| {
                summary.cells.iter().map(|cell| format!("{cell} {}", summary.labels["step"]))
            })
            .collect();
        steps.sort();
        found.sort();
        assert_eq!(found, steps);
    }

    #[test]
    fn what_failed_has_no_values_and_a_reason() {
        let rows = fixture::rows();
        let failed = rows.iter().find(|row| !record::is_sound(row)).unwrap();
        let summaries = of_fixture();
        let summary = summaries
            .iter()
            .find(|summary| {
                summary.cells.contains(&failed.cell.id)
                    && summary.labels.get("step") == Some(&failed.step)
            })
            .unwrap();
        let values = summary.metrics.get("elapsed-s").map_or(0, Vec::len);
        assert!(values < summary.cells.len(), "{summary:?}");
        assert_eq!(summary.absent.is_some(), summary.metrics.is_empty());
    }

    #[test]
    fn repetitions_of_different_work_are_never_put_together() {
        for summary in of_fixture().iter().filter(|summary| summary.labels["family"] != "trace") {
            let names: std::collections::BTreeSet<&str> = summary
                .cells
                .iter()
                .map(|id| id.rsplit_once('/').map_or(id.as_str(), |(name, _)| name))
                .collect();
            assert_eq!(names.len(), 1, "{names:?}");
        }
    }

    #[test]
    fn traces_are_counted_and_exact() {
        let summaries = of_fixture();
        let trace = summaries.iter().find(|summary| summary.exact).unwrap();
        assert_eq!(trace.labels["family"], "trace");
        assert!(trace.metrics["inserts-percent"][0] > 0.0);
    }
}
