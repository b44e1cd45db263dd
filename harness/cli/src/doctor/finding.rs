//! What a check found.

use serde::Serialize;

/// What a finding means for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Numbers will be worse, noisier or not comparable.
    Disturbs,
    /// It cannot be seen from here.
    Unknown,
    /// As it should be.
    Fine,
}

impl Severity {
    /// The word used in text and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Disturbs => "disturbs",
            Self::Unknown => "unknown",
            Self::Fine => "fine",
        }
    }
}

/// One answer of the doctor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// What was looked at.
    pub name: &'static str,
    /// What it means.
    pub severity: Severity,
    /// What was found.
    pub value: String,
    /// Why it matters.
    pub why: &'static str,
    /// What mends it; nothing where all is fine. Never executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}
