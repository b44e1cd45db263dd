//! The store's threads: one merges, and with a queued log one writes it.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::config::LogMode;
use crate::error::Error;
use crate::log::Until;
use crate::merges::Merger;
use crate::parts::{Counters, Parts};

/// How long the merging thread waits after a failure, and without work, before it looks again.
const AGAIN_AFTER: Duration = Duration::from_millis(20);
const LOOK_AFTER: Duration = Duration::from_millis(500);
/// How long the logging thread waits: twice as long each time that it finds nothing.
const LOG_AFTER_MIN: Duration = Duration::from_millis(1);
const LOG_AFTER_MAX: Duration = Duration::from_millis(32);

/// The threads, which end when this is dropped.
#[derive(Debug)]
pub(crate) struct Threads {
    parts: Arc<Parts>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// # Errors
    /// The system's, if it starts no more threads.
    pub(crate) fn start(parts: &Arc<Parts>) -> io::Result<Self> {
        let mut threads = Self { parts: Arc::clone(parts), handles: Vec::new() };
        let start = |name: &str, run: fn(&Parts)| {
            let parts = Arc::clone(parts);
            thread::Builder::new().name(name.to_owned()).spawn(move || run(&parts))
        };
        threads.handles.push(start("lsm-merge", merge)?);
        if parts.config.log == LogMode::Queued {
            threads.handles.push(start("lsm-log", write_log)?);
        }
        Ok(threads)
    }

    pub(crate) fn count(&self) -> usize {
        self.handles.len()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.parts.work.change(|state| state.stops = true);
        for handle in self.handles.drain(..) {
            // A panic has been reported by its thread.
            _ = handle.join();
        }
        // What is queued is written; nobody is left to hear of a failure.
        _ = self.parts.flush_log();
        self.parts.bury_dead();
    }
}

/// Merges whenever something is due.
fn merge(parts: &Parts) {
    let mut merger = Merger::default();
    loop {
        let outcome = merge_one(parts, &mut merger);
        parts.bury_dead();
        let failed = outcome.is_err();
        if failed {
            Counters::add(&parts.counters.failures, 1);
        }
        let has_more = outcome.as_ref().is_ok_and(|&worked| worked);
        let mut stops = false;
        parts.work.change(|state| {
            state.failure = outcome.err();
            state.is_idle = !has_more && !state.is_due && !failed;
            stops = state.stops;
        });
        if stops {
            return;
        }
        let mut state = parts.work.state();
        if !has_more && !state.is_due && !state.stops {
            parts.work.wait(state, if failed { AGAIN_AFTER } else { LOOK_AFTER });
            state = parts.work.state();
        }
        state.is_due = false;
    }
}

/// Does one piece of work. Whether there was any.
fn merge_one(parts: &Parts, merger: &mut Merger) -> Result<bool, Error> {
    if parts.merge_memory()? {
        return Ok(true);
    }
    parts.prepare()?;
    if parts.work.state().merges_all {
        parts.merge_everything()?;
        parts.work.change(|state| state.merges_all = false);
        return Ok(true);
    }
    parts.merge_level(merger)
}

/// Writes what is queued.
fn write_log(parts: &Parts) {
    let mut pause = LOG_AFTER_MIN;
    loop {
        let view = parts.view.load_full();
        let before = view.memory.log.file_bytes();
        let outcome = view.memory.advance(Until::Ready);
        let wrote = view.memory.log.file_bytes() > before;
        drop(view);
        if outcome.is_err() {
            Counters::add(&parts.counters.failures, 1);
        }
        pause = if wrote { LOG_AFTER_MIN } else { (2 * pause).min(LOG_AFTER_MAX) };
        if parts.work.state().stops {
            return;
        }
        thread::sleep(pause);
    }
}
