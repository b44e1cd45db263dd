//! What one run measured of one cell, as a line of JSON. Histories, baselines and imports are
//! files of such lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Series;

/// Version of the format of lines.
pub const LINE_SCHEMA: u32 = 1;

/// One run's measurements of one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Line {
    pub schema: u32,
    /// Who measured: `nibble-bench`, `hyperfine`, `criterion`, `ycsb`, `memtier`.
    pub source: String,
    /// The run: its folder's name, or the imported file's. Values of one run share the state of the
    /// machine, so a history counts runs.
    pub run: String,
    /// When it began, UTC; empty where the source does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measured: String,
    /// The program's revision; empty where the source does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub revision: String,
    /// The suite; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// The scale; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scale: String,
    /// Facts of the machine and the build that decide what is measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The cell, without its repetition.
    pub cell: String,
    /// A digest of the cell's system and work: cells of the same name with different digests are
    /// not compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asks: String,
    /// By name: `throughput`, `p99`, `memory`, `elapsed`, …
    pub metrics: BTreeMap<String, Series>,
}
