//! `gate`: whether this program is slower or larger than a baseline, within a budget of time.

use std::path::Path;

use super::live::{Bench, Length};
use super::operand::Operand;
use super::side::{self, LiveSide};
use super::{ERROR_RATE, Mismatch, conclude, of_suite, recorded, tell};
use crate::cli::GateArguments;
use crate::commands::Failure;
use crate::commands::time::parse_time;
use crate::compare::Tolerances;

/// Share of the budget that is kept for suspicious cells.
pub(super) const SECOND_LOOK: f64 = 0.3;

/// Measures and judges, and leaves a JUnit file behind where that was asked for and nothing came of it.
pub(in crate::commands) fn run(arguments: &GateArguments) -> Result<(), Failure> {
    let outcome = gate(arguments);
    if let Err(failure @ Failure { message: Some(_), .. }) = &outcome {
        tell::tell_failure(failure, &arguments.judging);
    }
    outcome
}

fn gate(arguments: &GateArguments) -> Result<(), Failure> {
    let tolerances = Tolerances::parse(&arguments.judging.tolerances).map_err(Failure::usage)?;
    let budget = parse_time("--budget", &arguments.budget)?;
    if names_a_file(&arguments.baseline) {
        return recorded::gate(arguments, &tolerances, budget);
    }
    if arguments.accept {
        return Err(Failure::usage(format!(
            "--accept writes a baseline file, and `{}` is a revision: commit the change instead",
            arguments.baseline
        )));
    }
    let results = &arguments.output.results;
    let operand = Operand::Revision(arguments.baseline.clone());
    let baseline = LiveSide::open(&arguments.baseline, &operand, results)?;
    let own = LiveSide::this_program("this program")?;
    let (suite, scale, cells) = of_suite(&arguments.suite, &arguments.scale, None, results)?;
    let bases = side::bases(&cells, None);
    let unlike = Mismatch::of_gate(arguments).check(side::unlike(&baseline, &own, &bases)?)?;
    let seed = arguments.judging.seed;
    let sides = vec![baseline.clone(), own, baseline];
    let mut bench =
        Bench::open("gate", &[suite], Some(scale), sides, bases, seed, &arguments.output)?;
    let rounds = bench.measure(Length::Time(budget.mul_f64(1.0 - SECOND_LOOK)))?;
    let first = bench.blocks(&tolerances, &rounds);
    let suspects = compare::suspects(&compare::first_look(&first, ERROR_RATE, seed));
    let fresh = if suspects.is_empty() || bench.is_interrupted() {
        Vec::new()
    } else {
        eprintln!("looking again at {} cell(s)", suspects.len());
        let again = bench.measure_some(&suspects, Length::Time(budget.mul_f64(SECOND_LOOK)))?;
        let fresh = bench.blocks(&tolerances, &again);
        fresh.into_iter().filter(|blocks| suspects.contains(&blocks.cell)).collect()
    };
    let judged = compare::second_look(&first, &fresh, ERROR_RATE, seed);
    conclude(bench, rounds.end, judged, unlike, &arguments.judging, results)
}

/// A file that is there, or that is to be created.
fn names_a_file(baseline: &str) -> bool {
    let path = Path::new(baseline);
    path.is_file() || path.extension().is_some_and(|extension| extension == "jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_revisions_are_told_apart() {
        assert!(names_a_file("baseline.jsonl") && names_a_file("ci/new.jsonl"));
        assert!(!names_a_file("origin/main") && !names_a_file("HEAD~1"));
    }
}
