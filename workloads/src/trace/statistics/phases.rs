//! The phases of a trace that creates its objects, works on them and deletes them.

use serde::{Deserialize, Serialize};

use super::effect::Effects;

/// A stretch of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Phase {
    /// Operations in it, by effect.
    pub effects: Effects,
    /// Live value bytes in the mean over its operations, each counted after it was done; rounded
    /// down, 0 of none.
    pub live_bytes_mean: u64,
    /// Objects live at its end.
    pub live_objects_end: u64,
}

/// The three phases; any of them may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Phases {
    /// Up to the first DELETE that found its key, that one not included.
    pub creation: Phase,
    /// Between the two others.
    pub steady: Phase,
    /// After the last insert; where that came before the first DELETE, from that DELETE on.
    pub deletion: Phase,
}

/// What had been done at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pub(super) effects: Effects,
    /// Live bytes, summed up over all operations done.
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
            // A mean of numbers of 64 bits is one.
            live_bytes_mean: ((self.bytes_sum - earlier.bytes_sum) / operations) as u64,
            live_objects_end: self.objects,
        }
    }
}

impl Phases {
    /// `first_delete` is the mark right before it, `last_insert` the one right after.
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
