//! `fig10b`: what operations do over the length of a trace, as shares on top of one another.

use std::path::Path;

use workloads::trace::statistics::{Effect, Effects, TraceStatistics};

use super::super::data::Data;
use super::super::table::{Column, Table, Value};
use super::{NOTHING_IN_THEM, accounts, nothing, percent, source};

const COLUMNS: [Column; 6] = [
    Column::new("panel", "", 0),
    Column::new("series", "", 0),
    Column::new("order", "", 0),
    Column::new("x", "", 3),
    Column::new("low", "", 3),
    Column::new("high", "", 3),
];

const SHOWN: [Column; 9] = [
    Column::new("panel", "trace", 0),
    Column::new("phase", "phase", 0),
    Column::prefixed("operations", "operations"),
    Column::new("get-hit", "GETs that hit, %", 1),
    Column::new("get-miss", "GETs that miss, %", 1),
    Column::new("insert", "inserts, %", 1),
    Column::new("overwrite", "overwrites, %", 1),
    Column::new("delete", "deletes, %", 1),
    Column::new("delete-miss", "deletes that miss, %", 1),
];

/// A panel for each key-value trace, Postmark's first.
pub(in super::super) fn kinds(folder: &Path) -> Data {
    let accounts =
        match accounts(folder, "a key-value trace", |account| account.requests().is_some()) {
            Ok(accounts) => accounts,
            Err(reason) => return nothing(reason),
        };
    let mut data = Data::new(&COLUMNS);
    let mut shown = Table::new(&SHOWN);
    for account in &accounts {
        let Some(whole) = account.requests() else { continue };
        data.table.rows.extend(areas(&account.name, whole));
        for row in phases(&account.name, whole) {
            shown.push(row, source(account));
        }
    }
    if data.table.rows.is_empty() {
        data.nothing = Some(NOTHING_IN_THEM.to_owned());
    }
    data.shown = Some(shown);
    data
}

/// The area of each effect, step by step. Steps stand at their middle, and the first and the last
/// reach to the ends.
fn areas(panel: &str, whole: &TraceStatistics) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let steps = &whole.timeline.points;
    for (place, step) in steps.iter().enumerate() {
        let total = step.counts.total();
        let middle = percent(2 * step.at - total, 2 * whole.operations);
        let mut places = vec![middle];
        if place == 0 {
            places.insert(0, 0.0);
        }
        if place == steps.len() - 1 {
            places.push(100.0);
        }
        for x in places {
            let mut below = 0;
            for (order, effect) in Effect::ALL.into_iter().enumerate() {
                let low = percent(below, total);
                below += step.counts.of(effect);
                rows.push(vec![
                    panel.into(),
                    effect.name().into(),
                    order.into(),
                    x.into(),
                    low.into(),
                    percent(below, total).into(),
                ]);
            }
        }
    }
    rows
}

/// Rows of the table shown in the report.
fn phases(panel: &str, whole: &TraceStatistics) -> Vec<Vec<Value>> {
    let mut parts = vec![("all", &whole.effects)];
    if let Some(phases) = &whole.phases {
        parts.push(("creation", &phases.creation.effects));
        parts.push(("steady", &phases.steady.effects));
        parts.push(("deletion", &phases.deletion.effects));
    }
    let row = |(phase, effects): (&str, &Effects)| {
        let mut row: Vec<Value> = vec![panel.into(), phase.into(), (effects.total() as f64).into()];
        let share = |effect| Value::from(effects.share(effect).map(|share| 100.0 * share));
        row.extend(Effect::ALL.map(share));
        row
    };
    parts.into_iter().map(row).collect()
}
