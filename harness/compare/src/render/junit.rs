//! A comparison as a test report, which CI systems show beside the tests.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::escape::xml;
use super::rows::worst_first;
use super::words::{self, NOTHING, evidence, facts, how, summary};
use crate::{Comparison, Judged, Overall};

/// Name of the report, and package of its cases' classes.
const REPORT: &str = "nibble-bench gate";

/// `comparison` as JUnit XML: a suite for each metric, a case for each cell, the worst first.
///
/// | finding | case |
/// |---|---|
/// | worse | `failure` |
/// | better, unchanged | passed |
/// | unknown | `skipped`: CI systems count and show it apart from failures, and a job that may not fail for what cannot be told need not |
///
/// `system-out` of a case is the evidence. A comparison that judged nothing has one skipped case,
/// since CI systems take reports without cases for broken ones. Blocks of cells are interleaved, so
/// no case has a time of its own: each gets an equal share of the measuring time, so that sums are
/// right.
#[must_use]
pub fn junit(comparison: &Comparison) -> String {
    let mut of_metric: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for judged in worst_first(comparison) {
        of_metric.entry(&judged.metric).or_default().push(judged);
    }
    let elapsed_s = comparison.elapsed_s;
    let case_s = elapsed_s / comparison.judged.len().max(1) as f64;
    let mut suites: Vec<TestSuite> = of_metric
        .into_iter()
        .map(|(metric, judged)| suite(metric, judged.into_iter().map(case), case_s))
        .collect();
    if suites.is_empty() {
        suites.push(suite("comparison", [named("comparison", "judged", skipped(NOTHING))], case_s));
    }
    for suite in &mut suites {
        suite.add_properties(properties(comparison));
        if !comparison.unlike.is_empty() {
            suite.set_system_err(lines(&format!(
                "{}:\n{}",
                words::UNLIKE,
                comparison.unlike.join("\n")
            )));
        }
    }
    written(suites, elapsed_s)
}

/// A report of a comparison that did not come to an end: one case with an `error` that says
/// `message`, its first line as the summary.
#[must_use]
pub fn junit_error(message: &str) -> String {
    let mut error = TestCaseStatus::non_success(NonSuccessKind::Error);
    error.set_message(xml(message.lines().next().unwrap_or_default()));
    error.set_type("internal").set_description(lines(message));
    alone(named("comparison", "completed", error))
}

/// A report of a gate that found no baseline and created one: one case, skipped.
#[must_use]
pub fn junit_created(message: &str) -> String {
    alone(named("comparison", "baseline", skipped(message)))
}

fn alone(case: TestCase) -> String {
    written(vec![suite("comparison", [case], 0.0)], 0.0)
}

fn written(suites: Vec<TestSuite>, elapsed_s: f64) -> String {
    let mut report = Report::new(REPORT);
    report.set_time(seconds(elapsed_s)).add_test_suites(suites);
    report.to_string().expect("memory takes whatever is written")
}

/// Cases that took `case_s` each.
fn suite(name: &str, cases: impl IntoIterator<Item = TestCase>, case_s: f64) -> TestSuite {
    let mut suite = TestSuite::new(xml(name));
    for mut case in cases {
        case.set_time(seconds(case_s));
        suite.add_test_case(case);
    }
    suite.set_time(seconds(case_s * suite.tests as f64));
    suite
}

/// A time that is none counts as nothing.
fn seconds(elapsed_s: f64) -> Duration {
    Duration::try_from_secs_f64(elapsed_s).unwrap_or_default()
}

fn case(judged: &Judged) -> TestCase {
    let evidence = evidence(judged);
    let told = format!("{}: {evidence}", judged.finding);
    let status = match judged.finding.into() {
        Overall::Worse => {
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failure.set_message(xml(&told)).set_type("worse").set_description(lines(&evidence));
            failure
        }
        Overall::Unknown => skipped(&judged.finding.to_string()),
        Overall::Better | Overall::Unchanged => TestCaseStatus::success(),
    };
    let mut case = named(&judged.metric, &judged.cell, status);
    case.set_system_out(lines(&told));
    case
}

/// `metric` becomes the class: readers group and name cases by it.
fn named(metric: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(xml(name), status);
    // A point would open another package.
    case.set_classname(xml(&format!("{REPORT}.{}", metric.replace('.', "_"))));
    case
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut skipped = TestCaseStatus::skipped();
    skipped.set_message(xml(why));
    skipped
}

/// What the sides are and how they were measured.
fn properties(comparison: &Comparison) -> Vec<(String, String)> {
    let property = |name: &str, value: &str| (xml(name), xml(value));
    let mut properties = vec![
        property("command", &comparison.command),
        property("overall", &comparison.overall().to_string()),
        property("summary", &summary(comparison)),
        property("how", &how(comparison)),
        property("baseline", &comparison.baseline.name),
        property("candidate", &comparison.candidate.name),
    ];
    for fact in facts(comparison) {
        for (side, value) in [("baseline", fact.baseline), ("candidate", fact.candidate)] {
            properties.extend(value.map(|value| property(&format!("{side}.{}", fact.name), value)));
        }
    }
    properties.extend(comparison.notes.iter().map(|note| property("note", note)));
    properties
}

/// Text that may have several lines.
fn lines(text: &str) -> String {
    text.lines().map(xml).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::Unknown;

    /// The totals that readers of reports use; they must match the content.
    fn read(text: &str) -> Report {
        let report = Report::deserialize_from_str(text).expect("a report");
        let cases = || report.test_suites.iter().flat_map(|suite| &suite.test_cases);
        let kinds =
            |report: &Report| [report.tests, report.failures, report.errors, report.skipped];
        let mut found = [cases().count(), 0, 0, 0];
        for case in cases() {
            found[1] += usize::from(failure(case).is_some());
            found[2] += usize::from(error(case).is_some());
            found[3] += usize::from(skip(case).is_some());
            assert!(text_of(case.classname.as_ref()).starts_with("nibble-bench gate."));
            assert!(!case.name.as_str().is_empty());
        }
        assert_eq!(kinds(&report), found);
        let of_suites = report.test_suites.iter().fold([0; 4], |sum, suite| {
            let suite = [suite.tests, suite.failures, suite.errors, suite.skipped];
            std::array::from_fn(|place| sum[place] + suite[place])
        });
        assert_eq!(of_suites, found);
        let suites: Vec<_> = report.test_suites.iter().map(|suite| suite.time).collect();
        for times in [suites, cases().map(|case| case.time).collect()] {
            let sum: f64 = times.iter().map(|time| time.expect("a time").as_secs_f64()).sum();
            let whole = report.time.expect("a time").as_secs_f64();
            // Each is rounded to a millisecond.
            assert!((whole - sum).abs() <= 0.001 * times.len() as f64, "{sum} of {whole}");
        }
        report
    }

    fn text_of(text: Option<&quick_junit::XmlString>) -> String {
        text.map(|text| text.as_str().to_owned()).unwrap_or_default()
    }

    /// Message and text of a failure.
    fn failure(case: &TestCase) -> Option<[String; 2]> {
        non_success(case, NonSuccessKind::Failure)
    }

    fn error(case: &TestCase) -> Option<[String; 2]> {
        non_success(case, NonSuccessKind::Error)
    }

    fn non_success(case: &TestCase, wanted: NonSuccessKind) -> Option<[String; 2]> {
        match &case.status {
            TestCaseStatus::NonSuccess { kind, message, description, .. } if *kind == wanted => {
                Some([message, description].map(|text| text_of(text.as_ref())))
            }
            _ => None,
        }
    }

    /// Why a case was skipped.
    fn skip(case: &TestCase) -> Option<String> {
        match &case.status {
            TestCaseStatus::Skipped { message, .. } => Some(text_of(message.as_ref())),
            _ => None,
        }
    }

    #[test]
    fn every_metric_is_a_suite_and_every_finding_a_case() {
        let report = read(&junit(&fixture::every_kind()));
        let suites: Vec<_> = report
            .test_suites
            .iter()
            .map(|suite| (suite.name.as_str(), [suite.tests, suite.failures, suite.skipped]))
            .collect();
        assert_eq!(suites, [("memory", [1, 0, 0]), ("p99", [1, 0, 0]), ("throughput", [6, 2, 4])]);
        let cases = &report.test_suites[2].test_cases;
        let [message, text] = failure(&cases[0]).expect("the worst is first");
        assert!(
            message.starts_with("changed: worse: baseline 1.25 Mops/s, candidate 1.00"),
            "{message}"
        );
        assert!(text.contains("−20.0 %"), "{text}");
        let why = cases.iter().find_map(skip).expect("something is unknown");
        assert_eq!(why, "unknown: the floor is above the asked effect");
        for case in report.test_suites.iter().flat_map(|suite| &suite.test_cases) {
            assert!(text_of(case.system_out.as_ref()).contains("; floor ±2.1 %"), "its evidence");
        }
    }

    #[test]
    fn facts_that_differ_and_the_comparison_stand_in_every_suite() {
        let mut comparison = fixture::of(vec![fixture::better(), fixture::unchanged()]);
        comparison.unlike = vec!["kernel: 6.1 & 6.6".to_owned()];
        let report = read(&junit(&comparison));
        assert_eq!(report.test_suites.len(), 2);
        for suite in &report.test_suites {
            let warned = text_of(suite.system_err.as_ref());
            assert!(warned.ends_with(":\nkernel: 6.1 & 6.6"), "{warned}");
            let overall = suite.properties.iter().find(|one| one.name.as_str() == "overall");
            assert_eq!(overall.map(|one| one.value.as_str()), Some("better"));
        }
    }

    #[test]
    fn nothing_judged_is_one_skipped_case() {
        let report = read(&junit(&fixture::of(Vec::new())));
        assert_eq!(skip(&report.test_suites[0].test_cases[0]).as_deref(), Some(NOTHING));
    }

    #[test]
    fn names_come_back_without_what_xml_cannot_say() {
        let mut comparison = fixture::of(vec![fixture::unknown(Unknown::TooFew)]);
        comparison.judged[0].cell = "a<b>&\"c\" 'd'\u{0}\u{1b}\u{fffe}\n]]>".to_owned();
        comparison.judged[0].metric = "p99.9".to_owned();
        let report = read(&junit(&comparison));
        let case = &report.test_suites[0].test_cases[0];
        assert_eq!(case.name.as_str(), "a<b>&\"c\" 'd'\u{fffd}\u{fffd}\u{fffd} ]]>");
        assert_eq!(text_of(case.classname.as_ref()), "nibble-bench gate.p99_9");
        read(&junit(&fixture::hostile()));
    }

    #[test]
    fn an_internal_error_is_one_case_with_an_error() {
        let report = read(&junit_error("cannot build <main>\n  linker: not found"));
        let [message, text] = error(&report.test_suites[0].test_cases[0]).expect("an error");
        assert_eq!(message, "cannot build <main>");
        assert_eq!(text, "cannot build <main>\n  linker: not found");
        read(&junit_error(""));
    }

    #[test]
    fn a_created_baseline_is_one_skipped_case_that_says_so() {
        let report = read(&junit_created("base.jsonl: created"));
        let why = skip(&report.test_suites[0].test_cases[0]);
        assert_eq!(why.as_deref(), Some("base.jsonl: created"));
    }
}
