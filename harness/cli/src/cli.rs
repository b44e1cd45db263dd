//! The command line.

mod comparison;
mod settings;
mod trace;

use std::os::fd::RawFd;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use comparison::{
    CompareArguments, GateArguments, HistoryArguments, ImportArguments, JudgingArguments,
    PowerArguments,
};
pub use settings::SettingArguments;
pub use trace::{
    CaptureCommand, ConvertArguments, MallocArguments, PostmarkArguments, StatArguments,
    TraceCommand,
};

/// Which allocator or key-value design should hold data in memory, at what memory utilisation,
/// and what does it cost?
#[derive(Debug, Parser)]
#[command(
    name = "nibble-bench",
    version,
    about,
    after_help = "EXIT CODES\n    \
        0    everything ended as planned\n    \
        1    a step ended in an outcome that the plan does not allow for; rows are kept\n         \
                splice --check: a table is not the run's\n         \
                doctor --strict: something disturbs\n    \
                agree: fewer cells agree than asked for; power: a bar is not held\n    \
        2    the command line or a suite file is wrong\n    \
        3    this machine lacks something (memory, gnuplot); nothing was run\n    \
        4    a failure of the harness itself; a revision that does not build\n    \
        5    targets --strict: a target falls short\n    \
        6    compare, gate: something got worse\n    \
        7    compare, gate: nothing is known to be worse, and of something it cannot be told\n    \
        8    compare, gate: the sides are not of one suite, scale, machine or build\n    \
        130  stopped by Ctrl-C; finished rows are kept"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The sub-commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Allocators, stores, suites, figures and scales there are.
    List {
        /// Which list; all of them by default.
        #[arg(value_parser = lists())]
        what: Option<String>,
        /// With `engines`: what each engine is, as a table.
        #[arg(long)]
        traits: bool,
    },
    /// Show the cells of a suite without running anything.
    Plan(PlanArguments),
    /// Measure a suite into a fresh folder below `results/`, or complete a run that was stopped.
    Run(RunArguments),
    /// Compare two stores, settings, builds, revisions, runs or files: changed, unchanged or unknown.
    Compare(Box<CompareArguments>),
    /// Say whether this program got slower or larger than a baseline, within a budget: for CI.
    Gate(GateArguments),
    /// Show a metric over all runs, and where it changed.
    History(HistoryArguments),
    /// Turn results of other tools into lines that `compare` reads.
    Import(ImportArguments),
    /// Measure how often comparisons are right: false alarms, misses, drift.
    Power(PowerArguments),
    /// Say what this program is: its build, its protocol, the machine it sees.
    About {
        /// As JSON, for another program.
        #[arg(long)]
        json: bool,
    },
    /// Run YCSB's property files: throughput and latency of stores under them.
    Ycsb(YcsbArguments),
    /// Find the highest rate of requests that keeps a percentile of latency under a bound.
    Search(SearchArguments),
    /// Capture, convert, check and describe traces of what programs really asked.
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Add the latency histograms of a run's cells up and print their percentiles.
    Latency {
        /// The run's folder.
        run: PathBuf,
        /// Only cells whose id contains this text.
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
    },
    /// Write a run as one flat table for pandas, DuckDB or a spreadsheet: a line for each step.
    ///
    /// Columns are always the same, in the same order; docs/src/data.md says what they hold. What a
    /// step does not have is empty.
    #[command(after_help = "EXAMPLE\n    nibble-bench export results/reference --csv rows.csv")]
    Export {
        /// The run's folder; its rows may be compressed.
        run: PathBuf,
        /// Write CSV, quoted as in RFC 4180, to this file, or to standard output where none is named.
        #[arg(
            long,
            value_name = "FILE",
            required = true,
            num_args = 0..=1,
            default_missing_value = "-"
        )]
        csv: PathBuf,
    },
    /// Measure performance targets: a bar each, and whether it holds.
    Targets(TargetsArguments),
    /// Measure what this machine's memory is capable of: random lines and copies, as JSON.
    Calibrate {
        /// Memory read; accepts KiB, MiB, GiB, TiB. At most three quarters of what is available.
        #[arg(long, default_value = "4GiB")]
        bytes: String,
    },
    /// Say what will disturb measurements on this machine, and how to mend it.
    Doctor {
        /// Print the findings as JSON.
        #[arg(long)]
        json: bool,
        /// Make a finding that disturbs an error (exit code 1).
        #[arg(long)]
        strict: bool,
    },
    /// Print one cell as JSON, to be piped into `worker` (under perf, numactl or a debugger).
    Cell(CellArguments),
    /// Run the cell on standard input in this process.
    Worker {
        /// Descriptor of the page shared with the parent.
        #[arg(long, hide = true)]
        progress_descriptor: Option<RawFd>,
    },
    /// Draw the figures of a run again and rewrite its report.
    Report {
        /// The run's folder.
        run: PathBuf,
        /// Only these figures.
        #[arg(long = "figure", value_name = "NAME")]
        figures: Vec<String>,
    },
    /// Write tables of a run between the markers of Markdown files, or check those that stand there.
    Splice(SpliceArguments),
    /// Measure what the figures need, draw them, ask each published claim whether it holds, and write the
    /// report.
    Reproduce(ReproduceArguments),
    /// Say of every cell that two runs share whether they agree: median throughput with its
    /// 95 % interval in each.
    Agree(AgreeArguments),
    /// Kill a small run at random moments, resume it each time, and check what it left.
    #[command(hide = true)]
    Killtest(KilltestArguments),
    /// Touch memory and give it back.
    #[command(hide = true)]
    Warm {
        /// How much.
        bytes: u64,
    },
}

/// Which suite at which scale.
#[derive(Debug, Args)]
pub struct PlanArguments {
    /// A built-in suite by name, or the path of a TOML file.
    pub suite: String,
    /// Which of its cells, and how large.
    #[command(flatten)]
    pub choice: ChoiceArguments,
}

/// Which cells of a suite, and how large.
#[derive(Debug, Args)]
pub struct ChoiceArguments {
    /// How large: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Live set of fragmentation cells instead of the scale's, whatever the size of the objects;
    /// accepts KiB, MiB, GiB, TiB.
    #[arg(long, value_name = "BYTES")]
    pub live_bytes: Option<String>,
    /// Processes that measure each cell instead of the scale's number: six and more make intervals
    /// narrow.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: Option<u32>,
    /// Operations of each thread of a key-value cell instead of the scale's number.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub operations: Option<u64>,
    /// Only cells whose id contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
}

/// Where results go.
#[derive(Debug, Args)]
pub struct OutputArguments {
    /// Folder below which the run's folder is made.
    #[arg(long, default_value = "results", value_name = "FOLDER")]
    pub results: PathBuf,
    /// No progress bar.
    #[arg(long)]
    pub quiet: bool,
}

/// What `run` takes.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// A built-in suite by name, or the path of a TOML file.
    #[arg(required_unless_present = "resume")]
    pub suite: Option<String>,
    /// Which of its cells, and how large.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Measure each cell a second time, with the processor's counters on: cycles, instructions,
    /// misses. These cells enter no figure.
    #[arg(long)]
    pub counters: bool,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Complete the run in this folder: measure exactly the cells that are missing. Needs the
    /// program and the machine that began it.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["suite", "scale", "live_bytes", "repetitions", "operations", "filter", "results"]
    )]
    pub resume: Option<PathBuf>,
    /// Measure these cells again, too.
    #[arg(long, value_name = "WHICH", requires = "resume")]
    pub retry: Option<Retry>,
}

/// Which cells of a resumed run are measured again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Retry {
    /// Those that ended in an outcome which the plan does not allow for; their rows are replaced.
    Failed,
}

/// What `splice` takes.
#[derive(Debug, Args)]
pub struct SpliceArguments {
    /// The files; `<!-- begin NAME -->` and `<!-- end NAME -->` say where a table goes: `run`, `claims`,
    /// `figures`, or the name of a figure.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The run's folder.
    #[arg(long, default_value = "results/reference", value_name = "FOLDER")]
    pub run: PathBuf,
    /// Write nothing; exit code 1 where a table is not the run's.
    #[arg(long)]
    pub check: bool,
}

/// What `reproduce` takes.
#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// How large: smoke (minutes, too small to conclude from), quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Only these figures, and only the cells they need.
    #[arg(long = "figure", value_name = "NAME")]
    pub figures: Vec<String>,
    /// Write tables only, where gnuplot is missing; the report says so.
    #[arg(long)]
    pub without_drawings: bool,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Complete the run in this folder, then draw its figures and write its report. Needs the
    /// program and the machine that began it.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scale", "figures", "results"])]
    pub resume: Option<PathBuf>,
    /// Measure these cells again, too.
    #[arg(long, value_name = "WHICH", requires = "resume")]
    pub retry: Option<Retry>,
    /// Ask the claims again of the run in this folder; measures and writes nothing.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["scale", "figures", "results", "resume", "without_drawings", "quiet"]
    )]
    pub check: Option<PathBuf>,
}

/// What `agree` takes.
#[derive(Debug, Args)]
pub struct AgreeArguments {
    /// The folder of a run.
    pub a: PathBuf,
    /// The folder of another.
    pub b: PathBuf,
    /// Share of cells that have to agree, in percent; with fewer the exit code is 1.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub least: u32,
    /// Compare runs of different programs or machines, too.
    #[arg(long)]
    pub unlike: bool,
}

/// What `killtest` takes.
#[derive(Debug, Args)]
pub struct KilltestArguments {
    /// Kills.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub kills: u32,
    /// Seed of the moments.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// A folder that does not exist, for the runs; it stays where something is wrong.
    #[arg(long, value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// The workload on the command line.
#[derive(Clone, Debug, Args)]
pub struct WorkArguments {
    /// Settings that the table of dimensions describes.
    #[command(flatten)]
    pub settings: settings::SettingArguments,
    /// A built-in workload by name (`list workloads`), instead of GETs and updates.
    #[arg(long, value_name = "NAME", conflicts_with = "get_percent")]
    pub workload: Option<String>,
    /// Key distribution instead of the workload's own: uniform, zipfian:0.99, latest:0.99,
    /// hotspot:0.2:0.8, sequential.
    #[arg(long)]
    pub distribution: Option<String>,
    /// Share of GETs in percent; the rest are PUTs.
    #[arg(long, default_value_t = 50)]
    pub get_percent: u32,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Operations per call, 1 to 64.
    #[arg(long, default_value_t = 1)]
    pub batch: usize,
    /// Memory configured for objects; accepts KiB, MiB, GiB, TiB.
    #[arg(long, default_value = "256MiB")]
    pub object_memory: String,
    /// Operations of each thread.
    #[arg(long, default_value_t = 1_000_000)]
    pub operations: u64,
    /// How often PUTs write the whole object memory before the clock starts, as in 4 or 0.5.
    #[arg(long, default_value_t = 0.0, value_name = "TIMES")]
    pub warm_up_rewrites: f64,
    /// What stores go through before the clock starts: none, rewrites:1, churn:2, litter:10.
    #[arg(long, conflicts_with = "warm_up_rewrites")]
    pub ageing: Option<String>,
    /// Time every operation, not one in 64: for percentiles far out.
    #[arg(long)]
    pub time_all: bool,
    /// Generate operations within the loop instead of preparing them before the clock.
    #[arg(long)]
    pub in_loop: bool,
}

/// What there are lists of; engines are the stores.
fn lists() -> [PossibleValue; 7] {
    let all = ["heaps", "engines", "suites", "figures", "scales", "patterns", "workloads"];
    all.map(|name| {
        let value = PossibleValue::new(name);
        if name == "engines" { value.alias("stores") } else { value }
    })
}

/// What `ycsb` takes.
#[derive(Debug, Args)]
pub struct YcsbArguments {
    /// Stores: `NAME[:HEAP][@SETTING=VALUE]…`, for example `nibble heapstore:jemalloc`.
    #[arg(required = true)]
    pub stores: Vec<String>,
    /// A property file, as YCSB's workloads/workloada; later files override earlier ones.
    #[arg(short = 'P', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A property, as recordcount=1000000; overrides those of files.
    #[arg(short = 'p', value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Threads, instead of the property threadcount.
    #[arg(long)]
    pub threads: Option<usize>,
    /// Live object bytes ÷ object memory at the end, in percent: sets the memory of stores that
    /// bound it.
    #[arg(long, default_value_t = 50)]
    pub fill_percent: u32,
    /// What stores go through before the clock starts: none, rewrites:1, churn:2, litter:10.
    #[arg(long, default_value = "none")]
    pub ageing: String,
    /// Fresh processes of each store.
    #[arg(long, default_value_t = 3)]
    pub repetitions: u32,
    /// Seed of the requests.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What `search` takes.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// The store: `NAME[:HEAP][@SETTING=VALUE]…`.
    pub store: String,
    /// The percentile of latency, from the scheduled start: p50, p90, p95, p99, p99.9, p99.99, max.
    #[arg(long, default_value = "p99.9")]
    pub percentile: String,
    /// What it must not exceed: 50us, 2ms, 1s.
    #[arg(long, default_value = "100us")]
    pub bound: String,
    /// Length of a probe.
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    /// Fresh processes that have to confirm the rate found; most of them.
    #[arg(long, default_value_t = 5)]
    pub repetitions: u32,
    /// Seed of the requests.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// What is asked.
    #[command(flatten)]
    pub work: WorkArguments,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What `targets` takes.
#[derive(Debug, Args)]
pub struct TargetsArguments {
    /// Only this target, or those with this in their name; `*` stands for anything. May be given
    /// again.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Show the targets and run nothing.
    #[arg(long)]
    pub list: bool,
    /// How large: smoke (too small to conclude from), quick or standard.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// ABBA blocks of each comparison, instead of the scale's.
    #[arg(long)]
    pub blocks: Option<u32>,
    /// Repetitions of counters and yardsticks, at least 3, instead of the scale's.
    #[arg(long)]
    pub repetitions: Option<u32>,
    /// Object memory of every target, whatever it asks for; accepts KiB, MiB, GiB, TiB.
    #[arg(long, value_name = "BYTES")]
    pub object_memory: Option<String>,
    /// Operations of each thread, instead of the scale's.
    #[arg(long)]
    pub operations: Option<u64>,
    /// A table of targets instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Make a target that falls short an error (exit code 5).
    #[arg(long)]
    pub strict: bool,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What `cell` takes.
#[derive(Debug, Args)]
pub struct CellArguments {
    /// The id of a cell, as `plan` prints it; a unique part of it suffices.
    pub id: String,
    /// The suite it belongs to; all built-in suites by default.
    #[arg(long)]
    pub suite: Option<String>,
    /// How large.
    #[arg(long, default_value = "quick")]
    pub scale: String,
}
