//! Two looks: what is suspicious is measured again in fresh blocks before anything is said.

use std::collections::BTreeSet;

use stats::level_of_each;

use crate::blocks::Blocks;
use crate::judge::{judge, judge_at};
use crate::{Finding, Judged, Unknown};

/// Each look has its share of the error rate.
const LOOKS: f64 = 2.0;

/// [`judge`](fn@judge) at half the error rate: of a suite that is looked at twice. Suspects are
/// those of this look.
///
/// # Panics
///
/// If `error_rate` is not between 0 and 1.
#[must_use]
pub fn first_look(blocks: &[Blocks], error_rate: f64, seed: u64) -> Vec<Judged> {
    judge(blocks, error_rate / LOOKS, seed)
}

/// The cells to measure again: those of which anything is worse or unknown.
#[must_use]
pub fn suspects(judged: &[Judged]) -> BTreeSet<String> {
    judged
        .iter()
        .filter(|judged| judged.finding == Finding::WORSE || judged.finding.is_unknown())
        .map(|judged| judged.cell.clone())
        .collect()
}

/// Judges what was measured in the `first` blocks and, of some cells, again in `fresh` ones.
///
/// Cells that were not measured again keep their finding of the [`first_look`], with the same
/// `error_rate` and `seed`. For the others, *all* blocks are judged together at half the error rate
/// for all entries, and that result is shown. But a change never rests on the blocks that made it
/// suspicious: the fresh blocks alone must show it too, with an interval that excludes 1 in its
/// direction, at half the error rate for what was measured again.
///
/// | first look | all blocks | fresh alone | finding |
/// |---|---|---|---|
/// | any | unchanged | | unchanged |
/// | changed | anything else | confirms the first | changed |
/// | changed | anything else | does not | unknown: unconfirmed |
/// | not changed | changed | confirms | changed |
/// | not changed | changed | does not | unknown: unconfirmed |
/// | not changed | unknown | | unknown |
///
/// So `worse` never rests on one look, as everything worse or unknown is measured again; `better`
/// only where the rest of its cell was unsuspicious. With half the rate in each look both together
/// stay within the error rate.
///
/// # Panics
///
/// If `error_rate` is not between 0 and 1.
#[must_use]
pub fn second_look(first: &[Blocks], fresh: &[Blocks], error_rate: f64, seed: u64) -> Vec<Judged> {
    let again = |entry: &Blocks| {
        fresh.iter().find(|fresh| fresh.cell == entry.cell && fresh.metric == entry.metric)
    };
    let remeasured = first.iter().filter(|entry| again(entry).is_some()).count();
    let of_all = level_of_each(error_rate / LOOKS, first.len());
    let of_fresh = level_of_each(error_rate / LOOKS, remeasured);
    first
        .iter()
        .map(|entry| {
            let said = judge_at(entry, of_all, seed);
            let Some(fresh) = again(entry) else { return said };
            let all = judge_at(&entry.then(fresh), of_all, seed);
            let alone = judge_at(fresh, of_fresh, seed);
            let finding = confirmed(said.finding, &all, &alone);
            Judged { looked_twice: true, finding, ..all }
        })
        .collect()
}

/// The table of [`second_look`].
fn confirmed(said: Finding, all: &Judged, alone: &Judged) -> Finding {
    if all.finding == Finding::UNCHANGED {
        return Finding::UNCHANGED;
    }
    let change = if said.is_change() { said } else { all.finding };
    if !change.is_change() || direction(alone) == Some(change) {
        change
    } else {
        Finding::unknown(Unknown::Unconfirmed)
    }
}

/// The change whose direction the interval shows, however small it is.
fn direction(judged: &Judged) -> Option<Finding> {
    let ratio = judged.ratio.as_ref().filter(|ratio| !ratio.contains(1.0))?;
    let worse = judged.better.is_worse(ratio.estimate);
    Some(if worse { Finding::WORSE } else { Finding::BETTER })
}

#[cfg(test)]
mod tests {
    use stats::Interval;
    use stats::noise::Noise;
    use workloads::Seed;

    use super::*;
    use crate::simulation::{SUITE, Suite};

    const ERROR_RATE: f64 = 0.02;

    fn of_cell(blocks: &[Blocks], cell: &str) -> Vec<Blocks> {
        blocks.iter().filter(|blocks| blocks.cell == cell).cloned().collect()
    }

    fn slow(slower: f64, seed: u64) -> Vec<Blocks> {
        let noise = Noise { deviation: 0.01, outliers: 0.0 };
        Suite { slower, noise, ..SUITE }.measure(Seed(seed))
    }

    #[test]
    fn a_slowdown_seen_twice_stands() {
        let (first, fresh) = (slow(1.1, 1), slow(1.1, 2));
        let judged = first_look(&first, ERROR_RATE, 1);
        assert_eq!(suspects(&judged), BTreeSet::from(["cell-0".to_owned()]));
        let judged_again = second_look(&first, &of_cell(&fresh, "cell-0"), ERROR_RATE, 1);
        for (at, (once, twice)) in judged.iter().zip(&judged_again).enumerate() {
            if at < 3 {
                assert_eq!((twice.finding, twice.looked_twice), (Finding::WORSE, true));
                assert_eq!(twice.ratio.unwrap().count, 40, "all blocks are shown");
            } else {
                assert_eq!(once, twice, "not measured again");
            }
        }
    }

    #[test]
    fn what_fresh_blocks_do_not_show_is_not_said() {
        for (slower, fresh) in [(1.1, 1.0), (0.9, 1.0), (1.1, 0.9)] {
            let (first, fresh) = (slow(slower, 1), of_cell(&slow(fresh, 2), "cell-0"));
            let judged = first_look(&first, ERROR_RATE, 1);
            let said = if slower > 1.0 { Finding::WORSE } else { Finding::BETTER };
            assert!(judged[..3].iter().all(|one| one.finding == said));
            for judged in &second_look(&first, &fresh, ERROR_RATE, 1)[..3] {
                let unsaid = [Finding::unknown(Unknown::Unconfirmed), Finding::UNCHANGED];
                assert!(judged.looked_twice && unsaid.contains(&judged.finding), "{judged:?}");
            }
        }
    }

    #[test]
    fn more_blocks_tell_what_few_could_not() {
        let noise = Noise { deviation: 0.05, outliers: 0.0 };
        let suite = |blocks, seed| Suite { blocks, noise, ..SUITE }.measure(Seed(seed));
        let (first, fresh) = (suite(6, 1), suite(50, 2));
        let unknown =
            |judged: &[Judged]| judged.iter().filter(|one| one.finding.is_unknown()).count();
        assert!(unknown(&first_look(&first, ERROR_RATE, 1)) > 12);
        let judged = second_look(&first, &fresh, ERROR_RATE, 1);
        assert!(judged.iter().all(|one| one.finding == Finding::UNCHANGED && one.looked_twice));
    }

    /// The promise for both looks together, where every difference is of interest, so that
    /// everything is suspicious.
    #[test]
    fn equal_sides_are_hardly_ever_called_changed() {
        let suite = Suite { blocks: 12, control: false, tolerance: 1e-6, ..SUITE };
        let mut alarms = 0;
        for seed in 0..100 {
            let [first, fresh] = [0, 1].map(|look| suite.measure(Seed(seed).nth(look)));
            let judged = second_look(&first, &fresh, ERROR_RATE, seed);
            let is_change = |one: &Judged| one.finding.is_change();
            alarms += usize::from(judged.iter().any(is_change));
        }
        assert!(alarms <= 5, "{alarms} of 100");
    }

    #[test]
    fn nothing_measured_again_is_the_first_look() {
        let first = slow(1.1, 1);
        assert_eq!(second_look(&first, &[], ERROR_RATE, 1), first_look(&first, ERROR_RATE, 1));
    }

    #[test]
    fn the_table() {
        let judged = |from: f64, ratio: f64, to: f64, finding| Judged {
            ratio: Some(Interval { low: from, high: to, ..Interval::exact(ratio, 9) }),
            finding,
            ..first_look(&slow(1.0, 1)[1..2], ERROR_RATE, 1).remove(0)
        };
        let wide = Finding::unknown(Unknown::Interval);
        let unconfirmed = Finding::unknown(Unknown::Unconfirmed);
        let all = |finding| judged(0.5, 1.0, 2.0, finding);
        let up = judged(1.01, 1.02, 1.03, Finding::UNCHANGED);
        let down = judged(0.97, 0.98, 0.99, Finding::UNCHANGED);
        let none = judged(0.99, 1.0, 1.01, Finding::UNCHANGED);
        let missing = Judged { ratio: None, ..none.clone() };
        for (said, all_blocks, alone, finding) in [
            (Finding::WORSE, wide, &up, Finding::WORSE),
            (Finding::WORSE, Finding::WORSE, &none, unconfirmed),
            (Finding::WORSE, Finding::WORSE, &down, unconfirmed),
            (Finding::WORSE, Finding::WORSE, &missing, unconfirmed),
            (Finding::WORSE, Finding::UNCHANGED, &up, Finding::UNCHANGED),
            (Finding::BETTER, Finding::BETTER, &down, Finding::BETTER),
            (Finding::BETTER, wide, &none, unconfirmed),
            (wide, Finding::WORSE, &up, Finding::WORSE),
            (wide, Finding::WORSE, &none, unconfirmed),
            (wide, wide, &up, wide),
            (Finding::UNCHANGED, Finding::BETTER, &down, Finding::BETTER),
        ] {
            assert_eq!(confirmed(said, &all(all_blocks), alone), finding, "{said} {all_blocks}");
        }
    }
}
