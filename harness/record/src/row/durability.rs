//! What of a store survives its end, as a condition of its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is there when a store is opened again.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "Wire", into = "Wire")]
pub enum Durability {
    /// Nothing: `false` in rows.
    #[default]
    None,
    /// What was written until some moment before its process was killed.
    Queued,
    /// All that was answered before its process was killed.
    Process,
    /// All that was answered before the system ended.
    Acknowledged,
}

/// As rows have it. `true` stands in no row: rows of before there were names say `false`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Wire {
    Told(bool),
    Named(Name),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Name {
    Queued,
    Process,
    Acknowledged,
}

impl From<Wire> for Durability {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Told(false) => Self::None,
            Wire::Told(true) | Wire::Named(Name::Acknowledged) => Self::Acknowledged,
            Wire::Named(Name::Process) => Self::Process,
            Wire::Named(Name::Queued) => Self::Queued,
        }
    }
}

impl From<Durability> for Wire {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::None => Self::Told(false),
            Durability::Queued => Self::Named(Name::Queued),
            Durability::Process => Self::Named(Name::Process),
            Durability::Acknowledged => Self::Named(Name::Acknowledged),
        }
    }
}

impl Durability {
    /// As a condition that a reader is told of.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::None => "not durable",
            Self::Queued => "durable but for the last writes",
            Self::Process => "survives its process",
            Self::Acknowledged => "durable when answered",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_before_there_were_names_are_read_and_stay_what_they_were() {
        assert_eq!(serde_json::to_string(&Durability::None).unwrap(), "false");
        for (text, durability) in [
            ("false", Durability::None),
            ("\"queued\"", Durability::Queued),
            ("\"process\"", Durability::Process),
            ("\"acknowledged\"", Durability::Acknowledged),
        ] {
            assert_eq!(serde_json::from_str::<Durability>(text).unwrap(), durability);
            assert_eq!(serde_json::to_string(&durability).unwrap(), text);
        }
        assert!(serde_json::from_str::<Durability>("\"sometimes\"").is_err());
    }
}
