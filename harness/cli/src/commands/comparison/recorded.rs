//! `gate` against a file: what was measured now against lines that an earlier gate wrote.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use compare::{COMPARISON_SCHEMA, Comparison, Finding, How, Judged, Line, Unknown};

use super::apart;
use super::gate::SECOND_LOOK;
use super::live::{Bench, Length};
use super::side::{Base, LiveSide};
use super::{ERROR_RATE, Mismatch, of_suite, tell};
use crate::cli::GateArguments;
use crate::commands::Failure;
use crate::commands::measure::command_line;
use crate::compare::{Tolerances, differences};
use worker::exit;

/// Measures, and compares with the file or creates it.
pub(super) fn gate(
    arguments: &GateArguments,
    tolerances: &Tolerances,
    budget: Duration,
) -> Result<(), Failure> {
    let file = Path::new(&arguments.baseline);
    // Read before anything is measured: what is damaged is said at once.
    let known = if file.is_file() { Some(crate::commands::history::read(file)?) } else { None };
    if arguments.accept {
        refuse_history(file, known.as_deref().unwrap_or_default())?;
    }
    let results = &arguments.output.results;
    let own = LiveSide::this_program("this program")?;
    let (suite, scale, cells) = of_suite(&arguments.suite, &arguments.scale, None, results)?;
    // Rooflines, too: they say by how much the machine moved since.
    let bases: Vec<Base> =
        cells.into_iter().map(|cell| Base { name: cell.name().to_owned(), cell }).collect();
    let seed = arguments.judging.seed;
    let mut bench =
        Bench::open("gate", &[suite], Some(scale), vec![own], bases, seed, &arguments.output)?;
    let Some(known) = known else {
        let rounds = bench.measure(Length::Time(budget.mul_f64(1.0 - SECOND_LOOK)))?;
        return create(bench, file, rounds.end, arguments);
    };
    let blank = bench.blank_lines()?.remove(0);
    let known = of_this(&known, &blank);
    let unlike = differences(&known, std::slice::from_ref(&blank));
    let unlike = Mismatch::of_gate(arguments).check(unlike)?;
    let baseline = crate::commands::history::baseline(&known);
    let rounds = bench.measure(Length::Time(budget.mul_f64(1.0 - SECOND_LOOK)))?;
    let first = bench.lines('A')?;
    // Two looks share the error rate.
    let judge = |b: &[Line]| apart::judge(&baseline.lines, b, tolerances, ERROR_RATE / 2.0, seed);
    let (mut judged, mut notes) = judge(&first);
    notes.extend(baseline.notes.clone());
    let suspects = compare::suspects(&judged);
    if !suspects.is_empty() && !bench.is_interrupted() {
        eprintln!("looking again at {} cell(s)", suspects.len());
        bench.measure_some(&suspects, Length::Time(budget.mul_f64(SECOND_LOOK)))?;
        let pooled = bench.lines('A')?;
        let fresh = without(&pooled, &first);
        let ((of_fresh, _), (of_all, _)) = (judge(&fresh), judge(&pooled));
        for judged in judged.iter_mut().filter(|judged| suspects.contains(&judged.cell)) {
            *judged = confirmed(judged, &of_all, &of_fresh);
        }
    }
    if bench.is_interrupted() {
        bench.finish()?;
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let lines = bench.lines('A')?;
    let comparison = Comparison {
        schema: COMPARISON_SCHEMA,
        command: command_line(),
        baseline: apart::side(&arguments.baseline, &baseline.lines),
        candidate: bench.sides()[0].told(),
        how: How::Apart,
        error_rate: ERROR_RATE,
        unlike,
        notes,
        judged,
        instructions: Vec::new(),
        elapsed_s: bench.elapsed_s(),
        folder: bench.folder(),
    };
    bench.keep_file("comparison.json", &compare::render::json(&comparison))?;
    bench.keep_file("comparison.md", &compare::render::markdown(&comparison))?;
    let finished = bench.finish()?;
    tell::tell(&comparison, &arguments.judging)?;
    let said = format!("{} ({} rounds)", finished.folder.display(), rounds.end);
    tell::say(&arguments.judging, &said);
    tell::remember(&lines, &arguments.judging, results)?;
    if finished.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    if arguments.accept {
        crate::commands::history::replace(file, &lines)?;
        let said = format!("{}: this is the baseline from now on", file.display());
        tell::say(&arguments.judging, &said);
        return Ok(());
    }
    tell::code(&comparison)
}

/// Refuses to replace a history of several runs with one run.
fn refuse_history(file: &Path, known: &[Line]) -> Result<(), Failure> {
    let runs: BTreeSet<&str> = known.iter().map(|line| line.run.as_str()).collect();
    if runs.len() < 2 {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--accept would replace {} runs in {}: a new level counts by itself from its third run on; append \
         runs with `--history {}` instead",
        runs.len(),
        file.display(),
        file.display()
    )))
}

/// Of a history, which may hold anything, the lines of this suite and scale, and of those the ones of this
/// machine and build; where there are none all of them, so that it is said what differs.
fn of_this(known: &[Line], wanted: &Line) -> Vec<Line> {
    let or_all = |some: Vec<Line>, all: &[Line]| if some.is_empty() { all.to_vec() } else { some };
    let filtered = |lines: &[Line], fits: &dyn Fn(&Line) -> bool| -> Vec<Line> {
        lines.iter().filter(|line| fits(line)).cloned().collect()
    };
    let asked = filtered(known, &|line| line.suite == wanted.suite && line.scale == wanted.scale);
    let asked = or_all(asked, known);
    let here = filtered(&asked, &|line| line.environment == wanted.environment);
    or_all(here, &asked)
}

/// What is said after the second look: what is called changed was seen in the fresh processes alone,
/// too.
fn confirmed(first: &Judged, of_all: &[Judged], of_fresh: &[Judged]) -> Judged {
    let same = |judged: &&Judged| judged.cell == first.cell && judged.metric == first.metric;
    let Some(all) = of_all.iter().find(same) else { return first.clone() };
    let fresh = of_fresh.iter().find(same).map(|judged| judged.finding);
    let finding = if all.finding.is_change() && fresh != Some(all.finding) {
        Finding::unknown(Unknown::Unconfirmed)
    } else {
        all.finding
    };
    Judged { looked_twice: true, finding, ..all.clone() }
}

/// The values of `all` that are not yet in `first`: those at each series' end.
fn without(all: &[Line], first: &[Line]) -> Vec<Line> {
    let mut fresh = all.to_vec();
    for line in &mut fresh {
        let Some(known) = first.iter().find(|known| known.cell == line.cell) else { continue };
        for (name, series) in &mut line.metrics {
            let seen = known.metrics.get(name).map_or(0, |series| series.values.len());
            series.values.drain(..seen.min(series.values.len()));
            series.nodes.drain(..seen.min(series.nodes.len()));
        }
        line.metrics.retain(|_, series| !series.values.is_empty());
    }
    fresh.retain(|line| !line.metrics.is_empty());
    fresh
}

/// Writes the first baseline.
fn create(
    bench: Bench,
    file: &Path,
    rounds: u32,
    arguments: &GateArguments,
) -> Result<(), Failure> {
    if bench.is_interrupted() {
        bench.finish()?;
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let lines = bench.lines('A')?;
    let finished = bench.finish()?;
    if finished.unexpected > 0 {
        return Err(Failure {
            code: exit::UNEXPECTED,
            message: Some(format!("{} was not created", file.display())),
        });
    }
    crate::commands::history::replace(file, &lines)?;
    let said = format!(
        "{}: there was no baseline; created from {} cells, {} processes each. Nothing was compared.",
        file.display(),
        lines.len(),
        2 * rounds
    );
    let judging = &arguments.judging;
    tell::say(judging, &format!("{said}\n{}", finished.folder.display()));
    if let Some(path) = &judging.markdown {
        tell::write(path, &compare::render::markdown_created(&said))?;
    }
    if let Some(path) = &judging.json {
        tell::write_json(path, &compare::render::json_created(&said))?;
    }
    if let Some(path) = &judging.junit {
        tell::write(path, &compare::render::junit_created(&said))?;
    }
    tell::remember(&lines, judging, &arguments.output.results)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(suite: &str, cpu: &str, run: &str) -> Line {
        Line {
            suite: suite.to_owned(),
            run: run.to_owned(),
            environment: [("cpu".to_owned(), cpu.to_owned())].into(),
            ..Line::default()
        }
    }

    #[test]
    fn of_a_history_only_what_was_measured_like_this_counts() {
        let known = [line("gate", "a", "1"), line("gate", "b", "2"), line("ycsb", "a", "3")];
        let runs = |wanted: &Line| -> Vec<String> {
            of_this(&known, wanted).into_iter().map(|line| line.run).collect()
        };
        assert_eq!(runs(&line("gate", "a", "")), ["1"]);
        assert_eq!(runs(&line("gate", "c", "")), ["1", "2"], "and is refused for its machines");
        assert_eq!(runs(&line("none", "a", "")).len(), 2, "and is refused for its suites");
    }

    #[test]
    fn a_history_is_not_replaced_by_one_run() {
        let known = [line("gate", "a", "1"), line("gate", "a", "2")];
        let failure = refuse_history(Path::new("history.jsonl"), &known).unwrap_err();
        assert!(failure.message.unwrap().contains("would replace 2 runs"));
        assert!(refuse_history(Path::new("base.jsonl"), &known[..1]).is_ok());
    }
}
