//! `run --executor ssh`: the shards of a plan on a list of hosts, followed until all are fetched, then merged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use builds::About;
use record::MachineRecord;
use record::archive::{self, write_whole};
use record::identity::Provenance;
use serde::{Deserialize, Serialize};
use worker::exit;

use super::Failure;
use super::sweep::{Swept, arguments_of, path_of, run_of};
use crate::cli::RunArguments;
use crate::runner::Interrupt;
use crate::ssh::{Host, Needs, SshError, read_hosts};
use crate::traces::Missing;

mod following;

use following::Following;

/// Beside the folders of shards: what is measured where, so that whoever followed it may be replaced.
const FILE: &str = "hosts.json";

/// What is measured, and by which hosts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sweep {
    suite: String,
    of: u32,
    /// Cells of the whole plan.
    cells: usize,
    /// The arguments of `run` on each host.
    arguments: Vec<String>,
    /// The suite's file in the sweep's folder, unless it is built in.
    file: Option<String>,
    /// Traces that the plan replays, from the folder of results.
    traces: Vec<PathBuf>,
    hosts: Vec<String>,
    options: Vec<String>,
    allow_mismatch: bool,
    /// By shard: the host that has rows of it.
    begun: BTreeMap<u32, String>,
}

/// Has the shards of a plan measured by the hosts of a file, one for each.
pub(super) fn run(suite: &str, hosts: &Path, arguments: &RunArguments) -> Result<(), Failure> {
    let cluster = &arguments.cluster;
    let hosts = read_hosts(hosts).map_err(|error| Failure::usage(error.to_string()))?;
    let of = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    let results = arguments.output.results.as_path();
    let (planned, _, plan, traces) =
        super::plan::prepare(suite, &arguments.choice, (results, Missing::Captured))?;
    super::run::check_rounds(of, &plan.cells)?;
    let stamp = archive::stamp();
    let folder = results.join("ssh").join(format!("{stamp}-{}", planned.name));
    let fail = |error: std::io::Error| Failure::internal(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(fail)?;
    let path = path_of(suite);
    let file = match crate::suites::built_in(suite) {
        Some(_) => None,
        None => Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()),
    };
    if let Some(file) = &file {
        fs::copy(&path, folder.join(file)).map_err(fail)?;
    }
    let there = file.as_ref().map_or(suite.to_owned(), |file| format!("./{file}"));
    let below = |path: &Path| path.strip_prefix(results).unwrap_or(path).to_owned();
    let sweep = Sweep {
        suite: planned.name,
        of,
        cells: plan.cells.len(),
        arguments: arguments_of(&there, arguments),
        file,
        traces: traces.files().map(|trace| below(&trace.path)).collect(),
        hosts,
        options: cluster.ssh.clone(),
        allow_mismatch: cluster.allow_mismatch,
        begun: BTreeMap::new(),
    };
    let ended = measure(&folder, sweep, arguments);
    // Nothing is left of what no host has begun.
    if ended.is_err() && !folder.join(FILE).exists() {
        let _ = fs::remove_dir_all(&folder);
        let _ = fs::remove_dir(results.join("ssh"));
    }
    ended
}

/// The sweep in `folder`, if one is there: goes on with what its hosts lack.
pub(super) fn resume(folder: &Path, arguments: &RunArguments) -> Option<Result<(), Failure>> {
    let text = fs::read_to_string(folder.join(FILE)).ok()?;
    let sweep = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}/{FILE}: {error}", folder.display())));
    Some(sweep.and_then(|mut sweep: Sweep| {
        let cluster = &arguments.cluster;
        if let Some(hosts) = &cluster.hosts {
            sweep.hosts = read_hosts(hosts).map_err(|error| Failure::usage(error.to_string()))?;
            sweep.options.clone_from(&cluster.ssh);
        }
        sweep.allow_mismatch |= cluster.allow_mismatch;
        measure(folder, sweep, arguments)
    }))
}

/// Measures what is not there yet, and merges.
fn measure(folder: &Path, sweep: Sweep, arguments: &RunArguments) -> Result<(), Failure> {
    let interrupt = Interrupt::register()
        .map_err(|error| Failure::internal(format!("registering for Ctrl-C: {error}")))?;
    let (of, allow_mismatch) = (sweep.of, sweep.allow_mismatch);
    let following = Following::new(folder, sweep.clone(), &interrupt);
    let began = Instant::now();
    // What is there needs no host, only to be merged.
    let (hosts, waited) = match following.left().is_empty() {
        true => (Vec::new(), Duration::ZERO),
        false => ready(folder, &sweep)?,
    };
    let mut coordination = began.elapsed();
    eprintln!("{of} shards on {} host(s), followed in {}", hosts.len(), folder.display());
    let left = following.follow(&hosts, arguments.output.quiet);
    coordination += following.fetching();
    let goes_on = format!("`nibble-bench run --resume {}` goes on", folder.display());
    if interrupt.is_set() {
        eprintln!("stopped; {goes_on}");
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    if !left.is_empty() {
        let shards: Vec<String> = left.iter().map(|shard| format!("{shard}/{of}")).collect();
        let why = following.fault().unwrap_or_else(|| "no host is left".to_owned());
        return Err(Failure::machine(format!(
            "missing: shard {}: {why}; {goes_on}",
            shards.join(", ")
        )));
    }
    let runs: Vec<PathBuf> =
        (1..=of).filter_map(|shard| Some(run_of(folder, shard, of)?.0)).collect();
    if waited > Duration::ZERO {
        let seconds = waited.as_secs_f64();
        eprintln!(
            "of the coordination, {seconds:.1} s passed until hosts that are left out were noticed"
        );
    }
    let what = "copying, waiting for hosts that are left out, fetching, merging";
    let swept = Swept { folder, runs: &runs, allow_mismatch, coordination: (coordination, what) };
    std::thread::scope(|scope| {
        // A host that was lost takes its time to say so, and merging does not wait for that.
        for host in &hosts {
            scope.spawn(|| {
                if let Err(error) = host.remove() {
                    eprintln!("left there: {}: {error}", host.place());
                }
            });
        }
        swept.merge(arguments.json)
    })
}

/// The hosts that can be reached and run this program, which is copied to them; and how long it was waited
/// for others, once these were ready. All others are said at once.
fn ready(folder: &Path, sweep: &Sweep) -> Result<(Vec<Host>, Duration), Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let hosts = sweep.hosts.iter().map(|host| Host::new(host, &sweep.options, &name));
    let needs = Needs::of_this_program();
    let refused = |error: &SshError| match error {
        SshError::Missing => Some(Failure::machine(error.to_string())),
        SshError::Lacks { .. } if !sweep.allow_mismatch => {
            Some(Failure::machine(error.to_string()))
        }
        _ => None,
    };
    let program = std::env::current_exe()
        .map_err(|error| Failure::internal(format!("finding this program: {error}")))?;
    let results = folder.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    // A host is sent all while another one does not even answer yet.
    let install = |host: &Host| {
        needs.met_by(host)?;
        if let Some(file) = &sweep.file {
            host.send(&folder.join(file), Path::new(file))?;
        }
        for trace in &sweep.traces {
            host.send(&results.join(trace), trace)?;
        }
        host.install(&program)
    };
    let (ready, waited) = each(hosts.collect(), install, refused)?;
    if let Some(error) = unlike(&ready).filter(|_| !sweep.allow_mismatch) {
        leave(ready.iter().map(|(host, _)| host));
        return Err(Failure::usage(error.to_string()));
    }
    Ok((ready.into_iter().map(|(host, _)| host).collect(), waited))
}

/// Removes what was copied to hosts on which nothing is measured.
fn leave<'a>(hosts: impl Iterator<Item = &'a Host>) {
    for host in hosts {
        // What begins nothing leaves nothing; that the sweep is refused matters more.
        let _ = host.remove();
    }
}

/// What each host answers, all asked at the same time, and how long it was waited for others once these had
/// answered. Those that do not answer are said at once, and left out.
fn each<T: Send>(
    hosts: Vec<Host>,
    ask: impl Fn(&Host) -> Result<T, SshError> + Sync,
    refused: impl Fn(&SshError) -> Option<Failure> + Sync,
) -> Result<(Vec<(Host, T)>, Duration), Failure> {
    let (ask, refused) = (&ask, &refused);
    let ask_and_say = |host: &Host| {
        let answer = ask(host);
        if let Some(error) = answer.as_ref().err().filter(|error| refused(error).is_none()) {
            eprintln!("left out: {error}");
        }
        (answer, Instant::now())
    };
    let answers: Vec<(Result<T, SshError>, Instant)> = std::thread::scope(|scope| {
        let asked: Vec<_> = hosts.iter().map(|host| scope.spawn(|| ask_and_say(host))).collect();
        asked.into_iter().map(|one| one.join().expect("a host's thread")).collect()
    });
    let is_ready = |answer: &&(Result<T, SshError>, Instant)| answer.0.is_ok();
    if let Some(failure) =
        answers.iter().filter_map(|(answer, _)| refused(answer.as_ref().err()?)).next()
    {
        let answered = hosts.iter().zip(&answers).filter(|(_, answer)| is_ready(answer));
        leave(answered.map(|(host, _)| host));
        return Err(failure);
    }
    let last_ready = answers.iter().filter(is_ready).map(|(_, at)| *at).max();
    let last = answers.iter().map(|(_, at)| *at).max();
    let waited = last_ready.zip(last).map_or(Duration::ZERO, |(ready, last)| last - ready);
    let ready: Vec<(Host, T)> = hosts
        .into_iter()
        .zip(answers)
        .filter_map(|(host, (answer, _))| Some((host, answer.ok()?)))
        .collect();
    match ready.is_empty() {
        true => Err(Failure::machine("no host can be used: nothing was measured")),
        false => Ok((ready, waited)),
    }
}

/// The first two hosts on which rows would not belong together.
fn unlike(hosts: &[(Host, About)]) -> Option<SshError> {
    let provenance = |about: &About| {
        Provenance::of(&MachineRecord { facts: about.facts.clone() }, &[], |_| None)
    };
    let (first, others) = hosts.split_first()?;
    others.iter().find_map(|other| {
        let differences = provenance(&first.1).differences(&provenance(&other.1));
        let hosts = [first.0.name.clone(), other.0.name.clone()];
        let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
        (!differences.is_empty()).then_some(SshError::Unlike { hosts, differences })
    })
}

/// Writes what is measured where.
fn remember(folder: &Path, sweep: &Sweep) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(sweep).expect("plain data") + "\n";
    write_whole(&folder.join(FILE), text.as_bytes())
}
