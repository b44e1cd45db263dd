//! The targets of one expectation taken together: the geometric mean of their ratios.

use expect::{Bounds, Verdict};
use serde::Deserialize;
use stats::bootstrap_ratio;

use super::line::{Detail, Estimate, Line};
use super::target::{Kind, Target};

/// What the ratios of an expectation's targets have to be on average. Each has a bar of its own beside it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Mean {
    /// The expectation's id.
    of: String,
    at_least: f64,
}

impl Mean {
    /// # Errors
    /// An expectation that is none, or whose targets are no ratios.
    pub(super) fn check(&self, targets: &[Target]) -> Result<(), String> {
        let mut of = targets.iter().filter(|target| self.is_of(target.name())).peekable();
        if of.peek().is_none() {
            return Err(format!("mean of `{}`: there is no such expectation that varies", self.of));
        }
        if of.any(|target| !matches!(target.kind, Kind::Compare { .. })) {
            return Err(format!("mean of `{}`: its targets compare no two systems", self.of));
        }
        Ok(())
    }

    fn is_of(&self, name: &str) -> bool {
        name.strip_prefix(&self.of).is_some_and(|rest| rest.starts_with('/'))
    }

    fn bounds(&self) -> Bounds {
        Bounds::at_least(self.at_least)
    }

    /// The line of those of `lines` that belong to it; `None` where fewer than two of them, or not all of
    /// the `targets`, were measured.
    ///
    /// Round by round: the geometric mean of what each comparison measured in that round.
    pub(super) fn line(&self, lines: &[Line], targets: &[Target], seed: u64) -> Option<Line> {
        let asked = targets.iter().filter(|target| self.is_of(target.name())).count();
        let of: Vec<&Line> = lines.iter().filter(|line| self.is_of(&line.name)).collect();
        let details: Vec<&Detail> = of.iter().flat_map(|line| &line.details).collect();
        if of.len() < asked || details.len() < 2 {
            return None;
        }
        let rounds = details.iter().map(|detail| detail.values.len()).min()?;
        let mean = |round: usize| {
            let logs = details.iter().map(|detail| detail.values[round].ln());
            (logs.sum::<f64>() / details.len() as f64).exp()
        };
        let values: Vec<f64> = (0..rounds).map(mean).collect();
        let interval = bootstrap_ratio(&values, seed);
        let (first, count) = (of[0], details.len());
        Some(Line {
            name: format!("{}/all", self.of),
            asked: self.bounds().to_string(),
            verdict: interval
                .map_or(Verdict::NotTestable, |interval| self.bounds().judge(&interval)),
            measured: interval.map(Estimate::from),
            note: format!("geometric mean of {count} comparisons"),
            details: Vec::new(),
            ..first.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::{judge, means};
    use super::super::sizes::tests::sizes;
    use super::super::tests::{HEAD, entry, throughput};
    use super::*;
    use crate::targets::File;

    const OF: &str = "mean = [{ of = \"t\", at-least = 1.0 }]";

    fn parse(mean: &str, vary: &str) -> Result<File, String> {
        let place = "workload = \"get-0\", value-bytes = 52, fill-percent = 20";
        let place =
            if vary.is_empty() { format!("{place}, threads = 1") } else { place.to_owned() };
        let question = throughput(&place, "system = \"nibble\"", "system = \"mica\"");
        let text = format!("{HEAD}{mean}\n{}", entry(vary, &question));
        File::parse("t.toml", &text).map_err(|error| error.to_string())
    }

    /// A line with these ratios, a round each.
    fn line(file: &File, target: usize, ratios: &[f64]) -> Line {
        let line = judge(file, &file.targets[target], &[], &sizes(), &[]);
        let detail = Detail {
            what: "nibble ÷ mica".to_owned(),
            verdict: None,
            measured: None,
            values: ratios.to_vec(),
        };
        Line { details: vec![detail], ..line }
    }

    #[test]
    fn ratios_of_all_targets_are_averaged_round_by_round() {
        let file = parse(OF, "vary = { threads = [1, 2] }").unwrap();
        let lines = [line(&file, 0, &[2.0, 2.0, 8.0]), line(&file, 1, &[0.5, 2.0, 0.5])];
        let all = means(&file, &lines);
        assert_eq!((all.len(), all[0].name.as_str(), all[0].asked.as_str()), (1, "t/all", "≥ 1"));
        let measured = all[0].measured.unwrap();
        assert!((measured.median - 2.0).abs() < 1e-12, "of 1, 2 and 2: {measured:?}");
        assert_eq!((all[0].verdict, measured.count), (Verdict::Holds, 3));
        let low = [line(&file, 0, &[0.5, 0.6, 0.5]), line(&file, 1, &[1.0, 1.0, 1.1])];
        assert_eq!(means(&file, &low)[0].verdict, Verdict::Fails);
    }

    #[test]
    fn a_part_of_the_targets_has_no_mean() {
        let file = parse(OF, "vary = { threads = [1, 2] }").unwrap();
        assert!(means(&file, &[line(&file, 0, &[1.0, 1.0, 1.0])]).is_empty());
    }

    #[test]
    fn a_mean_of_nothing_is_refused() {
        let error = parse(OF, "").unwrap_err();
        assert!(error.contains("mean of `t`: there is no such expectation that varies"), "{error}");
    }
}
