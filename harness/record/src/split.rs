//! How several runs share one plan: each measures whole rounds, so that what is compared with one another
//! is measured on one node.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Cell;
use crate::identity::digest;

/// A part of a plan: rounds K, K + N, K + 2 N … of the plan, counted from 1. A round is one repetition of
/// all cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    place: u32,
    of: u32,
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardError(String);

impl fmt::Display for ShardError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: a shard is K/N with K from 1 to N, as 2/4", self.0)
    }
}

impl std::error::Error for ShardError {}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers = text.split_once('/').and_then(|(place, of)| {
            Some(Self { place: place.parse().ok()?, of: of.parse().ok()? })
        });
        numbers
            .filter(|shard| (1..=shard.of).contains(&shard.place))
            .ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.place, self.of)
    }
}

impl Shard {
    /// Every shard of a plan that so many runs share.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        (1..=of).map(move |place| Self { place, of })
    }

    /// K of K/N.
    #[must_use]
    pub fn place(self) -> u32 {
        self.place
    }

    /// N of K/N.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }

    /// The name of a run of this shard of the plan `name`.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        format!("{name}-shard-{}-of-{}", self.place, self.of)
    }

    /// Whether the shard measures this cell.
    #[must_use]
    pub fn takes(self, cell: &Cell) -> bool {
        cell.repetition % self.of == self.place - 1
    }
}

/// Which part of which plan a run holds; in `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Split {
    /// How many shards the plan has.
    pub of: u32,
    /// The shards that are in the run, ascending; of a merged run all of them.
    pub shards: Vec<u32>,
    /// Cells of the whole plan.
    pub cells: usize,
    /// A digest of all cells of the whole plan: runs with another one split another plan.
    pub plan: String,
}

impl Split {
    /// That of the run that measures `shard` of the plan of `cells`.
    #[must_use]
    pub fn new(shard: Shard, cells: &[Cell]) -> Self {
        let text = serde_json::to_string(cells).expect("plain data");
        Self {
            of: shard.of,
            shards: vec![shard.place],
            cells: cells.len(),
            plan: digest(text.as_bytes()),
        }
    }
}

/// Rounds of a plan: as many shards have something to measure.
#[must_use]
pub fn rounds(cells: &[Cell]) -> u32 {
    cells.iter().map(|cell| cell.repetition + 1).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::sample_cells;

    #[test]
    fn a_shard_is_read_as_it_is_written_and_nothing_else_is_one() {
        assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
        for wrong in ["0/4", "5/4", "2", "2/", "/4", "a/b", "-1/4", "2/4/8", ""] {
            let error = wrong.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("as 2/4"), "{error}");
        }
    }

    #[test]
    fn every_cell_is_in_one_shard_and_a_round_is_never_split() {
        let mut cells = Vec::new();
        for repetition in 0..7 {
            cells.extend(sample_cells().into_iter().map(|cell| Cell { repetition, ..cell }));
        }
        assert_eq!(rounds(&cells), 7);
        for of in 1..9 {
            let mut owner = std::collections::BTreeMap::new();
            for cell in &cells {
                let takes: Vec<Shard> = Shard::all(of).filter(|one| one.takes(cell)).collect();
                assert_eq!(takes.len(), 1, "cell of round {} of {of} shards", cell.repetition);
                let known = *owner.entry(cell.repetition).or_insert(takes[0]);
                assert_eq!(known, takes[0], "one round, one shard");
            }
        }
    }

    #[test]
    fn another_plan_has_another_digest() {
        let (shard, mut cells) = ("1/2".parse().unwrap(), sample_cells());
        let whole = Split::new(shard, &cells);
        assert_eq!(whole, Split::new(shard, &cells));
        cells[0].seed += 1;
        assert_ne!(whole.plan, Split::new(shard, &cells).plan);
    }
}
