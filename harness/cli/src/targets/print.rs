//! The table of targets, as text and as JSON.

use expect::Counts;
use serde::Serialize;

use super::file::Reference;
use super::line::Line;
use super::sizes::Sizes;
use super::target::Target;
use record::Calibration;

/// Writes lines whose columns stand below one another, though each is printed when it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    name: usize,
    asked: usize,
}

/// The expectation that compares the closed loop with a bare one, and how far stores may differ in it.
const INVISIBLE: &str = "invisible";
const SPREAD_MAX: f64 = 0.05;
/// `123.456 (123.456 to 123.456)`
const MEASURED_WIDTH: usize = 26;

impl Printer {
    pub(crate) fn new(targets: &[Target]) -> Self {
        let width = |text: fn(&Target) -> String| {
            targets.iter().map(|target| text(target).chars().count()).max().unwrap_or(0)
        };
        Self {
            name: width(|target| target.name().to_owned()),
            asked: width(|target| target.bounds().to_string()),
        }
    }

    /// `name · asked · measured with interval · verdict · note`
    pub(crate) fn line(&self, line: &Line) -> String {
        let measured = line.measured.map_or_else(
            || "–".to_owned(),
            |measured| {
                let digits = if measured.median < 10.0 { 3 } else { 1 };
                format!(
                    "{:.digits$} ({:.digits$} to {:.digits$})",
                    measured.median, measured.from, measured.to
                )
            },
        );
        let text = format!(
            "{:<name$} · {:<asked$} · {measured:<MEASURED_WIDTH$} · {:<12} · {}",
            line.name,
            line.asked,
            line.verdict.word(),
            line.note,
            name = self.name,
            asked = self.asked,
        );
        text.trim_end().to_owned()
    }

    /// A target that is not measured now: `name · asked · what it says`.
    pub(crate) fn listed(&self, target: &Target) -> String {
        let (name, asked) = (self.name, self.asked);
        let bar = target.bounds().to_string();
        format!("{:<name$} · {bar:<asked$} · {}", target.name(), target.expectation.says)
    }
}

/// `targets.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Record {
    /// Version of this format.
    pub(crate) schema: u32,
    /// The file of targets.
    pub(crate) file: String,
    pub(crate) scale: String,
    pub(crate) sizes: Sizes,
    /// Of the machine that the yardsticks are from.
    pub(crate) calibration_made: Option<Reference>,
    /// Of this machine, one a round of yardsticks.
    pub(crate) calibrations: Vec<Calibration>,
    pub(crate) lines: Vec<Line>,
}

impl Record {
    /// `2 hold, 1 fails, 3 undecided`
    pub(crate) fn summary(&self) -> String {
        Counts::of(self.lines.iter().map(|line| line.verdict)).words()
    }

    /// How far stores differ in what the harness takes from them; nothing where fewer than two were
    /// asked.
    fn evenness(&self) -> Option<String> {
        let lines = self.lines.iter().filter(|line| line.name.starts_with(INVISIBLE));
        let kept: Vec<f64> = lines.filter_map(|line| Some(line.measured?.median)).collect();
        let (least, most) =
            (kept.iter().copied().reduce(f64::min)?, kept.iter().copied().reduce(f64::max)?);
        (kept.len() > 1).then(|| {
            format!(
                "The harness keeps {least:.3} to {most:.3} of a bare loop's throughput, a spread of \
                 {:.3} over {} stores and mixes (asked: at most {SPREAD_MAX}).",
                most - least,
                kept.len()
            )
        })
    }

    /// What one has to know to read the lines.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Each line: target · asked · median with its 99.9 % bootstrap interval (of fewer than \
             three values their range) · verdict. Undecided: the interval holds the bar."
                .to_owned(),
        ];
        notes.extend(self.evenness());
        if self.scale == "smoke" {
            notes.push("Scale smoke: too small to conclude from.".to_owned());
        }
        if let (Some(made), false) = (self.calibration_made, self.calibrations.is_empty()) {
            let middle = |of: fn(&Calibration) -> f64| {
                let values: Vec<f64> = self.calibrations.iter().map(of).collect();
                stats::median(&values).unwrap_or(f64::NAN)
            };
            notes.push(format!(
                "Yardsticks are scaled, round by round, by {:.1} ns ÷ the time of a random line \
                 (median now {:.1} ns over {} MiB) up to 64 B; above by the geometric mean of that \
                 and of the rate of 1 KiB copies now (median {:.1} GB/s) ÷ {:.1} GB/s. Within 15 % \
                 of the bar they decide nothing.",
                made.random_line_ns,
                middle(|one| one.random_line_ns),
                self.calibrations[0].bytes >> 20,
                middle(|one| one.copy_gb_per_s),
                made.copy_gb_per_s,
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use expect::Verdict;

    use super::super::line::{Estimate, judge};
    use super::super::sizes::tests::sizes;
    use super::super::tests::{against, file};
    use super::*;

    fn lines() -> (Printer, Vec<Line>) {
        let file = file("", &against("\"yardstick:fast\""));
        let unmeasured = judge(&file, &file.targets[0], &[], &sizes(), &[]);
        let measured = Estimate { median: 1.842, from: 1.79, to: 1.911, count: 5 };
        let held = Line {
            verdict: Verdict::Holds,
            measured: Some(measured),
            note: "3.1 ÷ 1.7 Mops/s".to_owned(),
            ..unmeasured.clone()
        };
        (Printer::new(&file.targets), vec![held, unmeasured])
    }

    #[test]
    fn a_line_says_name_bar_measurement_and_verdict() {
        let (printer, lines) = lines();
        assert_eq!(
            printer.line(&lines[0]),
            "t · ≥ 1.5 · 1.842 (1.790 to 1.911)     · holds        · 3.1 ÷ 1.7 Mops/s"
        );
        assert_eq!(
            printer.line(&lines[1]),
            "t · ≥ 1.5 · –                          · not testable · nothing of `of` has numbers: \
             nibble: no repetition was measured"
        );
    }

    #[test]
    fn verdicts_are_counted_and_the_scaling_is_stated() {
        let (_, lines) = lines();
        let calibration = Calibration {
            bytes: 4 << 30,
            huge_page_bytes: 4 << 30,
            random_line_ns: 8.0,
            copy_gb_per_s: 16.0,
        };
        let record = Record {
            schema: 2,
            file: "t.toml".to_owned(),
            scale: "smoke".to_owned(),
            sizes: sizes(),
            calibration_made: Some(Reference { random_line_ns: 7.6, copy_gb_per_s: 17.0 }),
            calibrations: vec![calibration; 3],
            lines,
        };
        assert_eq!(record.summary(), "1 holds, 1 not testable");
        let notes = record.notes().join("\n");
        for text in ["too small", "7.6 ns ÷", "8.0 ns over 4096 MiB", "16.0 GB/s) ÷ 17.0 GB/s"] {
            assert!(notes.contains(text), "{text} in {notes}");
        }
    }
}
