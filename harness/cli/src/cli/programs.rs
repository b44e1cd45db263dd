//! The command line of commands of any kind: what `compare`, `measure` and `allocators` share. Options
//! that hyperfine has are called as there.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::STANDARD_OUTPUT;

/// How commands are run.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Commands behind --")]
pub struct ProgramOptions {
    /// Runs of each command before the measured ones.
    #[arg(long, short = 'w', value_name = "COUNT")]
    pub warmup: Option<u32>,
    /// Fewest measured runs of each command [default: 10].
    #[arg(long, short = 'm', value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub min_runs: Option<u32>,
    /// Most measured runs of each command, however short they are.
    #[arg(long, short = 'M', value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_runs: Option<u32>,
    /// Exactly so many measured runs of each command; an even number where commands are compared.
    #[arg(
        long, short = 'r', value_name = "COUNT",
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        conflicts_with_all = ["min_runs", "max_runs"]
    )]
    pub runs: Option<u32>,
    /// Line for a shell before the first run of each command.
    #[arg(long, short = 's', value_name = "LINE")]
    pub setup: Option<String>,
    /// Line for a shell before each run, warm-up included; one for all commands, or one for each.
    #[arg(long, short = 'p', value_name = "LINE")]
    pub prepare: Vec<String>,
    /// Line for a shell after each run; one for all commands, or one for each.
    #[arg(long, short = 'C', value_name = "LINE")]
    pub conclude: Vec<String>,
    /// Line for a shell after the last run of each command.
    #[arg(long, short = 'c', value_name = "LINE")]
    pub cleanup: Option<String>,
    /// Values with commas for `{NAME}` in commands and lines; may be repeated, for all combinations.
    #[arg(long, short = 'L', value_names = ["NAME", "VALUES"], num_args = 2)]
    pub parameter_list: Vec<String>,
    /// Numbers from LOW to HIGH for `{NAME}`.
    #[arg(long, short = 'P', value_names = ["NAME", "LOW", "HIGH"], num_args = 3)]
    pub parameter_scan: Vec<String>,
    /// Distance of the numbers of a scan [default: 1].
    #[arg(long, short = 'D', value_name = "DELTA")]
    pub parameter_step_size: Option<String>,
    /// Have a shell read the words of each command: its name, or `default` for sh. What the shell itself
    /// takes is measured and subtracted.
    #[arg(long, short = 'S', value_name = "SHELL")]
    pub shell: Option<OsString>,
    /// Execute commands without a shell, as without this option.
    #[arg(short = 'N', conflicts_with = "shell")]
    pub no_shell: bool,
    /// Measure runs that fail, too: all of them, or those with these exit codes (-i=1,3).
    #[arg(
        long, short = 'i', value_name = "CODES", num_args = 0..=1, require_equals = true,
        default_missing_value = "all-non-zero"
    )]
    pub ignore_failure: Option<String>,
    /// Name of a command in results; repeated for the next one.
    #[arg(long, short = 'n', value_name = "NAME")]
    pub command_name: Vec<String>,
    /// Show what the commands print: the first 64 KiB of each stream of each run, on standard error.
    #[arg(long, conflicts_with = "output")]
    pub show_output: bool,
    /// Where standard output goes: null, pipe (read and discarded), inherit (without a bound) or a file.
    #[arg(long, value_name = "WHERE")]
    pub output: Option<PathBuf>,
    /// Where standard input comes from: null, or a file.
    #[arg(long, value_name = "WHERE")]
    pub input: Option<PathBuf>,
    /// Variable of the commands' environment; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<OsString>,
    /// Kill a run that takes longer, which is a failure [default: 10m].
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Write the results as hyperfine does; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Write a summary as CSV, in seconds.
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,
    /// Write a summary as a table in Markdown.
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
    /// Write a summary as a table in AsciiDoc.
    #[arg(long, value_name = "FILE")]
    pub export_asciidoc: Option<PathBuf>,
    /// Write a summary as a table in Org.
    #[arg(long, value_name = "FILE")]
    pub export_orgmode: Option<PathBuf>,
    /// Draw memory over time of the commands into this folder, as SVG, PDF and PNG. Needs gnuplot.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
}

/// How long a session of `measure` or `allocators` takes, and what it prints.
#[derive(Debug, Args)]
pub struct SessionOptions {
    /// Time for measuring [default: 3 s for each command or allocator].
    #[arg(long, value_name = "TIME", conflicts_with = "runs")]
    pub budget: Option<String>,
    #[command(flatten)]
    pub programs: ProgramOptions,
    /// Seed of the order within rounds.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Print JSON, or write it to this file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = STANDARD_OUTPUT)]
    pub json: Option<PathBuf>,
    /// Show no progress.
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Commands stand behind --, with a further -- between them. They are executed without a shell. Rounds\n\
in mirrored order measure all of them beside each other; what they started is gone after each run.")]
pub struct MeasureArguments {
    #[command(flatten)]
    pub session: SessionOptions,
    /// Commands to measure, with -- between them.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub commands: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Allocators are the known ones whose shared libraries are found (jemalloc, mimalloc, tcmalloc,\n\
gperftools, snmalloc, rpmalloc, tbbmalloc, hoard, scudo), and those that are named. The program runs\n\
as it is, too: what the others are compared with. One with an allocator of its own ignores them.")]
pub struct AllocatorsArguments {
    /// A further allocator: a name, and its shared library.
    #[arg(long = "allocator", value_name = "NAME=FILE")]
    pub named: Vec<String>,
    /// Take only these allocators, by their names; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Smallest change of a metric that matters, as `elapsed=5%`; `cpu=off` leaves a metric out.
    #[arg(long = "tolerance", value_name = "METRIC=PERCENT")]
    pub tolerances: Vec<String>,
    #[command(flatten)]
    pub session: SessionOptions,
    /// The program and its arguments.
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    pub commands: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Handed bytes are those of calls that write or read: to files, pipes and terminals alike, the program's\n\
own code included. Bytes of files are without those that were thrown away with their file. A device\n\
counts for everybody; dirty files of its file system are written before the command and after it.")]
pub struct TrafficArguments {
    /// Folder on the device to count [default: the current folder].
    #[arg(long)]
    pub folder: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// The command, executed without a shell.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
