//! Which systems were measured, in which version and with which settings.

use std::collections::{BTreeMap, BTreeSet};

use super::table::{Field, Line, NOTHING, Table};
use record::Row;

/// A line for each system.
pub(super) fn systems(rows: &[Row]) -> Table {
    let mut systems: BTreeMap<(&str, &str), [BTreeSet<String>; 3]> = BTreeMap::new();
    for row in rows {
        let place = (row.cell.system.kind(), row.system.as_str());
        let [versions, settings, environment] = systems.entry(place).or_default();
        if !row.version.is_empty() {
            versions.insert(row.version.clone());
        }
        for (into, from) in [(settings, &row.settings), (environment, &row.environment)] {
            into.extend(from.iter().map(|(name, value)| format!("{name} = {value}")));
        }
    }
    let lines: Vec<Line> = systems
        .into_iter()
        .map(|((kind, name), sets)| {
            let mut line: Vec<Field> = vec![name.into(), kind.into()];
            line.extend(sets.map(|set| match set.len() {
                0 => NOTHING.into(),
                _ => set.into_iter().collect::<Vec<_>>().join("; ").into(),
            }));
            line.into()
        })
        .collect();
    let headings =
        ["system", "kind", "version", "settings in force, as reported", "environment variables"];
    Table::sortable(&headings, lines)
}
