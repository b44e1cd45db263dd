//! Which systems were measured, in which version and with which settings.

use std::collections::{BTreeMap, BTreeSet};

use super::html::{Field, Line, NOTHING, element, sortable};
use record::Row;

/// The section.
pub(super) fn section(rows: &[Row]) -> String {
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
    element("h2", "Systems")
        + &element(
            "p",
            "Settings that differ between cells (a store's capacity, for example) are listed with \
             each of their values. Of a store over an allocator the version is the allocator's.",
        )
        + &sortable(&headings, &lines)
}
