//! What is said about a comparison, the same in every format.

use std::collections::{BTreeMap, BTreeSet};

use stats::Better;

use super::numbers::{
    NONE, change_percent, duration, estimate_percent, medians, plus_minus_percent, share_percent,
};
use crate::{Comparison, How, Judged, Overall};

/// Heads a comparison in which no cell could be judged.
pub(super) const NOTHING: &str = "nothing was judged";

/// What the star behind a finding means.
pub(super) const TWICE: &str =
    "* looked twice: the candidate was measured again in fresh blocks before this was said";

/// Heads the list of facts in which the sides differ and should not.
pub(super) const UNLIKE: &str = "NOT LIKE FOR LIKE: baseline and candidate differ in the following, which \
                                 may change their numbers by itself";

/// Over a table of instructions.
pub(super) const INSTRUCTIONS: &str =
    "Instructions an operation, counted in a generic build: beside time, never instead of it";

/// What the columns of verdicts are.
pub(super) const COLUMNS: &str = "Baseline and candidate: medians with 95 % intervals (of fewer than \
                                  three values: the lowest and the highest). Change: trimmed mean of the \
                                  blocks' ratios, candidate ÷ baseline, with its interval. Floor: what two \
                                  measurements of the same thing may differ by. Control: the baseline \
                                  measured again ÷ the baseline.";

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
    let told = |judged: &Judged| format!("{} {}", name(&judged.cell), name(&judged.metric));
    let change =
        |judged: &Judged| judged.ratio.map_or(NONE.to_owned(), |it| change_percent(it.estimate));
    let changes =
        || largest(comparison, overall, |judged| format!("{} {}", told(judged), change(judged)));
    match overall {
        Overall::Unchanged => "no change found".to_owned(),
        Overall::Better => format!("improved: {}", changes()),
        Overall::Worse => format!("worse: {}", changes()),
        Overall::Unknown => match Tally::of(&comparison.judged).unknown {
            0 => format!("cannot be told: {NOTHING}"),
            unknown => format!("cannot be told: {unknown} of {}", comparison.judged.len()),
        },
    }
}

/// The largest change of a kind, and how many more there are; empty where there is none.
fn largest(comparison: &Comparison, kind: Overall, told: impl Fn(&Judged) -> String) -> String {
    let size = |judged: &Judged| judged.ratio.map_or(0.0, |estimate| estimate.estimate.ln().abs());
    let of_kind =
        || comparison.judged.iter().filter(|judged| Overall::from(judged.finding) == kind);
    // Of equal ones the first, as a stable sort would have it.
    let largest = of_kind().rev().max_by(|one, other| size(one).total_cmp(&size(other)));
    let more = match of_kind().count().saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    largest.map_or_else(String::new, |judged| told(judged) + &more)
}

/// The answer in a sentence, with the largest change for the worse and for the better, each with its
/// interval.
pub(super) fn sentence(comparison: &Comparison) -> String {
    let (baseline, candidate) = (&comparison.baseline.name, &comparison.candidate.name);
    let tally = Tally::of(&comparison.judged);
    let changes = |kind| largest(comparison, kind, |judged| evident(comparison, judged));
    let unlike = if comparison.unlike.is_empty() { "" } else { "; not like for like, see below" };
    let mut said = match (tally.worse > 0, tally.better > 0) {
        (true, true) => format!(
            "{candidate} is worse than {baseline} in {}, and better in {}",
            changes(Overall::Worse),
            changes(Overall::Better)
        ),
        (true, false) => {
            format!("{candidate} is worse than {baseline}: {}", changes(Overall::Worse))
        }
        (false, true) => {
            format!("{candidate} is better than {baseline}: {}", changes(Overall::Better))
        }
        (false, false) if tally.unchanged > 0 && tally.unknown == 0 => {
            return format!("{candidate} is like {baseline}: no change found{unlike}");
        }
        (false, false) => {
            format!("whether {candidate} differs from {baseline} cannot be told")
        }
    };
    if tally.unknown > 0 {
        said += &format!("; {} of {} cannot be told", tally.unknown, tally.all());
    }
    said + unlike
}

/// A change with its interval; the cell's name only where there are several.
fn evident(comparison: &Comparison, judged: &Judged) -> String {
    let alone = only_cell(comparison).is_some();
    let cell = if alone { String::new() } else { format!("{} ", judged.cell) };
    let change = judged.ratio.as_ref().map_or(NONE.to_owned(), estimate_percent);
    format!("{cell}{} {change}", judged.metric)
}

/// The cell that all verdicts are about; `None` where there are several, or none.
pub(super) fn only_cell(comparison: &Comparison) -> Option<&str> {
    let first = comparison.judged.first()?;
    let same = comparison.judged.iter().all(|judged| judged.cell == first.cell);
    same.then_some(first.cell.as_str())
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
    let [baseline, candidate] = medians([&judged.baseline, &judged.candidate], &judged.unit);
    let mut told = format!("baseline {baseline}, candidate {candidate}");
    match &judged.ratio {
        Some(estimate) => {
            told +=
                &format!(", change {} of {} blocks", estimate_percent(estimate), estimate.count);
        }
        None => told += ", too few blocks for a ratio",
    }
    told += &format!("; floor {}", plus_minus_percent(judged.floor));
    if let Some(control) = &judged.control {
        told += &format!(", control {}", change_percent(control.estimate));
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

/// A fact of both sides; `None` where a side does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact<'a> {
    pub(super) name: &'a str,
    pub(super) baseline: Option<&'a str>,
    pub(super) candidate: Option<&'a str>,
}

/// The facts of both sides by name, those first that differ.
pub(super) fn facts(comparison: &Comparison) -> Vec<Fact<'_>> {
    let (baseline, candidate) = (&comparison.baseline.facts, &comparison.candidate.facts);
    let names: BTreeSet<&String> = baseline.keys().chain(candidate.keys()).collect();
    let mut facts: Vec<Fact<'_>> = names
        .into_iter()
        .map(|name| Fact {
            name,
            baseline: baseline.get(name).map(String::as_str),
            candidate: candidate.get(name).map(String::as_str),
        })
        .collect();
    facts.sort_by_key(|fact| fact.baseline == fact.candidate);
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
    fn the_sentence_answers_for_the_worse_and_for_the_better() {
        let (worse, better) = (fixture::worse(0.952), fixture::better());
        let said = |judged: Vec<Judged>| sentence(&fixture::of(judged));
        assert_eq!(
            said(vec![worse.clone(), better, fixture::unknown(crate::Unknown::Floor)]),
            "HEAD is worse than main in ycsb-a throughput −4.8 % (−6.1 … −3.4), and better in \
             ycsb-b p99 −12.0 % (−13.3 … −10.6); 1 of 3 cannot be told"
        );
        assert_eq!(
            said(vec![worse]),
            "HEAD is worse than main: throughput −4.8 % (−6.1 … −3.4)",
            "one cell needs no name"
        );
        let mut same = fixture::of(vec![fixture::unchanged()]);
        assert_eq!(sentence(&same), "HEAD is like main: no change found");
        same.unlike = vec!["kernel: 6.1 and 6.6".to_owned()];
        assert!(sentence(&same).ends_with("; not like for like, see below"));
        assert_eq!(said(Vec::new()), "whether HEAD differs from main cannot be told");
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
            "baseline 1.25 Mops/s, candidate 1.19 Mops/s, change −4.8 % (−6.1 … −3.4) of 12 blocks; \
             floor ±2.1 %, control +0.3 %, asked about 5 % (higher is better); looked twice"
        );
        let few = evidence(&fixture::unknown(crate::Unknown::TooFew));
        assert!(few.contains("too few blocks for a ratio") && !few.contains("control"), "{few}");
    }

    #[test]
    fn facts_that_differ_come_first_and_missing_ones_are_none() {
        let comparison = fixture::every_kind();
        let facts = facts(&comparison);
        let names: Vec<&str> = facts.iter().map(|fact| fact.name).collect();
        assert_eq!(names, ["revision", "run", "cpu"]);
        assert_eq!((facts[1].baseline, facts[1].candidate), (Some("2026-01-02"), None));
    }

    #[test]
    fn measuring_apart_is_warned_of() {
        let mut comparison = fixture::every_kind();
        assert!(how(&comparison).contains("12 interleaved blocks of fresh processes"));
        comparison.how = How::Apart;
        assert!(how(&comparison).contains("WARNING") && how(&comparison).contains("looks like a"));
    }
}
