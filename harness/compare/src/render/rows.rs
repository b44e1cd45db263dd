//! The tables of a comparison: their columns, and their rows with the worst first.

use super::numbers::{
    NONE, change_percent, estimate_percent, medians, plus_minus_percent, three_digits,
};
use crate::{Comparison, Instructions, Judged, Overall};

/// Of each metric of each cell. The first two are names.
pub(super) const HEADINGS: [&str; 9] =
    ["cell", "metric", "baseline", "candidate", "change", "floor", "control", "blocks", "verdict"];

/// Of instructions. The first one is a name.
pub(super) const INSTRUCTION_HEADINGS: [&str; 4] = ["cell", "baseline", "candidate", "change"];

/// The verdicts, the gravest kind first, and of each kind what changed most for the worse.
pub(super) fn worst_first(comparison: &Comparison) -> Vec<&Judged> {
    let mut rows: Vec<&Judged> = comparison.judged.iter().collect();
    rows.sort_by(|one, other| {
        let kind = |judged: &Judged| Overall::from(judged.finding);
        (kind(other).cmp(&kind(one)))
            .then(worsening(other).total_cmp(&worsening(one)))
            .then_with(|| (&one.cell, &one.metric).cmp(&(&other.cell, &other.metric)))
    });
    rows
}

/// The logarithm of the change, positive where it is one for the worse; lowest without a ratio.
fn worsening(judged: &Judged) -> f64 {
    judged.ratio.map_or(f64::NEG_INFINITY, |estimate| {
        let size = estimate.estimate.ln().abs();
        if judged.better.is_worse(estimate.estimate) { size } else { -size }
    })
}

/// A row under [`HEADINGS`], its names as they are.
pub(super) fn columns(judged: &Judged) -> [String; 9] {
    let [baseline, candidate] = medians([&judged.baseline, &judged.candidate], &judged.unit);
    let missing = || NONE.to_owned();
    [
        judged.cell.clone(),
        judged.metric.clone(),
        baseline,
        candidate,
        judged.ratio.as_ref().map_or_else(missing, estimate_percent),
        plus_minus_percent(judged.floor),
        judged.control.map_or_else(missing, |estimate| change_percent(estimate.estimate)),
        judged.ratio.map_or_else(missing, |estimate| estimate.count.to_string()),
        format!("{}{}", judged.finding, if judged.looked_twice { " *" } else { "" }),
    ]
}

/// A row under [`INSTRUCTION_HEADINGS`], its name as it is.
pub(super) fn instruction_columns(counted: &Instructions) -> [String; 4] {
    let (baseline, candidate) = (counted.baseline_per_operation, counted.candidate_per_operation);
    [
        counted.cell.clone(),
        three_digits(baseline),
        three_digits(candidate),
        change_percent(candidate / baseline),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::Finding;

    #[test]
    fn the_worst_stands_first() {
        let comparison = fixture::every_kind();
        let rows = worst_first(&comparison);
        let kinds: Vec<Overall> = rows.iter().map(|judged| judged.finding.into()).collect();
        use Overall::{Better, Unchanged, Unknown, Worse};
        assert_eq!(kinds, [Worse, Worse, Unknown, Unknown, Unknown, Unknown, Better, Unchanged]);
        assert_eq!(rows[0].ratio.unwrap().estimate, 0.8, "the larger fall");
        assert_eq!(rows[5].ratio, None, "what has no ratio is the last of its kind");
    }

    #[test]
    fn what_is_better_lower_is_worse_when_it_grows() {
        let grown = |ratio: f64| {
            let mut judged = fixture::better();
            judged.finding = Finding::WORSE;
            judged.ratio.as_mut().unwrap().estimate = ratio;
            judged
        };
        let comparison = fixture::of(vec![grown(1.1), grown(1.6), grown(1.3)]);
        let ratios: Vec<f64> =
            worst_first(&comparison).iter().map(|row| row.ratio.unwrap().estimate).collect();
        assert_eq!(ratios, [1.6, 1.3, 1.1]);
    }

    #[test]
    fn a_row_has_every_column() {
        assert_eq!(
            columns(&fixture::worse(0.952)),
            [
                "ycsb-a",
                "throughput",
                "1.25 Mops/s",
                "1.19 Mops/s",
                "−4.8 % (−6.1 … −3.4)",
                "±2.1 %",
                "+0.3 %",
                "12",
                "changed: worse *"
            ]
        );
        let few = columns(&fixture::unknown(crate::Unknown::TooFew));
        assert_eq!(few[4..8], ["–", "±2.1 %", "–", "–"]);
    }
}
