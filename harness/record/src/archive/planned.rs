//! `plan.json`: every cell of a run in order, so that a run can be completed without its suite.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Cell;
use crate::identity::Provenance;

/// Suites that contain a cell, by its id.
pub type Suites = BTreeMap<String, Vec<String>>;

pub(super) const NAME: &str = "plan.json";

/// A cell to be measured, and the identity that its rows will have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlannedCell {
    /// Identity of the cell's rows.
    pub identity: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    pub cell: Cell,
}

impl PlannedCell {
    pub(super) fn of(provenance: &Provenance, cell: &Cell, suites: &Suites) -> Self {
        Self {
            identity: provenance.identity(cell),
            suites: suites.get(&cell.id).cloned().unwrap_or_default(),
            cell: cell.clone(),
        }
    }
}

/// The file's text: an array with one line per cell.
pub(super) fn text(cells: &[PlannedCell]) -> String {
    let lines = cells.iter().map(|planned| serde_json::to_string(planned).expect("plain data"));
    let lines: Vec<String> = lines.collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The plan of the run in `folder`.
///
/// # Errors
/// The file is missing or invalid.
pub fn plan(folder: &Path) -> Result<Vec<PlannedCell>, String> {
    let path = folder.join(NAME);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
