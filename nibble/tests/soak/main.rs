//! Runs the engine for long, and checks everything it answers: `scripts/soak` and `scripts/fuzz`.
//!
//! Everything is drawn from a seed that is printed before it is used and can be given again. Only
//! how threads interleave is not repeated. The first fault ends the program.

#[path = "../all/common/mod.rs"]
mod common;
mod draw;
mod fault;
mod histories;
mod kinds;
mod mutant;
mod options;
mod sequences;
mod values;

use std::process::ExitCode;
use std::time::Instant;

use common::Random;
use options::{Mode, Options};

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if !options.mutants.is_empty() {
        return mutant::all_found(&options);
    }
    match options.mode {
        Mode::Histories => histories::run(&options),
        Mode::Sequences => sequences::run(&options),
    }
}

/// The seeds to go through: the given one again and again, or ever new ones.
fn seeds(options: &Options) -> impl Iterator<Item = u64> + use<> {
    let begin = Instant::now();
    let (given, limit) = (options.seed, options.lasts);
    let mut random = Random(std::process::id().into());
    random.0 ^= std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
    let mut first = true;
    std::iter::from_fn(move || {
        let goes_on = first || begin.elapsed() < limit;
        first = false;
        goes_on.then(|| given.unwrap_or_else(|| random.next()))
    })
}
