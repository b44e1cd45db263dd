//! `agree`: whether two runs of the same cells measured the same, or come to the same verdicts on the
//! claims.

use compare::render::colour::{BAD, GOOD, painted};
use expect::Answer;
use serde_json::{Value, json};
use stats::Interval;

use super::few::few;
use super::{Failure, claims, output};
use crate::cli::AgreeArguments;
use crate::compare::{Agreement, Decided, SameVerdicts, agreement, same_verdicts};
use crate::targets::Estimate;
use record::archive;
use report::page::aligned;
use worker::exit;

/// Prints what the runs differ in, and the share that agrees.
pub(super) fn run(arguments: &AgreeArguments) -> Result<(), Failure> {
    let load = |folder| archive::load(folder).map_err(Failure::usage);
    let ((run, rows), (other, other_rows)) = (load(&arguments.run)?, load(&arguments.other)?);
    let differences = run.provenance.differences(&other.provenance);
    if !differences.is_empty() && !arguments.allow_mismatch {
        let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!(
            "program or machine of the runs differ: {}; --allow-mismatch compares them anyway",
            few(&differences)
        )));
    }
    if arguments.claims {
        let answers = claims::answers(&arguments.run, &run, &rows)?;
        let others = claims::answers(&arguments.other, &other, &other_rows)?;
        return verdicts(&answers, &others, arguments);
    }
    let agreement = agreement(&rows, &other_rows);
    let unlike = agreement
        .unlike
        .iter()
        .map(|id| format!("{id}: the runs measured it differently; are they of one scale?"));
    let too_few = agreement
        .too_few
        .iter()
        .map(|id| format!("{id}: fewer than three sound repetitions in one of the runs"));
    let left_out: Vec<String> = unlike.chain(too_few).collect();
    if !left_out.is_empty() {
        eprintln!("left out: {}", few(&left_out));
    }
    if agreement.cells.is_empty() {
        return Err(Failure::usage(format!(
            "{} and {} share no cell with three sound repetitions in each, so there is nothing \
             to compare",
            arguments.run.display(),
            arguments.other.display()
        )));
    }
    let agree = agreement.reaches(arguments.at_least);
    if arguments.json {
        output::print_json(&as_data(&agreement, agree, &left_out));
        return ended(agree);
    }
    let (agreeing, cells) = (agreement.agreeing(), agreement.cells.len());
    let headline = format!(
        "{agreeing} of {cells} cells agree ({:.1} %, required {} %); median half-width of the \
         intervals {:.1} %",
        agreeing as f64 * 100.0 / cells as f64,
        arguments.at_least,
        agreement.half_width_percent().unwrap_or(f64::NAN)
    );
    output::print(&format!("{}\n\n{}", told(agree, &headline), table(&agreement)));
    ended(agree)
}

/// The headline, in the colour of what it says.
fn told(agree: bool, headline: &str) -> String {
    painted(if agree { GOOD } else { BAD }, headline)
}

fn as_data(agreement: &Agreement, agree: bool, left_out: &[String]) -> Value {
    let cells = agreement.cells.iter().map(|cell| {
        json!({
            "cell": cell.cell,
            "agrees": cell.agrees(),
            "run": Estimate::from(cell.a),
            "other": Estimate::from(cell.b),
        })
    });
    json!({
        "agree": agree,
        "agreeing": agreement.agreeing(),
        "half-width-percent": agreement.half_width_percent(),
        "unit": "ops/s",
        "cells": cells.collect::<Vec<_>>(),
        "left-out": left_out,
    })
}

/// Prints the share of verdicts that agree, and those that differ with what was measured.
fn verdicts(run: &[Answer], other: &[Answer], arguments: &AgreeArguments) -> Result<(), Failure> {
    let same = same_verdicts(run, other);
    if same.both.is_empty() {
        return Err(Failure::usage(format!(
            "{} and {} decide no question both, so there is nothing to compare",
            arguments.run.display(),
            arguments.other.display()
        )));
    }
    let agree = same.reaches(arguments.at_least);
    if arguments.json {
        output::print_json(&verdicts_as_data(&same, agree));
        return ended(agree);
    }
    let (agreeing, both, [run, other]) = (same.agreeing(), same.both.len(), same.only_one);
    let headline = format!(
        "{agreeing} of {both} verdicts agree ({:.1} %, required {} %); decided in the run alone: {run}, \
         in the other alone: {other}, in neither: {}",
        agreeing as f64 * 100.0 / both as f64,
        arguments.at_least,
        same.neither
    );
    output::print(&format!("{}\n", told(agree, &headline)));
    let head = ["question", "run", "verdict", "measured"].map(str::to_owned).to_vec();
    let differing = same.both.iter().filter(|question| !question.agrees());
    let lines: Vec<Vec<String>> = differing.flat_map(differing_lines).collect();
    if !lines.is_empty() {
        print!("\n{}", aligned(&[vec![head], lines].concat()));
    }
    ended(agree)
}

/// What each run says of a question on which they differ.
fn differing_lines(question: &Decided<'_>) -> [Vec<String>; 2] {
    let line = |name: String, run: &str, answer: &Answer| {
        vec![name, run.to_owned(), answer.verdict.word().to_owned(), answer.line()]
    };
    let name = claims::id(question.a);
    [line(name, "run", question.a), line(String::new(), "other", question.b)]
}

fn verdicts_as_data(same: &SameVerdicts<'_>, agree: bool) -> Value {
    let questions = same.both.iter().map(|question| {
        json!({
            "question": claims::id(question.a),
            "agrees": question.agrees(),
            "run": question.a.verdict.word(),
            "other": question.b.verdict.word(),
        })
    });
    json!({
        "agree": agree,
        "agreeing": same.agreeing(),
        "questions": questions.collect::<Vec<_>>(),
        "only-run": same.only_one[0],
        "only-other": same.only_one[1],
        "neither": same.neither,
    })
}

fn ended(agree: bool) -> Result<(), Failure> {
    if agree { Ok(()) } else { Err(Failure::silent(exit::UNEXPECTED)) }
}

/// A line a cell, in Mops/s.
fn table(agreement: &Agreement) -> String {
    let head = ["cell (Mops/s)", "run", "run 95 %", "other", "other 95 %", "agree"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let mops = |value: f64| format!("{:.3}", value / 1e6);
    let interval = |side: &Interval| format!("{} to {}", mops(side.low), mops(side.high));
    for cell in &agreement.cells {
        lines.push(vec![
            cell.cell.clone(),
            mops(cell.a.estimate),
            interval(&cell.a),
            mops(cell.b.estimate),
            interval(&cell.b),
            if cell.agrees() { "yes" } else { "no" }.to_owned(),
        ]);
    }
    aligned(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::made_up_answers as answers;

    const FAST: &[f64] = &[11.0, 11.1, 11.2];
    const SLOW: &[f64] = &[8.0, 8.1, 8.2];

    #[test]
    fn too_few_equal_verdicts_fail() {
        let code = |b: &[(&str, &[f64])], at_least| {
            let arguments = AgreeArguments {
                run: "a".into(),
                other: "b".into(),
                claims: true,
                at_least,
                allow_mismatch: false,
                json: false,
            };
            let a = answers(&[("p", FAST), ("q", FAST)]);
            verdicts(&a, &answers(b), &arguments).map_err(|failure| failure.code)
        };
        assert_eq!(code(&[("p", FAST), ("q", FAST)], 90), Ok(()));
        assert_eq!(code(&[("p", FAST), ("q", SLOW)], 90), Err(exit::UNEXPECTED));
        assert_eq!(code(&[("p", FAST), ("q", SLOW)], 50), Ok(()));
        assert_eq!(
            code(&[("p", &[10.0]), ("q", &[10.0])], 0),
            Err(exit::USAGE),
            "nothing to compare"
        );
    }
}
