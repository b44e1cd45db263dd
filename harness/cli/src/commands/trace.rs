//! `trace`: captures, converts, checks and describes traces.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;
use workloads::postmark::Parameters;
use workloads::trace::file::{Content, peek_content, repair};
use workloads::trace::formats::Format;
use workloads::trace::transform::{KeyScaling, Transform};
use workloads::trace::{Allocation, AllocationKind, Keys, Operation, Record};

use super::Failure;
use crate::cli::{
    CaptureCommand, ConvertArguments, KeysKept, MallocArguments, PostmarkArguments, StatArguments,
    TraceCommand,
};
use crate::traces::{self, Library, import, library, postmark};
use record::TraceAccount;
use report::figures::{self, Drawings};

pub(super) fn run(command: &TraceCommand) -> Result<(), Failure> {
    match command {
        TraceCommand::Capture(CaptureCommand::Postmark(arguments)) => capture_postmark(arguments),
        TraceCommand::Capture(CaptureCommand::Malloc(arguments)) => capture_malloc(arguments),
        TraceCommand::Convert(arguments) => convert(arguments),
        TraceCommand::Stat(arguments) => stat(arguments),
        TraceCommand::Verify { traces, json } => verify(traces, *json),
        TraceCommand::Repair { trace, output } => repair_into(trace, output),
        TraceCommand::Show { trace, skip, take } => show(trace, *skip, *take),
    }
}

fn capture_postmark(arguments: &PostmarkArguments) -> Result<(), Failure> {
    let plain = Parameters::of_files(arguments.files);
    let parameters = Parameters {
        transactions: arguments.transactions.unwrap_or(plain.transactions),
        subdirectories: arguments.subdirectories.unwrap_or(plain.subdirectories),
        size_bytes: (arguments.size_min, arguments.size_max),
        seed: arguments.seed,
        ..plain
    };
    parameters.validate().map_err(|error| Failure::usage(error.to_string()))?;
    let default = || Library::below(Path::new("results")).path_of(&parameters.name());
    let output = arguments.output.clone().unwrap_or_else(default);
    let way = match arguments.generated {
        true => postmark::Way::Generated,
        false => postmark::Way::BestThereIs,
    };
    postmark::capture(&parameters, &output, way).map_err(Failure::machine)?;
    describe(&output)
}

fn capture_malloc(arguments: &MallocArguments) -> Result<(), Failure> {
    let MallocArguments { output, process, command } = arguments;
    traces::malloc::capture(command, process.as_deref(), output).map_err(Failure::machine)?;
    describe(output)
}

fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let format = match arguments.format.as_deref() {
        Some("help") => {
            Format::names().for_each(|name| println!("{name}"));
            return Ok(());
        }
        Some(name) => name.parse().map_err(|error: workloads::trace::formats::UnknownFormat| {
            Failure::usage(error.to_string())
        })?,
        None => import::guessed(&arguments.input).map_err(Failure::usage)?.ok_or_else(|| {
            let names: Vec<&str> = Format::names().collect();
            Failure::usage(format!(
                "{}: neither its name nor its first bytes tell its format; say it with --format: {}",
                arguments.input.display(),
                names.join(", ")
            ))
        })?,
    };
    let transform = Transform {
        size_factor: arguments.size_factor,
        size_max: arguments.size_max,
        size_min: arguments.size_min,
        keys: match (arguments.sample, arguments.copies) {
            (Some(one_in), _) => KeyScaling::Sample { one_in },
            (None, Some(copies)) => KeyScaling::Replicate { copies },
            (None, None) => KeyScaling::Keep,
        },
        time_factor: arguments.speed,
        skip: arguments.skip,
        take: arguments.take,
    };
    transform.validate().map_err(|error| Failure::usage(error.to_string()))?;
    let keys = keys_kept(arguments.keys, format, &transform)?;
    let converted = import::convert(&arguments.input, format, (transform, keys), &arguments.output)
        .map_err(Failure::usage)?;
    for (why, count) in &converted.left_out {
        eprintln!("left out: {count} × {why}");
    }
    if converted.backward_times > 0 {
        eprintln!("note: {} times ran backwards and were held", converted.backward_times);
    }
    if converted.other_lengths > 0 {
        eprintln!(
            "note: {} operations have a key whose text is longer in the file than the client's key was",
            converted.other_lengths
        );
    }
    println!(
        "{}: {} operations in {} blocks, format {format}, {}",
        arguments.output.display(),
        converted.totals.records,
        converted.totals.blocks,
        match converted.keys {
            Keys::Texts => format!("with the texts of {} keys", converted.totals.texts),
            Keys::Numbers => "keys as numbers".to_owned(),
        }
    );
    Ok(())
}

/// What is kept of keys. Who asks for texts that there are none of is told.
fn keys_kept(
    asked: Option<KeysKept>,
    format: Format,
    transform: &Transform,
) -> Result<Keys, Failure> {
    let usual = import::keys_of(format, transform);
    match (asked, usual) {
        (None, usual) => Ok(usual),
        (Some(KeysKept::Numbers), _) => Ok(Keys::Numbers),
        (Some(KeysKept::Texts), Keys::Texts) => Ok(Keys::Texts),
        (Some(KeysKept::Texts), Keys::Numbers) if format.has_texts() => Err(Failure::usage(
            "--keys texts: copies of a key have no text of their own: drop it, or --copies"
                .to_owned(),
        )),
        (Some(KeysKept::Texts), Keys::Numbers) => {
            Err(Failure::usage(format!("--keys texts: keys of {format} are numbers: drop it")))
        }
    }
}

/// Prints statistics of a trace.
fn describe(trace: &Path) -> Result<(), Failure> {
    print!("{}", traces::print(&account(trace)?));
    println!("{}", trace.display());
    Ok(())
}

fn account(trace: &Path) -> Result<TraceAccount, Failure> {
    let name = trace.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    library::account_of(&name, trace).map_err(Failure::usage)
}

fn stat(arguments: &StatArguments) -> Result<(), Failure> {
    let accounts = arguments.traces.iter().map(|trace| account(trace));
    let accounts = accounts.collect::<Result<Vec<TraceAccount>, Failure>>()?;
    if arguments.json {
        super::output::print_json(&accounts);
    } else {
        accounts.iter().for_each(|account| print!("{}", traces::print(account)));
    }
    if let Some(folder) = &arguments.plots {
        figures::gnuplot_available().map_err(Failure::machine)?;
        let drawn = figures::draw_accounts(folder, &accounts, Drawings::ByGnuplot)
            .map_err(Failure::internal)?;
        for figure in drawn {
            println!("{}", figure.svg.display());
        }
    }
    Ok(())
}

/// What `trace verify --json` prints of a trace.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Verified<'a> {
    trace: &'a Path,
    whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

fn verify(traces: &[PathBuf], json: bool) -> Result<(), Failure> {
    let mut all = Vec::new();
    for trace in traces {
        let found = library::check(trace);
        if let Err(error) = &found {
            eprintln!("{error}");
        }
        let found = found.ok();
        let totals = found.as_ref().map(|(_, totals)| totals);
        let verified = Verified {
            trace,
            whole: found.is_some(),
            content: found.as_ref().map(|(header, _)| header.content.to_string()),
            records: totals.map(|totals| totals.records),
            blocks: totals.map(|totals| totals.blocks),
            digest: totals.map(|totals| format!("{:016x}", totals.digest)),
        };
        if let (false, Some((header, totals))) = (json, &found) {
            println!(
                "{}: whole, {} {} in {} blocks, digest {:016x}",
                trace.display(),
                totals.records,
                header.content,
                totals.blocks,
                totals.digest
            );
        }
        all.push(verified);
    }
    if json {
        super::output::print_json(&all);
    }
    match all.iter().all(|trace| trace.whole) {
        true => Ok(()),
        false => Err(Failure::silent(worker::exit::UNEXPECTED)),
    }
}

fn repair_into(trace: &Path, output: &Path) -> Result<(), Failure> {
    let fail =
        |path: &Path, error: std::io::Error| Failure::usage(format!("{}: {error}", path.display()));
    let input = File::open(trace).map_err(|error| fail(trace, error))?;
    let copy = File::create_new(output).map_err(|error| fail(output, error))?;
    let totals = repair(input, &trace.display().to_string(), copy).map_err(|error| {
        let _ = std::fs::remove_file(output);
        Failure::usage(error.to_string())
    })?;
    let why = totals.notes.get(workloads::trace::file::REPAIRED);
    println!(
        "{}: {} records in {} blocks; {}",
        output.display(),
        totals.records,
        totals.blocks,
        why.map_or("nothing was wrong", String::as_str)
    );
    Ok(())
}

fn show(trace: &Path, skip: u64, take: u64) -> Result<(), Failure> {
    let file = File::open(trace)
        .map_err(|error| Failure::usage(format!("{}: {error}", trace.display())))?;
    let (content, header) = peek_content(file, &trace.display().to_string())
        .map_err(|error| Failure::usage(error.to_string()))?;
    println!("# {}: {content}", header.source);
    match content {
        Content::Operations => lines::<Operation>(trace, (skip, take), |operation| {
            let Operation { time_ns, kind, key, value_bytes, key_bytes } = operation;
            format!("{time_ns}\t{}\t{key:016x}\t{value_bytes}\t{key_bytes}", kind.name())
        }),
        Content::Allocations => lines::<Allocation>(trace, (skip, take), |allocation| {
            let Allocation { thread, object, kind } = allocation;
            match kind {
                AllocationKind::Allocate { bytes, alignment } => {
                    format!("{thread}\tallocate\t{object}\t{bytes}\t{alignment}")
                }
                AllocationKind::Reallocate { bytes } => {
                    format!("{thread}\treallocate\t{object}\t{bytes}")
                }
                AllocationKind::Free => format!("{thread}\tfree\t{object}"),
            }
        }),
    }
}

fn lines<R: Record>(
    trace: &Path,
    (skip, take): (u64, u64),
    line: impl Fn(R) -> String,
) -> Result<(), Failure> {
    let records = library::Records::<R>::of(trace).map_err(Failure::usage)?;
    for record in records.skip(skip as usize).take(take as usize) {
        println!("{}", line(record.map_err(Failure::usage)?));
    }
    Ok(())
}
