//! Whether two sets of lines may be compared: of one suite, scale and class of machine, and of
//! cells that ask the same.

use std::collections::{BTreeMap, BTreeSet};

use compare::{Apart, Line};
use stats::node_means;

use super::tolerance::Tolerances;

/// Values of a side below which it has no interval.
const INTERVAL_FROM: usize = 3;

/// What the lines of two sides do not share though they should: `fact: baseline and candidate`, sorted.
#[must_use]
pub fn differences(a: &[Line], b: &[Line]) -> Vec<String> {
    let mut differences = Vec::new();
    let facts = |lines: &[Line]| {
        let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in lines {
            let own = [("suite", &line.suite), ("scale", &line.scale), ("source", &line.source)];
            let own = own.map(|(name, value)| (name.to_owned(), value.clone()));
            for (name, value) in own.into_iter().chain(line.environment.clone()) {
                if !value.is_empty() {
                    facts.entry(name).or_default().insert(value);
                }
            }
        }
        facts
    };
    let (a, b) = (facts(a), facts(b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let told = |values: Option<&BTreeSet<String>>| match values {
        None => "unknown".to_owned(),
        Some(values) => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            values.join(", ")
        }
    };
    for name in names {
        if a.get(name) != b.get(name) {
            differences.push(format!("{name}: {} and {}", told(a.get(name)), told(b.get(name))));
        }
    }
    differences
}

/// What two sets of lines have in common, and what not.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Each metric of each cell that both have.
    pub apart: Vec<Apart>,
    /// What both have and cannot be judged: cells of one name that ask for something else, such as
    /// another size, and metrics with too few values.
    pub beside: Vec<Apart>,
    /// Cells of one name that ask for something else, metrics of another unit, cells that only one
    /// side has.
    pub left_out: Vec<LeftOut>,
}

/// A cell of which something is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub cell: String,
    /// As the rest of a sentence that begins with the cell.
    pub why: String,
}

impl Shared {
    fn leave_out(&mut self, cell: &str, why: impl Into<String>) {
        self.left_out.push(LeftOut { cell: cell.to_owned(), why: why.into() });
    }

    /// What was left out, a sentence for each reason: how many cells, and the first of them.
    #[must_use]
    pub fn left_out_in_words(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for LeftOut { cell, why } in &self.left_out {
            by_reason.entry(why).or_default().push(cell);
        }
        let told = |(why, cells): (&str, Vec<&str>)| match cells[..] {
            [cell] => format!("{cell}: {why}"),
            _ => format!("{} cells, such as {}: {why}", cells.len(), cells[0]),
        };
        by_reason.into_iter().map(told).collect()
    }
}

/// Brings together what both sides measured. A cell that stands in several lines of a side has all
/// their values. `floor` is what the machine is known to have moved by in a metric.
#[must_use]
pub fn shared(
    a: &[Line],
    b: &[Line],
    tolerances: &Tolerances,
    floor: impl Fn(&str) -> Option<f64>,
) -> Shared {
    let mut shared = Shared::default();
    let by_cell = |lines: &[Line]| {
        let mut cells: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for line in lines {
            cells.entry(line.cell.clone()).or_default().push(line.clone());
        }
        cells
    };
    let (a, mut b) = (by_cell(a), by_cell(b));
    for (cell, a) in a {
        let Some(b) = b.remove(&cell) else {
            shared.leave_out(&cell, "only the baseline has it");
            continue;
        };
        let asks: BTreeSet<&String> = a.iter().chain(&b).map(|line| &line.asks).collect();
        let unlike = asks.len() > 1;
        if unlike {
            shared.leave_out(&cell, "baseline and candidate ask different things of it");
        }
        let names: BTreeSet<&String> = a.iter().flat_map(|line| line.metrics.keys()).collect();
        for name in names {
            let Some(tolerance) = tolerances.of(name) else { continue };
            let series = |lines: &[Line]| -> Vec<compare::Series> {
                lines.iter().filter_map(|line| line.metrics.get(name)).cloned().collect()
            };
            let (of_a, of_b) = (series(&a), series(&b));
            let kinds: BTreeSet<(&str, bool)> = of_a
                .iter()
                .chain(&of_b)
                .map(|series| (series.unit.as_str(), series.better == stats::Better::Higher))
                .collect();
            if unlike && (of_b.is_empty() || kinds.len() > 1) {
                continue;
            } else if of_b.is_empty() {
                shared.leave_out(&cell, format!("only the baseline has `{name}`"));
            } else if kinds.len() > 1 {
                shared.leave_out(&cell, format!("`{name}` is in different units"));
            } else {
                let values = |series: &[compare::Series]| -> Vec<f64> {
                    series.iter().flat_map(|series| series.values.clone()).collect()
                };
                let (mut a, mut b) = (values(&of_a), values(&of_b));
                let paired = of_a.iter().chain(&of_b).any(|series| !series.nodes.is_empty());
                if paired {
                    (a, b) = within_nodes(&of_a, &of_b);
                }
                let few = a.len().min(b.len()) < INTERVAL_FROM;
                if few && !unlike {
                    let (a, b) = (a.len(), b.len());
                    let why = match paired {
                        true => format!(
                            "{a} node(s) measured `{name}` on both sides, and an interval needs {INTERVAL_FROM}"
                        ),
                        false => format!(
                            "`{name}` has {a} and {b} values, and an interval needs {INTERVAL_FROM} of each"
                        ),
                    };
                    shared.leave_out(&cell, why);
                }
                let found = Apart {
                    cell: cell.clone(),
                    metric: name.clone(),
                    unit: of_a[0].unit.clone(),
                    better: of_a[0].better,
                    tolerance,
                    a,
                    b,
                    paired,
                    unlike,
                    floor: floor(name),
                };
                if few || unlike { shared.beside.push(found) } else { shared.apart.push(found) }
            }
        }
    }
    for cell in b.into_keys() {
        shared.leave_out(&cell, "only the candidate has it");
    }
    shared
}

/// The mean of each node that measured both sides.
fn within_nodes(a: &[compare::Series], b: &[compare::Series]) -> (Vec<f64>, Vec<f64>) {
    let means = |series: &[compare::Series]| -> BTreeMap<String, f64> {
        let values = series.iter().flat_map(|series| series.nodes.iter().zip(&series.values));
        let means = node_means(values.map(|(node, value)| (node.as_str(), *value)));
        means.into_iter().map(|(node, mean)| (node.to_owned(), mean)).collect()
    };
    let (a, b) = (means(a), means(b));
    a.iter().filter_map(|(node, a)| Some((*a, *b.get(node)?))).unzip()
}

#[cfg(test)]
mod tests {
    use compare::Series;
    use stats::Better;
    use stats::noise::Noise;
    use workloads::{Rng, Seed};

    use super::*;
    use std::slice::from_ref;

    fn line(cell: &str, values: &[f64]) -> Line {
        let series = Series {
            unit: "1/s".to_owned(),
            better: Better::Higher,
            values: values.to_vec(),
            nodes: Vec::new(),
        };
        Line {
            schema: compare::LINE_SCHEMA,
            suite: "gate".to_owned(),
            scale: "quick".to_owned(),
            cell: cell.to_owned(),
            asks: "1".to_owned(),
            environment: [("cpu".to_owned(), "some".to_owned())].into(),
            metrics: [("throughput".to_owned(), series)].into(),
            ..Line::default()
        }
    }

    #[test]
    fn lines_of_other_scales_and_machines_are_told_apart() {
        let a = line("x", &[1.0]);
        assert!(differences(from_ref(&a), from_ref(&a)).is_empty());
        let mut b = a.clone();
        b.scale = "smoke".to_owned();
        b.environment.insert("cpu".to_owned(), "other".to_owned());
        b.environment.insert("kernel".to_owned(), "6.1".to_owned());
        assert_eq!(
            differences(&[a], &[b]),
            ["cpu: `some` and `other`", "kernel: unknown and `6.1`", "scale: `quick` and `smoke`"]
        );
    }

    /// Values of so many processes on each of some nodes, from one draw of processes.
    fn on_nodes(cell: &str, factor: f64, nodes: &[(&str, usize, f64)], rng: &mut Rng) -> Line {
        let process = Noise { deviation: 0.01, outliers: 0.0 };
        let mut line = line(cell, &[]);
        let series = line.metrics.get_mut("throughput").unwrap();
        for (name, processes, speed) in nodes {
            for _ in 0..*processes {
                series.values.push(factor * speed * process.draw(rng).exp());
                series.nodes.push((*name).to_owned());
            }
        }
        line
    }

    /// Four nodes, of which the fast ones measured most of the one run and the slow ones most of the other.
    #[test]
    fn runs_on_unlike_nodes_are_compared_within_nodes() {
        let mut rng = Seed(4).rng();
        let findings = |factor: f64, rng: &mut Rng| {
            let old = [("a", 6, 1.2), ("b", 4, 1.1), ("c", 2, 0.9), ("d", 2, 0.8), ("e", 5, 1.0)];
            let new = [("a", 2, 1.2), ("b", 2, 1.1), ("c", 5, 0.9), ("d", 6, 0.8), ("f", 5, 2.0)];
            let (a, b) = (on_nodes("x", 1.0, &old, rng), on_nodes("x", factor, &new, rng));
            let tolerances = Tolerances::default();
            let shared = shared(from_ref(&a), from_ref(&b), &tolerances, |_| None);
            assert_eq!((shared.apart[0].a.len(), shared.apart[0].paired), (4, true));
            let blind = Apart {
                a: a.metrics["throughput"].values.clone(),
                b: b.metrics["throughput"].values.clone(),
                paired: false,
                ..shared.apart[0].clone()
            };
            [&shared.apart[0], &blind]
                .map(|one| compare::judge_apart(from_ref(one), 0.02, 1)[0].finding.is_change())
        };
        let (mut wrong, mut found) = (0, 0);
        for _ in 0..100 {
            wrong += usize::from(findings(1.0, &mut rng)[0]);
            found += usize::from(findings(1.2, &mut rng)[0]);
        }
        assert!(wrong <= 4 && found >= 90, "{wrong} false and {found} found of 100");
    }

    #[test]
    fn runs_that_share_too_few_nodes_are_not_judged() {
        let mut rng = Seed(5).rng();
        let a = on_nodes("x", 1.0, &[("a", 9, 1.0), ("b", 9, 1.2)], &mut rng);
        let b = on_nodes("x", 1.0, &[("b", 9, 1.2), ("c", 9, 0.8)], &mut rng);
        for (b, text) in [(b, "1 node(s) measured"), (line("x", &[1.0; 9]), "0 node(s) measured")] {
            let shared = shared(from_ref(&a), &[b], &Tolerances::default(), |_| None);
            assert!(shared.apart.is_empty());
            let said = shared.left_out_in_words().join("; ");
            assert!(said.contains(text), "{said}");
        }
    }

    #[test]
    fn thousands_of_cells_are_a_sentence_for_each_reason() {
        let a: Vec<Line> = (0..1000).map(|number| line(&format!("a{number:03}"), &[1.0])).collect();
        let shared = shared(&a, &[line("b", &[1.0])], &Tolerances::default(), |_| None);
        assert_eq!(shared.left_out.len(), 1001);
        assert_eq!(
            shared.left_out_in_words(),
            ["1000 cells, such as a000: only the baseline has it", "b: only the candidate has it"]
        );
    }

    #[test]
    fn only_what_asks_the_same_in_the_same_unit_is_brought_together() {
        let a = [
            line("x", &[1.0, 1.1]),
            line("x", &[2.0]),
            line("y", &[1.0]),
            line("u", &[1.0]),
            line("few", &[1.0; 9]),
        ];
        let mut other = line("u", &[1.0]);
        other.asks = "2".to_owned();
        let b = [line("x", &[3.0; 3]), line("z", &[1.0]), other, line("few", &[1.0, 1.0])];
        let shared = shared(&a, &b, &Tolerances::default(), |_| Some(0.01));
        assert_eq!(shared.apart.len(), 1);
        assert_eq!(shared.apart[0].a, [1.0, 1.1, 2.0]);
        assert_eq!(shared.apart[0].b, [3.0; 3]);
        assert_eq!(shared.apart[0].floor, Some(0.01));
        let beside = shared.beside.iter().map(|apart| (apart.cell.as_str(), apart.unlike));
        assert_eq!(beside.collect::<Vec<_>>(), [("few", false), ("u", true)]);
        let said = shared.left_out_in_words().join("; ");
        for text in [
            "u: baseline and candidate ask different",
            "y: only the baseline has it",
            "z: only the candidate has it",
            "few: `throughput` has 9 and 2 values",
        ] {
            assert!(said.contains(text), "{said}");
        }
    }
}
