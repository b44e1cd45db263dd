//! From the command line to what is run, and for how long; files of results; progress.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use programs::export::{Exported, Format, written};
use programs::{
    Bench, Command, Ignored, Input, Length, Output, Run, Scan, Settings, Shell, Side, Told,
    curve_table, hyperfine,
};

use crate::cli::{ProgramOptions, STANDARD_OUTPUT};
use crate::commands::Failure;
use crate::commands::time::parse_time;
use crate::runner::Interrupt;
use record::archive::write_whole;
use report::figures::{draw_table, gnuplot_available};
use worker::exit;

/// Gnuplot script of memory over time.
const SCRIPT: &str = include_str!("../../../../../plots/programs.gp");
/// Fewest measured runs of each command.
const RUNS_MIN: u32 = 10;
/// Time for measuring one command.
pub(in crate::commands) const EACH: Duration = Duration::from_secs(3);

/// How commands are run.
pub(in crate::commands) fn settings(options: &ProgramOptions) -> Result<Settings, Failure> {
    if options.plots.is_some() {
        gnuplot_available().map_err(Failure::machine)?;
    }
    let mut settings = Settings {
        shell: options.shell.as_deref().and_then(Shell::named),
        warm_up: options.warmup.unwrap_or(0),
        set_up: options.setup.clone(),
        clean_up: options.cleanup.clone(),
        prepare: options.prepare.clone(),
        conclude: options.conclude.clone(),
        environment: options.env.iter().map(variable).collect::<Result<_, _>>()?,
        ..Settings::default()
    };
    if let Some(text) = &options.ignore_failure {
        let wrong = |error| Failure::usage(format!("--ignore-failure: {error}"));
        settings.ignored = Ignored::parse(text).map_err(wrong)?;
    }
    if let Some(text) = &options.timeout {
        settings.timeout = parse_time("--timeout", text)?;
    }
    settings.input = match options.input.as_deref() {
        None => Input::Null,
        Some(path) if path == Path::new("null") => Input::Null,
        Some(path) => Input::File(path.to_owned()),
    };
    settings.output = match options.output.as_deref() {
        None if options.show_output => Output::Shown,
        None => Output::Null,
        Some(path) => match path.to_str() {
            Some("null") => Output::Null,
            Some("pipe") => Output::Pipe,
            Some("inherit") => Output::Inherit,
            _ => Output::File(path.to_owned()),
        },
    };
    Ok(settings)
}

fn variable(text: &OsString) -> Result<(OsString, OsString), Failure> {
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0);
    let at = at.ok_or_else(|| {
        Failure::usage(format!("--env `{}`: write NAME=VALUE", text.to_string_lossy()))
    })?;
    let part = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Ok((part(&bytes[..at]), part(&bytes[at + 1..])))
}

/// The commands behind `--`, with their names.
pub(in crate::commands) fn commands(
    options: &ProgramOptions,
    words: &[OsString],
) -> Result<Vec<Command>, Failure> {
    let mut commands = Command::split(words).map_err(|place| {
        Failure::usage(format!("command {place} is empty: write words before and behind every --"))
    })?;
    named(options, &mut commands)?;
    Ok(commands)
}

/// Gives commands their names, and checks that lines for each of them are as many as they are.
pub(in crate::commands) fn named(
    options: &ProgramOptions,
    commands: &mut [Command],
) -> Result<(), Failure> {
    let count = commands.len();
    for (option, lines) in [("--prepare", &options.prepare), ("--conclude", &options.conclude)] {
        if lines.len() > 1 && lines.len() != count {
            return Err(Failure::usage(format!(
                "{option} is given {} times for {count} command(s): give it once for all, or once for each",
                lines.len()
            )));
        }
    }
    if options.command_name.len() > count {
        return Err(Failure::usage(format!(
            "--command-name is given {} times for {count} command(s)",
            options.command_name.len()
        )));
    }
    for (command, name) in commands.iter_mut().zip(&options.command_name) {
        command.name.clone_from(name);
    }
    Ok(())
}

/// Every combination of parameters; one without any where there are none.
pub(in crate::commands) fn combinations(
    options: &ProgramOptions,
) -> Result<Vec<Vec<(String, String)>>, Failure> {
    let step = options.parameter_step_size.as_deref().unwrap_or("1");
    if options.parameter_step_size.is_some() && options.parameter_scan.is_empty() {
        return Err(Failure::usage(
            "--parameter-step-size is of --parameter-scan, which is not given",
        ));
    }
    let ranged = options
        .parameter_scan
        .chunks(3)
        .map(|scan| Scan::ranged(&scan[0], &scan[1], &scan[2], step));
    let listed = options.parameter_list.chunks(2).map(|list| Scan::listed(&list[0], &list[1]));
    let scans: Result<Vec<Scan>, _> = ranged.chain(listed).collect();
    let scans = scans.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Scan::combinations(&scans))
}

/// How long is measured: exactly so many runs, or `time` within bounds.
pub(in crate::commands) fn length(
    options: &ProgramOptions,
    budget: Option<&str>,
    time: Duration,
) -> Result<Length, Failure> {
    if let Some(runs) = options.runs {
        return Ok(Length::Runs(runs));
    }
    let time = budget.map_or(Ok(time), |text| parse_time("--budget", text))?;
    let most = options.max_runs.unwrap_or(u32::MAX);
    let least = options.min_runs.unwrap_or(RUNS_MIN.min(most));
    if least > most {
        return Err(Failure::usage(format!("--min-runs {least} is more than --max-runs {most}")));
    }
    Ok(Length::Time(time, least.div_ceil(2), (most / 2).max(1)))
}

/// What a measurement of commands failed by.
pub(in crate::commands) fn failure(failure: programs::Failure) -> Failure {
    let code = match failure {
        programs::Failure::Stopped => return Failure::silent(exit::INTERRUPTED),
        programs::Failure::Failed { .. } => exit::UNEXPECTED,
        programs::Failure::NotStarted { .. } => exit::USAGE,
        programs::Failure::System { .. } => exit::MACHINE,
    };
    Failure { code, message: Some(failure.to_string()) }
}

/// Ctrl-C, as something to ask.
pub(in crate::commands) fn interrupt() -> Result<Interrupt, Failure> {
    Interrupt::register().map_err(|error| Failure::internal(format!("signals: {error}")))
}

/// Writes the files of results that were asked for.
fn export(options: &ProgramOptions, commands: &[Exported<'_>]) -> Result<(), Failure> {
    if let Some(path) = &options.export_json {
        write(path, &hyperfine::json(commands))?;
    }
    for (path, format) in [
        (&options.export_csv, Format::Csv),
        (&options.export_markdown, Format::Markdown),
        (&options.export_asciidoc, Format::AsciiDoc),
        (&options.export_orgmode, Format::Org),
    ] {
        if let Some(path) = path {
            write(path, &written(commands, format))?;
        }
    }
    Ok(())
}

/// Draws memory over time where that was asked for; returns the drawing.
fn draw(options: &ProgramOptions, table: &str) -> Result<Option<PathBuf>, Failure> {
    let Some(folder) = &options.plots else { return Ok(None) };
    draw_table(folder, "programs", table, SCRIPT).map(Some).map_err(Failure::internal)
}

/// Runs all sides of a bench in rounds, and returns which rounds they were.
pub(in crate::commands) fn measured(
    bench: &mut Bench<'_>,
    length: Length,
    quiet: bool,
) -> Result<Range<u32>, Failure> {
    let shown = Shown::new(quiet);
    let measured = bench
        .begin()
        .and_then(|()| bench.measure(&BTreeSet::from([0]), length, &mut |told| shown.tell(told)));
    shown.end();
    // What was set up is cleaned up, whatever came of it.
    let cleaned = bench.end();
    let rounds = measured.map_err(failure)?;
    cleaned.map_err(failure)?;
    Ok(rounds)
}

/// The runs of each side, as exports take them.
pub(in crate::commands) fn exported<'runs>(
    sides: &'runs [Side],
    runs: &[Vec<&'runs Run>],
) -> Vec<Exported<'runs>> {
    let of_side = |(side, runs): (&'runs Side, &Vec<&'runs Run>)| Exported {
        command: &side.command,
        runs: runs.clone(),
    };
    sides.iter().zip(runs).map(of_side).collect()
}

/// Writes the files of results, and draws memory over time, as far as that was asked for.
pub(in crate::commands) fn keep(
    options: &ProgramOptions,
    exported: &[Exported<'_>],
) -> Result<(), Failure> {
    export(options, exported)?;
    let curves: Vec<_> =
        exported.iter().map(|one| (one.command.name.clone(), one.runs.clone())).collect();
    if let Some(drawing) = draw(options, &curve_table(&curves))? {
        eprintln!("{}", drawing.display());
    }
    Ok(())
}

/// Writes a file, or prints it.
pub(in crate::commands) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new(STANDARD_OUTPUT) {
        print!("{text}");
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_whole(path, text.as_bytes()))
        .map_err(|error| Failure::machine(format!("{}: {error}", path.display())))
}

/// Shows on a terminal how far it is.
pub(in crate::commands) struct Shown(ProgressBar);

impl Shown {
    pub(in crate::commands) fn new(quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:30} {msg}").expect("a fixed template");
        Self(ProgressBar::with_draw_target(Some(1000), target).with_style(style))
    }

    pub(in crate::commands) fn tell(&self, told: Told<'_>) {
        self.0.set_position((told.done * 1000.0) as u64);
        let name: String = told.command.chars().take(60).collect();
        self.0.set_message(format!("round {}: {name}", told.rounds + 1));
    }

    pub(in crate::commands) fn end(&self) {
        self.0.finish_and_clear();
    }
}
