//! The opening page of `--help`: what the program does, three examples, the commands by group.

use std::fmt::Write;

use clap::{Command, CommandFactory, FromArgMatches};

use super::Cli;
use super::examples::added;

const OPENING: [(&str, &str); 3] = [
    ("nibble-bench run store-bloat --scale smoke", "measure a small suite"),
    ("nibble-bench compare nibble hashmap", "compare two stores"),
    ("nibble-bench reproduce --scale quick", "measure every figure, write the report"),
];

/// The groups in which `--help` lists the commands.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Measure",
        &["run", "cluster", "reproduce", "ycsb", "search", "measure", "targets", "calibrate"],
    ),
    ("Compare", &["choose", "compare", "allocators", "gate", "agree", "history", "power"]),
    (
        "Inspect",
        &["list", "plan", "traffic", "claims", "latency", "flame", "model", "doctor", "about"],
    ),
    ("Data", &["merge", "report", "export", "splice", "trace", "import"]),
    ("Plumbing", &["cell", "worker", "completions", "man"]),
];

const EXIT_CODES: &str = "\
Exit codes:
    0    success
    1    a step ended in an outcome the plan does not expect; its rows are kept
         cluster run: a value is wrong, or counters of clients and servers differ
         compare, measure, allocators: a command failed
         splice --check: a table differs from the run
         doctor, run, reproduce with --strict: something disturbs measurements
         agree: too few cells or verdicts agree
         power: a bound does not hold
         trace verify: a trace is damaged
    2    the command line or a suite file is wrong
    3    this machine lacks something (memory, gnuplot, Slurm); nothing was measured
         run --executor: Slurm refuses, or ends a shard for good; what was measured is kept
    4    the harness itself failed, or a revision does not build
    5    targets --strict: a target was missed
    6    compare, gate: something got worse
    7    compare, gate: inconclusive: no regression proven, some metrics too noisy
    8    gate, compare --strict: suite, scale, machine, build or conditions differ
    9    choose: nothing that was measured qualifies
    130  stopped by Ctrl-C; finished rows are kept";

/// Parses the command line of this process.
///
/// # Errors
/// What clap prints: a usage error, or the help or version that was asked for.
pub fn parse() -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The command line with its opening page, and with the examples of every command.
#[must_use]
pub fn command() -> Command {
    let command = added(Cli::command(), "").after_help(EXIT_CODES);
    let page = page(&command);
    command.help_template(page)
}

fn page(command: &Command) -> String {
    let mut page = String::from("{about-with-newline}\n{usage-heading} {usage}\n\nExamples:\n");
    for (line, purpose) in OPENING {
        let _ = writeln!(page, "    {line:48} {purpose}");
    }
    for (group, names) in GROUPS {
        let _ = write!(page, "\n{group}:\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, "    {name:11} {about}");
        }
    }
    page + "\nOptions:\n{options}\n\n{after-help}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn the_help_opens_with_the_purpose_and_examples_that_parse() {
        let help = command().render_long_help().to_string();
        assert!(help.starts_with("Measure how fast"), "{help}");
        for (line, _) in OPENING {
            assert!(help.contains(line), "{line} is not in: {help}");
            assert!(Cli::command().try_get_matches_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn the_help_fits_a_terminal() {
        let help = command().render_long_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }

    #[test]
    fn every_command_and_option_says_what_it_is() {
        fn check(command: &Command) {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                let id = argument.get_id();
                let has_help = argument.get_help().is_some();
                assert!(has_help, "{} {id}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
