//! The command line of comparisons: `compare`, `gate`, `history`, `import`, `power`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{OutputArguments, ProgramOptions, WorkloadOptions};

/// The file name that stands for standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Options of every comparison.
#[derive(Clone, Debug, Args)]
pub struct JudgingArguments {
    /// Smallest change of a metric that matters, as `throughput=5%`; `p99=off` leaves a metric out.
    /// May be repeated.
    #[arg(long = "tolerance", value_name = "METRIC=PERCENT")]
    pub tolerances: Vec<String>,
    /// Seed of the requests, of the order within blocks and of the bootstrap.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Also count instructions: one thread, a generic build, under callgrind. They are shown beside
    /// the times and never replace them.
    #[arg(long)]
    pub instructions: bool,
    /// Write the result as Markdown, for a comment on a pull request.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the result as JSON to this file, or print it where none is named.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = STANDARD_OUTPUT)]
    pub json: Option<PathBuf>,
    /// Write the result as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// History to append the measurements to; by default `RESULTS/history.jsonl`.
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
BASELINE AND CANDIDATE ARE BOTH\n    \
    stores            NAME[:HEAP][@SETTING=VALUE]…, as `nibble` `heapstore:jemalloc`\n    \
    settings          @SETTING=VALUE…, added to the stores of the suite; `@` alone adds none\n    \
    builds            paths of `nibble-bench` programs\n    \
    revisions         of this repository, built in worktrees: `HEAD~1` `main`\n    \
    runs              folders of runs\n    \
    files             history files (.jsonl), or results of hyperfine, YCSB, memtier or criterion (a\n    \
    \x20                 folder; FOLDER#NAME for a baseline saved with --save-baseline NAME)\n\n\
A prefix resolves an ambiguous name: store:, build:, rev:, run: or file:, as in rev:nibble.\n\n\
Stores, settings, builds and revisions are measured now, in interleaved blocks of fresh processes; the\n\
baseline is measured twice, as a control. Runs and files are compared as they were measured. Where suite,\n\
scale, machine, build or the conditions of two stores differ, the result says so.\n\n\
Two commands of any kind stand behind --, and a second -- between them: they are measured in the same way,\n\
by elapsed and processor time and by the memory of all their processes.")]
pub struct CompareArguments {
    /// What to compare with.
    #[arg(allow_hyphen_values = true, required_unless_present = "commands")]
    pub baseline: Option<String>,
    /// What to judge.
    #[arg(allow_hyphen_values = true, required_unless_present = "commands")]
    pub candidate: Option<String>,
    /// Suite to measure, a name or a TOML file. Default: the workload options for two stores, otherwise
    /// the suite `gate`.
    #[arg(long)]
    pub suite: Option<String>,
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Take only cells whose id contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Blocks per cell, each of six processes [default: 16; of commands as many as fit into 9 s]. More
    /// blocks give narrower intervals.
    #[arg(long, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub blocks: Option<u32>,
    /// Measure as many blocks as fit into this time: 90s or 8m.
    #[arg(long, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<String>,
    /// Refuse (exit code 8) what is not like for like: another suite, scale, machine or build, or stores
    /// that answer under other conditions.
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub judging: JudgingArguments,
    #[command(flatten)]
    pub work: WorkloadOptions,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub programs: ProgramOptions,
    /// Two commands, with -- between them, in place of baseline and candidate.
    #[arg(
        last = true,
        value_name = "COMMAND",
        conflicts_with_all = [
            "baseline", "candidate", "suite", "scale", "filter", "strict", "instructions", "history",
            "results",
            "workload", "distribution", "get_percent", "threads", "batch", "object_memory", "operations",
            "warm_up_rewrites", "ageing", "time_all", "in_loop", "value-bytes", "key-bytes", "fill-percent", "think-ns"
        ]
    )]
    pub commands: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct GateArguments {
    /// What to compare this program with: a revision of this repository, which is built and measured
    /// beside it, or a file that an earlier gate wrote. A missing file is created.
    #[arg(long, value_name = "REVISION|FILE")]
    pub baseline: String,
    /// Suite to measure, a name or a TOML file.
    #[arg(long, default_value = "gate")]
    pub suite: String,
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Time for measuring: 90s or 8m. It does not include building a revision. 30 % is reserved for
    /// measuring suspicious cells again.
    #[arg(long, default_value = "8m", value_name = "TIME")]
    pub budget: String,
    /// Accept a change: write the new measurements into the baseline file.
    #[arg(long)]
    pub accept: bool,
    /// Compare even if suite, scale, machine or build differ. The result is marked.
    #[arg(long)]
    pub allow_mismatch: bool,
    #[command(flatten)]
    pub judging: JudgingArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// History file.
    #[arg(default_value = "results/history.jsonl")]
    pub file: PathBuf,
    /// Metric to show.
    #[arg(long, default_value = "throughput")]
    pub metric: String,
    /// Take only cells whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub cell: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Also draw it into this folder, as SVG, PDF and PNG. Needs gnuplot.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Result of hyperfine (JSON), YCSB (text) or memtier (JSON), or a folder of criterion (`FOLDER#NAME`
    /// for a saved baseline).
    pub file: PathBuf,
    /// File to write; by default standard output.
    #[arg(long, short)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PowerArguments {
    /// Rounds to record; each measures one block of every cell and side.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(6..=10_000))]
    pub rounds: u32,
    /// Comparisons to draw from the recorded blocks.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub trials: u32,
    /// Blocks in the first look of a comparison.
    #[arg(long, default_value_t = 72, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub blocks: u32,
    /// Fresh blocks in the second look at suspicious cells.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub second_look: u32,
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Take only cells whose id contains this text; for trying out, since few cells prove little.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Comparisons under a growing load, for each of the two orders; 0 for none.
    #[arg(long, default_value_t = 5)]
    pub drifts: u32,
    /// Draw from the blocks that an earlier run of `power` recorded in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub recorded: Option<PathBuf>,
    /// Seed of requests, orders and draws.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}
