//! Decides whether the history of one key is that of a register with deletion.
//!
//! # Algorithm
//! A sweep over the ticks that carries every *configuration* the register may be in: its state,
//! and which of the operations in progress have already taken effect. When an operation begins
//! nothing happens. When it returns, it must have taken effect: a configuration in which it has
//! not is replaced by all those that follow by letting operations in progress take effect, in any
//! order their answers allow, the returning one last. If none is left, no order of the operations
//! explains the answers. This is Wing and Gong's search made breadth-first in time, with
//! configurations memoised (Lowe, "Testing for linearizability", 2017).
//!
//! While no operation is in progress a configuration is a state. So a history is cut wherever that
//! is so, and an operation that overlaps no other needs no sweep.
//!
//! # Exactness
//! A configuration that survives is a linearisation of the prefix, so no violation is missed.
//! Conversely, take a linearisation and delay the effect of every operation until the first
//! return at or behind it in its order: the order stays, every effect stays within its operation,
//! and the sweep carries just these configurations, so a correct history is never refused.
//!
//! # Cost
//! With `c` operations in progress there are at most `2^c` sets and `c + 1` states, so at most
//! `n c^2 2^c` steps for `n` operations. Answers rule most of them out: with six threads a
//! handful of configurations is carried, and a history of a hundred thousand operations takes
//! some hundredths of a second.

use std::collections::HashSet;
use std::fmt;

use crate::{Kind, Operation};

/// State of the register: absent, or a value.
pub type State = Option<u64>;

/// Threads whose operation in progress has taken effect, one bit each, and the state.
type Configuration = (u64, State);

/// No order of the operations explains the answers up to here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Whose answer cannot be explained.
    pub operation: Operation,
    /// States possible before it returned.
    possible: Vec<State>,
    /// What was in progress then.
    pending: Vec<Operation>,
    /// What returned last before it.
    recent: Vec<Operation>,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "key {}: {:?} cannot be", self.operation.key, self.operation)?;
        writeln!(out, "possible states: {:?}", self.possible)?;
        for operation in &self.pending {
            writeln!(out, "in progress: {operation:?}")?;
        }
        for operation in &self.recent {
            writeln!(out, "before: {operation:?}")?;
        }
        Ok(())
    }
}

/// The state after an operation took effect, if its answer fits the state before.
#[must_use]
pub fn step(kind: Kind, state: State) -> Option<State> {
    match kind {
        Kind::Get(found) => (found == state).then_some(state),
        Kind::Put { value, updated } => (updated == state.is_some()).then_some(Some(value)),
        Kind::Refused => Some(state),
        Kind::Delete { found } => (found == state.is_some()).then_some(None),
        Kind::BlindPut { value } => Some(Some(value)),
        Kind::BlindDelete => Some(None),
    }
}

/// Checks the history of one key that is absent at first.
///
/// # Panics
/// As [`check_key_from`].
pub fn check_key(history: &[Operation]) -> Result<(), Box<Violation>> {
    check_key_from(&[None], history).map(drop)
}

/// Checks the history of one key that is in one of these states at first; answers the states that it
/// may be in at last.
///
/// # Panics
/// When it is not a history: ticks twice, overlapping operations of one thread.
pub fn check_key_from(
    first: &[State],
    history: &[Operation],
) -> Result<Vec<State>, Box<Violation>> {
    let mut effective: Vec<&Operation> =
        history.iter().filter(|operation| operation.kind != Kind::Refused).collect();
    effective.sort_unstable_by_key(|operation| operation.invoked);
    let mut states = first.to_vec();
    let mut left = &effective[..];
    while !left.is_empty() {
        let (cluster, rest) = left.split_at(overlapping(left));
        states = match *cluster {
            [alone] if alone.invoked < alone.returned => after_one(&states, alone),
            _ => after_many(&states, cluster),
        }
        .map_err(|stuck| stuck.violation(&effective))?;
        left = rest;
    }
    Ok(states)
}

/// How many of these operations form the first cluster: they hang together by overlapping, and the
/// next one begins when all of them have returned.
fn overlapping(operations: &[&Operation]) -> usize {
    let mut returned = 0;
    let apart = |operation: &&Operation| {
        let apart = returned > 0 && operation.invoked > returned;
        returned = returned.max(operation.returned);
        apart
    };
    operations.iter().position(apart).unwrap_or(operations.len())
}

/// Where no order explains the answers.
struct Stuck {
    operation: Operation,
    possible: Vec<State>,
    pending: Vec<Operation>,
}

impl Stuck {
    fn violation(self, history: &[&Operation]) -> Box<Violation> {
        let Self { operation, possible, pending } = self;
        let before = |other: &&&Operation| other.returned < operation.returned;
        let mut recent: Vec<Operation> =
            history.iter().filter(before).map(|&&operation| operation).collect();
        recent.sort_unstable_by_key(|other| std::cmp::Reverse(other.returned));
        recent.truncate(8);
        Box::new(Violation { operation, possible, pending, recent })
    }
}

/// An operation that overlaps no other: most are, and need no sweep.
fn after_one(first: &[State], operation: &Operation) -> Result<Vec<State>, Stuck> {
    let mut after: Vec<State> =
        first.iter().filter_map(|&state| step(operation.kind, state)).collect();
    after.sort_unstable();
    after.dedup();
    if after.is_empty() {
        let (operation, possible) = (*operation, first.to_vec());
        return Err(Stuck { operation, possible, pending: vec![operation] });
    }
    Ok(after)
}

/// The sweep.
fn after_many(first: &[State], operations: &[&Operation]) -> Result<Vec<State>, Stuck> {
    let mut events: Vec<(u64, bool, &Operation)> = operations
        .iter()
        .flat_map(|&operation| {
            assert!(operation.invoked < operation.returned, "{operation:?}");
            [(operation.invoked, false, operation), (operation.returned, true, operation)]
        })
        .collect();
    events.sort_unstable_by_key(|&(tick, ..)| tick);
    assert!(events.windows(2).all(|two| two[0].0 < two[1].0), "every tick is given once");

    let mut pending: [Option<&Operation>; 64] = [None; 64];
    let mut configurations: HashSet<Configuration> =
        first.iter().map(|&state| (0, state)).collect();
    for (_, returns, operation) in events {
        let slot = &mut pending[usize::from(operation.thread)];
        if !returns {
            assert!(slot.replace(operation).is_none(), "threads do one thing at a time");
            continue;
        }
        let next = returned(&configurations, &pending, operation);
        if next.is_empty() {
            let pending = pending.iter().flatten().map(|&operation| *operation).collect();
            let possible = states(&configurations);
            return Err(Stuck { operation: *operation, possible, pending });
        }
        configurations = next;
        pending[usize::from(operation.thread)] = None;
    }
    Ok(states(&configurations))
}

/// The states of some configurations, each once.
fn states(configurations: &HashSet<Configuration>) -> Vec<State> {
    let mut states: Vec<State> = configurations.iter().map(|one| one.1).collect();
    states.sort_unstable();
    states.dedup();
    states
}

/// The configurations after `operation` returned.
fn returned(
    before: &HashSet<Configuration>,
    pending: &[Option<&Operation>; 64],
    operation: &Operation,
) -> HashSet<Configuration> {
    let me = 1u64 << operation.thread;
    let mut after = HashSet::new();
    let mut reached = before.clone();
    let mut open: Vec<Configuration> = before.iter().copied().collect();
    while let Some((done, state)) = open.pop() {
        if done & me != 0 {
            after.insert((done & !me, state));
            continue;
        }
        for other in pending.iter().flatten() {
            let bit = 1u64 << other.thread;
            if done & bit != 0 {
                continue;
            }
            if let Some(state) = step(other.kind, state) {
                let configuration = (done | bit, state);
                if reached.insert(configuration) {
                    open.push(configuration);
                }
            }
        }
    }
    after
}
