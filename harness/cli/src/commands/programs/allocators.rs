//! `allocators`: one program under every allocator that can be preloaded.

use compare::render::{aligned, numbers};
use compare::{Judged, Overall, Values};
use programs::{
    Asked, Bench, Command, Measure, Preload, Run, Session, Side, allocators as judged_of, document,
    preloads, refusal,
};
use serde_json::json;

use super::measure::told;
use super::options;
use crate::cli::{AllocatorsArguments, STANDARD_OUTPUT};
use crate::commands::measure::command_line;
use crate::commands::{Failure, output};
use worker::exit;

const HEADINGS: [&str; 10] = [
    "allocator",
    "elapsed",
    "change",
    "time",
    "peak memory",
    "change",
    "memory",
    "mean memory",
    "page faults",
    "runs",
];

/// Measures, tells, and writes what was asked for.
pub(in crate::commands) fn run(arguments: &AllocatorsArguments) -> Result<(), Failure> {
    let session_options = &arguments.session;
    let options = &session_options.programs;
    let asked = Asked::parse(&arguments.tolerances).map_err(Failure::usage)?;
    let mut settings = options::settings(options)?;
    // An allocator that crashes the program is known before anything is measured.
    settings.warm_up = settings.warm_up.max(1);
    let mut commands = [Command::new(arguments.commands.clone())];
    options::named(options, &mut commands)?;
    let [command] = commands;
    if !options.parameter_list.is_empty() || !options.parameter_scan.is_empty() {
        return Err(Failure::usage("allocators takes no parameters: `measure` does"));
    }
    let words = command.executed(settings.shell.as_ref());
    let program = words.first().cloned().unwrap_or_default();
    if let Some(refusal) = refusal(&program) {
        return Err(Failure::usage(refusal.to_string()));
    }
    let (allocators, left_out) = chosen(arguments, &program)?;
    let names: Vec<String> = allocators.iter().map(|one| one.name.clone()).collect();
    let side = |allocator: &Preload, is_control| Side {
        command: Command { name: allocator.name.clone(), ..command.clone() },
        place: 0,
        environment: allocator.environment(),
        is_control,
    };
    let mut sides: Vec<Side> = allocators.iter().map(|one| side(one, false)).collect();
    sides.push(side(&allocators[0], true));
    let count = u32::try_from(sides.len()).unwrap_or(u32::MAX);
    let length =
        options::length(options, session_options.budget.as_deref(), options::EACH * count)?;
    let interrupt = options::interrupt()?;
    let stop = || interrupt.is_set();
    let session = Session::open(&settings, &stop).map_err(options::failure)?;
    let mut bench = Bench::new(session, vec![sides], session_options.seed).tolerant();
    left_out.into_iter().for_each(|note| bench.session.note(note));
    let rounds = options::measured(&mut bench, length, session_options.quiet)?;

    let judged = judged_of(&bench, &names, &asked, &rounds, session_options.seed);
    let notes = bench.session.notes();
    let runs: Vec<Vec<&Run>> =
        (0..names.len()).map(|side| bench.measured().runs(0, side).collect()).collect();
    let failures: Vec<Option<String>> =
        (0..names.len()).map(|side| bench.failed(0, side).map(ToString::to_string)).collect();
    let is_printed =
        session_options.json.as_deref().is_some_and(|it| it.as_os_str() == STANDARD_OUTPUT);
    if !is_printed {
        output::print(&text(&command, &names, &runs, &judged, &failures, &notes));
    }
    if let Some(path) = &session_options.json {
        let results: Vec<_> = allocators
            .iter()
            .enumerate()
            .map(|(side, allocator)| {
                let own: Vec<&Judged> =
                    judged.iter().filter(|judged| judged.cell == allocator.name).collect();
                let more = json!({
                    "library": allocator.library, "failed": failures[side], "judged": own,
                });
                (allocator.name.clone(), &command, runs[side].clone(), more)
            })
            .collect();
        let document = document(&command_line(), &results, &notes);
        let text = serde_json::to_string_pretty(&document).expect("plain data");
        options::write(path, &format!("{text}\n"))?;
    }
    options::keep(options, &options::exported(&bench.cells()[0], &runs))?;
    if failures.iter().any(Option::is_some) {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

/// The allocators to measure, none preloaded first; and why known ones are left out.
fn chosen(
    arguments: &AllocatorsArguments,
    program: &std::ffi::OsStr,
) -> Result<(Vec<Preload>, Vec<String>), Failure> {
    let named: Result<Vec<Preload>, String> =
        arguments.named.iter().map(|text| Preload::parse(text)).collect();
    let named = named.map_err(Failure::usage)?;
    let mut found = preloads();
    found.retain(|one| named.iter().all(|other| other.name != one.name));
    let all: Vec<&Preload> = found.iter().chain(&named).collect();
    if let Some(unknown) =
        arguments.only.iter().find(|name| all.iter().all(|one| one.name != **name))
    {
        let known: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        return Err(Failure::usage(format!(
            "no allocator `{unknown}` on this machine; there are {}; --allocator NAME=FILE.so adds one",
            known.join(", ")
        )));
    }
    let (mut chosen, mut left_out) = (vec![Preload::none()], Vec::new());
    for allocator in all {
        if !arguments.only.is_empty() && !arguments.only.contains(&allocator.name) {
            continue;
        }
        match allocator.check(program) {
            Ok(()) => chosen.push(allocator.clone()),
            Err(why) if named.contains(allocator) => {
                return Err(Failure::usage(format!("allocator {}: {why}", allocator.name)));
            }
            Err(why) => left_out.push(format!("{} is left out: {why}", allocator.name)),
        }
    }
    if chosen.len() == 1 {
        return Err(Failure::machine(format!(
            "no allocator can be preloaded: {}; install one (Debian: libjemalloc2), or name one with \
             --allocator NAME=FILE.so",
            if left_out.is_empty() { "none is found".to_owned() } else { left_out.join("; ") }
        )));
    }
    Ok((chosen, left_out))
}

fn text(
    command: &Command,
    names: &[String],
    runs: &[Vec<&Run>],
    judged: &[Judged],
    failures: &[Option<String>],
    notes: &[String],
) -> String {
    let rows: Vec<[String; 10]> = names
        .iter()
        .zip(runs)
        .enumerate()
        .map(|(side, (name, runs))| row(name, runs, judged, failures[side].is_some()))
        .collect();
    let left = |column: usize| [0, 3, 6].contains(&column);
    let mut text = format!("{}\n\n{}", command.line(), aligned(&HEADINGS, &rows, left));
    text += "\nMedians. Changes are against the program as it is, with intervals corrected for all that is \
             judged (2 % family error), from mirrored blocks of fresh processes.\n";
    for failure in failures.iter().flatten() {
        text += &format!("failed: {failure}\n");
    }
    text + &told(notes)
}

fn row(name: &str, runs: &[&Run], judged: &[Judged], failed: bool) -> [String; 10] {
    let middle = |metric: &str| {
        let measure = Measure::by_name(metric).expect("a measure of the table");
        let all: Vec<f64> = runs.iter().map(|run| (measure.of)(run)).collect();
        let median = Values::of(&all).median().unwrap_or(f64::NAN);
        let [told] = numbers::values([median], measure.unit);
        told.trim_end_matches(" faults").to_owned()
    };
    let of = |metric: &str| judged.iter().find(|it| it.cell == name && it.metric == metric);
    let change = |metric: &str| {
        let ratio = of(metric).and_then(|judged| judged.ratio);
        ratio.map_or("–".to_owned(), |ratio| numbers::estimate_percent(&ratio))
    };
    let verdict = |metric: &str| match of(metric) {
        _ if failed => "failed".to_owned(),
        Some(judged) => Overall::from(judged.finding).to_string(),
        None => String::new(),
    };
    [
        name.to_owned(),
        middle("elapsed"),
        change("elapsed"),
        verdict("elapsed"),
        middle("peak-memory"),
        change("peak-memory"),
        verdict("peak-memory"),
        middle("mean-memory"),
        middle("minor-faults"),
        runs.len().to_string(),
    ]
}
