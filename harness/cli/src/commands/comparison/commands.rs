//! `compare -- A -- B`: two commands of any kind, measured now.

use compare::{COMPARISON_SCHEMA, Comparison, How};
use programs::export::Exported;
use programs::{Asked, Bench, Command, ERROR_RATE, Length, Looks, Session, Side, looks};

use super::tell;
use crate::cli::CompareArguments;
use crate::commands::Failure;
use crate::commands::measure::command_line;
use crate::commands::programs::options::{self, Shown};

/// Of a comparison without parameters.
const ONLY_CELL: &str = "runs of both commands";

/// Compares two commands, for each combination of parameters.
pub(super) fn compare(arguments: &CompareArguments) -> Result<(), Failure> {
    let options = &arguments.programs;
    let asked = Asked::parse(&arguments.judging.tolerances).map_err(Failure::usage)?;
    let settings = options::settings(options)?;
    let given = options::commands(options, &arguments.commands)?;
    let [baseline, candidate] = &given[..] else {
        return Err(Failure::usage(format!(
            "{} command(s) behind --: compare takes two, as in `compare -- A -- B`; measure takes any number",
            given.len()
        )));
    };
    let combinations = options::combinations(options)?;
    let names: Vec<String> = combinations.iter().map(|one| cell_name(one)).collect();
    let cells: Vec<Vec<Side>> = combinations
        .iter()
        .map(|parameters| {
            let side = |command: &Command, place, is_control| Side {
                command: command.with(parameters),
                place,
                environment: Vec::new(),
                is_control,
            };
            vec![side(baseline, 0, false), side(candidate, 1, false), side(baseline, 0, true)]
        })
        .collect();
    let sides = u32::try_from(3 * cells.len()).unwrap_or(u32::MAX);
    let time = options::EACH * sides;
    let length = match arguments.blocks {
        Some(blocks) => Length::Runs(2 * blocks),
        None => match options::length(options, arguments.budget.as_deref(), time)? {
            Length::Runs(runs) => Length::Runs(runs.next_multiple_of(2)),
            time => time,
        },
    };
    let interrupt = options::interrupt()?;
    let stop = || interrupt.is_set();
    let began = std::time::Instant::now();
    let session = Session::open(&settings, &stop).map_err(options::failure)?;
    let seed = arguments.judging.seed;
    let mut bench = Bench::new(session, cells, seed);
    let shown = Shown::new(arguments.output.quiet);
    let twice = matches!(length, Length::Time(..));
    let asked = Looks { names: &names, asked: &asked, length, twice, seed };
    let judged =
        bench.begin().and_then(|()| looks(&mut bench, &asked, &mut |told| shown.tell(told)));
    shown.end();
    let cleaned = bench.end();
    let (judged, blocks) = judged.map_err(options::failure)?;
    cleaned.map_err(options::failure)?;

    let told = |command: &Command| compare::Side {
        name: command.name.clone(),
        facts: (command.name != command.line())
            .then(|| ("command".to_owned(), command.line()))
            .into_iter()
            .collect(),
    };
    let comparison = Comparison {
        schema: COMPARISON_SCHEMA,
        command: command_line(),
        baseline: told(baseline),
        candidate: told(candidate),
        how: How::Interleaved { blocks },
        error_rate: ERROR_RATE,
        unlike: Vec::new(),
        notes: bench.session.notes(),
        judged,
        instructions: Vec::new(),
        elapsed_s: began.elapsed().as_secs_f64(),
        folder: String::new(),
    };
    tell::tell(&comparison, &arguments.judging)?;
    export(&bench, options)?;
    tell::code(&comparison)
}

/// Files of results: runs of the baseline are those of the control, too.
fn export(bench: &Bench<'_>, options: &crate::cli::ProgramOptions) -> Result<(), Failure> {
    let mut exported = Vec::new();
    for (cell, sides) in bench.cells().iter().enumerate() {
        for (side, also) in [(0, Some(2)), (1, None)] {
            let own = bench.measured().runs(cell, side);
            let runs =
                own.chain(also.into_iter().flat_map(|also| bench.measured().runs(cell, also)));
            exported.push(Exported { command: &sides[side].command, runs: runs.collect() });
        }
    }
    options::keep(options, &exported)
}

fn cell_name(parameters: &[(String, String)]) -> String {
    if parameters.is_empty() {
        return ONLY_CELL.to_owned();
    }
    let told: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    told.join(", ")
}
