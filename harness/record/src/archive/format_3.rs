//! Rows of format 3, which name neither the suites that asked for their cell nor the role of its system.
//! Both follow from a list that was made when the format ended.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::repetition::without_repetition;
use crate::{Role, Row, System, Work};

pub(super) const SCHEMA: u32 = 3;

/// Suites by cell, from the list.
static SUITES: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut cells = BTreeMap::new();
    let mut suites = Vec::new();
    for line in include_str!("format-3.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(names) => suites = names.split(' ').collect(),
            None => {
                cells.insert(line, suites.clone());
            }
        }
    }
    cells
});

/// Completes the rows of a run that ran the suites `run`.
pub(super) fn complete(rows: &mut [Row], run: &[String]) {
    for row in rows.iter_mut().filter(|row| row.schema == SCHEMA) {
        row.role = role(&row.cell.system);
        row.suites = suites(row);
        // Another suite in the list may contain the cell too, but was not part of this run.
        row.suites.retain(|suite| run.is_empty() || run.contains(suite));
        if row.suites.is_empty() {
            row.suites.extend_from_slice(run);
        }
    }
}

fn suites(row: &Row) -> Vec<String> {
    let id = without_repetition(&row.cell.id);
    let names: Vec<&str> = match &row.cell.work {
        Work::Allocations(_) => vec!["malloc-traces"],
        Work::KeyValue(work) if work.replay.is_some() => replayed(id, &row.system),
        _ => {
            let listed = SUITES.get(id).or_else(|| SUITES.get(any_threads(id).as_str()));
            listed.cloned().unwrap_or_default()
        }
    };
    names.into_iter().map(str::to_owned).collect()
}

/// The suites of a replay, identified by its trace, fill and store.
fn replayed(id: &str, system: &str) -> Vec<&'static str> {
    let Some(settings) = id.strip_prefix("replay/postmark-") else { return vec!["real-traces"] };
    let scales = settings.contains("-fill-17-");
    let fills = settings.contains("-threads-2-")
        && ["mica", "nibble", "nibble@update=in-place"].contains(&system);
    let suites = [(scales, "postmark-scaling"), (fills, "postmark-utilisation")];
    suites.into_iter().filter(|(asks, _)| *asks).map(|(_, suite)| suite).collect()
}

/// The id with `threads-*` in place of its thread count.
fn any_threads(id: &str) -> String {
    let Some((before, rest)) = id.split_once("threads-") else { return id.to_owned() };
    let after = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    format!("{before}threads-*{after}")
}

fn role(system: &System) -> Role {
    match system {
        System::Heap { name, .. } if name == "null" => Role::Price,
        System::Heap { .. } => Role::Allocator,
        System::Kernel | System::Way { .. } => Role::Kernel,
        System::Store { name, .. } => match name.as_str() {
            "roofline" => Role::Roofline,
            "null" => Role::Price,
            _ => Role::Store,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    fn suites_of(id: &str, run: &[&str]) -> Vec<String> {
        let mut cell = made_up::sample_cells().remove(4);
        cell.id = format!("{id}/0");
        let mut rows = vec![made_up::row(&cell, "run")];
        rows[0].schema = SCHEMA;
        let run: Vec<String> = run.iter().map(|name| (*name).to_owned()).collect();
        complete(&mut rows, &run);
        rows.remove(0).suites
    }

    #[test]
    fn cells_have_the_suites_that_asked_for_them() {
        let id = "key-value/get-100-uniform-value-1KiB-fill-12-threads-THREADS-batch-1/nibble";
        let listed = SUITES.keys().find(|key| key.contains("threads-*")).expect("grown lists");
        let suites = SUITES[listed].clone();
        assert_eq!(suites_of(&listed.replace("threads-*", "threads-135"), &[]), suites);
        assert!(suites_of(&id.replace("THREADS", "2"), &[]).len() <= 3);
        assert_eq!(suites_of("key-value/of-nobody", &[]), [""; 0]);
        assert_eq!(suites_of("key-value/of-nobody", &["mine"]), ["mine"]);
        let id = listed.replace("threads-*", "threads-135");
        assert_eq!(suites_of(&id, &["mine", suites[0]]), [suites[0]], "others were not run");
        assert_eq!(suites_of(&id, &["mine"]), ["mine"]);
    }

    #[test]
    fn rows_of_later_formats_are_left_alone() {
        let cell = made_up::sample_cells().remove(4);
        let mut rows = vec![made_up::row(&cell, "run")];
        let before = rows.clone();
        complete(&mut rows, &["mine".to_owned()]);
        assert_eq!(rows, before);
    }
}
