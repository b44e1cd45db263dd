//! What the program is asked to do.

use std::time::Duration;

use nibble::instrument::mutants;

const USAGE: &str = "soak histories|sequences [--hours N | --minutes N | --seconds N] [--operations N] \
                     [--seed N] [--mutant NAME]…";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Threads whose recorded histories are checked.
    Histories,
    /// Sequences of one thread against a model.
    Sequences,
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) lasts: Duration,
    /// Ends earlier after so many.
    pub(crate) operations: u64,
    pub(crate) seed: Option<u64>,
    pub(crate) mutants: Vec<String>,
}

impl Options {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mode = match words.next().as_deref() {
            Some("histories") => Mode::Histories,
            Some("sequences") => Mode::Sequences,
            _ => return Err(format!("write `{USAGE}`")),
        };
        let (mut lasts, mut operations, mut seed, mut chosen) = (None, u64::MAX, None, Vec::new());
        while let Some(option) = words.next() {
            let value =
                words.next().ok_or_else(|| format!("{option}: no value; write `{USAGE}`"))?;
            let number = || {
                let read = value.parse::<u64>();
                read.map_err(|error| format!("{option} {value}: {error}; write a whole number"))
            };
            match option.as_str() {
                "--hours" => lasts = Some(Duration::from_secs(number()?.saturating_mul(3600))),
                "--minutes" => lasts = Some(Duration::from_secs(number()?.saturating_mul(60))),
                "--seconds" => lasts = Some(Duration::from_secs(number()?)),
                "--operations" => operations = number()?,
                "--seed" => seed = Some(number()?),
                "--mutant" => chosen.push(known(value)?),
                _ => return Err(format!("{option}: no such option; write `{USAGE}`")),
            }
        }
        let minutes = match (mode, chosen.is_empty(), seed) {
            // Once.
            (_, true, Some(_)) => 0,
            (Mode::Histories, true, None) => 15,
            (Mode::Sequences, true, None) => 5,
            (_, false, _) => 3,
        };
        let lasts = lasts.unwrap_or(Duration::from_secs(60 * minutes));
        Ok(Self { mode, lasts, operations, seed, mutants: chosen })
    }
}

fn known(name: String) -> Result<String, String> {
    let all: Vec<&str> = mutants().iter().map(|&(known, ..)| known).collect();
    if all.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(format!("--mutant {name}: must be one of {}", all.join(", ")))
}
