//! The command line of runs that several nodes share: shards, what runs them, and `merge`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use record::Shard;

/// Which part of a plan is measured, and by which nodes.
#[derive(Debug, Args)]
pub struct ClusterArguments {
    /// Measure only rounds K, K + N, K + 2 N … of the plan; `merge` puts the parts together. A round is one
    /// repetition of all cells, so what is compared with one another is measured on one node.
    #[arg(long, value_name = "K/N", conflicts_with = "resume")]
    pub shard: Option<Shard>,
    /// Have the shards measured on other machines, and merge them. Slurm's nodes must see this folder and
    /// this program; hosts of ssh are sent what they need. `--resume FOLDER/EXECUTOR/JOB` goes on.
    #[arg(long, value_name = "WHICH", conflicts_with_all = ["shard", "resume"])]
    pub executor: Option<Executor>,
    /// Nodes of Slurm that share the plan; at most as many as it has repetitions.
    #[arg(
        long,
        value_name = "COUNT",
        required_if_eq("executor", "slurm"),
        conflicts_with = "hosts",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub nodes: Option<u32>,
    /// Pass an option on to sbatch, as --sbatch=--partition=long; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "executor", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// File with the hosts of ssh, one a line, that share the plan: at most as many as it has repetitions.
    /// With --resume, hosts that go on instead of those of the beginning.
    #[arg(long, value_name = "FILE", required_if_eq("executor", "ssh"))]
    pub hosts: Option<PathBuf>,
    /// Pass an option on to ssh, as --ssh=-p --ssh=2222; may be repeated.
    #[arg(long, value_name = "OPTION", requires = "hosts", allow_hyphen_values = true)]
    pub ssh: Vec<String>,
    /// Merge the shards even if program or machine differ among nodes; the report then says so. Of hosts, do
    /// without those whose processor cannot run this program.
    #[arg(long, requires = "executor")]
    pub allow_mismatch: bool,
}

/// What runs the shards of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Executor {
    /// An array job of Slurm, a task for each shard.
    Slurm,
    /// The hosts of --hosts, each a shard at a time.
    Ssh,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Folders of the runs of all shards of one plan; merged runs may be among them.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Folder of the merged run, instead of one beside the first run that is named by start and suite.
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Merge even if suite, scale, plan, program or machine differ; the report then says so.
    #[arg(long)]
    pub allow_mismatch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
