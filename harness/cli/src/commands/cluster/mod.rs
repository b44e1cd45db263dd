//! `cluster run`: one server or a cluster under coordinated clients. `cluster client`: one of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clients::{Job, Measured, Outcome, Servers};
use record::archive::{self, write_whole};
use worker::exit;

use super::{Failure, output, time};
use crate::cli::{ClusterCommand, ClusterRunArguments};

mod asked;
mod figure;
mod launch;
mod print;

use asked::Asked;

pub(super) fn run(command: &ClusterCommand) -> Result<(), Failure> {
    match command {
        ClusterCommand::Run(arguments) => measure(arguments),
        ClusterCommand::Client => {
            let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
            // The coordinator has been told why.
            clients::run_client(&mut input, &mut output).map_err(|_| Failure::silent(exit::MACHINE))
        }
    }
}

/// A time on the command line, in whole milliseconds.
fn millis(name: &str, text: &str) -> Result<u64, Failure> {
    let ns = time::parse_latency_ns(name, text)?;
    match ns / 1_000_000 {
        0 => Err(Failure::usage(format!("{name} `{text}`: at least 1ms"))),
        ms => Ok(ms),
    }
}

fn measure(arguments: &ClusterRunArguments) -> Result<(), Failure> {
    let times = [
        ("duration", &arguments.duration),
        ("interval", &arguments.interval),
        ("timeout", &arguments.timeout),
    ];
    let [duration_ms, interval_ms, timeout_ms] = times.map(|(name, text)| millis(name, text));
    let (duration_ms, interval_ms, timeout_ms) = (duration_ms?, interval_ms?, timeout_ms?);
    let Asked { suite, work, notes } = asked::asked(arguments)?;
    let mut job = Job {
        target: arguments.target.clone(),
        nodes: arguments.target.nodes.clone(),
        seed: suite.seed,
        records: work.records,
        workload: work.workload,
        clients: arguments.clients as usize,
        connections: work.threads,
        rate_ops_per_s: work.rate_ops_per_s,
        arrivals: work.arrivals,
        duration_ms,
        interval_ms,
        timeout_ms,
        wait_replicas: arguments.wait,
        keep_samples: arguments.keep_samples,
        slots: Vec::new(),
    };
    asked::check(&job)?;
    let servers = servers(arguments, timeout_ms)?;
    job.nodes = servers.nodes().map(|(_, node)| node.address.clone()).collect();
    job.slots = servers.shards.iter().map(|shard| shard.slots.clone()).collect();
    let keys = job.keys_of_shards();
    for event in &arguments.events {
        event
            .check(&servers, &keys, duration_ms)
            .map_err(|error| Failure::usage(error.to_string()))?;
    }
    let is_quiet = arguments.output.quiet || arguments.json;
    let tell = |text: &str| {
        if !is_quiet {
            eprintln!("{text}");
        }
    };
    notes.iter().for_each(|note| tell(&format!("note: {note}")));
    let library = clients::library_file(&job.target).map_err(Failure::machine)?;
    let mut launched = launch::launch(arguments, library.as_deref())?;
    let measured =
        clients::measure((&job, &servers), &mut launched.links, &arguments.events, &tell);
    launched.end();
    let measured = measured.map_err(|error| Failure::machine(error.to_string()))?;
    let outcome = measured.outcome(&suite.name, &job, &servers);
    let folder = write(arguments, (&job, &measured, &outcome))?;
    match arguments.json {
        true => output::print_json(&outcome),
        false => output::print(&print::text(&outcome, &folder)),
    }
    match outcome.wrong.is_empty() {
        true => Ok(()),
        false => Err(Failure::silent(exit::UNEXPECTED)),
    }
}

/// The servers, which must be there, be what was named, and be empty.
fn servers(arguments: &ClusterRunArguments, timeout_ms: u64) -> Result<Servers, Failure> {
    let fail = |error: clients::ServersError| Failure::machine(error.to_string());
    let servers =
        Servers::find(&arguments.target, Duration::from_millis(timeout_ms)).map_err(fail)?;
    if !arguments.allow_keys {
        servers.check_empty().map_err(fail)?;
    }
    let replicas = servers.shards.iter().map(|shard| shard.replicas.len()).min().unwrap_or(0);
    let wait = arguments.wait as usize;
    match servers.is_cluster && replicas < wait {
        true => Err(Failure::usage(format!(
            "--wait {wait}: a shard of this cluster has {replicas} replicas, so no write would be \
             acknowledged: add replicas, or --wait {replicas}"
        ))),
        false => Ok(servers),
    }
}

/// Writes the document, the timeline, the figure and the samples into a new folder.
fn write(
    arguments: &ClusterRunArguments,
    (job, measured, outcome): (&Job, &Measured, &Outcome),
) -> Result<PathBuf, Failure> {
    let name = format!("{}-{}", archive::stamp(), outcome.suite);
    let folder = arguments.output.results.join("cluster").join(name);
    let fail =
        |path: &Path, error: io::Error| Failure::internal(format!("{}: {error}", path.display()));
    fs::create_dir_all(&folder).map_err(|error| fail(&folder, error))?;
    let timeline = measured.timeline(job);
    let document = serde_json::to_string_pretty(outcome).expect("plain data") + "\n";
    for (name, text) in [("cluster.json", &document), ("cluster.tsv", &timeline)] {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(|error| fail(&path, error))?;
    }
    if job.keep_samples {
        let samples = folder.join("samples");
        fs::create_dir_all(&samples).map_err(|error| fail(&samples, error))?;
        for (number, all) in (1..).zip(&measured.samples) {
            let lines: Vec<String> = all.iter().map(u64::to_string).collect();
            let path = samples.join(format!("{number}.txt"));
            write_whole(&path, (lines.join("\n") + "\n").as_bytes())
                .map_err(|error| fail(&path, error))?;
        }
    }
    if let Err(why) = figure::draw(&folder, &timeline, outcome) {
        eprintln!("note: there is no figure: {why}");
    }
    Ok(folder)
}
