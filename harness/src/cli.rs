//! The command line.

use std::os::fd::RawFd;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Which allocator or key-value design should hold data in memory, at what memory utilisation,
/// and what does it cost?
#[derive(Debug, Parser)]
#[command(
    name = "nibble-bench",
    version,
    about,
    after_help = "EXIT CODES\n    \
        0    everything ended as planned\n    \
        1    a step ended in an outcome that the plan does not allow for; rows are kept\n    \
        2    the command line or a suite file is wrong\n    \
        3    this machine lacks something (memory, gnuplot); nothing was run\n    \
        4    a failure of the harness itself\n    \
        5    targets --strict: a target falls short\n    \
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
        #[arg(value_parser = ["heaps", "stores", "suites", "figures", "scales", "patterns"])]
        what: Option<String>,
    },
    /// Show the cells of a suite without running anything.
    Plan(PlanArguments),
    /// Measure a suite into a fresh folder below `results/`.
    Run(RunArguments),
    /// Compare two stores: fresh processes in ABBA order, median ratio with an interval.
    Pair(PairArguments),
    /// Measure performance targets: a bar each, and whether it holds.
    Targets(TargetsArguments),
    /// Measure what this machine's memory is capable of: random lines and copies, as JSON.
    Calibrate {
        /// Memory read; accepts KiB, MiB, GiB. At most three quarters of what is available.
        #[arg(long, default_value = "4GiB")]
        bytes: String,
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
    /// Measure what the figures need, draw them and write the report.
    Reproduce(ReproduceArguments),
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
    /// How large: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Live set of fragmentation cells instead of the scale's, whatever the size of the objects;
    /// accepts KiB, MiB, GiB.
    #[arg(long, value_name = "BYTES")]
    pub live_bytes: Option<String>,
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
    /// What to measure.
    #[command(flatten)]
    pub plan: PlanArguments,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
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
}

/// The closed-loop workload on the command line.
#[derive(Clone, Debug, Args)]
pub struct WorkArguments {
    /// Key distribution: uniform, zipfian:0.99.
    #[arg(long, default_value = "uniform")]
    pub distribution: String,
    /// Share of GETs in percent; the rest are PUTs.
    #[arg(long, default_value_t = 50)]
    pub get_percent: u32,
    /// Bytes of every value.
    #[arg(long, default_value_t = 1024)]
    pub value_bytes: usize,
    /// Live object bytes ÷ object memory before the clock, in percent.
    #[arg(long, default_value_t = 50)]
    pub fill_percent: u32,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Operations per call, 1 to 64.
    #[arg(long, default_value_t = 1)]
    pub batch: usize,
    /// Memory configured for objects; accepts KiB, MiB, GiB.
    #[arg(long, default_value = "256MiB")]
    pub object_memory: String,
    /// Operations of each thread.
    #[arg(long, default_value_t = 1_000_000)]
    pub operations: u64,
    /// How often PUTs write the whole object memory before the clock starts, as in 4 or 0.5.
    #[arg(long, default_value_t = 0.0, value_name = "TIMES")]
    pub warm_up_rewrites: f64,
    /// Time every operation, not one in 64: for percentiles far out.
    #[arg(long)]
    pub time_all: bool,
}

/// What `pair` takes.
#[derive(Debug, Args)]
pub struct PairArguments {
    /// The first store: `NAME[:HEAP][@SETTING=VALUE]…`, for example `heapstore:jemalloc`. The
    /// setting `sampling=off` turns the parent's memory samples off.
    pub a: String,
    /// The second store; the ratio is its throughput over the first's.
    pub b: String,
    /// ABBA blocks: four processes each. More make the interval narrower.
    #[arg(long, default_value_t = 12)]
    pub blocks: u32,
    /// Seed of the operations.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// What is asked of both.
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
    /// Object memory of every target, whatever it asks for; accepts KiB, MiB, GiB.
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
