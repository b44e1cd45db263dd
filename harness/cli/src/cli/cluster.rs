//! The command line of runs that several nodes share: shards, what runs them, and `merge`.

use std::path::PathBuf;

use clap::Args;
use record::Shard;

/// Which part of a plan is measured, and by which nodes.
#[derive(Debug, Args)]
pub struct ClusterArguments {
    /// Measure only rounds K, K + N, K + 2 N … of the plan; `merge` puts the parts together. A round is one
    /// repetition of all cells, so what is compared with one another is measured on one node.
    #[arg(long, value_name = "K/N", conflicts_with = "resume")]
    pub shard: Option<Shard>,
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
