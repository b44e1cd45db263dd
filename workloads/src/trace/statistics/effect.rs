//! The effect of an operation: its kind, and whether its key is present.

use std::ops::{AddAssign, Sub};

use serde::{Deserialize, Serialize};

use super::super::OperationKind;

/// What an operation does to the objects that the trace has stored so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// A GET of a key that is live.
    GetHit,
    /// A GET of a key that the trace did not store or has deleted.
    GetMiss,
    /// A PUT of a key that is not live.
    Insert,
    /// A PUT of a live key.
    Overwrite,
    /// A DELETE of a live key.
    Delete,
    /// A DELETE of a key that is not live.
    DeleteMiss,
}

impl Effect {
    /// All effects, in the order of tables.
    pub const ALL: [Self; 6] = [
        Self::GetHit,
        Self::GetMiss,
        Self::Insert,
        Self::Overwrite,
        Self::Delete,
        Self::DeleteMiss,
    ];

    /// The name in tables and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetHit => "get-hit",
            Self::GetMiss => "get-miss",
            Self::Insert => "insert",
            Self::Overwrite => "overwrite",
            Self::Delete => "delete",
            Self::DeleteMiss => "delete-miss",
        }
    }

    /// The effect of `kind` on a key that is live or not.
    #[must_use]
    #[inline]
    pub const fn of(kind: OperationKind, is_live: bool) -> Self {
        match (kind, is_live) {
            (OperationKind::Get, true) => Self::GetHit,
            (OperationKind::Get, false) => Self::GetMiss,
            (OperationKind::Put, true) => Self::Overwrite,
            (OperationKind::Put, false) => Self::Insert,
            (OperationKind::Delete, true) => Self::Delete,
            (OperationKind::Delete, false) => Self::DeleteMiss,
        }
    }
}

/// Operations by effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Effects {
    pub get_hit: u64,
    pub get_miss: u64,
    pub insert: u64,
    pub overwrite: u64,
    pub delete: u64,
    pub delete_miss: u64,
}

impl Effects {
    /// The number of operations with one effect.
    #[must_use]
    pub const fn of(&self, effect: Effect) -> u64 {
        match effect {
            Effect::GetHit => self.get_hit,
            Effect::GetMiss => self.get_miss,
            Effect::Insert => self.insert,
            Effect::Overwrite => self.overwrite,
            Effect::Delete => self.delete,
            Effect::DeleteMiss => self.delete_miss,
        }
    }

    #[inline]
    pub(super) fn count(&mut self, effect: Effect) {
        *match effect {
            Effect::GetHit => &mut self.get_hit,
            Effect::GetMiss => &mut self.get_miss,
            Effect::Insert => &mut self.insert,
            Effect::Overwrite => &mut self.overwrite,
            Effect::Delete => &mut self.delete,
            Effect::DeleteMiss => &mut self.delete_miss,
        } += 1;
    }

    #[must_use]
    pub fn total(&self) -> u64 {
        Effect::ALL.iter().map(|&effect| self.of(effect)).sum()
    }

    /// The share of one effect, from 0 to 1; `None` if there are no operations.
    #[must_use]
    pub fn share(&self, effect: Effect) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.of(effect) as f64 / total as f64)
    }
}

impl AddAssign for Effects {
    fn add_assign(&mut self, other: Self) {
        self.get_hit += other.get_hit;
        self.get_miss += other.get_miss;
        self.insert += other.insert;
        self.overwrite += other.overwrite;
        self.delete += other.delete;
        self.delete_miss += other.delete_miss;
    }
}

impl Sub for Effects {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            get_hit: self.get_hit - earlier.get_hit,
            get_miss: self.get_miss - earlier.get_miss,
            insert: self.insert - earlier.insert,
            overwrite: self.overwrite - earlier.overwrite,
            delete: self.delete - earlier.delete,
            delete_miss: self.delete_miss - earlier.delete_miss,
        }
    }
}
