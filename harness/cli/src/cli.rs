//! The command line: every command and its options. The help texts are the doc comments here.

mod choose;
mod cluster;
mod comparison;
mod coordinated;
mod examples;
mod help;
mod inspect;
mod model;
mod programs;
mod settings;
mod trace;

use std::os::fd::RawFd;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::suites::Family;

pub use self::model::{ModelCommand, ModelledStore, WriteAmplificationArguments};
pub use choose::{ChooseArguments, FlameArguments, Sampling};
pub use cluster::{ClusterArguments, Executor, MergeArguments};
pub use comparison::{
    CompareArguments, GateArguments, HistoryArguments, ImportArguments, JudgingArguments,
    PowerArguments, STANDARD_OUTPUT,
};
pub use coordinated::{ClusterCommand, ClusterRunArguments};
pub use help::{command, parse};
pub use inspect::{AgreeArguments, ClaimsArguments, LatencyArguments, ListArguments};
pub use programs::{
    AllocatorsArguments, MeasureArguments, ProgramOptions, SessionOptions, TrafficArguments,
};
pub use settings::SettingArguments;
pub use trace::{
    CaptureCommand, ConvertArguments, KeysKept, MallocArguments, PostmarkArguments, StatArguments,
    TraceCommand,
};

/// Measure how fast memory allocators and key-value stores are, and how much memory they need.
///
/// Every measurement runs in a fresh process. A run writes its rows, its figures and a report into one
/// folder below `results/`.
#[derive(Debug, Parser)]
#[command(name = "nibble-bench", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List allocators, stores, suites, figures and scales.
    List(ListArguments),
    /// List the cells of a suite without running them.
    Plan(PlanArguments),
    /// Measure a suite into a new folder below `results/`, or complete a stopped run.
    Run(RunArguments),
    /// Put the runs of all shards of a plan together.
    Merge(MergeArguments),
    /// Measure one server or a cluster by its address, with coordinated clients.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Compare two stores, settings, builds, revisions, runs or files, or any two commands.
    Compare(Box<CompareArguments>),
    /// Measure any commands: time, page faults, memory of all their processes.
    Measure(Box<MeasureArguments>),
    /// Count what a command reads and writes: system calls, files, and the block device.
    Traffic(TrafficArguments),
    /// Run any program under every allocator that can be preloaded.
    Allocators(Box<AllocatorsArguments>),
    /// Fail if this program is slower or larger than a baseline; made for CI.
    Gate(GateArguments),
    /// Show a metric over time and where it changed.
    History(HistoryArguments),
    /// Convert results of other tools into a file that `compare` reads.
    Import(ImportArguments),
    /// Measure how often comparisons are right: false alarms, misses, drift.
    Power(PowerArguments),
    /// Show this program's build and protocol, and the machine it runs on.
    About {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run YCSB property files: throughput and latency of stores.
    Ycsb(YcsbArguments),
    /// Find the highest request rate that keeps a latency percentile under a bound.
    Search(SearchArguments),
    /// Capture, convert, check and describe traces of real programs.
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Merge the latency histograms of a run and print their percentiles.
    Latency(LatencyArguments),
    /// Write a run as one flat table, a line for each step.
    ///
    /// The table is made for pandas, DuckDB and spreadsheets.
    /// Columns are always the same, in the same order; docs/src/data.md says what they hold. What a
    /// step does not have is empty.
    Export {
        /// The run's folder; its rows may be compressed.
        run: PathBuf,
        /// Write CSV, quoted as in RFC 4180, to this file, or to standard output where none is named.
        #[arg(
            long,
            value_name = "FILE",
            required = true,
            num_args = 0..=1,
            default_missing_value = STANDARD_OUTPUT
        )]
        csv: PathBuf,
    },
    /// Measure the performance targets and say which hold.
    Targets(TargetsArguments),
    /// Compute what a model says: write amplification of stores that merge data in stages.
    #[command(subcommand)]
    Model(ModelCommand),
    /// Measure this machine's memory: random cache lines and copies, as JSON.
    Calibrate {
        /// Memory to read, a power of two; accepts KiB, MiB, GiB, TiB. At most three quarters of the
        /// available memory, with a note.
        #[arg(long, default_value = "4GiB")]
        bytes: String,
    },
    /// Check this machine for what disturbs measurements, and say how to fix it.
    Doctor {
        /// Print the findings as JSON.
        #[arg(long)]
        json: bool,
        /// Exit with code 1 if anything disturbs measurements.
        #[arg(long)]
        strict: bool,
    },
    /// Print one cell as JSON, to pipe into `worker` (under perf or a debugger).
    Cell(CellArguments),
    /// Measure the cell on standard input in this process.
    Worker {
        /// File descriptor of the page shared with the parent.
        #[arg(long, hide = true)]
        progress_descriptor: Option<RawFd>,
        /// Place of the core on which the first thread runs, among those that may be used.
        #[arg(long, hide = true, default_value_t = 0)]
        first_core: usize,
        /// Folder below which stores for disks keep their files.
        #[arg(long, hide = true)]
        files: Option<PathBuf>,
        /// File into which sampled stacks are written, folded.
        #[arg(long, hide = true)]
        samples: Option<PathBuf>,
    },
    /// Redraw the figures of a run and rewrite its report.
    Report(ReportArguments),
    /// Update the tables of a run in Markdown files, or check that they are current.
    Splice(SpliceArguments),
    /// Measure all figures, draw them, check the published claims and write the report.
    Reproduce(ReproduceArguments),
    /// Check whether two runs agree: on throughput, or on the verdicts on claims.
    Agree(AgreeArguments),
    /// List what the published claims ask, or check them on a run.
    Claims(ClaimsArguments),
    /// Print a script that completes commands and options in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder.
    Man {
        /// Folder to write `nibble-bench.1`, `nibble-bench-run.1`, … into; it is created.
        folder: Option<PathBuf>,
    },
    /// Kill a small run at random moments, resume it each time, and check the result.
    #[command(hide = true)]
    Killtest(KilltestArguments),
    /// Be the process of one address space, which the way `space` starts.
    #[command(hide = true)]
    Executor,
    /// Hold as much memory as each line of standard input says.
    #[command(hide = true)]
    Reserve {
        /// The most that may be asked for, in bytes.
        bytes_max: u64,
    },
    /// Choose a store: those that suit a description, the fastest first.
    ///
    /// Reads a run, by default the published one, and says for each store what it answered, with how much
    /// memory, in which cells, and how far these are from the description.
    #[command(after_help = "\
EXAMPLES
    nibble-bench choose --value-bytes 100..2000 --get 95 --skew zipfian --live 8GiB --memory 10GiB
    nibble-bench choose --value-bytes 1KiB --p999 100us --run results/RUN
    nibble-bench choose --value-bytes 64 --get 95 --live 1GiB --memory 2GiB --measure --dry-run

Exits with code 9 where nothing qualifies.")]
    Choose(Box<ChooseArguments>),
    /// Draw a flamegraph of one cell: where its measured step spends processor time.
    ///
    /// Runs the cell once more, with perf or a timer that samples its stacks. Its times enter no run.
    #[command(after_help = "\
EXAMPLES
    nibble-bench flame get-50-uniform-value-1KiB-fill-12-threads-2-batch-1/nibble/0 --suite rivals
    nibble-bench flame half-updates-uniform-value-512-1536-fill-95 --run results/RUN
    nibble-bench flame P1/nibble/bounded/0 --scale smoke --with timer --output p1.svg")]
    Flame(FlameArguments),
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Folder of the run.
    pub run: PathBuf,
    /// Draw only this figure; may be repeated.
    #[arg(long = "figure", value_name = "NAME")]
    pub figures: Vec<String>,
    /// Keep no file that a published run does without: of drawings the SVGs and one PDF of all. The
    /// page links to nothing that is not there.
    #[arg(long)]
    pub publish: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct PlanArguments {
    /// Name of a built-in suite, or path of a TOML file.
    pub suite: String,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ChoiceArguments {
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Live bytes of fragmentation cells, instead of the scale's; accepts KiB, MiB, GiB, TiB.
    #[arg(long, value_name = "BYTES")]
    pub live_bytes: Option<String>,
    /// Processes that measure each cell, instead of the scale's number. Six or more give narrow
    /// intervals.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: Option<u32>,
    /// Operations per thread of key-value cells, instead of the scale's number.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub operations: Option<u64>,
    /// Take only cells whose id contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Empty folder on a disk, in which stores for disks keep their files while they are measured
    /// [default: that of temporary files, TMPDIR].
    #[arg(long, value_name = "FOLDER")]
    pub files: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct OutputArguments {
    /// Folder in which the run's folder is created.
    #[arg(long, default_value = "results", value_name = "FOLDER")]
    pub results: PathBuf,
    /// Show no progress bar.
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// Name of a built-in suite, or path of a TOML file.
    #[arg(required_unless_present = "resume")]
    pub suite: Option<String>,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Measure each cell once more with hardware counters: cycles, instructions, cache misses. Figures
    /// leave these measurements out.
    #[arg(long)]
    pub counters: bool,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Measure nothing on a busy machine: a load above 0.5 per core, or more than 5 % of the processor
    /// time stolen by the host in 2 s. Otherwise that is a warning, and stands in the report.
    #[arg(long)]
    pub strict: bool,
    /// Measure the missing cells of the run in this folder. Needs the program and the machine that
    /// started it.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["suite", "scale", "live_bytes", "repetitions", "operations", "filter", "results"]
    )]
    pub resume: Option<PathBuf>,
    /// Also measure these cells again.
    #[arg(long, value_name = "WHICH", requires = "resume")]
    pub retry: Option<Retry>,
    #[command(flatten)]
    pub cluster: ClusterArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Retry {
    /// Cells that ended in an outcome the plan does not expect; their rows are replaced.
    Failed,
}

#[derive(Debug, Args)]
pub struct SpliceArguments {
    /// Markdown files. A table goes between `<!-- begin NAME -->` and `<!-- end NAME -->`, where NAME is
    /// `run`, `claims`, `figures` or the name of a figure.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder of the run.
    #[arg(long, default_value = "results/reference", value_name = "FOLDER")]
    pub run: PathBuf,
    /// Write nothing; exit with code 1 if a table differs from the run.
    #[arg(long)]
    pub check: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// Size of the measurement: smoke (minutes, too small for conclusions), quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Measure and draw only this figure; may be repeated.
    #[arg(long = "figure", value_name = "NAME")]
    pub figures: Vec<String>,
    /// Measure and draw the figures of these designs, separated by commas.
    #[arg(
        long = "family",
        value_name = "FAMILY",
        value_delimiter = ',',
        default_value = "memory",
        conflicts_with = "figures"
    )]
    pub families: Vec<Family>,
    /// Write tables without drawings, for machines without gnuplot; the report says so.
    #[arg(long)]
    pub without_drawings: bool,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Measure again what undecided claims compare, for this long: 15m, or 0 for not at all. By default a
    /// quarter of an hour at scale quick, or what the rest leaves of 40 minutes, and not at all at others.
    #[arg(long, value_name = "TIME")]
    pub decide: Option<String>,
    /// Measure nothing on a busy machine, as `run` does with it.
    #[arg(long)]
    pub strict: bool,
    /// Measure the missing cells of the run in this folder, then draw its figures and write its report.
    /// Needs the program and the machine that started it.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scale", "figures", "families", "results", "decide"])]
    pub resume: Option<PathBuf>,
    /// Also measure these cells again.
    #[arg(long, value_name = "WHICH", requires = "resume")]
    pub retry: Option<Retry>,
    /// Only check the claims again on the run in this folder; measures and writes nothing.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["scale", "figures", "families", "results", "resume", "without_drawings", "quiet", "decide"]
    )]
    pub check: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KilltestArguments {
    /// Number of kills.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub kills: u32,
    /// Seed of the moments at which the run is killed.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// New folder for the runs; it is kept if something is wrong.
    #[arg(long, value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// The workload that options describe.
#[derive(Clone, Debug, Args)]
pub struct WorkloadOptions {
    /// Settings that the table of dimensions describes.
    #[command(flatten)]
    pub settings: settings::SettingArguments,
    /// Built-in workload (see `list workloads`), instead of a mix of GETs and PUTs.
    #[arg(long, value_name = "NAME", conflicts_with = "get_percent")]
    pub workload: Option<String>,
    /// Key distribution, instead of the workload's: uniform, zipfian:0.99, ycsb-scrambled,
    /// latest:0.99, hotspot:0.2:0.8 or sequential.
    #[arg(long)]
    pub distribution: Option<String>,
    /// Percentage of GETs; the rest are PUTs.
    #[arg(long, default_value_t = 50)]
    pub get_percent: u32,
    /// Threads that send requests.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Operations per call: 1 to 64.
    #[arg(long, default_value_t = 1)]
    pub batch: usize,
    /// Memory for objects; accepts KiB, MiB, GiB, TiB.
    #[arg(long, default_value = "256MiB")]
    pub object_memory: String,
    /// Operations per thread.
    #[arg(long, default_value_t = 1_000_000)]
    pub operations: u64,
    /// Bytes that PUTs write before the clock starts, as a multiple of object memory: 4 or 0.5.
    #[arg(long, default_value_t = 0.0, value_name = "TIMES")]
    pub warm_up_rewrites: f64,
    /// How stores are aged before the clock starts: none, rewrites:1, churn:2 or litter:10.
    #[arg(long, conflicts_with = "warm_up_rewrites")]
    pub ageing: Option<String>,
    /// Time every operation instead of a sample; needed for extreme percentiles.
    #[arg(long)]
    pub time_all: bool,
    /// Generate operations while the clock runs instead of before it starts.
    #[arg(long)]
    pub in_loop: bool,
}

#[derive(Debug, Args)]
pub struct YcsbArguments {
    /// Stores to measure, each `NAME[:HEAP][@SETTING=VALUE]…`, as `nibble` or `heapstore:jemalloc`.
    #[arg(required = true)]
    pub stores: Vec<String>,
    /// YCSB property file, as workloads/workloada; later files override earlier ones.
    #[arg(short = 'P', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Property, as recordcount=1000000; overrides the files.
    #[arg(short = 'p', value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Threads, instead of the property `threadcount`.
    #[arg(long)]
    pub threads: Option<usize>,
    /// Live bytes at the end as a percentage of object memory [default: 50, or what few records reach in
    /// the least memory]. Sets the memory of stores with a bound.
    #[arg(long)]
    pub fill_percent: Option<u32>,
    /// How stores are aged before the clock starts: none, rewrites:1, churn:2 or litter:10.
    #[arg(long, default_value = "none")]
    pub ageing: String,
    /// Processes that measure each store.
    #[arg(long, default_value_t = 3)]
    pub repetitions: u32,
    /// Seed of the requests.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct SearchArguments {
    /// Store to measure: `NAME[:HEAP][@SETTING=VALUE]…`.
    pub store: String,
    /// Latency percentile, counted from the scheduled start: p50, p90, p95, p99, p99.9, p99.99 or max.
    #[arg(long, default_value = "p99.9")]
    pub percentile: String,
    /// Highest acceptable latency: 50us, 2ms or 1s.
    #[arg(long, default_value = "100us")]
    pub bound: String,
    /// Seconds that each probe lasts.
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    /// Processes that try the rate found; most of them must confirm it.
    #[arg(long, default_value_t = 5)]
    pub repetitions: u32,
    /// Seed of the requests.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkloadOptions,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct TargetsArguments {
    /// Measure only the targets of the entry of this name or, if there is none, those whose name
    /// contains this text; `*` matches anything. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// List the targets without measuring them.
    #[arg(long)]
    pub list: bool,
    /// Size of the measurement: smoke (too small for conclusions), quick or standard.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// ABBA blocks per comparison, instead of the scale's number.
    #[arg(long)]
    pub blocks: Option<u32>,
    /// Repetitions of counters and yardsticks (at least 3), instead of the scale's number.
    #[arg(long)]
    pub repetitions: Option<u32>,
    /// Object memory of all targets, instead of their own; accepts KiB, MiB, GiB, TiB.
    #[arg(long, value_name = "BYTES")]
    pub object_memory: Option<String>,
    /// Operations per thread, instead of the scale's number.
    #[arg(long)]
    pub operations: Option<u64>,
    /// TOML file of targets, instead of the built-in targets.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Exit with code 5 if a target was missed.
    #[arg(long)]
    pub strict: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct CellArguments {
    /// Id of the cell, as `plan` prints it; a unique part is enough.
    pub id: String,
    /// Suite of the cell; by default all built-in suites are searched.
    #[arg(long)]
    pub suite: Option<String>,
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
}
