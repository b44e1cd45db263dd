//! Comparisons: `compare` of two sides, `gate` against a baseline, `power` of both.
//!
//! | file | what |
//! |---|---|
//! | `operand` | what the two sides are |
//! | `side` | a side that is measured now: its program and its cells |
//! | `live` | rounds of fresh processes |
//! | `apart` | sides that were measured each at its own time |
//! | `commands` | commands of any kind |
//! | `gate`, `recorded` | against a revision, and against a file |
//! | `counted` | instructions under callgrind |
//! | `power`, `load` | how often all of this is right |
//! | `tell` | the terminal, files, the exit code |

mod apart;
mod commands;
mod counted;
mod gate;
mod live;
mod load;
mod operand;
mod power;
mod recorded;
mod side;
mod tell;

use compare::{COMPARISON_SCHEMA, Comparison, How, Judged};
pub(super) use gate::run as gate;
pub(super) use power::run as power;

use self::live::{Bench, Length};
use self::operand::Operand;
use self::side::{Base, LiveSide};
use crate::cli::{
    ChoiceArguments, CompareArguments, GateArguments, JudgingArguments, ProgramOptions,
};
use crate::commands::Failure;
use crate::commands::few::few;
use crate::commands::measure::command_line;
use crate::commands::time::parse_time;
use crate::compare::Tolerances;
use crate::suites::Suite;
use crate::traces::Missing;
use record::{Scale, Work};
use worker::exit;

/// Share of comparisons of equal sides in which anything at all may be called changed. All that is
/// judged together shares it.
const ERROR_RATE: f64 = 0.02;

/// Blocks of a comparison of stores, unless it says otherwise.
const BLOCKS: u32 = 16;

/// Compares, and leaves a JUnit file behind where that was asked for and nothing came of it.
pub(super) fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let outcome = compare(arguments);
    if let Err(failure @ Failure { message: Some(_), .. }) = &outcome {
        tell::tell_failure(failure, &arguments.judging);
    }
    outcome
}

fn compare(arguments: &CompareArguments) -> Result<(), Failure> {
    let (Some(of_baseline), Some(of_candidate)) = (&arguments.baseline, &arguments.candidate)
    else {
        return commands::compare(arguments);
    };
    if arguments.programs != ProgramOptions::default() {
        return Err(Failure::usage(
            "--warmup, --runs, --prepare and the like are of commands behind --, and there are none: \
             `compare --runs 10 -- A -- B`",
        ));
    }
    let tolerances = Tolerances::parse(&arguments.judging.tolerances).map_err(Failure::usage)?;
    let baseline = Operand::parse(of_baseline)?;
    let candidate = Operand::parse(of_candidate)?;
    let names = [of_baseline.as_str(), of_candidate.as_str()];
    match (baseline.is_live(), candidate.is_live()) {
        (false, false) => apart::compare(names, [&baseline, &candidate], arguments, &tolerances),
        (true, true) => live(names, [&baseline, &candidate], arguments, &tolerances),
        _ => Err(Failure::usage(format!(
            "`{}` and `{}`: one of them was measured before and the other would be measured now; run the \
             other first and compare runs, or see `nibble-bench gate --baseline FILE`",
            of_baseline, of_candidate
        ))),
    }
}

fn live(
    names: [&str; 2],
    [baseline, candidate]: [&Operand; 2],
    arguments: &CompareArguments,
    tolerances: &Tolerances,
) -> Result<(), Failure> {
    let length = match &arguments.budget {
        Some(text) => Length::Time(parse_time("--budget", text)?),
        None => Length::Rounds(arguments.blocks.unwrap_or(BLOCKS)),
    };
    let is_system = |operand: &Operand| matches!(operand, Operand::System(_));
    if is_system(baseline) != is_system(candidate) {
        return Err(Failure::usage(format!(
            "`{}` and `{}`: a store is compared with a store; builds, revisions and settings bring the \
             suite's own",
            names[0], names[1]
        )));
    }
    let results = &arguments.output.results;
    let baseline = LiveSide::open(names[0], baseline, results)?;
    let candidate = LiveSide::open(names[1], candidate, results)?;
    let (suites, scale, bases) = cells(names, [&baseline, &candidate], arguments)?;
    side::check_settings(&[&baseline, &candidate], &bases)?;
    let unlike = Mismatch::of(arguments).check(side::unlike(&baseline, &candidate, &bases)?)?;
    let seed = arguments.judging.seed;
    let sides = vec![baseline.clone(), candidate, baseline];
    let mut bench = Bench::open("compare", &suites, scale, sides, bases, seed, &arguments.output)?;
    let rounds = bench.measure(length)?;
    let judged = compare::judge(&bench.blocks(tolerances, &rounds), ERROR_RATE, seed);
    conclude(bench, rounds.end, judged, unlike, &arguments.judging, results)
}

/// What a comparison asks for: of two stores the workload that options describe, unless a suite is named.
type Asked = (Vec<Suite>, Option<Scale>, Vec<Base>);

fn cells(
    names: [&str; 2],
    [baseline, candidate]: [&LiveSide; 2],
    arguments: &CompareArguments,
) -> Result<Asked, Failure> {
    let replaced = match (baseline.replaces(), candidate.replaces()) {
        (Some(one), Some(other)) if one.is_heap() != other.is_heap() => {
            return Err(Failure::usage(format!(
                "`{}` and `{}`: one is an allocator and the other a store",
                names[0], names[1]
            )));
        }
        (replaced, _) => replaced,
    };
    let suite = match (&arguments.suite, replaced) {
        (Some(suite), _) => suite.as_str(),
        (None, None) => "gate",
        (None, Some(system)) if system.is_heap() => "allocator-threads",
        (None, Some(system)) => {
            let work = super::workload_options::work(&arguments.work)?;
            let cell = super::workload_options::cell(system.clone(), &work, arguments.judging.seed);
            let name = cell.name();
            let label = format!("/{}", system.label());
            let name = name.strip_suffix(&label).unwrap_or(name).to_owned();
            return Ok((Vec::new(), None, vec![Base { name, cell }]));
        }
    };
    let (suite, scale, cells) =
        of_suite(suite, &arguments.scale, arguments.filter.as_deref(), &arguments.output.results)?;
    let bases = side::bases(&cells, replaced);
    if bases.is_empty() {
        return Err(Failure::usage(format!(
            "suite `{}` has no cell that `{}` and `{}` could take",
            suite.name, names[0], names[1]
        )));
    }
    Ok((vec![suite], Some(scale), bases))
}

/// One repetition of each cell of a suite.
fn of_suite(
    suite: &str,
    scale: &str,
    filter: Option<&str>,
    results: &std::path::Path,
) -> Result<(Suite, Scale, Vec<record::Cell>), Failure> {
    let choice = ChoiceArguments {
        scale: scale.to_owned(),
        live_bytes: None,
        repetitions: Some(1),
        operations: None,
        filter: filter.map(str::to_owned),
        files: None,
    };
    let (suite, scale, plan, _) =
        super::plan::prepare(suite, &choice, (results, Missing::LeftOut))?;
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    if let Some(cell) = plan.cells.iter().find(|cell| {
        matches!(&cell.work, Work::KeyValue(work) if work.replay.is_some())
            || matches!(cell.work, Work::Allocations(_))
    }) {
        return Err(Failure::usage(format!(
            "{}: replays of traces are not compared live: compare runs of them",
            cell.id
        )));
    }
    Ok((suite, scale, plan.cells))
}

/// What happens to sides that differ in what they should share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mismatch {
    /// They are compared, and the result says so.
    Marked,
    /// They are refused; the option compares them all the same.
    Refused { remedy: &'static str },
}

impl Mismatch {
    /// A first question gets an answer, with its conditions.
    fn of(arguments: &CompareArguments) -> Self {
        if arguments.strict { Self::Refused { remedy: "without --strict" } } else { Self::Marked }
    }

    /// Programs read what a gate says, and an exit code has no mark.
    fn of_gate(arguments: &GateArguments) -> Self {
        let refused = Self::Refused { remedy: "with --allow-mismatch" };
        if arguments.allow_mismatch { Self::Marked } else { refused }
    }

    /// Warns of what differs, or refuses it.
    fn check(self, unlike: Vec<String>) -> Result<Vec<String>, Failure> {
        if unlike.is_empty() {
            return Ok(unlike);
        }
        let told = few(&unlike);
        match self {
            Self::Marked => {
                eprintln!("warning: not like for like, and the result will say so: {told}");
                Ok(unlike)
            }
            Self::Refused { remedy } => Err(Failure {
                code: exit::MISMATCH,
                message: Some(format!(
                    "suite, scale, machine, build or conditions differ, so a ratio would not say what \
                     caused a change: {told}; {remedy} they are compared, and the result is marked"
                )),
            }),
        }
    }
}

/// Counts instructions where that is asked for, tells, keeps and remembers.
fn conclude(
    bench: Bench,
    blocks: u32,
    judged: Vec<Judged>,
    unlike: Vec<String>,
    arguments: &JudgingArguments,
    results: &std::path::Path,
) -> Result<(), Failure> {
    if bench.is_interrupted() {
        bench.finish()?;
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let elapsed_s = bench.elapsed_s();
    let (instructions, notes) = if arguments.instructions {
        counted::count(bench.sides(), bench.bases(), results)?
    } else {
        (Vec::new(), Vec::new())
    };
    let comparison = Comparison {
        schema: COMPARISON_SCHEMA,
        command: command_line(),
        baseline: bench.sides()[0].told(),
        candidate: bench.sides()[1].told(),
        how: How::Interleaved { blocks },
        error_rate: ERROR_RATE,
        unlike,
        notes,
        judged,
        instructions,
        elapsed_s,
        folder: bench.folder(),
    };
    bench.keep_file("comparison.json", &compare::render::json(&comparison))?;
    bench.keep_file("comparison.md", &compare::render::markdown(&comparison))?;
    let lines = [bench.lines('A')?, bench.lines('B')?].concat();
    let finished = bench.finish()?;
    tell::tell(&comparison, arguments)?;
    tell::say(arguments, &finished.folder.display().to_string());
    tell::remember(&lines, arguments, results)?;
    if finished.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    tell::code(&comparison)
}
