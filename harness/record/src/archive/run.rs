//! `run.json`: what a run was.

use serde::{Deserialize, Serialize};

use crate::MachineRecord;
use crate::Scale;
use crate::identity::Provenance;

/// What was asked, of which machine, by which build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunRecord {
    /// Version of the row format.
    pub schema: u32,
    /// The run's name, without its date.
    pub name: String,
    /// The command line, shell-quoted where needed.
    pub command: String,
    pub scale: Option<Scale>,
    /// Suites run, with their questions.
    pub suites: Vec<(String, String)>,
    /// Figures asked for; all that the rows allow where empty.
    pub figures: Vec<String>,
    /// Notices about what was changed or left out, in sentences.
    pub notices: Vec<String>,
    pub cells_planned: usize,
    /// Time of the start, UTC.
    pub started: String,
    /// Times of resumption, UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// End, UTC; absent while running and after a crash.
    pub finished: Option<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// What all its rows share: part of their identity.
    pub provenance: Provenance,
    pub machine: MachineRecord,
}

/// The time now, UTC, as `2026-11-20T14:15:00Z`.
#[must_use]
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The time now as a folder's prefix: `20261120T141500Z`.
pub(super) fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}
