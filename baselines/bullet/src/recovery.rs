//! Recovery: what a crash leaves in persistent memory becomes a store again (§5).
//!
//! 1. Transactions that were committed are replayed.
//! 2. Every log is read from head to tail. Nothing but whole records lies there, because the tail
//!    followed each record's barrier; anything else is an error, and nothing is dropped.
//! 3. Of each key the newest record is the unapplied one to which no record refers. All others are
//!    marked void, durably, so that none of them is ever applied.
//! 4. A new generation begins: locks as found are free.
//!
//! The newest records go to the front, which learns all other pairs by missing them. The time is
//! proportional to what the logs hold. All of it may be done again after a crash meanwhile.

use std::collections::{HashMap, HashSet};
use std::fmt;

use platform::persist::{LINE_WORDS, Region, Touched};

use crate::layout::{Layout, Unreadable, VERSION};
use crate::logs::Log;
use crate::record::{APPLIED_AT, Header, Reference, Ring};
use crate::rung::Rung;
use crate::tx;

/// Why persistent memory does not become a store. Nothing was changed, and nothing is lost that was
/// there.
#[derive(Debug)]
pub enum RecoverError {
    /// The system refused the file.
    File(std::io::Error),
    /// No store of ours.
    NotOurs,
    /// A store of another version.
    OtherVersion {
        /// The version found.
        found: u64,
        /// The version that this program reads.
        known: u64,
    },
    /// The header is damaged.
    Header,
    /// The file is shorter than the store.
    Truncated {
        /// Bytes found.
        bytes: u64,
        /// Bytes that the store has.
        wanted_bytes: u64,
    },
    /// A rung that does not survive a crash.
    NotKept {
        /// Which.
        rung: Rung,
    },
    /// A redo area holds what no transaction writes.
    Redo {
        /// Of which thread.
        slot: u64,
    },
    /// A log's head and tail, or a record between them, are not as they were written.
    TornLog {
        /// Which log.
        log: u64,
        /// The place in it, in words.
        place: u64,
        /// Its head and tail.
        bounds: (u64, u64),
    },
    /// The back table's chains are damaged.
    Chains(String),
    /// The system refused memory.
    OutOfMemory {
        /// Bytes requested.
        wanted_bytes: u64,
    },
}

impl fmt::Display for RecoverError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => write!(formatter, "the file cannot be used: {error}"),
            Self::NotOurs => formatter.write_str("the file holds no store: name another"),
            Self::OtherVersion { found, known } => write!(
                formatter,
                "a store of version {found}, and this program reads {known}: open it with the \
                 program that wrote it"
            ),
            Self::Header => {
                formatter.write_str("the header is damaged: restore the file from a copy")
            }
            Self::Truncated { bytes, wanted_bytes } => write!(
                formatter,
                "the file has {bytes} bytes of {wanted_bytes}: restore the rest of it"
            ),
            Self::NotKept { rung } => write!(
                formatter,
                "rung {rung} does not survive a crash: use phash, or one with logs"
            ),
            Self::Redo { slot } => {
                write!(formatter, "redo area {slot} is damaged: restore the file from a copy")
            }
            Self::TornLog { log, place, bounds: (head, tail) } => write!(
                formatter,
                "log {log} is torn at word {place} of {head} to {tail}: restore the file from a \
                 copy; opening it would lose what was acknowledged"
            ),
            Self::Chains(what) => write!(formatter, "the table is damaged: {what}"),
            Self::OutOfMemory { wanted_bytes } => {
                write!(formatter, "the system refused {wanted_bytes} bytes: free memory")
            }
        }
    }
}

impl std::error::Error for RecoverError {}

/// What recovery found.
#[derive(Debug)]
pub(crate) struct Recovered {
    /// The newest record of each key that the back does not reflect.
    pub(crate) newest: Vec<(Reference, Header)>,
    pub(crate) records: u64,
    pub(crate) replayed: u64,
}

/// Reads the header of what is to be recovered.
pub(crate) fn layout(region: &Region) -> Result<Layout, RecoverError> {
    let layout = Layout::of(region).map_err(|unreadable| match unreadable {
        Unreadable::NotOurs => RecoverError::NotOurs,
        Unreadable::Version(found) => RecoverError::OtherVersion { found, known: VERSION },
        Unreadable::Header => RecoverError::Header,
        Unreadable::Truncated { words, wanted_words } => {
            RecoverError::Truncated { bytes: words * 8, wanted_bytes: wanted_words * 8 }
        }
    })?;
    match layout.rung {
        rung if !rung.is_kept() => Err(RecoverError::NotKept { rung }),
        _ => Ok(layout),
    }
}

/// Recovers a region of this layout.
pub(crate) fn recover(region: &Region, layout: &Layout) -> Result<Recovered, RecoverError> {
    // Logs are read before anything is changed, so that an error leaves all as it was; a replay
    // changes of a record only whether it is applied.
    let logs = if layout.rung.has_logs() { layout.logs } else { 0 };
    for log in 0..logs {
        scan(region, layout, log, |_, _| ())?;
    }
    let replayed = tx::replay(region, layout).map_err(|slot| RecoverError::Redo { slot })?;
    let mut found = Vec::new();
    let mut referred = HashSet::new();
    for log in 0..logs {
        scan(region, layout, log, |reference, header| {
            referred.insert(header.previous);
            found.push((reference, header));
        })?;
    }
    let mut newest = HashMap::new();
    for &(reference, header) in found.iter().filter(|(_, header)| !header.applied) {
        if !referred.contains(&reference) {
            if newest.insert(header.key, (reference, header)).is_some() {
                let key = header.key;
                return Err(RecoverError::Chains(format!("key {key:#x} has two newest records")));
            }
            continue;
        }
        if let Some((log, place)) = reference.parts() {
            let at = Ring::of(layout, log).at(place + APPLIED_AT);
            region.store(at, 1);
            region.flush(at, 1);
        }
    }
    // Its fence makes the marks durable too.
    Layout::next_generation(region);
    let newest = newest.into_values().collect();
    Ok(Recovered { newest, records: found.len() as u64, replayed })
}

/// Calls `visit` with every record of a log.
fn scan(
    region: &Region,
    layout: &Layout,
    log: u64,
    mut visit: impl FnMut(Reference, Header),
) -> Result<(), RecoverError> {
    let bounds = Log::bounds(region, layout, log);
    let (head, tail) = bounds;
    let ring = Ring::of(layout, log);
    let torn = |place| RecoverError::TornLog { log, place, bounds };
    if head > tail || tail - head > ring.words {
        return Err(torn(head));
    }
    let mut place = head;
    let mut touched = Touched::default();
    while place < tail {
        let header = ring.header(region, place).ok_or_else(|| torn(place))?;
        if header.words() > tail - place || !ring.is_whole(region, place, &header) {
            return Err(torn(place));
        }
        touched.begin();
        for word in (place..place + header.words()).step_by(LINE_WORDS as usize) {
            region.charge(&mut touched, ring.at(word), 1);
        }
        visit(Reference::new(log, place), header);
        place += header.words();
    }
    Ok(())
}
