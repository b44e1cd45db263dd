//! Two looks: what is suspicious is measured again in fresh blocks before anything is said.

use std::collections::BTreeSet;

use crate::blocks::Blocks;
use crate::judge::{confidence_of_each, judge, judge_at};
use crate::{Judged, Unknown, Verdict};

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
        .filter(|judged| matches!(judged.verdict, Verdict::Worse | Verdict::Unknown(_)))
        .map(|judged| judged.cell.clone())
        .collect()
}

/// Judges what was measured in the `first` blocks and, of some cells, again in `fresh` ones.
///
/// What was not measured again keeps its verdict of the [`first_look`], by the same `error_rate`
/// and `seed`. Of the rest *all* blocks are judged together, at half the error rate for all
/// entries; that is what is shown. But no change rests on blocks that made it suspicious: it has to
/// be seen in the fresh blocks alone too, whose interval then excludes 1 in its direction, at half
/// the error rate for what was measured again.
///
/// | first look | all blocks | fresh alone | verdict |
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
    let of_all = confidence_of_each(error_rate / LOOKS, first.len());
    let of_fresh = confidence_of_each(error_rate / LOOKS, remeasured);
    first
        .iter()
        .map(|entry| {
            let said = judge_at(entry, of_all, seed);
            let Some(fresh) = again(entry) else { return said };
            let all = judge_at(&entry.then(fresh), of_all, seed);
            let alone = judge_at(fresh, of_fresh, seed);
            let verdict = confirmed(said.verdict, &all, &alone);
            Judged { looked_twice: true, verdict, ..all }
        })
        .collect()
}

/// The table of [`second_look`].
fn confirmed(said: Verdict, all: &Judged, alone: &Judged) -> Verdict {
    if all.verdict == Verdict::Unchanged {
        return Verdict::Unchanged;
    }
    let is_change = |verdict| matches!(verdict, Verdict::Worse | Verdict::Better);
    let change = if is_change(said) { said } else { all.verdict };
    if !is_change(change) || direction(alone) == Some(change) {
        change
    } else {
        Verdict::Unknown(Unknown::Unconfirmed)
    }
}

/// The change whose direction the interval shows, however small it is.
fn direction(judged: &Judged) -> Option<Verdict> {
    let estimate = judged.ratio.as_ref().filter(|estimate| !estimate.interval.contains(1.0))?;
    let worse = judged.better.is_worse(estimate.ratio);
    Some(if worse { Verdict::Worse } else { Verdict::Better })
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;
    use crate::simulation::{Noise, SUITE, Suite};
    use crate::{Interval, RatioEstimate};

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
                assert_eq!((twice.verdict, twice.looked_twice), (Verdict::Worse, true));
                assert_eq!(twice.ratio.unwrap().blocks, 40, "all blocks are shown");
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
            let said = if slower > 1.0 { Verdict::Worse } else { Verdict::Better };
            assert!(judged[..3].iter().all(|one| one.verdict == said));
            for judged in &second_look(&first, &fresh, ERROR_RATE, 1)[..3] {
                let unsaid = [Verdict::Unknown(Unknown::Unconfirmed), Verdict::Unchanged];
                assert!(judged.looked_twice && unsaid.contains(&judged.verdict), "{judged:?}");
            }
        }
    }

    #[test]
    fn more_blocks_tell_what_few_could_not() {
        let noise = Noise { deviation: 0.05, outliers: 0.0 };
        let suite = |blocks, seed| Suite { blocks, noise, ..SUITE }.measure(Seed(seed));
        let (first, fresh) = (suite(6, 1), suite(50, 2));
        let unknown = |judged: &[Judged]| {
            judged.iter().filter(|one| matches!(one.verdict, Verdict::Unknown(_))).count()
        };
        assert!(unknown(&first_look(&first, ERROR_RATE, 1)) > 12);
        let judged = second_look(&first, &fresh, ERROR_RATE, 1);
        assert!(judged.iter().all(|one| one.verdict == Verdict::Unchanged && one.looked_twice));
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
            let is_change = |one: &Judged| matches!(one.verdict, Verdict::Worse | Verdict::Better);
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
        let judged = |from: f64, ratio: f64, to: f64, verdict| Judged {
            ratio: Some(RatioEstimate { ratio, interval: Interval { from, to }, blocks: 9 }),
            verdict,
            ..first_look(&slow(1.0, 1)[1..2], ERROR_RATE, 1).remove(0)
        };
        let wide = Verdict::Unknown(Unknown::Interval);
        let unconfirmed = Verdict::Unknown(Unknown::Unconfirmed);
        let all = |verdict| judged(0.5, 1.0, 2.0, verdict);
        let up = judged(1.01, 1.02, 1.03, Verdict::Unchanged);
        let down = judged(0.97, 0.98, 0.99, Verdict::Unchanged);
        let none = judged(0.99, 1.0, 1.01, Verdict::Unchanged);
        let missing = Judged { ratio: None, ..none.clone() };
        for (said, all_blocks, alone, verdict) in [
            (Verdict::Worse, wide, &up, Verdict::Worse),
            (Verdict::Worse, Verdict::Worse, &none, unconfirmed),
            (Verdict::Worse, Verdict::Worse, &down, unconfirmed),
            (Verdict::Worse, Verdict::Worse, &missing, unconfirmed),
            (Verdict::Worse, Verdict::Unchanged, &up, Verdict::Unchanged),
            (Verdict::Better, Verdict::Better, &down, Verdict::Better),
            (Verdict::Better, wide, &none, unconfirmed),
            (wide, Verdict::Worse, &up, Verdict::Worse),
            (wide, Verdict::Worse, &none, unconfirmed),
            (wide, wide, &up, wide),
            (Verdict::Unchanged, Verdict::Better, &down, Verdict::Better),
        ] {
            assert_eq!(confirmed(said, &all(all_blocks), alone), verdict, "{said} {all_blocks}");
        }
    }
}
