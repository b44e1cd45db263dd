//! The command line of comparisons: `compare`, `gate`, `history`, `import`, `power`.

use std::path::PathBuf;

use clap::Args;

use super::{OutputArguments, WorkArguments};

/// What every comparison takes.
#[derive(Clone, Debug, Args)]
pub struct JudgingArguments {
    /// The smallest change that matters, by metric, as `throughput=5%`; `p99=off` leaves a metric
    /// out. May be given again.
    #[arg(long = "tolerance", value_name = "METRIC=PERCENT")]
    pub tolerances: Vec<String>,
    /// Compare what is unlike all the same: other suites, scales, machines, builds, stores of other
    /// conditions. The result is marked.
    #[arg(long)]
    pub unlike: bool,
    /// Seed of the requests, of the order within blocks and of the intervals.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Count instructions, too: single-threaded, under callgrind, of generic builds. Shown beside
    /// time, never judged instead of it.
    #[arg(long)]
    pub instructions: bool,
    /// Write the result as Markdown, for a comment on a pull request.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the result as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the result as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// The history that what was measured is appended to; `RESULTS/history.jsonl` by default.
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
}

/// What `compare` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A AND B ARE\n    \
    stores            NAME[:HEAP][@SETTING=VALUE]…, as `nibble` `heapstore:jemalloc`\n    \
    settings          @SETTING=VALUE…, added to the suite's own stores; @ alone adds none\n    \
    builds            paths of two `nibble-bench` programs\n    \
    revisions         of this repository, built in worktrees: `HEAD~1` `main`\n    \
    runs              folders of two runs\n    \
    files             lines of a history (.jsonl), or results of hyperfine, YCSB, memtier, criterion (a folder, or\n    \
    \x20                 FOLDER#NAME for what was saved with --save-baseline NAME)\n\n\
Where a name could be several of these: store:, build:, rev:, run:, file:, as in rev:nibble.\n\
Stores, settings, builds and revisions are measured now, in blocks of fresh processes in mirrored order, A\n\
measured twice as the control. Runs and files were measured each at its own time.")]
pub struct CompareArguments {
    /// What B is compared with.
    #[arg(value_name = "A", allow_hyphen_values = true)]
    pub a: String,
    /// What is judged.
    #[arg(value_name = "B", allow_hyphen_values = true)]
    pub b: String,
    /// The suite whose cells are measured, a name or a file; by default `gate`, and of two stores the
    /// workload that the options describe.
    #[arg(long)]
    pub suite: Option<String>,
    /// How large the suite's cells are: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Only cells of the suite whose id contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Blocks of each cell: six processes each. More make the intervals narrower.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub blocks: u32,
    /// As many blocks as fit into this time, as 90s or 8m, instead of a number.
    #[arg(long, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<String>,
    /// How it is judged and told.
    #[command(flatten)]
    pub judging: JudgingArguments,
    /// What is asked of two stores.
    #[command(flatten)]
    pub work: WorkArguments,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What `gate` takes.
#[derive(Debug, Args)]
pub struct GateArguments {
    /// What this program is compared with: a revision of this repository, which is built and
    /// measured beside it, or a file of lines that an earlier gate wrote. A file that does not
    /// exist is created.
    #[arg(long, value_name = "REVISION|FILE")]
    pub baseline: String,
    /// The suite, a name or a file.
    #[arg(long, default_value = "gate")]
    pub suite: String,
    /// How large its cells are.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Time for measuring, as 90s or 8m; building a revision is not part of it. Three tenths are kept
    /// for a second look at suspicious cells.
    #[arg(long, default_value = "8m", value_name = "TIME")]
    pub budget: String,
    /// Write what was measured into the baseline file though it changed: the change is meant.
    #[arg(long)]
    pub accept: bool,
    /// How it is judged and told.
    #[command(flatten)]
    pub judging: JudgingArguments,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What `history` takes.
#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// The file of lines.
    #[arg(default_value = "results/history.jsonl")]
    pub file: PathBuf,
    /// Which metric.
    #[arg(long, default_value = "throughput")]
    pub metric: String,
    /// Only cells whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub cell: Option<String>,
    /// Draw it into this folder: SVG, PDF and PNG. Needs gnuplot.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
}

/// What `import` takes.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// A result of hyperfine (JSON), YCSB (text), memtier (JSON), or a folder of criterion (`FOLDER#NAME` for
    /// a saved baseline).
    pub file: PathBuf,
    /// The file of lines to write; standard output by default.
    #[arg(long, short)]
    pub output: Option<PathBuf>,
}

/// What `power` takes.
#[derive(Debug, Args)]
pub struct PowerArguments {
    /// Rounds to record: in each, every cell is a block of every side.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(6..=10_000))]
    pub rounds: u32,
    /// Comparisons that are drawn from them.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub trials: u32,
    /// Blocks of the first look of each.
    #[arg(long, default_value_t = 72, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub blocks: u32,
    /// Fresh blocks of the second look at suspicious cells.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub second_look: u32,
    /// How large its cells are.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// Only cells of the suite whose id contains this text; too few to judge the tester by.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Comparisons under a growing load, in each of the two orders; 0 for none.
    #[arg(long, default_value_t = 5)]
    pub drifts: u32,
    /// Draw again from what this folder of an earlier run of `power` recorded.
    #[arg(long, value_name = "FOLDER")]
    pub recorded: Option<PathBuf>,
    /// Seed of everything.
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}
