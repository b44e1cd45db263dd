//! `crossover`: where along a label one system overtakes another.

use std::collections::BTreeMap;

use crate::bounds::Bounds;
use crate::judged::{Judged, Judging};
use crate::monotone::is_not_of_line;
use crate::place::place;
use crate::ratio::{Pairs, pairs};
use crate::select::{labels_but, may_differ, system};
use crate::{Question, Selection, Summary};

/// Judges the ratio of each pair of lines along a label: below 1 up to the first number of `between`,
/// above 1 from the second on.
pub(crate) fn judge_crossover<'a>(
    question: &Question,
    [of, to]: [&Selection; 2],
    along: &str,
    between: [f64; 2],
    rows: &'a [Summary],
) -> Result<Judging<'a>, String> {
    let ignored = may_differ(of, to);
    let ignored = |label: &str| label != along && ignored(label);
    let Pairs { pairs, skipped } = pairs(question, of, to, rows, ignored)?;
    let mut judging = Judging { skipped, ..Judging::default() };
    let mut order = Vec::new();
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (of, to) in pairs {
        // A system without the setting has no place along it.
        let Some(text) = of.label(along) else { continue };
        let Some(at) = place(text) else {
            judging
                .skipped
                .push(format!("{}: {along} is {text}, which is no number", system(of.row)));
            continue;
        };
        let line = [&of, &to].map(|row| labels_but(row.row, is_not_of_line(along)));
        let places = lines.entry(line.clone()).or_default();
        if places.is_empty() {
            order.push(line);
        }
        places.push((at, of, to));
    }
    for line in order {
        let mut places = lines.remove(&line).unwrap_or_default();
        places.sort_by(|left, right| left.0.total_cmp(&right.0));
        let [before, after] = between;
        // A line that was measured on one side alone may cross anywhere.
        if !(places.iter().any(|place| place.0 <= before)
            && places.iter().any(|place| place.0 >= after))
        {
            let pair = [line[0].get("system"), line[1].get("system")];
            let [of, to] = pair.map(|name| name.copied().unwrap_or(along));
            judging.skipped.push(format!(
                "{of} ÷ {to}: not measured both up to {along} {before} and from {after} on"
            ));
            continue;
        }
        for (at, of, to) in places {
            if at <= before {
                judging.add(Judged::ratio(&of, &to, Bounds::below_one()));
            } else if at >= after {
                judging.add(Judged::ratio(&of, &to, Bounds::above_one()));
            }
        }
    }
    if judging.judged.is_empty() && judging.skipped.is_empty() {
        judging.skipped.push(format!("no row of `of` has a number in {along}"));
    }
    Ok(judging)
}
