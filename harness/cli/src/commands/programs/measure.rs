//! `measure`: any number of commands beside each other.

use programs::{Bench, Command, Run, Session, Side, document, fastest, table};
use serde_json::json;

use super::options;
use crate::cli::{MeasureArguments, STANDARD_OUTPUT};
use crate::commands::measure::command_line;
use crate::commands::{Failure, output};

/// Measures, tells, and writes what was asked for.
pub(in crate::commands) fn run(arguments: &MeasureArguments) -> Result<(), Failure> {
    let session_options = &arguments.session;
    let asked = &session_options.programs;
    let settings = options::settings(asked)?;
    let given = options::commands(asked, &arguments.commands)?;
    let combinations = options::combinations(asked)?;
    let sides: Vec<Side> = combinations
        .iter()
        .flat_map(|parameters| {
            given.iter().enumerate().map(move |(place, command)| Side {
                command: distinct(command, parameters),
                place,
                environment: Vec::new(),
                is_control: false,
            })
        })
        .collect();
    let count = u32::try_from(sides.len()).unwrap_or(u32::MAX);
    let length = options::length(asked, session_options.budget.as_deref(), options::EACH * count)?;
    let interrupt = options::interrupt()?;
    let stop = || interrupt.is_set();
    let session = Session::open(&settings, &stop).map_err(options::failure)?;
    let mut bench = Bench::new(session, vec![sides], session_options.seed);
    let rounds = options::measured(&mut bench, length, session_options.quiet)?;

    let sides = &bench.cells()[0];
    let runs: Vec<Vec<&Run>> =
        (0..sides.len()).map(|side| bench.measured().runs(0, side).collect()).collect();
    let relative = fastest(&bench, &rounds, session_options.seed);
    let notes = bench.session.notes();
    let is_printed =
        session_options.json.as_deref().is_some_and(|it| it.as_os_str() == STANDARD_OUTPUT);
    if !is_printed {
        let named = sides.iter().zip(&runs);
        let named: Vec<_> =
            named.map(|(side, runs)| (side.command.name.as_str(), runs.clone())).collect();
        let mut text = table(&named);
        if let Some((first, others)) = &relative
            && !others.is_empty()
        {
            text += &format!(
                "\n{} is the fastest. Time of the others, times its own:\n",
                sides[*first].command.name
            );
            for (side, ratio) in others {
                text += &format!(
                    "    {:.3} ({:.3} … {:.3})  {}\n",
                    ratio.estimate, ratio.low, ratio.high, sides[*side].command.name
                );
            }
        }
        text += &told(&notes);
        output::print(&text);
    }
    if let Some(path) = &session_options.json {
        let results: Vec<_> = sides
            .iter()
            .zip(&runs)
            .enumerate()
            .map(|(place, (side, runs))| {
                let ratio = relative.as_ref().and_then(|(first, others)| {
                    let found = others.iter().find(|(side, _)| *side == place);
                    if *first == place {
                        return Some(json!({ "median": 1.0, "from": 1.0, "to": 1.0 }));
                    }
                    let (_, ratio) = found?;
                    Some(json!({ "median": ratio.estimate, "from": ratio.low, "to": ratio.high }))
                });
                let more = json!({ "times-the-fastest": ratio });
                (side.command.name.clone(), &side.command, runs.clone(), more)
            })
            .collect();
        let document = document(&command_line(), &results, &notes);
        let text = serde_json::to_string_pretty(&document).expect("plain data");
        options::write(path, &format!("{text}\n"))?;
    }
    options::keep(asked, &options::exported(sides, &runs))
}

/// The command with its parameters, which its name tells.
fn distinct(command: &Command, parameters: &[(String, String)]) -> Command {
    let mut with = command.with(parameters);
    if with.name == command.name && !parameters.is_empty() {
        let told: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        with.name = format!("{} ({})", with.name, told.join(", "));
    }
    with
}

/// Notes, a line each, after an empty one.
pub(super) fn told(notes: &[String]) -> String {
    let lines = notes.iter().map(|note| format!("note: {note}\n"));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}
