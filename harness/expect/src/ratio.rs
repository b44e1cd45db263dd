//! `select` and `ratio`: values, and pairs of them, within bounds.

use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::Bounds;
use crate::judged::{Judged, Judging};
use crate::select::{Row, Selected, labels_but, may_differ, select, system};
use crate::{Question, Selection, Summary};

/// Judges the metric of every row of `of`, or of the `worst` row alone.
pub(crate) fn judge_select<'a>(
    question: &Question,
    of: &Selection,
    bounds: Bounds,
    worst: bool,
    rows: &'a [Summary],
) -> Result<Judging<'a>, String> {
    let Selected { rows, absent } = select(question, "of", of, rows)?;
    let mut judged: Vec<Judged<'a>> =
        rows.into_iter().map(|row| Judged::value(&row, bounds)).collect();
    let inside = |judged: &Judged<'_>| bounds.inside(judged.estimate.interval.estimate);
    if worst {
        judged.sort_by(|one, other| inside(one).total_cmp(&inside(other)));
    }
    Ok(Judging { judged, skipped: absent, worst })
}

/// Judges the metric of every row of `of` ÷ that of every matching row of `to`.
pub(crate) fn judge_ratio<'a>(
    question: &Question,
    of: &Selection,
    to: &Selection,
    bounds: Bounds,
    rows: &'a [Summary],
) -> Result<Judging<'a>, String> {
    let Pairs { pairs, skipped } = pairs(question, of, to, rows, may_differ(of, to))?;
    let mut judging = Judging { skipped, ..Judging::default() };
    for (of, to) in pairs {
        judging.add(Judged::ratio(&of, &to, bounds));
    }
    Ok(judging)
}

/// Rows to compare.
pub(crate) struct Pairs<'a> {
    pub(crate) pairs: Vec<(Row<'a>, Row<'a>)>,
    /// Why some rows have no numbers.
    pub(crate) skipped: Vec<String>,
}

/// Pairs every row of `of` with every other row of `to` that has the same labels, except for those
/// that `ignored` names.
///
/// # Errors
///
/// Why there is no pair.
pub(crate) fn pairs<'a>(
    question: &Question,
    of: &Selection,
    to: &Selection,
    rows: &'a [Summary],
    ignored: impl Fn(&str) -> bool,
) -> Result<Pairs<'a>, String> {
    let (of, to) = (select(question, "of", of, rows)?, select(question, "to", to, rows)?);
    let mut like: BTreeMap<_, Vec<Row<'a>>> = BTreeMap::new();
    for row in &to.rows {
        like.entry(labels_but(row.row, &ignored)).or_default().push(row.clone());
    }
    let mut pairs = Vec::new();
    for row in &of.rows {
        let others = like.get(&labels_but(row.row, &ignored)).into_iter().flatten();
        let others = others.filter(|other| other.row.labels != row.row.labels);
        let others = others.filter(|other| row.sample.meets(&other.sample));
        pairs.extend(others.map(|other| (row.clone(), other.clone())));
    }
    if pairs.is_empty() {
        return Err(unlike(&of.rows, &to.rows, ignored));
    }
    let mut skipped: Vec<String> = of.absent.into_iter().chain(to.absent).collect();
    let paired: BTreeSet<&str> =
        pairs.iter().flat_map(|(of, to)| [system(of.row), system(to.row)]).collect();
    let selected: BTreeSet<&str> =
        of.rows.iter().chain(&to.rows).map(|row| system(row.row)).collect();
    let alone = selected.difference(&paired);
    skipped.extend(alone.map(|system| format!("{system}: no row to compare it with")));
    Ok(Pairs { pairs, skipped })
}

/// The labels in which the two most similar rows differ.
fn unlike(of: &[Row<'_>], to: &[Row<'_>], ignored: impl Fn(&str) -> bool) -> String {
    let differing = |of: &Row<'_>, to: &Row<'_>| {
        let [of, to] = [of, to].map(|row| labels_but(row.row, &ignored));
        let mut labels: Vec<String> = of
            .keys()
            .chain(to.keys())
            .filter(|label| of.get(*label) != to.get(*label))
            .map(|label| (*label).to_owned())
            .collect();
        labels.sort();
        labels.dedup();
        labels
    };
    let nearest = of
        .iter()
        .flat_map(|of| to.iter().map(move |to| (of, to)))
        .filter(|(of, to)| of.row.labels != to.row.labels)
        .map(|(of, to)| differing(of, to))
        .min_by_key(|labels| (labels.len(), labels.clone()));
    match nearest {
        Some(labels) if labels.is_empty() => "no round measured both `of` and `to`".to_owned(),
        Some(labels) => format!(
            "no row of `of` is like one of `to`: the nearest differ in {}",
            labels.join(", ")
        ),
        None => "`of` and `to` select the same row alone".to_owned(),
    }
}
