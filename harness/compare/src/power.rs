//! The power of comparisons: what they would have reported on recorded blocks.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use stats::Better;
use workloads::{Rng, Seed};

use crate::{Blocks, Tally, first_look, judge, second_look, suspects};

/// Blocks of several sides of several cells, measured in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recorded {
    /// One for each metric of each cell.
    pub cells: Vec<RecordedCell>,
}

/// The recorded blocks of one metric of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecordedCell {
    pub cell: String,
    pub metric: String,
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share above 0: 0.05 is 5 %.
    pub tolerance: f64,
    /// By side, one value per block. The same index is the same block of the same round, of all
    /// sides and all cells: a round measures every cell once.
    pub sides: BTreeMap<String, Vec<f64>>,
}

/// How comparisons are tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Comparisons.
    pub trials: usize,
    /// Blocks of each comparison's first look, at least three.
    pub blocks_a_trial: usize,
    /// Fresh blocks of its second look; 0 for none, and the first look then has the whole error
    /// rate.
    pub second_look_blocks: usize,
    /// Of each comparison, above 0 and below 1.
    pub error_rate: f64,
    /// Of everything drawn.
    pub seed: u64,
}

/// Why comparisons cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTrials {
    /// A side was not recorded of a cell.
    NoSide {
        /// The side asked for.
        side: String,
        cell: String,
        recorded: Vec<String>,
    },
    /// Fewer rounds were recorded than one comparison takes.
    TooFewRounds {
        /// Rounds recorded.
        recorded: usize,
        /// Rounds that a comparison takes.
        needed: usize,
    },
}

impl fmt::Display for NoTrials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSide { side, cell, recorded } => write!(
                formatter,
                "{cell} has no blocks of side {side}; ask for one of: {}",
                recorded.join(", ")
            ),
            Self::TooFewRounds { recorded, needed } => write!(
                formatter,
                "{recorded} rounds are recorded and a comparison takes {needed}: record more, or \
                 ask for fewer blocks"
            ),
        }
    }
}

impl std::error::Error for NoTrials {}

/// Simulates whole comparisons of `b` with `a`, each from rounds drawn anew from the recording, and
/// tallies their findings. Each takes the steps of a real one: [`first_look`], [`suspects`],
/// [`second_look`].
///
/// A round is drawn as a whole, for all cells and sides, so that disturbances which hit several of
/// them at once stay together. No round is drawn twice within a trial, so fresh blocks are fresh.
/// Trials share rounds: the more of the rounds each one takes, the less trials differ.
///
/// # Errors
///
/// [`NoTrials`].
///
/// # Panics
///
/// If the error rate is not between 0 and 1.
pub fn trials(
    recorded: &Recorded,
    a: &str,
    b: &str,
    control: &str,
    options: Options,
) -> Result<Tally, NoTrials> {
    let rounds = rounds_of(recorded, [a, b, control])?;
    let needed = options.blocks_a_trial + options.second_look_blocks;
    if rounds < needed {
        return Err(NoTrials::TooFewRounds { recorded: rounds, needed });
    }
    let sides = [a, b, control];
    let mut tally = Tally::new(a, b, control);
    for trial in 0..options.trials {
        let seed = Seed(options.seed).stream("trial").nth(trial as u64);
        let drawn = draw(rounds, needed, &mut seed.rng());
        let (first, fresh) = drawn.split_at(options.blocks_a_trial);
        let blocks = |rounds: &[usize], wanted: &dyn Fn(&str) -> bool| -> Vec<Blocks> {
            let cells = recorded.cells.iter().filter(|cell| wanted(&cell.cell));
            cells.map(|cell| cell.blocks(sides, rounds)).collect()
        };
        let first = blocks(first, &|_| true);
        let resampling = seed.stream("judge").0;
        let judged = if fresh.is_empty() {
            judge(&first, options.error_rate, resampling)
        } else {
            let judged = first_look(&first, options.error_rate, resampling);
            let suspects = suspects(&judged);
            if suspects.is_empty() {
                judged
            } else {
                let fresh = blocks(fresh, &|cell| suspects.contains(cell));
                second_look(&first, &fresh, options.error_rate, resampling)
            }
        };
        tally.count(&judged);
    }
    Ok(tally)
}

/// Number of rounds in which all these sides were recorded.
fn rounds_of(recorded: &Recorded, sides: [&str; 3]) -> Result<usize, NoTrials> {
    let mut rounds = usize::MAX;
    for cell in &recorded.cells {
        for side in sides {
            let values = cell.sides.get(side).ok_or_else(|| NoTrials::NoSide {
                side: side.to_owned(),
                cell: cell.cell.clone(),
                recorded: cell.sides.keys().cloned().collect(),
            })?;
            rounds = rounds.min(values.len());
        }
    }
    Ok(if recorded.cells.is_empty() { 0 } else { rounds })
}

/// A random choice of the `rounds` without repetition (Fisher and Yates).
fn draw(rounds: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..rounds).collect();
    for at in 0..count {
        all.swap(at, at + rng.below((rounds - at) as u64) as usize);
    }
    all.truncate(count);
    all
}

impl RecordedCell {
    /// The blocks of these rounds; all sides were recorded.
    fn blocks(&self, [a, b, control]: [&str; 3], rounds: &[usize]) -> Blocks {
        let of = |side: &str| rounds.iter().map(|round| self.sides[side][*round]).collect();
        Blocks {
            a: of(a),
            b: of(b),
            control: of(control),
            ..Blocks::empty(&self.cell, &self.metric, &self.unit, self.better, self.tolerance)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::{SUITE, Suite};

    const OPTIONS: Options = Options {
        trials: 20,
        blocks_a_trial: 12,
        second_look_blocks: 12,
        error_rate: 0.02,
        seed: 1,
    };

    /// Sides `a`, `same` and `again` of one program, and `slow`, whose first cell takes 8 % longer.
    fn recorded() -> Recorded {
        let slow = Suite { blocks: 60, slower: 1.08, ..SUITE };
        let cells =
            slow.measure(Seed(1)).into_iter().zip(Suite { slower: 1.0, ..slow }.measure(Seed(1)));
        let cells = cells.map(|(slow, same)| RecordedCell {
            cell: slow.cell,
            metric: slow.metric,
            unit: slow.unit,
            better: slow.better,
            tolerance: slow.tolerance,
            sides: BTreeMap::from([
                ("a".to_owned(), slow.a),
                ("slow".to_owned(), slow.b),
                ("same".to_owned(), same.b),
                ("again".to_owned(), slow.control),
            ]),
        });
        Recorded { cells: cells.collect() }
    }

    #[test]
    fn equal_sides_are_not_called_changed_and_a_slow_one_is() {
        let recorded = recorded();
        let same = trials(&recorded, "a", "same", "again", OPTIONS).unwrap();
        assert_eq!((same.trials, same.changed), (20, 0), "{}", same.line());
        let slow = trials(&recorded, "a", "slow", "again", OPTIONS).unwrap();
        assert!(slow.worse >= 18 && slow.better == 0, "{}", slow.line());
        assert!(slow.looked_twice >= slow.worse, "nothing is worse at first sight");
        for cell in &slow.cells {
            let said = cell.worse + cell.better + cell.unchanged + cell.unknown;
            assert_eq!(said, 20, "{cell:?}");
            assert!(cell.worse == 0 || cell.cell == "cell-0", "{cell:?}");
        }
    }

    #[test]
    fn one_look_has_no_second() {
        let options = Options { second_look_blocks: 0, trials: 5, ..OPTIONS };
        let tally = trials(&recorded(), "a", "slow", "again", options).unwrap();
        assert_eq!(tally.looked_twice, 0);
        assert!(tally.worse > 0, "{}", tally.line());
    }

    #[test]
    fn no_round_is_drawn_twice_and_all_can_be() {
        let mut rng = Seed(1).rng();
        for _ in 0..50 {
            let mut drawn = draw(9, 9, &mut rng);
            drawn.sort_unstable();
            assert_eq!(drawn, (0..9).collect::<Vec<_>>());
        }
        let firsts: std::collections::BTreeSet<usize> =
            (0..200).map(|_| draw(9, 1, &mut rng)[0]).collect();
        assert_eq!(firsts.len(), 9);
    }

    #[test]
    fn what_is_missing_is_named() {
        let recorded = recorded();
        let error = trials(&recorded, "a", "fast", "again", OPTIONS).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cell-0 has no blocks of side fast; ask for one of: a, again, same, slow"
        );
        let long = Options { blocks_a_trial: 50, ..OPTIONS };
        let error = trials(&recorded, "a", "same", "again", long).unwrap_err();
        assert_eq!(error, NoTrials::TooFewRounds { recorded: 60, needed: 62 });
        let nothing = trials(&Recorded { cells: Vec::new() }, "a", "b", "c", OPTIONS);
        assert_eq!(nothing, Err(NoTrials::TooFewRounds { recorded: 0, needed: 24 }));
    }
}
