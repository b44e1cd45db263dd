//! The worker: the measured process. It reads one cell, keeps its own needs in memory that is touched
//! before the engine opens, runs the steps, and pauses wherever its parent observes it.
//!
//! This is the only crate that links engines: [`registry`] lists them, `adapters` wrap them, and all
//! other code uses their traits.

mod adapters;
mod allocations;
mod block;
mod byte_keys;
mod calibration;
mod chase;
mod compiled_trace;
mod conditions;
mod copying;
mod counters;
mod crew;
mod events;
pub mod exit;
mod files;
mod fragmentation;
mod free_places;
mod handover;
mod heap_target;
mod histogram;
pub mod kernel;
mod key_value;
mod link;
mod mapped;
mod mapping;
mod overlap;
mod phase;
mod pipelined_target;
mod place;
pub mod precompiled;
pub mod progress;
pub mod protocol;
mod quiet;
pub mod registry;
mod replay;
mod samples;
mod setup;
mod store_target;
mod target;
#[cfg(test)]
mod tests_fills;
#[cfg(test)]
mod tests_histories;
#[cfg(test)]
mod tests_replay;
#[cfg(test)]
mod tests_settings;
#[cfg(test)]
mod tests_stores;
#[cfg(test)]
mod tests_stress;
mod touch;
mod trace_keys;
mod usage;
mod watched;
mod windows;

pub use calibration::calibrate;
pub use conditions::{conditions_of, expected_conditions};
pub use counters::Counters;
pub use files::{folder as files_folder, keep_files_below};
pub use overlap::overlaps;
pub use samples::{FREQUENCY_HZ, is_sampled};
pub use setup::check;
pub use touch::PAGES_TOUCHED_MAX;
pub use windows::{check as check_windows, run_executor};

use std::any::Any;
use std::io::BufRead;
use std::os::fd::RawFd;
use std::path::Path;

use engine::{OpenError, Setting};
use link::Link;
use samples::Samples;

use crate::progress::ProgressPage;
use crate::protocol::Event;
use record::{Cell, System, Work};
use record::{Conditions, Outcome};

/// Runs the cell on standard input. `progress` is the descriptor of the page shared with the parent;
/// without one (when run by hand) the worker creates a page of its own. A cell of one thread that others
/// are measured beside runs it on the core at `first_core` of those that it may use. Where `samples` names
/// a file, stacks are sampled into it.
///
/// # Errors
/// Invalid input, or samples that cannot be written. Everything that happens to the cell itself is
/// reported as an event.
pub fn run(
    progress: Option<RawFd>,
    first_core: usize,
    samples: Option<&Path>,
) -> Result<(), String> {
    if progress.is_some() {
        platform::process::die_with_parent();
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| format!("reading the cell from standard input: {error}"))?;
    let cells = cells_in(&line).map_err(|error| {
        format!("standard input holds no cell ({error}): pipe `nibble-bench cell …` into it")
    })?;
    let cell = cells.first().ok_or("standard input holds an empty list of cells")?.clone();
    // A parent has planned the cell; a person may have written it.
    if progress.is_none() {
        cells.iter().try_for_each(|cell| check(cell).map(drop))?;
    }
    // Comes first: once the harness maps memory, its pages cannot be told apart from the heap's.
    let engine_bytes = resident_before_open(&cell);
    let page = match progress {
        Some(descriptor) => ProgressPage::inherited(descriptor),
        None => ProgressPage::create(),
    }
    .map_err(|error| format!("the progress page: {error}"))?;
    if cell.counters {
        usage::count_hardware_events();
    }
    let samples = samples.map(|file| Samples::new(file.to_owned(), cell.clone()));
    let mut link = Link::new(progress.is_some(), samples);
    let ended = match &cell.work {
        Work::Fragmentation(work) => {
            fragmentation::run(&cell, work, (engine_bytes, first_core), &page, &mut link)
        }
        Work::Copy(work) => copying::run(&cell, work, engine_bytes, &mut link),
        Work::Mapping(work) => mapping::run(&cell, work, engine_bytes, &mut link),
        Work::Chase(work) => chase::run(&cell, work, engine_bytes, &mut link),
        Work::Windows(work) => windows::run(&cell, work, engine_bytes, &mut link),
        Work::Touch(work) => touch::run(&cell, work, engine_bytes, &mut link),
        Work::KeyValue(_) => {
            let turns = cells.iter().filter_map(|cell| match &cell.work {
                Work::KeyValue(work) => Some((cell, work)),
                _ => None,
            });
            key_value::run(&turns.collect::<Vec<_>>(), engine_bytes, &page, &mut link)
        }
        Work::Allocations(work) => allocations::run(&cell, work, engine_bytes, &page, &mut link),
    };
    if let Err(Stop::Because { outcome, reason }) = ended {
        link.say(&Event::Failed { outcome, reason });
    }
    link.say(&Event::Done);
    link.write_samples()
}

/// The cell of a line, or all cells of a list.
fn cells_in(line: &str) -> serde_json::Result<Vec<Cell>> {
    if line.starts_with('[') {
        return serde_json::from_str(line);
    }
    Ok(vec![serde_json::from_str(line)?])
}

/// Why a cell cannot go on.
#[derive(Debug)]
enum Stop {
    /// The row of its last step reports the reason.
    Said,
    Because {
        outcome: Outcome,
        reason: String,
    },
}

impl Stop {
    fn failed(reason: impl std::fmt::Display) -> Self {
        Self::Because { outcome: Outcome::Failed, reason: reason.to_string() }
    }

    /// A thread of the worker panicked with `payload`.
    fn panicked(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Self::failed(format!("a worker thread died: {}", text.unwrap_or("without a word")))
    }
}

impl From<OpenError> for Stop {
    fn from(error: OpenError) -> Self {
        let outcome = match error {
            OpenError::Missing { .. } => Outcome::Unavailable,
            OpenError::OutOfMemory { .. } => Outcome::OutOfMemory,
            OpenError::Refused { .. }
            | OpenError::UnknownSetting { .. }
            | OpenError::BadSetting { .. }
            | OpenError::Unusable { .. } => Outcome::Failed,
        };
        Self::Because { outcome, reason: error.to_string() }
    }
}

/// Memory that the cell's heap made resident before `main`.
fn resident_before_open(cell: &Cell) -> u64 {
    let name = match &cell.system {
        System::Heap { name, .. } => Some(name),
        System::Store { heap, .. } => heap.as_ref(),
        System::Kernel | System::Way { .. } => None,
    };
    let heap = name.and_then(|name| registry::heap(name));
    heap.map_or(0, |heap| heap.resident_before_open_bytes())
}

/// A heap that keeps no values is part of the harness, so its memory is allocated before the baseline,
/// like the harness's other needs.
fn open_if_it_prices_the_harness(name: &str) -> Result<(), Stop> {
    let heap = registry::heap(name).filter(|heap| !heap.traits().keeps_values);
    heap.map_or(Ok(()), |heap| heap.open().map_err(Stop::from))
}

fn opened(version: String, settings: Vec<Setting>, conditions: Option<Conditions>) -> Event {
    let settings = watched::settings_by_name(settings);
    let folders = Vec::new();
    Event::Opened { version, settings, conditions: conditions.map(Box::new), folders }
}

/// Pins the calling thread to the core of worker thread `thread`. On a machine that forbids pinning it
/// runs unpinned.
fn pin(thread: usize, cores: &[usize]) {
    let _ = platform::cpu::pin_to(cores[thread % cores.len()]);
}
