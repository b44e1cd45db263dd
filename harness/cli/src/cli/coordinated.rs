//! The command line of coordinated clients: `cluster run`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clients::{Event, Target};

use super::{Executor, OutputArguments};

#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Drive one server or a cluster of servers with several clients and one schedule.
    ///
    /// Each client is a process: here, on hosts that ssh reaches, or a task of Slurm. All load their part
    /// of the records, begin at one moment, follow one open loop, and verify at the end what others wrote.
    /// What was measured goes into a folder below `results/cluster/`.
    Run(Box<ClusterRunArguments>),
    /// Be a client: read what to do from standard input, and answer on standard output.
    #[command(hide = true)]
    Client,
}

#[derive(Debug, Args)]
pub struct ClusterRunArguments {
    /// Name of a built-in suite, or path of a TOML file, with one [[key-value]] table of one combination:
    /// its mix, key distribution and value sizes. Its stores are left out: the target is measured.
    pub suite: String,
    /// The servers: valkey-cluster://HOST:PORT for a cluster, by any of its servers, or redis://HOST:PORT
    /// for a single one.
    #[arg(long, value_name = "URL")]
    pub target: Target,
    /// Client processes.
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub clients: u32,
    /// Connections of each client instead of the suite's threads, one request under way on each.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub connections: Option<u32>,
    /// Requests a second of all clients together, instead of the suite's; sent whether answered or not.
    #[arg(long, value_name = "OPS-PER-S")]
    pub rate: Option<f64>,
    /// How long requests are due.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub duration: String,
    /// Length of the intervals in which throughput, errors and latency are told.
    #[arg(long, value_name = "TIME", default_value = "200ms")]
    pub interval: String,
    /// Records, instead of as many as fill the suite's object memory.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    pub records: Option<u64>,
    /// Size of the suite's object memory: smoke, quick, standard or paper.
    #[arg(long, default_value = "smoke")]
    pub scale: String,
    /// The longest wait for a connection or an answer.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub timeout: String,
    /// Count a write as acknowledged once so many replicas have it (WAIT). Then its loss is wrong.
    #[arg(long, value_name = "REPLICAS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub wait: u32,
    /// What happens to the servers, and when: TIME:kill=NODE, TIME:migrate=SLOTS:NODE:NODE or
    /// TIME:command=COMMAND; may be repeated. NODE is HOST:PORT, a shard's number, or `largest`.
    #[arg(long = "event", value_name = "EVENT")]
    pub events: Vec<Event>,
    /// Also keep each latency, as text: `samples/CLIENT.txt`, nanoseconds.
    #[arg(long)]
    pub keep_samples: bool,
    /// Measure servers that have keys already.
    #[arg(long)]
    pub allow_keys: bool,
    /// Where clients run, instead of here: tasks of Slurm, or the hosts of --hosts by ssh.
    #[arg(long, value_name = "WHICH")]
    pub executor: Option<Executor>,
    /// File with hosts of ssh, one a line; clients are dealt to them in turn.
    #[arg(long, value_name = "FILE", required_if_eq("executor", "ssh"))]
    pub hosts: Option<PathBuf>,
    /// Pass an option on to ssh, as --ssh=-p --ssh=2222; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "hosts", allow_hyphen_values = true)]
    pub ssh: Vec<String>,
    /// Pass an option on to srun, as --srun=--partition=long; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "executor", allow_hyphen_values = true)]
    pub srun: Vec<String>,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
