//! `agree`: whether two runs of the same cells measured the same.

use stats::Interval;

use super::Failure;
use super::few::few;
use crate::cli::AgreeArguments;
use crate::compare::{Agreement, agreement};
use record::archive;
use report::page::aligned;
use worker::exit;

/// Prints both medians and intervals of every cell, and the share that agrees.
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
        arguments.least,
        agreement.half_width_percent().unwrap_or(f64::NAN)
    );
    if agreement.holds(arguments.least) { Ok(()) } else { Err(Failure::silent(exit::UNEXPECTED)) }
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
