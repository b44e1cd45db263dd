//! A comparison as a test report, which CI systems show beside the tests.

use std::collections::BTreeMap;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::ElementWriter;

use super::escape::xml;
use super::rows::worst_first;
use super::words::{self, NOTHING, Tally, evidence, facts, how, summary};
use crate::{Comparison, Judged, Verdict};

/// Name of the report, and package of its cases' classes.
const REPORT: &str = "nibble-bench gate";

type Xml = Writer<Vec<u8>>;

/// `comparison` as JUnit XML: a suite for each metric, a case for each cell, the worst first.
///
/// | verdict | case |
/// |---|---|
/// | worse | `failure` |
/// | better, unchanged | passed |
/// | unknown | `skipped`: CI systems count and show it apart from failures, and a job that may not fail for what cannot be told need not |
///
/// `system-out` of a case is what was seen. Of a comparison that judged nothing there is one skipped
/// case, since reports without cases pass for broken ones. Blocks of cells are interleaved, so no
/// case has a time of its own: each has an equal share of the time of measuring, and sums are right.
#[must_use]
pub fn junit(comparison: &Comparison) -> String {
    let mut suites: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for judged in worst_first(comparison) {
        suites.entry(&judged.metric).or_default().push(judged);
    }
    let case_s = comparison.elapsed_s / comparison.judged.len().max(1) as f64;
    let mut counts = Counts::of(&comparison.judged);
    if suites.is_empty() {
        counts = Counts { tests: 1, skipped: 1, ..counts };
    }
    document(counts, comparison.elapsed_s, |xml| {
        for (metric, judged) in &suites {
            let counts = Counts::of(judged.iter().copied());
            suite(xml, metric, counts, case_s, |xml| {
                properties(xml, comparison)?;
                judged.iter().try_for_each(|judged| case(xml, judged, case_s))?;
                unlike(xml, comparison)
            })?;
        }
        if suites.is_empty() {
            suite(xml, "comparison", counts, case_s, |xml| {
                properties(xml, comparison)?;
                let attributes = case_attributes("comparison", "judged", case_s);
                element(xml, "testcase", &attributes, |xml| skipped(xml, NOTHING))?;
                unlike(xml, comparison)
            })?;
        }
        Ok(())
    })
}

/// A report of a comparison that did not come to an end: one case with an `error` that says
/// `message`, its first line as the summary.
#[must_use]
pub fn junit_error(message: &str) -> String {
    let counts = Counts { tests: 1, errors: 1, ..Counts::default() };
    document(counts, 0.0, |xml| {
        suite(xml, "comparison", counts, 0.0, |xml| {
            element(xml, "testcase", &case_attributes("comparison", "completed", 0.0), |xml| {
                let first = message.lines().next().unwrap_or_default();
                let attributes = [("message", first.to_owned()), ("type", "internal".to_owned())];
                element(xml, "error", &attributes, |xml| lines(xml, message))
            })
        })
    })
}

/// A report of a gate that found no baseline and created one: one case, skipped.
#[must_use]
pub fn junit_created(message: &str) -> String {
    let counts = Counts { tests: 1, skipped: 1, ..Counts::default() };
    document(counts, 0.0, |xml| {
        suite(xml, "comparison", counts, 0.0, |xml| {
            let attributes = case_attributes("comparison", "baseline", 0.0);
            element(xml, "testcase", &attributes, |xml| skipped(xml, message))
        })
    })
}

/// What readers of reports look at first.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Self {
        let tally = Tally::of(judged);
        Self { tests: tally.all(), failures: tally.worse, errors: 0, skipped: tally.unknown }
    }

    fn attributes(self, name: &str, elapsed_s: f64) -> [(&'static str, String); 6] {
        [
            ("name", name.to_owned()),
            ("tests", self.tests.to_string()),
            ("failures", self.failures.to_string()),
            ("errors", self.errors.to_string()),
            ("skipped", self.skipped.to_string()),
            ("time", seconds(elapsed_s)),
        ]
    }
}

fn seconds(elapsed_s: f64) -> String {
    format!("{:.3}", if elapsed_s.is_finite() { elapsed_s } else { 0.0 })
}

fn document(
    counts: Counts,
    elapsed_s: f64,
    suites: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))
        .and_then(|()| {
            element(&mut xml, "testsuites", &counts.attributes(REPORT, elapsed_s), suites)
        })
        .expect("memory takes whatever is written");
    let mut text = String::from_utf8(xml.into_inner()).expect("only text was written");
    text.push('\n');
    text
}

fn suite(
    xml: &mut Xml,
    name: &str,
    counts: Counts,
    case_s: f64,
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    let elapsed_s = case_s * counts.tests as f64;
    element(xml, "testsuite", &counts.attributes(name, elapsed_s), content)
}

fn case(xml: &mut Xml, judged: &Judged, case_s: f64) -> io::Result<()> {
    let evidence = evidence(judged);
    let attributes = case_attributes(&judged.metric, &judged.cell, case_s);
    element(xml, "testcase", &attributes, |xml| {
        match judged.verdict {
            Verdict::Worse => {
                let message = format!("{}: {evidence}", judged.verdict);
                let attributes = [("message", message), ("type", "worse".to_owned())];
                element(xml, "failure", &attributes, |xml| lines(xml, &evidence))?;
            }
            Verdict::Unknown(_) => skipped(xml, &judged.verdict.to_string())?,
            Verdict::Better | Verdict::Unchanged => {}
        }
        let told = format!("{}: {evidence}", judged.verdict);
        element(xml, "system-out", &[], |xml| lines(xml, &told))
    })
}

/// `metric` becomes the class: readers group and name cases by it.
fn case_attributes(metric: &str, name: &str, case_s: f64) -> [(&'static str, String); 3] {
    // A point would open another package.
    let class = format!("{REPORT}.{}", metric.replace('.', "_"));
    [("name", name.to_owned()), ("classname", class), ("time", seconds(case_s))]
}

fn skipped(xml: &mut Xml, why: &str) -> io::Result<()> {
    empty_element(xml, "skipped", &[("message", why.to_owned())])
}

/// What the sides are and how they were measured.
fn properties(xml: &mut Xml, comparison: &Comparison) -> io::Result<()> {
    let property = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut properties = vec![
        property("command", &comparison.command),
        property("overall", &comparison.overall().to_string()),
        property("summary", &summary(comparison)),
        property("how", &how(comparison)),
        property("a", &comparison.a.name),
        property("b", &comparison.b.name),
    ];
    for fact in facts(comparison) {
        for (side, value) in [("a", fact.a), ("b", fact.b)] {
            properties.extend(value.map(|value| property(&format!("{side}.{}", fact.name), value)));
        }
    }
    properties.extend(comparison.notes.iter().map(|note| property("note", note)));
    element(xml, "properties", &[], |xml| {
        properties.into_iter().try_for_each(|(name, value)| {
            empty_element(xml, "property", &[("name", name), ("value", value)])
        })
    })
}

/// Warns of facts that the sides do not share, where readers show what went to standard error.
fn unlike(xml: &mut Xml, comparison: &Comparison) -> io::Result<()> {
    if comparison.unlike.is_empty() {
        return Ok(());
    }
    let told = format!("{}:\n{}", words::UNLIKE, comparison.unlike.join("\n"));
    element(xml, "system-err", &[], |xml| lines(xml, &told))
}

/// Text that may have several lines.
fn lines(writer: &mut Xml, text: &str) -> io::Result<()> {
    let text = text.lines().map(xml).collect::<Vec<_>>().join("\n");
    writer.write_event(Event::Text(BytesText::new(&text)))
}

fn element(
    writer: &mut Xml,
    name: &str,
    attributes: &[(&str, String)],
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    begun(writer, name, attributes).write_inner_content(content).map(|_| ())
}

fn empty_element(writer: &mut Xml, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
    begun(writer, name, attributes).write_empty().map(|_| ())
}

fn begun<'a>(
    writer: &'a mut Xml,
    name: &'a str,
    attributes: &[(&str, String)],
) -> ElementWriter<'a, Vec<u8>> {
    let begun = writer.create_element(name);
    attributes
        .iter()
        .fold(begun, |begun, (name, value)| begun.with_attribute((*name, xml(value).as_str())))
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::super::fixture;
    use super::*;
    use crate::Unknown;

    /// An element with the elements around it, as `testsuites/testsuite`, its attributes and its
    /// text.
    #[derive(Debug, Default)]
    struct Element {
        path: String,
        attributes: BTreeMap<String, String>,
        text: String,
    }

    impl Element {
        fn number(&self, attribute: &str) -> f64 {
            self.attributes[attribute].parse().expect("a number")
        }
    }

    /// Every element in the order in which they begin; a document that is not well formed panics.
    fn parse(text: &str) -> Vec<Element> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
        loop {
            match reader.read_event().expect("well-formed XML") {
                Event::Start(start) => {
                    let name = String::from_utf8(start.name().as_ref().to_vec()).unwrap();
                    let attributes = start.attributes().map(|attribute| {
                        let attribute = attribute.expect("an attribute");
                        let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                        (key, attribute.unescape_value().expect("a value").into_owned())
                    });
                    let path = open.last().map_or(String::new(), |&around: &usize| {
                        format!("{}/", elements[around].path)
                    });
                    let attributes = attributes.collect();
                    open.push(elements.len());
                    elements.push(Element { path: path + &name, attributes, text: String::new() });
                }
                Event::End(_) => {
                    open.pop().expect("an open element");
                }
                Event::Text(text) => {
                    if let Some(&around) = open.last() {
                        elements[around].text += &text.decode().expect("text");
                    }
                }
                Event::GeneralRef(reference) => {
                    let name = format!("&{};", reference.decode().expect("a name"));
                    let char = quick_xml::escape::unescape(&name).expect("a known entity");
                    elements[*open.last().expect("an element")].text += &char;
                }
                Event::Eof => break,
                Event::Decl(_) => {}
                event => panic!("{event:?} was not meant"),
            }
        }
        assert!(open.is_empty(), "every element ends");
        elements
    }

    fn at<'a>(elements: &'a [Element], path: &str) -> Vec<&'a Element> {
        elements.iter().filter(|element| element.path == path).collect()
    }

    const CASE: &str = "testsuites/testsuite/testcase";

    /// Counts of a suite or of all are those of the elements within, and times add up.
    fn check_counts(text: &str) {
        let elements = parse(text);
        let root = at(&elements, "testsuites")[0];
        let suites = at(&elements, "testsuites/testsuite");
        let cases = at(&elements, CASE);
        for (attribute, within) in [
            ("tests", cases.len()),
            ("failures", at(&elements, &format!("{CASE}/failure")).len()),
            ("errors", at(&elements, &format!("{CASE}/error")).len()),
            ("skipped", at(&elements, &format!("{CASE}/skipped")).len()),
        ] {
            let sum: f64 = suites.iter().map(|suite| suite.number(attribute)).sum();
            assert_eq!(
                (root.number(attribute), sum),
                (within as f64, within as f64),
                "{attribute}"
            );
        }
        for of in [&suites, &cases] {
            let sum: f64 = of.iter().map(|element| element.number("time")).sum();
            // Each is rounded to a millisecond.
            assert!((root.number("time") - sum).abs() < 0.001 * of.len() as f64, "{sum}");
        }
        for case in cases {
            assert!(case.attributes["classname"].starts_with("nibble-bench gate."));
            assert!(!case.attributes["name"].is_empty());
        }
    }

    #[test]
    fn every_metric_is_a_suite_and_every_verdict_a_case() {
        let text = junit(&fixture::every_kind());
        check_counts(&text);
        let elements = parse(&text);
        let suites: Vec<_> = at(&elements, "testsuites/testsuite")
            .iter()
            .map(|suite| {
                let number = |name: &str| suite.number(name) as u32;
                let counts = [number("tests"), number("failures"), number("skipped")];
                (suite.attributes["name"].clone(), counts)
            })
            .collect();
        assert_eq!(
            suites,
            [
                ("memory".to_owned(), [1, 0, 0]),
                ("p99".to_owned(), [1, 0, 0]),
                ("throughput".to_owned(), [6, 2, 4])
            ]
        );
        let failures = at(&elements, "testsuites/testsuite/testcase/failure");
        assert!(
            failures[0].attributes["message"].starts_with("changed: worse: A 1.25 Mops/s, B 1.00")
        );
        assert!(failures[0].text.contains("−20.0 %"));
        let skipped = at(&elements, "testsuites/testsuite/testcase/skipped");
        assert_eq!(
            skipped[0].attributes["message"],
            "unknown: the floor is above the asked effect"
        );
        let outs = at(&elements, "testsuites/testsuite/testcase/system-out");
        assert_eq!(outs.len(), 8, "every case has its evidence");
        assert!(outs.iter().all(|out| out.text.contains("; floor ±2.1 %")));
    }

    #[test]
    fn what_is_unlike_and_what_was_compared_stand_in_every_suite() {
        let mut comparison = fixture::of(vec![fixture::better(), fixture::unchanged()]);
        comparison.unlike = vec!["kernel: 6.1 & 6.6".to_owned()];
        let text = junit(&comparison);
        check_counts(&text);
        let elements = parse(&text);
        let warned = at(&elements, "testsuites/testsuite/system-err");
        assert!(
            warned.len() == 2 && warned[0].text.ends_with(":\nkernel: 6.1 & 6.6"),
            "{warned:?}"
        );
        let overall = |element: &&&Element| element.attributes["name"] == "overall";
        let properties = at(&elements, "testsuites/testsuite/properties/property");
        assert_eq!(properties.iter().filter(overall).count(), 2);
    }

    #[test]
    fn nothing_judged_is_one_skipped_case() {
        let text = junit(&fixture::of(Vec::new()));
        check_counts(&text);
        let skipped = parse(&text);
        let skipped = at(&skipped, "testsuites/testsuite/testcase/skipped");
        assert_eq!(skipped[0].attributes["message"], NOTHING);
    }

    #[test]
    fn names_come_back_without_what_xml_cannot_say() {
        let mut comparison = fixture::of(vec![fixture::unknown(Unknown::TooFew)]);
        comparison.judged[0].cell = "a<b>&\"c\" 'd'\u{0}\u{1b}\u{fffe}\n]]>".to_owned();
        comparison.judged[0].metric = "p99.9".to_owned();
        let elements = parse(&junit(&comparison));
        let case = at(&elements, CASE)[0];
        assert_eq!(case.attributes["name"], "a<b>&\"c\" 'd'\u{fffd}\u{fffd}\u{fffd} ]]>");
        assert_eq!(case.attributes["classname"], "nibble-bench gate.p99_9");
        check_counts(&junit(&fixture::hostile()));
    }

    #[test]
    fn an_internal_error_is_one_case_with_an_error() {
        let text = junit_error("cannot build <main>\n  linker: not found");
        check_counts(&text);
        let elements = parse(&text);
        let error = at(&elements, "testsuites/testsuite/testcase/error")[0];
        assert_eq!(error.attributes["message"], "cannot build <main>");
        assert_eq!(error.text, "cannot build <main>\n  linker: not found");
        check_counts(&junit_error(""));
    }
}
