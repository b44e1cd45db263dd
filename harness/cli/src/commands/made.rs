//! What commands that fill or read a run's folder print of it for programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use record::{Row, archive::RunRecord};

/// A run, counted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Made {
    folder: PathBuf,
    name: String,
    cells_planned: usize,
    /// Steps by their outcome.
    steps: BTreeMap<&'static str, usize>,
    /// Steps that ended in an outcome the plan does not expect.
    unexpected: Vec<Unexpected>,
    interrupted: bool,
    notices: Vec<String>,
    /// The page, where one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Unexpected {
    cell: String,
    step: String,
    outcome: &'static str,
    reason: Option<String>,
}

impl Made {
    /// The run in `folder`.
    pub(super) fn of(folder: &Path, run: &RunRecord, rows: &[Row]) -> Self {
        let mut steps = BTreeMap::new();
        for row in rows {
            *steps.entry(row.outcome.word()).or_default() += 1;
        }
        let unexpected = rows.iter().filter(|row| !row.expected).map(|row| Unexpected {
            cell: row.cell.id.clone(),
            step: row.step.clone(),
            outcome: row.outcome.word(),
            reason: row.reason.clone(),
        });
        Self {
            folder: folder.to_owned(),
            name: run.name.clone(),
            cells_planned: run.cells_planned,
            steps,
            unexpected: unexpected.collect(),
            interrupted: run.interrupted,
            notices: run.notices.clone(),
            report: None,
        }
    }

    pub(super) fn with_report(self, page: PathBuf) -> Self {
        Self { report: Some(page), ..self }
    }
}
