//! Options of `choose` and of `flame`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::OutputArguments;

#[derive(Debug, Args)]
pub struct ChooseArguments {
    /// Bytes of a value: 1KiB, or 100..2000 where every size between is as likely.
    #[arg(long, value_name = "BYTES", default_value = "1KiB")]
    pub value_bytes: String,
    /// Percentage of GETs; the rest overwrite values.
    #[arg(long, value_name = "PERCENT", default_value = "50", allow_hyphen_values = true)]
    pub get: String,
    /// Key distribution: uniform, zipfian, zipfian:1.2, ycsb-scrambled, latest, hotspot:0.2:0.8.
    #[arg(long, value_name = "KEYS", default_value = "uniform")]
    pub skew: String,
    /// Threads that send requests; by default as many as the run's machine has cores.
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<String>,
    /// Value bytes to be held; accepts KiB, MiB, GiB, TiB.
    #[arg(long, value_name = "BYTES")]
    pub live: Option<String>,
    /// Memory that the process may hold for them.
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<String>,
    /// Highest 99.9th percentile of latency: 50us, 1ms.
    #[arg(long, value_name = "TIME")]
    pub p999: Option<String>,
    /// Choose from these stores only: `NAME[:HEAP]`, with all settings that were measured, or one with its
    /// `@SETTING=VALUE`. May be repeated.
    #[arg(long = "store", value_name = "STORE")]
    pub stores: Vec<String>,
    /// Folder of the run that is read.
    #[arg(long, default_value = "results/reference", value_name = "FOLDER")]
    pub run: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Measure what the run lacks (these sizes, this mix, these keys, fills that meet the budget) into a new
    /// folder, and answer from that.
    #[arg(long)]
    pub measure: bool,
    /// With --measure: list the cells, measure nothing.
    #[arg(long, requires = "measure")]
    pub dry_run: bool,
    /// With --measure: size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// How stacks are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sampling {
    /// `perf record`, from outside the process.
    Perf,
    /// A timer within the process, where perf is missing or forbidden.
    Timer,
}

#[derive(Debug, Args)]
pub struct FlameArguments {
    /// Id of the cell, as `plan` prints it; a unique part is enough.
    pub id: String,
    /// Folder of a run that has the cell; the flamegraph is kept there, and its report links it.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["suite", "scale"])]
    pub run: Option<PathBuf>,
    /// Suite of the cell; by default all built-in suites are searched.
    #[arg(long)]
    pub suite: Option<String>,
    /// Size of the measurement: smoke, quick, standard or paper.
    #[arg(long, default_value = "quick")]
    pub scale: String,
    /// File to write; by default `flames/` in the run's folder, without one in the current folder.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How stacks are sampled; by default with perf where it works, else by a timer.
    #[arg(long, value_name = "HOW")]
    pub with: Option<Sampling>,
    /// Print what was made as JSON.
    #[arg(long)]
    pub json: bool,
}
