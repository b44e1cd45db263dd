//! The same questions with systems' numbers swapped. A relation that still holds says nothing about
//! which system is which.

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::{Answer, Machine};
use crate::estimate::Sample;
use crate::evaluate::{answer, not_asked};
use crate::names::is_of_system;
use crate::select::{labels_but, may_differ, system};
use crate::{Expectation, Question, Relation, Selection, Summary, Verdict};

/// A comparison of systems, answered twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Permuted {
    /// With the measured numbers.
    pub measured: Answer,
    /// With each system's numbers moved to the system before it.
    pub permuted: Answer,
}

/// How many comparisons that hold depend on which system is which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermutationTally {
    /// How many hold as measured.
    pub hold: usize,
    /// How many of these no longer hold when permuted.
    pub turned: usize,
    /// Those that still hold: id and number of the question, from 1.
    pub still: Vec<(String, usize)>,
}

impl PermutationTally {
    /// Counts all of `permuted`.
    #[must_use]
    pub fn of(permuted: &[Permuted]) -> Self {
        let hold = permuted.iter().filter(|both| both.measured.verdict == Verdict::Holds);
        let mut tally = Self::default();
        for Permuted { measured, permuted } in hold {
            tally.hold += 1;
            if permuted.verdict == Verdict::Holds {
                tally.still.push((measured.id.clone(), measured.question));
            } else {
                tally.turned += 1;
            }
        }
        tally
    }
}

/// Answers every question for this machine that compares systems: a ratio or a crossover whose sides
/// select different systems. Within each group of otherwise equal labels, each system gets the numbers
/// of the next one; labels stay.
#[must_use]
pub fn evaluate_permuted(
    expectations: &[Expectation],
    rows: &[Summary],
    machine: &Machine,
) -> Vec<Permuted> {
    let mut all = Vec::new();
    for expectation in expectations {
        for (at, question) in expectation.questions.iter().enumerate() {
            if not_asked(expectation, at, machine).is_some() {
                continue;
            }
            let Some([of, to]) =
                sides(question).filter(|sides| compares_systems(question, *sides, rows))
            else {
                continue;
            };
            let measured = answer(expectation, at, rows);
            if measured.verdict != Verdict::NotTestable {
                let permuted = answer(expectation, at, &rotated(question, [of, to], rows));
                all.push(Permuted { measured, permuted });
            }
        }
    }
    all
}

fn sides(question: &Question) -> Option<[&Selection; 2]> {
    match &question.relation {
        Relation::Ratio { of, to, .. } | Relation::Crossover { of, to, .. } => Some([of, to]),
        Relation::Select { .. } | Relation::Monotone { .. } => None,
    }
}

fn compares_systems(question: &Question, sides: [&Selection; 2], rows: &[Summary]) -> bool {
    let rows: Vec<&Summary> = rows.iter().filter(|row| question.is_about(row)).collect();
    let systems = |side: &Selection| -> BTreeSet<String> {
        let rows = rows.iter().filter(|row| question.has_on_side(side, row));
        rows.map(|row| system(row).to_owned()).collect()
    };
    let [of, to] = sides.map(systems);
    of != to
}

/// `rows` with the numbers of both sides swapped.
fn rotated(question: &Question, [of, to]: [&Selection; 2], rows: &[Summary]) -> Vec<Summary> {
    let moving = |row: &Summary| {
        question.is_about(row)
            && [of, to].into_iter().any(|side| question.has_on_side(side, row))
            && Sample::new(row, &question.metric, question.method).is_ok()
    };
    let places: Vec<usize> = (0..rows.len()).filter(|at| moving(&rows[*at])).collect();
    let mut moved = rows.to_vec();
    let alone = rotate(rows, &mut moved, &places, is_of_system);
    // Sides that differ in a label of works besides: there is no group with both of them.
    rotate(rows, &mut moved, &alone, may_differ(of, to));
    moved
}

/// Moves numbers among the systems of each group of `places`; a group has the same labels,
/// except for those that `ignored` names. Returns the places in groups of one system.
fn rotate(
    rows: &[Summary],
    moved: &mut [Summary],
    places: &[usize],
    ignored: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let mut groups: BTreeMap<_, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for at in places {
        let group = groups.entry(labels_but(&rows[*at], &ignored)).or_default();
        group.entry(system(&rows[*at])).or_default().push(*at);
    }
    let mut alone = Vec::new();
    for group in groups.into_values() {
        let mut systems: Vec<Vec<usize>> = group.into_values().collect();
        if systems.len() == 1 {
            alone.append(&mut systems[0]);
            continue;
        }
        for places in &mut systems {
            places.sort_by(|left, right| rows[*left].labels.cmp(&rows[*right].labels));
        }
        let longest = systems.iter().map(Vec::len).max().unwrap_or_default();
        for rank in 0..longest {
            let ring: Vec<usize> =
                systems.iter().filter_map(|places| places.get(rank).copied()).collect();
            for (at, from) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                let labels = rows[*at].labels.clone();
                moved[*at] = Summary { labels, ..rows[*from].clone() };
            }
        }
    }
    alone
}
