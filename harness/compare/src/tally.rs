//! How often comparisons said what.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Finding, Judged, Overall};

/// What many comparisons of the same two sides said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tally {
    /// What was compared with.
    pub a: String,
    /// What was judged.
    pub b: String,
    /// What was A measured again.
    pub control: String,
    /// Comparisons.
    pub trials: usize,
    /// Comparisons in which anything changed.
    pub changed: usize,
    /// Those in which anything became worse.
    pub worse: usize,
    /// Those in which anything became better.
    pub better: usize,
    /// Comparisons without a change, but with at least one unknown.
    pub unknown: usize,
    /// Those in which everything is unchanged.
    pub unchanged: usize,
    /// Those that took a second look.
    pub looked_twice: usize,
    /// By metric: comparisons in which it became worse in any cell.
    pub worse_in: BTreeMap<String, usize>,
    /// For each metric of each cell.
    pub cells: Vec<CellTally>,
}

/// How often each finding was made on one metric of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellTally {
    pub cell: String,
    pub metric: String,
    /// Changed for the worse.
    pub worse: usize,
    /// Changed for the better.
    pub better: usize,
    pub unchanged: usize,
    /// Unknown, for whatever reason.
    pub unknown: usize,
}

impl Tally {
    /// Of no comparisons yet.
    pub(crate) fn new(a: &str, b: &str, control: &str) -> Self {
        let [a, b, control] = [a, b, control].map(str::to_owned);
        Self { a, b, control, ..Self::default() }
    }

    /// Comparisons in which this metric became worse in any cell.
    #[must_use]
    pub fn found(&self, metric: &str) -> usize {
        self.worse_in.get(metric).copied().unwrap_or(0)
    }

    /// Counts one comparison; every one judges the same entries in the same order.
    pub(crate) fn count(&mut self, judged: &[Judged]) {
        if self.cells.is_empty() {
            self.cells = judged.iter().map(CellTally::of).collect();
        }
        for (cell, judged) in self.cells.iter_mut().zip(judged) {
            *match judged.finding.into() {
                Overall::Worse => &mut cell.worse,
                Overall::Better => &mut cell.better,
                Overall::Unchanged => &mut cell.unchanged,
                Overall::Unknown => &mut cell.unknown,
            } += 1;
        }
        let any = |is: fn(Finding) -> bool| judged.iter().any(|judged| is(judged.finding));
        let worse = any(|finding| finding == Finding::WORSE);
        let better = any(|finding| finding == Finding::BETTER);
        let unknown = any(Finding::is_unknown);
        let is_worse = |judged: &&Judged| judged.finding == Finding::WORSE;
        let found: BTreeSet<&String> =
            judged.iter().filter(is_worse).map(|judged| &judged.metric).collect();
        for metric in found {
            *self.worse_in.entry(metric.clone()).or_default() += 1;
        }
        self.trials += 1;
        self.changed += usize::from(worse || better);
        self.worse += usize::from(worse);
        self.better += usize::from(better);
        self.unknown += usize::from(unknown && !worse && !better);
        self.unchanged += usize::from(!unknown && !worse && !better);
        self.looked_twice += usize::from(judged.iter().any(|judged| judged.looked_twice));
    }

    /// `100 comparisons of A and B: 3 changed (2 worse, 1 better), 4 unknown, 93 unchanged; …`
    #[must_use]
    pub fn line(&self) -> String {
        let Self { a, b, trials, changed, worse, better, unknown, unchanged, .. } = self;
        format!(
            "{trials} comparisons of {a} and {b}: {changed} changed ({worse} worse, {better} \
             better), {unknown} unknown, {unchanged} unchanged; {} looked twice",
            self.looked_twice
        )
    }
}

impl CellTally {
    fn of(judged: &Judged) -> Self {
        let Judged { cell, metric, .. } = judged;
        Self { cell: cell.clone(), metric: metric.clone(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;
    use crate::simulation::SUITE;
    use crate::{Unknown, judge};

    #[test]
    fn a_comparison_counts_once_by_its_gravest_finding() {
        let judged = judge(&SUITE.measure(Seed(1))[..2], 0.02, 1);
        let mut tally = Tally::new("a", "b", "again");
        let unknown = Finding::unknown(Unknown::Floor);
        for findings in [
            [Finding::WORSE, Finding::BETTER],
            [Finding::WORSE, unknown],
            [unknown, Finding::UNCHANGED],
            [Finding::UNCHANGED; 2],
        ] {
            let said: Vec<Judged> = judged
                .iter()
                .zip(findings)
                .map(|(judged, finding)| Judged { finding, ..judged.clone() })
                .collect();
            tally.count(&said);
        }
        assert_eq!(
            tally.line(),
            "4 comparisons of a and b: 2 changed (2 worse, 1 better), 1 unknown, 1 unchanged; \
             0 looked twice"
        );
        let first = CellTally { worse: 2, unknown: 1, unchanged: 1, ..CellTally::of(&judged[0]) };
        assert_eq!(tally.cells[0], first);
        let written = serde_json::to_string(&tally).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&written).unwrap(), tally);
    }
}
