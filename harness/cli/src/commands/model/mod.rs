//! `model`: answers that are computed from assumptions, and measured by nobody.

mod parameters;

use compare::render::aligned;
use model::stages::{Answer, LevelDb, Parameters, Simulated, Simulation, System};
use model::stages::{simulate, write_amplification};
use serde_json::json;

use super::{Failure, output};
use crate::cli::{ModelCommand, ModelledStore, WriteAmplificationArguments};

pub(super) fn run(command: &ModelCommand) -> Result<(), Failure> {
    match command {
        ModelCommand::WriteAmplification(arguments) => amplification(arguments),
    }
}

/// Prints how much each store writes for each byte inserted, and where.
fn amplification(arguments: &WriteAmplificationArguments) -> Result<(), Failure> {
    use ModelledStore::{Cola, Leveldb, Samt, Silt};
    let stores = arguments.store.map_or_else(|| vec![Leveldb, Cola, Samt, Silt], |one| vec![one]);
    let mut answers = Vec::new();
    for store in stores {
        let asked = parameters::of(store, arguments)?;
        let answer = write_amplification(&asked).map_err(|error| usage(store, &error))?;
        let simulated = simulated(&asked, arguments.simulate)?;
        answers.push((answer, simulated));
    }
    if arguments.json {
        let documents = answers.iter().map(|(answer, simulated)| {
            let simulated = simulated.as_ref().map(|simulated| simulated.write_amplification);
            json!({ "answer": answer, "simulated": simulated })
        });
        output::print_json(&json!({ "answers": documents.collect::<Vec<_>>() }));
        return Ok(());
    }
    let text: Vec<String> =
        answers.iter().map(|(answer, also)| text(answer, also.as_ref())).collect();
    output::print(&text.join("\n"));
    Ok(())
}

fn usage(store: ModelledStore, error: &model::stages::ParameterError) -> Failure {
    Failure::usage(format!("{}: {error}", parameters::name(store)))
}

/// The tree itself, if it was asked for.
fn simulated(asked: &Parameters, seed: Option<u64>) -> Result<Option<Simulated>, Failure> {
    let Some(seed) = seed else { return Ok(None) };
    let System::LevelDb(store) = &asked.system else {
        return Err(Failure::usage(format!(
            "--simulate = {seed}: only leveldb is simulated, not {}: name leveldb",
            asked.system.name()
        )));
    };
    let simulation = Simulation::new(asked.workload, LevelDb::clone(store), seed);
    simulate(&simulation)
        .map(Some)
        .map_err(|error| Failure::usage(format!("leveldb, simulated: {error}")))
}

fn text(answer: &Answer, simulated: Option<&Simulated>) -> String {
    let workload = answer.parameters.workload;
    let skew = if workload.skew == 0.0 {
        "uniform".to_owned()
    } else {
        format!("zipfian {}", workload.skew)
    };
    let mut text = format!(
        "{}: {:.3} bytes written for each byte inserted ({} keys, {skew})\n",
        answer.parameters.system.name(),
        answer.write_amplification,
        workload.keys,
    );
    if let Some(simulated) = simulated {
        text += &format!(
            "simulated: {:.3} ({:+.1} %), {} inserts\n",
            simulated.write_amplification,
            100.0 * (simulated.write_amplification / answer.write_amplification - 1.0),
            simulated.requests,
        );
    }
    let number =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.0}"));
    let rows: Vec<[String; 5]> = answer
        .steps
        .iter()
        .map(|step| {
            [
                step.from.clone(),
                step.to.clone(),
                format!("{:.3}", step.write_amplification),
                number(step.interval_requests),
                number(step.target_items),
            ]
        })
        .collect();
    let headings = ["from", "to", "written", "interval, inserts", "room, items"];
    text + &aligned(&headings, &rows, |column| column < 2)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn asked(line: &str) -> Result<Answer, String> {
        let words = format!("nibble-bench model write-amplification {line}");
        let cli =
            Cli::try_parse_from(words.split_whitespace()).map_err(|error| error.to_string())?;
        let Command::Model(ModelCommand::WriteAmplification(arguments)) = cli.command else {
            panic!("another command")
        };
        let store = arguments.store.unwrap();
        let told = |failure: Failure| failure.message.unwrap_or_default();
        let asked = parameters::of(store, &arguments).map_err(told)?;
        simulated(&asked, arguments.simulate).map_err(told)?;
        write_amplification(&asked).map_err(|error| usage(store, &error).message.unwrap())
    }

    #[test]
    fn every_option_reaches_the_model() {
        let plain = asked("leveldb --keys 1000000").unwrap().write_amplification;
        for option in [
            "--skew 0.99",
            "--item-bytes 500",
            "--write-buffer 8MiB",
            "--level0-tables 8",
            "--first-level 20MiB",
            "--growth 5",
            "--level-items 10000,100000",
            "--optimal 4",
        ] {
            let other = asked(&format!("leveldb --keys 1000000 {option}")).unwrap();
            assert_ne!(other.write_amplification, plain, "{option}");
        }
        let plain = asked("silt --keys 100000000").unwrap().write_amplification;
        for option in
            ["--instances 2", "--table-slots 65536", "--occupancy 0.5", "--hash-tables 31"]
        {
            let other = asked(&format!("silt --keys 100000000 {option}")).unwrap();
            assert_ne!(other.write_amplification, plain, "{option}");
        }
        let cola = asked("cola --growth 4").unwrap().write_amplification;
        assert!(cola > asked("samt --growth 4").unwrap().write_amplification);
        assert_ne!(cola, asked("cola --growth 4 --levels 8").unwrap().write_amplification);
    }

    #[test]
    fn what_a_store_has_not_is_refused_with_its_value() {
        let message = |line: &str| asked(line).unwrap_err();
        assert!(message("silt --growth 4").contains("--growth = 4: silt has no such parameter"));
        assert!(message("cola --optimal 4").contains("--optimal = 4: cola"));
        assert!(message("cola --growth 2.5").contains("--growth = 2.5"));
        assert!(message("leveldb --hash-tables 3").contains("--hash-tables = 3: leveldb"));
        assert!(message("samt --simulate 1").contains("only leveldb is simulated"));
        assert!(message("leveldb --keys 1").contains("keys is 1: it must be from 2"));
        assert!(message("leveldb --write-buffer 4XB").contains("--write-buffer"));
    }
}
