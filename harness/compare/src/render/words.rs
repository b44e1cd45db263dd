//! What is said about a comparison, the same in every format.

use std::collections::{BTreeMap, BTreeSet};

use stats::Better;

use super::numbers::{
    NONE, change_percent, duration, estimate_percent, plus_minus_percent, share_percent, values,
};
use crate::{Comparison, How, Judged, Overall};

/// Heads a comparison in which no cell could be judged.
pub(super) const NOTHING: &str = "nothing was judged";

/// What the star behind a finding means.
pub(super) const TWICE: &str =
    "* looked twice: B was measured again in fresh blocks before this was said";

/// Heads the list of facts in which the sides differ and should not.
pub(super) const NOT_COMPARABLE: &str =
    "NOT COMPARABLE: A and B differ in the following, which may change their numbers by itself";

/// Over a table of instructions.
pub(super) const INSTRUCTIONS: &str =
    "Instructions an operation, counted in a generic build: beside time, never instead of it";

/// What the columns of verdicts are.
pub(super) const COLUMNS: &str = "A and B: medians. B/A: trimmed mean of the blocks' ratios with its \
                                  interval. Floor: what two measurements of the same thing may \
                                  differ by. Control: A measured again ÷ A.";

/// How many findings of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) worse: usize,
    pub(super) better: usize,
    pub(super) unchanged: usize,
    pub(super) unknown: usize,
}

impl Tally {
    pub(super) fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Self {
        let mut tally = Self::default();
        for judged in judged {
            *match judged.finding.into() {
                Overall::Worse => &mut tally.worse,
                Overall::Better => &mut tally.better,
                Overall::Unchanged => &mut tally.unchanged,
                Overall::Unknown => &mut tally.unknown,
            } += 1;
        }
        tally
    }

    pub(super) fn all(&self) -> usize {
        self.worse + self.better + self.unchanged + self.unknown
    }
}

/// `3 of 18 changed (1 worse, 2 better), 14 unchanged, 1 unknown; corrected for …`.
pub(super) fn summary(comparison: &Comparison) -> String {
    let tally = Tally::of(&comparison.judged);
    let Tally { worse, better, unchanged, unknown } = tally;
    let all = tally.all();
    if all == 0 {
        return format!("{NOTHING}: no cell was measured on both sides");
    }
    let which = if worse + better > 0 {
        format!(" ({worse} worse, {better} better)")
    } else {
        String::new()
    };
    let comparisons = if all == 1 { "comparison" } else { "comparisons" };
    format!(
        "{} of {all} changed{which}, {unchanged} unchanged, {unknown} unknown; corrected for {all} \
         {comparisons} ({} family error)",
        worse + better,
        share_percent(comparison.error_rate)
    )
}

/// The overall result in a few words, with the largest change; `name` formats names of cells and
/// metrics.
pub(super) fn headline(comparison: &Comparison, name: impl Fn(&str) -> String) -> String {
    let overall = comparison.overall();
    let mut of_kind: Vec<&Judged> = comparison
        .judged
        .iter()
        .filter(|judged| Overall::from(judged.finding) == overall)
        .collect();
    let size = |judged: &Judged| judged.ratio.map_or(0.0, |estimate| estimate.estimate.ln().abs());
    of_kind.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let changes = || {
        let Some(first) = of_kind.first() else { return String::new() };
        let change = first.ratio.map_or(NONE.to_owned(), |it| change_percent(it.estimate));
        let more = match of_kind.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{} {} {change}{more}", name(&first.cell), name(&first.metric))
    };
    match overall {
        Overall::Unchanged => "no change found".to_owned(),
        Overall::Better => format!("improved: {}", changes()),
        Overall::Worse => format!("worse: {}", changes()),
        Overall::Unknown if of_kind.is_empty() => format!("cannot be told: {NOTHING}"),
        Overall::Unknown => {
            format!("cannot be told: {} of {}", of_kind.len(), comparison.judged.len())
        }
    }
}

/// How the sides were measured, with the warning that goes with it.
pub(super) fn how(comparison: &Comparison) -> String {
    let elapsed = duration(comparison.elapsed_s);
    match comparison.how {
        How::Interleaved { blocks } => format!(
            "measured in one session of {elapsed}, in {blocks} interleaved blocks of fresh \
             processes (suspicious cells have more)"
        ),
        How::Apart => format!(
            "measured apart, {elapsed} in all: WARNING: what changed on the machine in between \
             looks like a change"
        ),
    }
}

/// The effect asked about, metric by metric: `p99 10 % (lower is better)`.
pub(super) fn tolerances(comparison: &Comparison) -> Vec<String> {
    let mut of_metric: BTreeMap<&str, (Better, BTreeSet<String>)> = BTreeMap::new();
    for judged in &comparison.judged {
        let (_, shares) =
            of_metric.entry(&judged.metric).or_insert((judged.better, BTreeSet::new()));
        shares.insert(share_percent(judged.tolerance));
    }
    let told = |(metric, (better, shares)): (&str, (Better, BTreeSet<String>))| {
        let shares = Vec::from_iter(shares).join(" or ");
        format!("{metric} {shares} ({})", direction(better))
    };
    of_metric.into_iter().map(told).collect()
}

fn direction(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
    }
}

/// What was seen of one cell's metric, on one line.
pub(super) fn evidence(judged: &Judged) -> String {
    let [a, b] = values([judged.a, judged.b], &judged.unit);
    let mut told = format!("A {a}, B {b}");
    match &judged.ratio {
        Some(estimate) => {
            told += &format!(", B/A {} of {} blocks", estimate_percent(estimate), estimate.count);
        }
        None => told += ", too few blocks for a ratio",
    }
    told += &format!("; floor {}", plus_minus_percent(judged.floor));
    if let Some(control) = &judged.control {
        told += &format!(", control {}", self::control(control.estimate));
    }
    told += &format!(
        ", asked about {} ({})",
        share_percent(judged.tolerance),
        direction(judged.better)
    );
    if judged.looked_twice {
        told += "; looked twice";
    }
    told
}

/// A measured again, as `A/A +0.3 %`.
pub(super) fn control(ratio: f64) -> String {
    format!("A/A {}", change_percent(ratio))
}

/// A fact of both sides; `None` where a side does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact<'a> {
    pub(super) name: &'a str,
    pub(super) a: Option<&'a str>,
    pub(super) b: Option<&'a str>,
}

/// The facts of both sides by name, those first that differ.
pub(super) fn facts(comparison: &Comparison) -> Vec<Fact<'_>> {
    let (a, b) = (&comparison.a.facts, &comparison.b.facts);
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut facts: Vec<Fact<'_>> = names
        .into_iter()
        .map(|name| Fact {
            name,
            a: a.get(name).map(String::as_str),
            b: b.get(name).map(String::as_str),
        })
        .collect();
    facts.sort_by_key(|fact| fact.a == fact.b);
    facts
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn plain(name: &str) -> String {
        name.to_owned()
    }

    #[test]
    fn the_summary_counts_every_kind() {
        assert_eq!(
            summary(&fixture::every_kind()),
            "3 of 8 changed (2 worse, 1 better), 1 unchanged, 4 unknown; corrected for 8 \
             comparisons (2 % family error)"
        );
        let one = fixture::of(vec![fixture::unchanged()]);
        assert_eq!(
            summary(&one),
            "0 of 1 changed, 1 unchanged, 0 unknown; corrected for 1 comparison (2 % family error)"
        );
        assert!(summary(&fixture::of(Vec::new())).starts_with(NOTHING));
    }

    #[test]
    fn the_headline_is_the_gravest_verdict_with_its_largest_change() {
        let (worse, better) = (fixture::worse(0.952), fixture::better());
        for (judged, said) in [
            (
                vec![fixture::worse(0.97), worse.clone()],
                "worse: ycsb-a throughput −4.8 % and 1 more",
            ),
            (vec![better.clone(), fixture::unchanged()], "improved: ycsb-b p99 −12.0 %"),
            (vec![fixture::unchanged()], "no change found"),
            (vec![better, fixture::unknown(crate::Unknown::Floor)], "cannot be told: 1 of 2"),
            (
                vec![fixture::unknown(crate::Unknown::TooFew), worse],
                "worse: ycsb-a throughput −4.8 %",
            ),
            (Vec::new(), "cannot be told: nothing was judged"),
        ] {
            assert_eq!(headline(&fixture::of(judged), plain), said);
        }
    }

    #[test]
    fn tolerances_are_told_once_a_metric() {
        let mut strict = fixture::worse(0.9);
        strict.tolerance = 0.02;
        let comparison = fixture::of(vec![fixture::worse(0.9), strict, fixture::better()]);
        assert_eq!(
            tolerances(&comparison),
            ["p99 10 % (lower is better)", "throughput 2 % or 5 % (higher is better)"]
        );
    }

    #[test]
    fn evidence_names_all_that_was_seen() {
        assert_eq!(
            evidence(&fixture::worse(0.952)),
            "A 1.25 Mops/s, B 1.19 Mops/s, B/A −4.8 % (−6.1 … −3.4) of 12 blocks; floor ±2.1 %, \
             control A/A +0.3 %, asked about 5 % (higher is better); looked twice"
        );
        let few = evidence(&fixture::unknown(crate::Unknown::TooFew));
        assert!(few.contains("too few blocks for a ratio") && !few.contains("A/A"), "{few}");
    }

    #[test]
    fn facts_that_differ_come_first_and_missing_ones_are_none() {
        let comparison = fixture::every_kind();
        let facts = facts(&comparison);
        let names: Vec<&str> = facts.iter().map(|fact| fact.name).collect();
        assert_eq!(names, ["revision", "run", "cpu"]);
        assert_eq!((facts[1].a, facts[1].b), (Some("2026-01-02"), None));
    }

    #[test]
    fn measuring_apart_is_warned_of() {
        let mut comparison = fixture::every_kind();
        assert!(how(&comparison).contains("12 interleaved blocks of fresh processes"));
        comparison.how = How::Apart;
        assert!(how(&comparison).contains("WARNING") && how(&comparison).contains("looks like a"));
    }
}
