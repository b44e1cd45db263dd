//! Claims and what this run says of them: a plain value from outside, in words on the page.

use std::collections::BTreeMap;

use super::cells::Cells;
use super::html::{Field, Line, element, escape, sortable};
use crate::figures::Drawn;
use record::repetition::Source;

/// A published claim and what came of it here.
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
    /// What follows for this comparison; words as of [`ClaimLine::verdict`].
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

/// The verdict with its mark, in a box of its class.
fn marked(verdict: &str) -> String {
    let known = VERDICTS.iter().find(|(word, ..)| *word == verdict);
    let (mark, class) = known.map_or(("–", "untestable"), |(_, mark, class)| (*mark, *class));
    format!("<span class=\"verdict {class}\">{mark} {}</span>", escape(verdict))
}

fn anchor(id: &str) -> String {
    format!("claim-{id}")
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

/// The section: counts, the claims that fail, and all of them.
pub(super) fn section(claims: &[ClaimLine], drawn: &[Drawn], cells: &Cells<'_>) -> String {
    let mut html = element("h2", "Claims");
    if claims.is_empty() {
        return html + &element("p", "No claims were evaluated for this report.");
    }
    html += &format!("<p class=\"counts\">{}</p>\n", escape(&counted(claims)));
    let failing: Vec<&ClaimLine> = claims.iter().filter(|claim| claim.verdict == "fails").collect();
    if failing.is_empty() {
        html += &element("p", "No claim fails here.");
    } else {
        html += &element("p", "Claims that fail here:");
        let entries: String = failing
            .iter()
            .map(|claim| {
                format!(
                    "<li><a href=\"#{}\">{}</a> ({}). {}</li>\n",
                    escape(&anchor(&claim.id)),
                    escape(&claim.says),
                    escape(&claim.source),
                    escape(if claim.measured.is_empty() { &claim.reason } else { &claim.measured })
                )
            })
            .collect();
        html += &format!("<ul>\n{entries}</ul>\n");
    }
    html += &element(
        "p",
        "Each verdict has the comparisons that it follows from, with their intervals and links to \
         their cells.",
    );
    let lines: Vec<Line> = claims.iter().map(|claim| line(claim, drawn, cells)).collect();
    let headings = ["verdict", "source", "claim", "measured here", "figure"];
    html + "<div class=\"claims\">" + &sortable(&headings, &lines) + "</div>\n"
}

fn line(claim: &ClaimLine, drawn: &[Drawn], cells: &Cells<'_>) -> Line {
    let mut claimed = escape(&claim.says);
    if !claim.expects.is_empty() {
        let (on, expects) = (escape(&claim.on), escape(&claim.expects));
        claimed += &format!("<details><summary>expected {on}</summary>{expects}</details>");
    }
    let shown = claim.figure.as_deref().map(|name| figure_link(name, drawn));
    Line {
        anchor: anchor(&claim.id),
        fields: vec![
            Field::Markup(marked(claim.verdict)),
            claim.source.as_str().into(),
            Field::Markup(claimed),
            Field::Markup(measured(claim, cells)),
            Field::Markup(shown.unwrap_or_default()),
        ],
    }
}

/// A link where the page has the figure, else its name.
fn figure_link(name: &str, drawn: &[Drawn]) -> String {
    let name_escaped = escape(name);
    if drawn.iter().any(|drawn| drawn.figure.name == name) {
        format!("<a href=\"#{name_escaped}\">{name_escaped}</a>")
    } else {
        format!("{name_escaped} (not in this report)")
    }
}

/// What was measured, why that means what it does, and the comparisons behind it.
fn measured(claim: &ClaimLine, cells: &Cells<'_>) -> String {
    let text = if claim.measured.is_empty() { &claim.reason } else { &claim.measured };
    let mut html = escape(text);
    if claim.details.is_empty() {
        return html;
    }
    let plural = if claim.details.len() == 1 { "comparison" } else { "comparisons" };
    html += &format!("<details><summary>{} {plural}</summary>", claim.details.len());
    html += &element("p", &claim.reason);
    let lines = claim.details.iter().map(|detail| {
        let sources: Vec<Source> = detail.cells.iter().cloned().map(Source::Cell).collect();
        Line::from(vec![
            Field::Markup(marked(detail.verdict)),
            detail.what.as_str().into(),
            detail.value_text.as_str().into(),
            detail.bound.as_str().into(),
            Field::Markup(cells.links(&sources)),
        ])
    });
    let headings = ["verdict", "compared", "measured", "bound", "cells"];
    html += &sortable(&headings, &lines.collect::<Vec<_>>());
    html + "</details>"
}

/// The claims that a figure shows, as a list; nothing where it shows none.
pub(super) fn shown_by(figure: &str, claims: &[ClaimLine]) -> String {
    let own = claims.iter().filter(|claim| claim.figure.as_deref() == Some(figure));
    let entries: String = own
        .map(|claim| {
            format!(
                "<li>{} <a href=\"#{}\">{}</a> ({})</li>\n",
                marked(claim.verdict),
                escape(&anchor(&claim.id)),
                escape(&claim.says),
                escape(&claim.source)
            )
        })
        .collect();
    if entries.is_empty() {
        return entries;
    }
    format!("<div class=\"shown\"><p>Claims it bears on:</p><ul>\n{entries}</ul></div>\n")
}
