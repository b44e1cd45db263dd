//! Marks stores that were measured under other conditions than most: a figure compares like with
//! like, or says what differs.

use std::collections::{BTreeMap, BTreeSet};

use super::samples::Point;
use record::{Conditions, Role, most_common, repetition::Repetition};

/// What the stores of a figure have in common, and what each differs in.
#[derive(Debug, Default)]
pub(crate) struct Unlike {
    /// Differences by system; stores like most are not in it.
    differences: BTreeMap<String, Vec<String>>,
    /// The marks, in the order of the systems that have them.
    marks: Vec<Vec<String>>,
}

impl Unlike {
    /// Looks at all stores but those that price memory or the harness: they are bounds, not
    /// competitors.
    pub(crate) fn of(all: &[Repetition<'_>]) -> Self {
        let mut systems: BTreeMap<&str, &Conditions> = BTreeMap::new();
        for one in all {
            let competes = one.role() == Role::Store;
            let conditions = one.rows.iter().find_map(|row| row.conditions.as_ref());
            if let Some(conditions) = conditions.filter(|_| competes) {
                systems.entry(one.system).or_insert(conditions);
            }
        }
        let known: Vec<&Conditions> = systems.values().copied().collect();
        let Some(common) = most_common(&known) else { return Self::default() };
        let mut unlike = Self::default();
        for (system, conditions) in systems {
            let differences = conditions.beside(&common);
            if differences.is_empty() {
                continue;
            }
            if !unlike.marks.contains(&differences) {
                unlike.marks.push(differences.clone());
            }
            unlike.differences.insert(system.to_owned(), differences);
        }
        unlike
    }

    /// In what `system` differs from most: stores with the same differences may be ranked.
    pub(crate) fn differences(&self, system: &str) -> &[String] {
        self.differences.get(system).map_or(&[], Vec::as_slice)
    }

    /// The mark of a system that is not like most: `a`, `b`, …
    fn mark(&self, system: &str) -> Option<String> {
        let differences = self.differences.get(system)?;
        let at = self.marks.iter().position(|known| known == differences)?;
        Some(letter(at))
    }

    /// Marks every series that is a store not like most.
    pub(super) fn mark_series(&self, points: &mut [Point]) {
        for point in points {
            if let Some(mark) = self.mark(&point.spot.series.text) {
                point.spot.series.text.push_str(&format!(" [{mark}]"));
            }
        }
    }

    /// What the marks mean; `None` where all are alike.
    pub(super) fn note(&self) -> Option<String> {
        if self.marks.is_empty() {
            return None;
        }
        let told = self.marks.iter().enumerate().map(|(at, differences)| {
            let who: BTreeSet<&str> = self
                .differences
                .iter()
                .filter(|(_, own)| *own == differences)
                .map(|(system, _)| system.as_str())
                .collect();
            let who: Vec<&str> = who.into_iter().collect();
            format!("[{}] {} ({})", letter(at), differences.join(", "), who.join(", "))
        });
        Some(format!(
            "Not alike; beside what most stores here have: {}.",
            told.collect::<Vec<_>>().join("; ")
        ))
    }
}

/// `a` to `z`, then `a2` and so on.
fn letter(at: usize) -> String {
    let letter = char::from(b'a' + (at % 26) as u8);
    match at / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{}", round + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use record::Row;

    fn rows() -> Vec<Row> {
        fixture::requests::rows_of("own-stores")
    }

    #[test]
    fn stores_unlike_most_are_marked_and_the_marks_explained() {
        let mut rows = rows();
        for row in &mut rows {
            let Some(conditions) = &mut row.conditions else { continue };
            *conditions = Conditions {
                store_threads: u64::from(row.system == "nibble"),
                when_full: if row.system == "btree" { "grows" } else { "refuses" }.to_owned(),
                ..rows_conditions()
            };
        }
        let all = super::super::repetitions(&rows);
        let unlike = Unlike::of(&all);
        let note = unlike.note().expect("two differ");
        assert_eq!(
            note,
            "Not alike; beside what most stores here have: [a] grows when full (btree); [b] 1 \
             thread of its own (nibble)."
        );
        assert_eq!(unlike.mark("nibble").as_deref(), Some("b"));
        assert!(unlike.differences("hashmap").is_empty() && unlike.mark("hashmap").is_none());
        assert!(unlike.mark("roofline").is_none(), "a bound competes with nobody");
    }

    fn rows_conditions() -> Conditions {
        record::made_up::plain_conditions()
    }
}
