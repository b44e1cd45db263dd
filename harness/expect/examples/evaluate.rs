//! Whether expectations hold of summary rows: `evaluate claims.toml summary.jsonl --cores 2 --sockets 1`,
//! with `--markdown` for Markdown and `--all` for everything that was judged.

use std::error::Error;
use std::process::ExitCode;

use expect::{Expectation, Machine, PermutationTally, Summary, Verdict, render};

const USAGE: &str =
    "usage: evaluate claims.toml summary.jsonl --cores N --sockets N [--markdown] [--all]";

struct Options {
    expectations: String,
    summary: String,
    machine: Machine,
    markdown: bool,
    all: bool,
}

fn options() -> Option<Options> {
    let mut files = Vec::new();
    let (mut cores, mut sockets, mut markdown, mut all) = (None, None, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--cores" => cores = Some(words.next()?.parse().ok()?),
            "--sockets" => sockets = Some(words.next()?.parse().ok()?),
            "--markdown" => markdown = true,
            "--all" => all = true,
            _ => files.push(word),
        }
    }
    let [expectations, summary] = files.try_into().ok()?;
    Some(Options {
        expectations,
        summary,
        machine: Machine { cores: cores?, sockets: sockets? },
        markdown,
        all,
    })
}

fn read(options: &Options) -> Result<(Vec<Expectation>, Vec<Summary>), Box<dyn Error>> {
    let text = |file: &str| {
        std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))
    };
    let expectations = expect::read(&text(&options.expectations)?)?;
    let rows = text(&options.summary)?;
    let rows = rows.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = rows.map(|(at, line)| {
        let file = &options.summary;
        serde_json::from_str(line).map_err(|error| format!("{file}, line {}: {error}", at + 1))
    });
    Ok((expectations, rows.collect::<Result<_, _>>()?))
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let (expectations, rows) = match read(&options) {
        Ok(read) => read,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let answers = expect::evaluate(&expectations, &rows, &options.machine);
    let rendered =
        if options.markdown { render::markdown(&answers) } else { render::text(&answers) };
    print!("{rendered}");
    if options.all {
        for answer in &answers {
            println!("\n{} ({}), {}: {}", answer.id, answer.question, answer.metric, answer.reason);
            for measured in &answer.measured {
                let verdict = if measured.verdict == Verdict::Holds { "" } else { "  <<" };
                let processes = match measured.processes_to {
                    Some(to) => format!("n = {}, {to}", measured.processes_of),
                    None => format!("n = {}", measured.processes_of),
                };
                println!(
                    "  {}: {}, expected {}, {processes}: {}{verdict}",
                    measured.compared,
                    measured.shown(),
                    measured.expected,
                    measured.verdict.word()
                );
            }
        }
    }
    let permuted = expect::evaluate_permuted(&expectations, &rows, &options.machine);
    println!("{}", render::permutation(&PermutationTally::of(&permuted)));
    ExitCode::SUCCESS
}
