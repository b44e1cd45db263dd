//! Claims and what this run says of them: a plain value from outside, in words on the page.

use std::collections::BTreeMap;

use askama::Template;
use askama::filters::HtmlSafe;

use super::cells::Cells;
use super::links::{Link, Links};
use super::table::NOTHING;
use crate::figures::Drawn;
use record::repetition::Source;

/// A published claim and its verdict here.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimLine {
    /// Its name, unique among claims.
    pub id: String,
    /// Where it was published.
    pub source: String,
    /// What it says there.
    pub says: String,
    /// Where the relation is expected: `on every machine`, `on few cores`.
    pub on: String,
    /// The preset that was asked, where there are several.
    pub preset: Option<String>,
    /// How many of its comparisons hold: `23 of 24`.
    pub share: Option<String>,
    /// Whether a comparison behind it is one of unlike conditions.
    pub is_of_unlike: bool,
    /// What should be seen here if it holds.
    pub expects: String,
    /// `holds`, `fails`, `undecided` or `not testable here`.
    pub verdict: &'static str,
    /// Why that verdict, as a sentence.
    pub reason: String,
    /// What was measured, with its interval; empty where nothing was.
    pub measured: String,
    /// The comparisons that the verdict follows from.
    pub details: Vec<ClaimDetail>,
    /// The figure that shows it.
    pub figure: Option<String>,
}

/// A comparison of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimDetail {
    /// What is compared with what.
    pub what: String,
    /// The number with its interval and unit.
    pub value_text: String,
    /// What the number is held against.
    pub bound: String,
    /// The verdict on this comparison, in the words of [`ClaimLine::verdict`].
    pub verdict: &'static str,
    /// Ids of the cells it comes from.
    pub cells: Vec<String>,
}

/// Verdicts, the worst first, with a mark each: no verdict is told by colour alone.
const VERDICTS: [(&str, &str, &str); 4] = [
    ("fails", "✗", "fails"),
    ("undecided", "?", "undecided"),
    ("holds", "✓", "holds"),
    ("not testable here", "–", "untestable"),
];

/// A verdict with its mark, in a box of its class.
#[derive(Debug, Template)]
#[template(path = "verdict.html")]
pub(super) struct Verdict {
    word: &'static str,
    mark: &'static str,
    class: &'static str,
}

impl HtmlSafe for Verdict {}

impl Verdict {
    fn of(word: &'static str) -> Self {
        let known = VERDICTS.iter().find(|(known, ..)| *known == word);
        let (mark, class) = known.map_or(("–", "untestable"), |(_, mark, class)| (*mark, *class));
        Self { word, mark, class }
    }
}

/// A claim as the page tells it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) claim: &'a ClaimLine,
    pub(super) anchor: String,
    pub(super) verdict: Verdict,
    /// What was measured, or why nothing was.
    pub(super) told: &'a str,
    pub(super) comparisons: Vec<Comparison<'a>>,
    /// The figure that shows it: a link where the page has it, else its name.
    pub(super) shown: Links,
}

/// What a verdict follows from.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) detail: &'a ClaimDetail,
    pub(super) verdict: Verdict,
    pub(super) cells: Links,
}

/// The claims of one verdict.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) verdict: Verdict,
    pub(super) entries: Vec<Entry<'a>>,
}

/// Counts, and the claims that this run can judge.
#[derive(Debug)]
pub(super) struct Claims<'a> {
    pub(super) counted: String,
    /// The worst first.
    pub(super) groups: Vec<Group<'a>>,
    /// How many ask what was not measured here.
    pub(super) untestable: usize,
    stand: Option<String>,
}

/// The verdict of claims that ask what was not measured.
const UNTESTABLE: &str = "not testable here";

impl<'a> Claims<'a> {
    pub(super) fn of(claims: &'a [ClaimLine], drawn: &[&Drawn], cells: &Cells) -> Self {
        let testable = || VERDICTS.iter().filter(|(word, ..)| *word != UNTESTABLE);
        let of = |word: &'static str| claims.iter().filter(move |claim| claim.verdict == word);
        let group = |&(word, ..): &(&'static str, &str, &str)| Group {
            verdict: Verdict::of(word),
            entries: of(word).map(|claim| Entry::of(claim, drawn, cells)).collect(),
        };
        let count = |word: &'static str| of(word).count();
        let judged = claims.len() - count(UNTESTABLE);
        let stand = (judged > 0).then(|| {
            format!(
                "Of {judged} questions that published claims put to this machine, {} hold, {} fail, and \
                 {} are undecided.",
                count("holds"),
                count("fails"),
                count("undecided")
            )
        });
        Self {
            counted: counted(claims),
            groups: testable().map(group).filter(|group| !group.entries.is_empty()).collect(),
            untestable: count(UNTESTABLE),
            stand,
        }
    }

    /// How the claims stand, in a sentence; `None` where there are none.
    pub(super) fn stand(&self) -> Option<String> {
        self.stand.clone()
    }

    /// The claims that a figure shows.
    pub(super) fn shown_by(&self, figure: &str) -> Vec<&Entry<'a>> {
        let shows = |entry: &&Entry<'_>| entry.claim.figure.as_deref() == Some(figure);
        self.groups.iter().flat_map(|group| &group.entries).filter(shows).collect()
    }
}

impl<'a> Entry<'a> {
    fn of(claim: &'a ClaimLine, drawn: &[&Drawn], cells: &Cells) -> Self {
        let told = [claim.measured.as_str(), &claim.reason, NOTHING];
        let shown = claim.figure.as_deref().map(|name| {
            if drawn.iter().any(|drawn| drawn.figure.name == name) {
                Link::here(name, name)
            } else {
                Link::words(format!("{name} (not in this report)"))
            }
        });
        Self {
            claim,
            anchor: format!("claim-{}", claim.id),
            verdict: Verdict::of(claim.verdict),
            told: told.into_iter().find(|text| !text.is_empty()).unwrap_or(NOTHING),
            comparisons: claim.details.iter().map(|detail| Comparison::of(detail, cells)).collect(),
            shown: shown.map(Links::from).unwrap_or_default(),
        }
    }
}

impl<'a> Comparison<'a> {
    fn of(detail: &'a ClaimDetail, cells: &Cells) -> Self {
        let sources: Vec<Source> = detail.cells.iter().cloned().map(Source::Cell).collect();
        Self { detail, verdict: Verdict::of(detail.verdict), cells: cells.told(&sources) }
    }
}

/// How many claims came to which verdict, as a sentence.
fn counted(claims: &[ClaimLine]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in claims {
        *counts.entry(claim.verdict).or_default() += 1;
    }
    let told = VERDICTS.iter().map(|(word, mark, _)| {
        format!("{mark} {word}: {}", counts.get(word).copied().unwrap_or(0))
    });
    let plural = if claims.len() == 1 { "question" } else { "questions" };
    format!("{} {plural}; {}.", claims.len(), told.collect::<Vec<_>>().join(", "))
}
