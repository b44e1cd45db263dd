//! Sides that were measured each at its own time: runs, lines, results of other tools.

use std::path::Path;

use compare::{COMPARISON_SCHEMA, Comparison, How, Line, Side};
use stats::median;

use super::operand::Operand;
use super::{ERROR_RATE, Mismatch, tell};
use crate::cli::CompareArguments;
use crate::commands::Failure;
use crate::commands::few::few;
use crate::commands::measure::command_line;
use crate::compare::{self as measured, Shared, Tolerances, differences, shared};
use record::archive;
use worker::registry;

/// What a reader has to know of any such comparison.
const CAVEAT: &str = "The sides were not measured together: whatever changed on the machine in between \
                      looks like a change of the program.";

/// What a reader has to know where nothing could be judged.
const NOT_JUDGED: &str = "Nothing is judged: cells differ in size, or were measured less than three times. The \
                          values are shown beside each other. For verdicts, measure one suite at one --scale \
                          for both, with --repetitions 3 or more.";

/// Compares two recorded runs or files.
pub(super) fn compare(
    names: [&str; 2],
    [baseline, candidate]: [&Operand; 2],
    arguments: &CompareArguments,
    tolerances: &Tolerances,
) -> Result<(), Failure> {
    let (old, new) = (lines(baseline)?, lines(candidate)?);
    let unlike = Mismatch::of(arguments).check(differences(&old, &new))?;
    let seed = arguments.judging.seed;
    let found = found(&old, &new, tolerances);
    let mut notes = found.left_out_in_words();
    let mut judged = compare::judge_apart(&found.apart, ERROR_RATE, seed);
    if judged.is_empty() {
        judged = compare::judge_apart(&found.beside, ERROR_RATE, seed);
        if !judged.is_empty() {
            notes.insert(0, NOT_JUDGED.to_owned());
        }
    }
    if judged.is_empty() {
        return Err(Failure::usage(format!(
            "`{}` and `{}` share no cell and metric that could be compared: {}; measure one suite at one \
             --scale for both, with --repetitions 3 or more",
            names[0],
            names[1],
            if notes.is_empty() { "both are empty".to_owned() } else { few(&notes) }
        )));
    }
    let comparison = Comparison {
        schema: COMPARISON_SCHEMA,
        command: command_line(),
        baseline: side(names[0], &old),
        candidate: side(names[1], &new),
        how: How::Apart,
        error_rate: ERROR_RATE,
        unlike,
        notes: [vec![CAVEAT.to_owned()], notes].concat(),
        judged,
        instructions: Vec::new(),
        elapsed_s: 0.0,
        folder: String::new(),
    };
    tell::tell(&comparison, &arguments.judging)?;
    tell::code(&comparison)
}

/// Judges all that both have. Also returns what was left out.
pub(super) fn judge(
    a: &[Line],
    b: &[Line],
    tolerances: &Tolerances,
    error_rate: f64,
    seed: u64,
) -> (Vec<compare::Judged>, Vec<String>) {
    let found = found(a, b, tolerances);
    (compare::judge_apart(&found.apart, error_rate, seed), found.left_out_in_words())
}

/// What both have, cells that price memory alone excepted: those say by how much the machine itself
/// moved in between.
fn found(a: &[Line], b: &[Line], tolerances: &Tolerances) -> Shared {
    let label = format!("/{}", registry::roofline().label());
    let parted = |lines: &[Line]| -> (Vec<Line>, Vec<Line>) {
        lines.iter().cloned().partition(|line| line.cell.ends_with(&label))
    };
    let ((a_roofs, a), (b_roofs, b)) = (parted(a), parted(b));
    let roofs = shared(&a_roofs, &b_roofs, tolerances, |_| None).apart;
    let floor = |metric: &str| {
        let moved = roofs.iter().filter(|roof| roof.metric == metric).filter_map(|roof| {
            let ratio = median(&roof.b)? / median(&roof.a)?;
            Some((ratio - 1.0).abs())
        });
        moved.reduce(f64::max)
    };
    shared(&a, &b, tolerances, floor)
}

/// Lines of a run or file.
fn lines(operand: &Operand) -> Result<Vec<Line>, Failure> {
    match operand {
        Operand::Run(folder) => {
            let (run, rows) = archive::load(folder).map_err(Failure::usage)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            Ok(measured::lines(&run, &name, &rows))
        }
        Operand::File(path) if is_lines(path) => crate::commands::history::read(path),
        Operand::File(path) => crate::commands::import::read(path),
        _ => unreachable!("it is measured now"),
    }
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Describes a side by its lines.
pub(super) fn side(name: &str, lines: &[Line]) -> Side {
    let mut facts = lines.first().map(|line| line.environment.clone()).unwrap_or_default();
    let mut add = |name: &str, of: fn(&Line) -> &String| {
        let mut values: Vec<&str> =
            lines.iter().map(|line| of(line).as_str()).filter(|text| !text.is_empty()).collect();
        values.sort_unstable();
        values.dedup();
        if !values.is_empty() {
            facts.insert(name.to_owned(), values.join(", "));
        }
    };
    add("revision", |line| &line.revision);
    add("run", |line| &line.run);
    add("measured", |line| &line.measured);
    Side { name: name.to_owned(), facts }
}
