//! The command line of `nibble-bench trace`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What is done with traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Record what a real program asks.
    #[command(subcommand)]
    Capture(CaptureCommand),
    /// Turn a trace in a public format into one of ours.
    Convert(ConvertArguments),
    /// Print what a trace is made of, and draw it.
    Stat(StatArguments),
    /// Read traces from end to end and say whether they are whole (exit code 1 if not).
    Verify {
        /// The traces.
        #[arg(required = true)]
        traces: Vec<PathBuf>,
    },
    /// Keep the complete blocks of a trace whose recorder was killed.
    Repair {
        /// The trace.
        trace: PathBuf,
        /// The repaired one.
        #[arg(long, short)]
        output: PathBuf,
    },
    /// Print the operations or events of a trace as text.
    Show {
        /// The trace.
        trace: PathBuf,
        /// Leave out this many first.
        #[arg(long, default_value_t = 0)]
        skip: u64,
        /// Print at most this many.
        #[arg(long, default_value_t = 100)]
        take: u64,
    },
}

/// What can be recorded.
#[derive(Debug, Subcommand)]
pub enum CaptureCommand {
    /// The PostMark benchmark on a file system of ours that maps files to key-value operations, as TableFS
    /// does. Without FUSE its published algorithm runs as a generator, and the output says so.
    Postmark(PostmarkArguments),
    /// What a program asks of its allocator: malloc, free, realloc, aligned allocation, of all threads.
    Malloc(MallocArguments),
}

/// What `trace capture postmark` takes; what is left out keeps the paper's proportions.
#[derive(Debug, Args)]
pub struct PostmarkArguments {
    /// The trace; by default it is named by its parameters, below `results/traces/`.
    #[arg(long, short)]
    pub output: Option<PathBuf>,
    /// Files (the paper: 2000000).
    #[arg(long, default_value_t = 5_000)]
    pub files: u64,
    /// Transactions; by default 16 for each file.
    #[arg(long)]
    pub transactions: Option<u64>,
    /// Subdirectories; by default one for 200 files.
    #[arg(long)]
    pub subdirectories: Option<u64>,
    /// Bytes of the smallest file.
    #[arg(long, default_value_t = 500)]
    pub size_min: u32,
    /// Bytes of the largest file.
    #[arg(long, default_value_t = 4096)]
    pub size_max: u32,
    /// PostMark's seed.
    #[arg(long, default_value_t = 42)]
    pub seed: u32,
    /// Use the generator, even where FUSE is there.
    #[arg(long)]
    pub generated: bool,
}

/// What `trace capture malloc` takes.
#[derive(Debug, Args)]
pub struct MallocArguments {
    /// The trace.
    #[arg(long, short)]
    pub output: PathBuf,
    /// Of several processes that the program starts, the one whose program has this name; by default the
    /// one with the most events.
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
    /// The program and its arguments.
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// What `trace convert` takes.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The trace in a public format.
    pub input: PathBuf,
    /// The trace of ours.
    #[arg(long, short)]
    pub output: PathBuf,
    /// The public format; by default guessed from the name and the first bytes. `trace convert --format
    /// help` lists them.
    #[arg(long)]
    pub format: Option<String>,
    /// Multiply sizes by this.
    #[arg(long, default_value_t = 1.0)]
    pub size_factor: f64,
    /// Make larger values this large.
    #[arg(long, value_name = "BYTES")]
    pub size_max: Option<u32>,
    /// Make smaller values this large.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub size_min: u32,
    /// Keep the operations of one key in so many, chosen by hash.
    #[arg(long, value_name = "N", conflicts_with = "copies")]
    pub sample: Option<u64>,
    /// Make so many of every operation, each with a key of its own.
    #[arg(long, value_name = "N")]
    pub copies: Option<u32>,
    /// So many times as fast.
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// Leave out this many operations first.
    #[arg(long, default_value_t = 0)]
    pub skip: u64,
    /// Keep at most this many.
    #[arg(long)]
    pub take: Option<u64>,
}

/// What `trace stat` takes.
#[derive(Debug, Args)]
pub struct StatArguments {
    /// The traces.
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Draw accesses per object, kinds over time, live bytes, sizes and reuse distances into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub plots: Option<PathBuf>,
}
