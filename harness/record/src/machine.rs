//! Facts about a machine, by name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Facts about the machine, from `/proc` and `/sys`. Unknown facts are absent, not guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineRecord {
    /// Facts by name, in a fixed order.
    pub facts: BTreeMap<String, String>,
}
