//! The command line of commands that read what is there: `list`, `latency`, `agree`, `claims`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValue;

#[derive(Debug, Args)]
pub struct ListArguments {
    /// The list to print; by default all of them.
    #[arg(value_parser = lists())]
    pub what: Option<String>,
    /// With `engines`: a table of what each engine supports.
    #[arg(long)]
    pub traits: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct LatencyArguments {
    /// Folder of the run.
    pub run: PathBuf,
    /// Take only cells whose id contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AgreeArguments {
    /// Folder of a run.
    pub run: PathBuf,
    /// Folder of another run.
    pub other: PathBuf,
    /// Compare verdicts on the published claims instead of cells.
    #[arg(long)]
    pub claims: bool,
    /// Percentage of cells, or of verdicts, that must agree; with fewer the exit code is 1.
    #[arg(
        long,
        alias = "least",
        value_name = "PERCENT",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(0..=100)
    )]
    pub at_least: u32,
    /// Compare even if program or machine differ.
    #[arg(long)]
    pub allow_mismatch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ClaimsArguments {
    /// Ids of claims; by default all of them.
    #[arg(value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// List what each claim asks: its sentence, bounds, cells, presets and machines. Needs no run.
    #[arg(long, required_unless_present = "run")]
    pub list: bool,
    /// Check the claims on the run in this folder; measures and writes nothing.
    #[arg(long, value_name = "FOLDER", conflicts_with = "list")]
    pub run: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The names that `list` accepts. `stores` is another name for `engines`.
fn lists() -> [PossibleValue; 8] {
    let all =
        ["heaps", "engines", "settings", "suites", "figures", "scales", "patterns", "workloads"];
    all.map(|name| {
        let value = PossibleValue::new(name);
        if name == "engines" { value.alias("stores") } else { value }
    })
}
