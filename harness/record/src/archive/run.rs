//! `run.json`: what a run measured, where and with which build.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::MachineRecord;
use crate::Scale;
use crate::Split;
use crate::identity::Provenance;

/// The command, the machine and the build of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunRecord {
    /// Version of the row format.
    pub schema: u32,
    /// Name of the run, without its date.
    pub name: String,
    /// The command line, shell-quoted where needed.
    pub command: String,
    pub scale: Option<Scale>,
    /// Suites that were run, with their questions.
    pub suites: Vec<(String, String)>,
    /// Figures that were requested; if empty, all that the rows allow.
    pub figures: Vec<String>,
    /// Notices about changes and omissions, as sentences.
    pub notices: Vec<String>,
    pub cells_planned: usize,
    /// Time of the start, UTC.
    pub started: String,
    /// Times of resumption, UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// End, UTC; absent while the run goes on and after a crash.
    pub finished: Option<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Time for measuring undecided claims again, in seconds. Where it is there, claims are judged in
    /// repeated looks, whether or not the time was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decide_s: Option<u64>,
    /// What the run may take, in seconds; deciding gets what the rest leaves of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_s: Option<u64>,
    /// Which part of which plan it holds, where several runs share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// What all rows share; part of their identity.
    pub provenance: Provenance,
    pub machine: MachineRecord,
    /// The machine of each node that measured a part, by the name in rows; empty where `machine` is all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<String, MachineRecord>,
}

/// The current time, UTC, as `2026-11-20T14:15:00Z`.
#[must_use]
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The current time as a folder prefix: `20261120T141500Z`.
pub fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}
