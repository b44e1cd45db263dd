//! Histories of concurrent operations: every operation with the ticks between which it ran.
//!
//! Ticks come from one counter that every operation increments before it begins and after it has
//! ended. A clock would be cheaper to share, but reading one is not ordered with the memory
//! accesses around it, so an interval could come out shorter than the operation was. An increment
//! is ordered: when one operation's last tick is smaller than another's first, the second reads
//! from the release sequence of the first, and must see its effect under any memory model. An
//! alarm is never a measuring error.

#![forbid(unsafe_code)]

mod checker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

pub use checker::{State, Violation, check_key, check_key_from, step};

/// An operation and its answer. Values are named by numbers that no two PUTs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What a GET found.
    Get(Option<u64>),
    /// A PUT, and whether it answered that the key was there.
    Put { value: u64, updated: bool },
    /// A PUT that was refused: it must not have had an effect.
    Refused,
    /// Whether a DEL answered that the key was there.
    Delete { found: bool },
    /// A PUT whose answer tells nothing of the key.
    BlindPut { value: u64 },
    /// A DEL whose answer tells nothing of the key.
    BlindDelete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub key: u64,
    pub kind: Kind,
    pub invoked: u64,
    pub returned: u64,
    /// Below 64. The operations of a thread do not overlap.
    pub thread: u8,
}

/// The source of ticks.
#[derive(Debug, Default)]
pub struct Ticks(AtomicU64);

impl Ticks {
    pub fn next(&self) -> u64 {
        // Pairs with itself: see the top of the file.
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

/// What one thread has done.
#[derive(Debug)]
pub struct Recorder<'ticks> {
    ticks: &'ticks Ticks,
    thread: u8,
    pub operations: Vec<Operation>,
}

impl<'ticks> Recorder<'ticks> {
    pub fn new(ticks: &'ticks Ticks, thread: u8) -> Self {
        Self { ticks, thread, operations: Vec::with_capacity(1 << 16) }
    }

    /// Runs an operation; answers what it answered and the ticks around it.
    pub fn timed<T>(&self, run: impl FnOnce() -> T) -> (T, (u64, u64)) {
        let invoked = self.ticks.next();
        let answer = run();
        (answer, (invoked, self.ticks.next()))
    }

    pub fn add(&mut self, key: u64, kind: Kind, (invoked, returned): (u64, u64)) {
        let thread = self.thread;
        self.operations.push(Operation { key, kind, invoked, returned, thread });
    }
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    pub operations: u64,
    pub keys: u64,
    /// Operations during which another one on the same key began.
    pub overlapping: u64,
}

/// Checks a whole history in which every key is absent at first.
pub fn check(operations: impl Iterator<Item = Operation>) -> Result<Summary, Box<Violation>> {
    Registers::default().check(operations)
}

/// What each key may hold between two parts of a history, when no operation is in progress. Keys
/// that are not there are absent.
#[derive(Clone, Debug, Default)]
pub struct Registers(BTreeMap<u64, Vec<State>>);

impl Registers {
    /// Checks the next part, key by key: a history is linearisable exactly when that of every key is
    /// (linearisability is local).
    pub fn check(
        &mut self,
        operations: impl Iterator<Item = Operation>,
    ) -> Result<Summary, Box<Violation>> {
        let mut operations: Vec<Operation> = operations.collect();
        operations.sort_unstable_by_key(|operation| (operation.key, operation.invoked));
        let mut summary = Summary::default();
        for history in operations.chunk_by(|one, other| one.key == other.key) {
            let before = self.0.entry(history[0].key).or_insert_with(|| vec![None]);
            *before = checker::check_key_from(before, history)?;
            summary.keys += 1;
            summary.operations += history.len() as u64;
            let overlapping = history.windows(2).filter(|two| two[1].invoked < two[0].returned);
            summary.overlapping += overlapping.count() as u64;
        }
        Ok(summary)
    }

    /// How many keys surely have a value, and how many may have one.
    pub fn present(&self) -> (u64, u64) {
        let sure = self.0.values().filter(|states| !states.contains(&None)).count();
        let possible = self.0.values().filter(|states| states.iter().any(Option::is_some)).count();
        (sure as u64, possible as u64)
    }
}
