//! The command line of `nibble-bench trace`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Record the requests or allocations of a real program.
    #[command(subcommand)]
    Capture(CaptureCommand),
    /// Convert a trace from a public format.
    Convert(ConvertArguments),
    /// Print statistics of a trace, and draw them.
    Stat(StatArguments),
    /// Read traces from start to end and check them (exit code 1 if one is damaged).
    Verify {
        /// Traces to check.
        #[arg(required = true)]
        traces: Vec<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Save the complete blocks of a trace whose recorder was killed.
    Repair {
        /// Trace to repair.
        trace: PathBuf,
        /// Repaired trace to write.
        #[arg(long, short)]
        output: PathBuf,
    },
    /// Print the operations or events of a trace as text.
    Show {
        /// Trace to print.
        trace: PathBuf,
        /// Skip this many at the start.
        #[arg(long, default_value_t = 0)]
        skip: u64,
        /// Print at most this many.
        #[arg(long, default_value_t = 100)]
        take: u64,
    },
}

/// What a converted trace keeps of keys that are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeysKept {
    /// Hashes and lengths.
    Numbers,
    /// The texts too.
    Texts,
}

#[derive(Debug, Subcommand)]
pub enum CaptureCommand {
    /// Record the PostMark benchmark on a file system that maps files to key-value operations, as TableFS
    /// does. Without FUSE a generator runs PostMark's published algorithm; the output says which.
    Postmark(PostmarkArguments),
    /// Record the allocator calls of a program, on all threads: malloc, free, realloc, aligned allocation.
    Malloc(MallocArguments),
}

/// Defaults keep the proportions of the paper.
#[derive(Debug, Args)]
pub struct PostmarkArguments {
    /// Trace to write; by default a file below `results/traces/`, named after the parameters.
    #[arg(long, short)]
    pub output: Option<PathBuf>,
    /// Number of files (the paper: 2000000).
    #[arg(long, default_value_t = 5_000)]
    pub files: u64,
    /// Number of transactions; by default 16 per file.
    #[arg(long)]
    pub transactions: Option<u64>,
    /// Number of subdirectories; by default one per 200 files.
    #[arg(long)]
    pub subdirectories: Option<u64>,
    /// Bytes of the smallest file.
    #[arg(long, default_value_t = 500, value_parser = size)]
    pub size_min: u32,
    /// Bytes of the largest file.
    #[arg(long, default_value_t = 4096, value_parser = size)]
    pub size_max: u32,
    /// Seed of PostMark.
    #[arg(long, default_value_t = 42)]
    pub seed: u32,
    /// Use the generator even if FUSE is available.
    #[arg(long)]
    pub generated: bool,
}

#[derive(Debug, Args)]
pub struct MallocArguments {
    /// Trace to write.
    #[arg(long, short)]
    pub output: PathBuf,
    /// Process to keep, by the name of its program, if there are several; by default the one with the
    /// most events.
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
    /// Program to run, and its arguments.
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// Trace in a public format.
    pub input: PathBuf,
    /// Trace to write.
    #[arg(long, short)]
    pub output: PathBuf,
    /// Format of the input; by default guessed from its name and first bytes. `--format help` lists all
    /// formats.
    #[arg(long)]
    pub format: Option<String>,
    /// What to keep of keys that are texts: texts, or numbers, which are their hashes; by default texts
    /// where the format has any and keys are not copied. Stores of byte strings are asked with the texts.
    #[arg(long, value_name = "KIND")]
    pub keys: Option<KeysKept>,
    /// Multiply value sizes by this.
    #[arg(long, default_value_t = 1.0)]
    pub size_factor: f64,
    /// Shrink larger values to this size.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub size_max: Option<u32>,
    /// Grow smaller values to this size.
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = size)]
    pub size_min: u32,
    /// Keep the operations of one key in N, chosen by hash.
    #[arg(long, value_name = "N", conflicts_with = "copies")]
    pub sample: Option<u64>,
    /// Repeat every operation N times, each with its own key.
    #[arg(long, value_name = "N")]
    pub copies: Option<u32>,
    /// Speed up the times by this factor.
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// Skip this many operations at the start.
    #[arg(long, default_value_t = 0)]
    pub skip: u64,
    /// Keep at most this many operations.
    #[arg(long)]
    pub take: Option<u64>,
}

#[derive(Debug, Args)]
pub struct StatArguments {
    /// Traces to describe.
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Also draw accesses per object, kinds over time, live bytes, sizes and reuse distances into this
    /// folder.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
}

/// Parses the size of a file or value: `500`, `4KiB`.
fn size(text: &str) -> Result<u32, String> {
    let bytes = workloads::bytes::parse_bytes(text).map_err(|error| error.to_string())?;
    let most = u32::MAX;
    u32::try_from(bytes).map_err(|_| format!("must be {most} bytes at most; the nearest is {most}"))
}
