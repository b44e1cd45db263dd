//! The phases of a trace that creates objects, works on them and deletes them.

use serde::{Deserialize, Serialize};

use super::effect::Effects;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Phase {
    pub effects: Effects,
    /// Mean of the live value bytes after each of its operations; rounded down, 0 if there are
    /// none.
    pub live_bytes_mean: u64,
    /// Objects live at the end of the phase.
    pub live_objects_end: u64,
}

/// The three phases; each may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Phases {
    /// Up to, but not including, the first DELETE that found its key.
    pub creation: Phase,
    /// Between the other two.
    pub steady: Phase,
    /// After the last insert, or from the first DELETE on if that comes later.
    pub deletion: Phase,
}

/// What had been done at a given point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pub(super) effects: Effects,
    /// Live bytes summed over all operations so far.
    pub(super) bytes_sum: u128,
    pub(super) objects: u64,
}

impl Mark {
    /// The phase from `earlier` to here.
    fn since(&self, earlier: &Self) -> Phase {
        let effects = self.effects - earlier.effects;
        let operations = u128::from(effects.total().max(1));
        Phase {
            effects,
            // The mean of 64-bit numbers fits into 64 bits.
            live_bytes_mean: ((self.bytes_sum - earlier.bytes_sum) / operations) as u64,
            live_objects_end: self.objects,
        }
    }
}

impl Phases {
    /// `first_delete` is the mark just before the first DELETE, `last_insert` the mark just after
    /// the last insert.
    pub(super) fn between(first_delete: &Mark, last_insert: &Mark, end: &Mark) -> Self {
        let overlap = last_insert.effects.total() < first_delete.effects.total();
        let deletion = if overlap { first_delete } else { last_insert };
        Self {
            creation: first_delete.since(&Mark::default()),
            steady: deletion.since(first_delete),
            deletion: end.since(deletion),
        }
    }
}
