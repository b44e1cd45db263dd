//! `agree`: whether two runs of the same cells measured the same, or come to the same verdicts on the
//! claims.

use stats::Interval;

use expect::Answer;

use super::few::few;
use super::{Failure, claims};
use crate::cli::AgreeArguments;
use crate::compare::{Agreement, agreement, same_verdicts};
use record::archive;
use report::page::aligned;
use worker::exit;

/// Prints what the runs differ in, and the share that agrees.
pub(super) fn run(arguments: &AgreeArguments) -> Result<(), Failure> {
    let load = |folder| archive::load(folder).map_err(Failure::usage);
    let ((a, a_rows), (b, b_rows)) = (load(&arguments.a)?, load(&arguments.b)?);
    let differences = a.provenance.differences(&b.provenance);
    if !differences.is_empty() && !arguments.allow_mismatch {
        let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!(
            "program or machine of the runs differ: {}; --allow-mismatch compares them anyway",
            few(&differences)
        )));
    }
    if arguments.claims {
        let a = claims::answers(&arguments.a, &a, &a_rows)?;
        let b = claims::answers(&arguments.b, &b, &b_rows)?;
        return verdicts(&a, &b, arguments);
    }
    let agreement = agreement(&a_rows, &b_rows);
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
            arguments.a.display(),
            arguments.b.display()
        )));
    }
    print!("{}", table(&agreement));
    let (agreeing, cells) = (agreement.agreeing(), agreement.cells.len());
    println!(
        "{agreeing} of {cells} cells agree ({:.1} %, required {} %); median half-width of the \
         intervals {:.1} %",
        agreeing as f64 * 100.0 / cells as f64,
        arguments.at_least,
        agreement.half_width_percent().unwrap_or(f64::NAN)
    );
    ended(agreement.reaches(arguments.at_least))
}

/// Prints the verdicts that differ, with what was measured, and the share of those that agree.
fn verdicts(a: &[Answer], b: &[Answer], arguments: &AgreeArguments) -> Result<(), Failure> {
    let same = same_verdicts(a, b);
    if same.both.is_empty() {
        return Err(Failure::usage(format!(
            "{} and {} decide no question both, so there is nothing to compare",
            arguments.a.display(),
            arguments.b.display()
        )));
    }
    let head = ["question", "run", "verdict", "measured"].map(str::to_owned).to_vec();
    let mut lines = vec![head];
    for differing in same.both.iter().filter(|question| !question.agrees()) {
        for (run, answer) in [("A", differing.a), ("B", differing.b)] {
            let name = if run == "A" { claims::id(answer) } else { String::new() };
            lines.push(vec![name, run.to_owned(), answer.verdict.word().to_owned(), answer.line()]);
        }
    }
    if lines.len() > 1 {
        print!("{}", aligned(&lines));
    }
    let (agreeing, both, [a, b]) = (same.agreeing(), same.both.len(), same.only_one);
    println!(
        "{agreeing} of {both} verdicts agree ({:.1} %, required {} %); decided in A alone: {a}, in B \
         alone: {b}, in neither: {}",
        agreeing as f64 * 100.0 / both as f64,
        arguments.at_least,
        same.neither
    );
    ended(same.reaches(arguments.at_least))
}

fn ended(agree: bool) -> Result<(), Failure> {
    if agree { Ok(()) } else { Err(Failure::silent(exit::UNEXPECTED)) }
}

/// A line a cell, in Mops/s.
fn table(agreement: &Agreement) -> String {
    let head = ["cell (Mops/s)", "A", "A 95 %", "B", "B 95 %", "agree"];
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
                a: "a".into(),
                b: "b".into(),
                claims: true,
                at_least,
                allow_mismatch: false,
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
