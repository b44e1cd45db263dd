//! `run --executor slurm`: the shards of a plan as the tasks of an array job, followed until all are there,
//! then merged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use record::archive::{self, Standing, write_whole};
use serde::{Deserialize, Serialize};
use worker::exit;

use super::Failure;
use super::measure::progress_bar;
use super::sweep::{Swept, arguments_of, path_of, run_of};
use crate::cli::RunArguments;
use crate::runner::Interrupt;
use crate::slurm::{Job, SlurmError, State, Tasks, submit, tasks};
use crate::traces::Missing;

/// Beside the folders of shards: what was submitted, so that whoever followed it may be replaced.
const FILE: &str = "job.json";
const SCRIPT: &str = "job.sh";
/// How often Slurm is asked.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a controller may be away.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often a shard is submitted that gains no cell.
const TRIES: u32 = 3;

/// What is asked of Slurm, and the job that measures each shard now.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sweep {
    suite: String,
    of: u32,
    options: Vec<String>,
    allow_mismatch: bool,
    /// By shard.
    jobs: BTreeMap<u32, String>,
}

/// Submits the shards of a plan, then does as [`resume`].
pub(super) fn run(suite: &str, arguments: &RunArguments) -> Result<(), Failure> {
    let cluster = &arguments.cluster;
    let of = cluster.nodes.unwrap_or(1);
    let traces_from = (arguments.output.results.as_path(), Missing::Captured);
    let (planned, _, plan, _) = super::plan::prepare(suite, &arguments.choice, traces_from)?;
    super::run::check_rounds(of, &plan.cells)?;
    let stamp = archive::stamp();
    let folder = arguments.output.results.join("slurm").join(format!("{stamp}-{}", planned.name));
    let fail = |error: std::io::Error| Failure::internal(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(fail)?;
    let folder = fs::canonicalize(&folder).map_err(fail)?;
    let program = std::env::current_exe().map_err(fail)?;
    // Tasks run elsewhere, and see the same files.
    let words = arguments_of(&path_of(suite), arguments);
    let job =
        Job { name: &planned.name, folder: &folder, program: &program, arguments: &words, of };
    write_whole(&folder.join(SCRIPT), job.script().as_bytes()).map_err(fail)?;
    let sweep = Sweep {
        suite: planned.name,
        of,
        options: cluster.sbatch.clone(),
        allow_mismatch: cluster.allow_mismatch,
        jobs: BTreeMap::new(),
    };
    let mut following = Following::new(folder, sweep, false);
    if let Err(error) = following.submit(&Vec::from_iter(1..=of)) {
        // Nothing is left of what Slurm refused.
        let _ = fs::remove_dir_all(&following.folder);
        return Err(Failure::machine(error.to_string()));
    }
    following.end(arguments)
}

/// The sweep in `folder`, if one is there: follows it, submits again what ended early, merges.
pub(super) fn resume(folder: &Path, arguments: &RunArguments) -> Option<Result<(), Failure>> {
    let text = fs::read_to_string(folder.join(FILE)).ok()?;
    Some(
        serde_json::from_str(&text)
            .map_err(|error| Failure::usage(format!("{}/{FILE}: {error}", folder.display())))
            .and_then(|sweep| Following::new(folder.to_owned(), sweep, true).end(arguments)),
    )
}

/// A sweep that is followed.
struct Following {
    folder: PathBuf,
    sweep: Sweep,
    /// By shard: how often it was submitted without a cell more, and how many it had then.
    tries: BTreeMap<u32, (u32, usize)>,
    /// Whether somebody asks for what was cancelled before.
    is_resumed: bool,
    /// Time for submitting, asking and merging: what a cluster adds to measuring.
    coordination: Duration,
}

impl Following {
    fn new(folder: PathBuf, sweep: Sweep, is_resumed: bool) -> Self {
        let coordination = Duration::ZERO;
        Self { folder, sweep, tries: BTreeMap::new(), is_resumed, coordination }
    }

    /// Follows to the end, and merges.
    fn end(mut self, arguments: &RunArguments) -> Result<(), Failure> {
        let interrupt = Interrupt::register()
            .map_err(|error| Failure::internal(format!("registering for Ctrl-C: {error}")))?;
        let bar = progress_bar(0, arguments.output.quiet);
        eprintln!("{} shards, followed in {}", self.sweep.of, self.folder.display());
        let runs = self.follow(&interrupt, &bar);
        bar.finish_and_clear();
        let runs = runs?;
        let swept = Swept {
            folder: &self.folder,
            runs: &runs,
            allow_mismatch: self.sweep.allow_mismatch,
            coordination: (self.coordination, "submitting, asking Slurm, merging"),
        };
        swept.merge(arguments.json)
    }

    /// The runs of all shards, once all are whole.
    fn follow(
        &mut self,
        interrupt: &Interrupt,
        bar: &ProgressBar,
    ) -> Result<Vec<PathBuf>, Failure> {
        let mut heard = Instant::now();
        loop {
            let began = Instant::now();
            let jobs: BTreeSet<String> = self.sweep.jobs.values().cloned().collect();
            // Before the folders are read: what has ended by now has written all that it will.
            let tasks = tasks(&Vec::from_iter(jobs));
            let shards: Vec<(u32, Option<(PathBuf, Standing)>)> = (1..=self.sweep.of)
                .map(|shard| (shard, run_of(&self.folder, shard, self.sweep.of)))
                .collect();
            let left: Vec<(u32, usize)> = shards
                .iter()
                .filter(|(_, run)| !run.as_ref().is_some_and(|(_, run)| run.is_finished))
                .map(|(shard, run)| (*shard, run.as_ref().map_or(0, |(_, run)| run.cells)))
                .collect();
            if left.is_empty() {
                return Ok(shards.into_iter().filter_map(|(_, run)| Some(run?.0)).collect());
            }
            let looked = match tasks {
                Ok(tasks) => self.look(&tasks, &left),
                Err(error) => Err(error.into()),
            };
            self.coordination += began.elapsed();
            let standing = shards.iter().filter_map(|(_, run)| Some(&run.as_ref()?.1));
            let (there, planned) = standing
                .fold((0, 0), |(there, planned), run| (there + run.cells, planned + run.planned));
            bar.set_length(planned as u64);
            bar.set_position(there as u64);
            match looked {
                Ok(told) => {
                    heard = Instant::now();
                    bar.set_message(told);
                }
                Err(Trouble::Slurm(error)) if error.may_pass() && heard.elapsed() < PATIENCE => {
                    bar.set_message(error.to_string());
                }
                Err(Trouble::Slurm(error)) => return Err(Failure::machine(self.told(&error))),
                Err(Trouble::Shard(reason)) => return Err(Failure::machine(self.told(&reason))),
            }
            let paused = Instant::now();
            while paused.elapsed() < PAUSE {
                if interrupt.is_set() {
                    eprintln!("{}", self.told(&"not followed any more; the job goes on"));
                    return Err(Failure::silent(exit::INTERRUPTED));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// What tasks do, in words; submits again what ended before its shard was whole.
    fn look(&mut self, tasks: &Tasks, left: &[(u32, usize)]) -> Result<String, Trouble> {
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        let mut ended = Vec::new();
        for &(shard, cells) in left {
            let job = self.sweep.jobs.get(&shard).cloned().unwrap_or_default();
            match tasks.get(&(job, shard)) {
                Some(State::Runs(_)) => *told.entry("running".to_owned()).or_default() += 1,
                Some(State::Waits(why)) => {
                    *told.entry(format!("waiting ({why})")).or_default() += 1;
                }
                Some(State::Cancelled) if !self.is_resumed => {
                    return Err(Trouble::Shard(format!("shard {shard} was cancelled")));
                }
                Some(State::Cancelled | State::Ended) | None => ended.push((shard, cells)),
            }
        }
        if !ended.is_empty() {
            for &(shard, cells) in &ended {
                self.check_tries(shard, cells)?;
            }
            let shards: Vec<u32> = ended.iter().map(|(shard, _)| *shard).collect();
            self.submit(&shards)?;
            for (shard, cells) in ended {
                let tries = self.tries.entry(shard).or_default();
                *tries = (if cells > tries.1 { 1 } else { tries.0 + 1 }, cells);
            }
            *told.entry("submitted again".to_owned()).or_default() += shards.len();
        }
        self.is_resumed = false;
        let told: Vec<String> =
            told.iter().map(|(what, count)| format!("{count} {what}")).collect();
        Ok(told.join(", "))
    }

    /// Whether another try of a shard that has so many cells is of use.
    fn check_tries(&self, shard: u32, cells: usize) -> Result<(), Trouble> {
        let (tries, before) = self.tries.get(&shard).copied().unwrap_or_default();
        if tries < TRIES || cells > before {
            return Ok(());
        }
        let log = self.folder.join(format!("{shard}.log"));
        let text = fs::read_to_string(&log).unwrap_or_default();
        let words: Vec<&str> = text.lines().rev().take(3).collect();
        let words: Vec<&str> = words.into_iter().rev().collect();
        Err(Trouble::Shard(format!(
            "shard {shard} was submitted again {TRIES} times without a further cell; {} ends: {}",
            log.display(),
            words.join(" / ")
        )))
    }

    /// Submits shards, and remembers the job.
    fn submit(&mut self, shards: &[u32]) -> Result<(), SlurmError> {
        let id = submit(&self.folder.join(SCRIPT), shards, &self.sweep.options)?;
        self.sweep.jobs.extend(shards.iter().map(|shard| (*shard, id.clone())));
        let text = serde_json::to_string_pretty(&self.sweep).expect("plain data") + "\n";
        let path = self.folder.join(FILE);
        write_whole(&path, text.as_bytes()).map_err(|error| SlurmError::Refused {
            program: "sbatch",
            words: format!("job {id} was submitted, but {}: {error}", path.display()),
        })
    }

    /// Something said of the sweep, with the command that goes on.
    fn told(&self, said: &dyn std::fmt::Display) -> String {
        let folder = self.folder.display();
        let jobs: BTreeSet<&str> = self.sweep.jobs.values().map(String::as_str).collect();
        let jobs = Vec::from_iter(jobs);
        format!(
            "{said}: `nibble-bench run --resume {folder}` follows it, `scancel {}` ends it",
            jobs.join(" ")
        )
    }
}

/// Why following ends early.
enum Trouble {
    Slurm(SlurmError),
    Shard(String),
}

impl From<SlurmError> for Trouble {
    fn from(error: SlurmError) -> Self {
        Self::Slurm(error)
    }
}
