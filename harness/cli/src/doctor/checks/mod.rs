//! The checks, as data: each judges readings, and says why and what mends it.

mod disk;
mod memory;
mod processor;
mod program;
#[cfg(test)]
mod tests;

use super::finding::{Finding, Severity};
use super::readings::Readings;

#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// What is looked at.
    pub name: &'static str,
    /// Why it matters, in a sentence.
    pub why: &'static str,
    /// The command that mends it, or what else does.
    pub remedy: &'static str,
    judge: fn(&Readings) -> Judgement,
}

/// What a check makes of the readings: what it means, and the value found.
type Judgement = (Severity, String);

impl Check {
    /// Judges the readings.
    #[must_use]
    pub fn examine(&self, readings: &Readings) -> Finding {
        let (severity, value) = (self.judge)(readings);
        let remedy = (severity != Severity::Fine).then_some(self.remedy);
        Finding { name: self.name, severity, value, why: self.why, remedy }
    }
}

/// All checks, by what they look at.
pub const CHECKS: [&[Check]; 4] =
    [processor::CHECKS, memory::CHECKS, disk::CHECKS, program::CHECKS];

/// A value that is fine or disturbs.
fn judged(is_fine: bool, value: impl Into<String>) -> Judgement {
    (if is_fine { Severity::Fine } else { Severity::Disturbs }, value.into())
}

/// The judgement of a value, where it could be read.
fn known<T>(value: Option<T>, judge: impl FnOnce(T) -> Judgement) -> Judgement {
    value.map_or_else(|| (Severity::Unknown, "not visible".to_owned()), judge)
}
