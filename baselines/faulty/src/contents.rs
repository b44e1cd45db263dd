//! The contents of the faulty store, and its deliberately wrong answers.
//!
//! Faults are triggered by counts, so the same operations meet the same faults.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{GetError, PutOutcome, Write};
use kit::values::copy_out;

use crate::Fault;

/// One in this many operations that could go wrong does.
const RARELY: u64 = 100;

/// Bytes at the front of a value that a tear leaves intact: they say which value it is.
const UNTORN_BYTES: usize = 24;

/// What the store has at one moment.
pub(crate) type Values = HashMap<u64, Box<[u8]>>;

/// A map, plus the state needed to return wrong answers.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Copied by the first write while a snapshot is open.
    pub(crate) values: Arc<Values>,
    /// Whether overwritten values are kept, for the fault to return.
    keeps_previous: bool,
    /// For each key, the value before its last put since insertion.
    previous: Values,
    /// Deletes to be undone.
    undone: Vec<(u64, Box<[u8]>)>,
    /// The write that the last step left out.
    left_out: Option<(u64, Box<[u8]>)>,
    /// When the values end that have a lifetime. No snapshot knows.
    ends: HashMap<u64, Instant>,
    /// Number of puts begun.
    pub(crate) puts: u64,
    gets: u64,
    /// Operations that could have gone wrong since the fault became due.
    chances: u64,
    /// How often the fault was committed.
    pub(crate) committed: u64,
}

impl Contents {
    /// Empty contents that will commit `fault`.
    pub(crate) fn new(fault: Fault) -> Self {
        let keeps_previous = matches!(fault, Fault::Tear | Fault::Stale | Fault::Part);
        Self { keeps_previous, ..Self::default() }
    }

    /// Reads `key`; wrongly if `due` says so.
    pub(crate) fn get(
        &mut self,
        due: Fault,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        if self.ends.get(&key).is_some_and(|end| *end <= Instant::now()) {
            self.remove(key);
        }
        let values = Arc::clone(&self.values);
        self.get_of(&values, due, key, buffer)
    }

    /// The same of a moment.
    pub(crate) fn get_of(
        &mut self,
        values: &Values,
        due: Fault,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        self.gets += 1;
        let Some(value) = values.get(&key) else { return Ok(None) };
        let value_bytes = copy_out(value, buffer)?;
        let front = &mut buffer[..value_bytes];
        match due {
            Fault::Lie if self.gets.is_multiple_of(RARELY) => {
                self.committed += 1;
                // The last byte: headers stay plausible, so only a check of all bytes notices it.
                let Some(last) = front.last_mut() else { return Ok(None) };
                *last ^= 1;
            }
            Fault::Tear => {
                if let Some(old) = self.previous.get(&key)
                    && let Some(torn) = torn_part(value, old)
                    && is_taken(&mut self.chances)
                {
                    self.committed += 1;
                    front[torn.clone()].copy_from_slice(&old[torn]);
                }
            }
            Fault::Stale => {
                if let Some(old) = self.previous.get(&key)
                    && old != value
                    && let Some(front) = buffer.get_mut(..old.len())
                    && is_taken(&mut self.chances)
                {
                    self.committed += 1;
                    front.copy_from_slice(old);
                    return Ok(Some(old.len()));
                }
            }
            _ => {}
        }
        Ok(Some(value_bytes))
    }

    /// Stores the value, unless `due` sabotages this put. `put` is its number.
    pub(crate) fn put(&mut self, due: Fault, put: u64, key: u64, value: &[u8]) -> PutOutcome {
        for (dead, old) in std::mem::take(&mut self.undone) {
            // A key that was put again must not be disturbed.
            if dead != key {
                self.committed += 1;
                Arc::make_mut(&mut self.values).insert(dead, old);
            }
        }
        self.committed += u64::from(due == Fault::Leak);
        if self.ends.remove(&key).is_some_and(|end| end <= Instant::now()) {
            self.remove(key);
        }
        let known = self.values.contains_key(&key);
        if due == Fault::Lose && put.is_multiple_of(RARELY) {
            self.committed += 1;
        } else if let Some(old) = Arc::make_mut(&mut self.values).insert(key, value.into())
            && self.keeps_previous
        {
            self.previous.insert(key, old);
        }
        if known { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Carries out writes in one step, unless `due` leaves one to the next step. The first has the
    /// number `put`.
    pub(crate) fn write_in_one_step(&mut self, due: Fault, put: u64, writes: &[Write<'_>]) {
        if let Some((key, value)) = self.left_out.take() {
            self.put(due, put, key, &value);
        }
        for (put, write) in (put..).zip(writes) {
            match *write {
                Write::Put { key, value } => _ = self.put(due, put, key, value),
                Write::Delete { key } => _ = self.delete(due, key),
            }
        }
        if due == Fault::Part
            && let Some(Write::Put { key, value }) = writes.last()
            && let Some(old) = self.previous.get(key)
            && is_taken(&mut self.chances)
        {
            self.committed += 1;
            Arc::make_mut(&mut self.values).insert(*key, old.clone());
            self.left_out = Some((*key, (*value).into()));
        }
    }

    /// The same with a lifetime, unless `due` leaves that out.
    pub(crate) fn put_for(
        &mut self,
        (due, put): (Fault, u64),
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> PutOutcome {
        let stored = self.put(due, put, key, value);
        if due == Fault::Outlive && is_taken(&mut self.chances) {
            self.committed += 1;
        } else if let Some(end) = Instant::now().checked_add(lifetime) {
            self.ends.insert(key, end);
        }
        stored
    }

    /// Removes what has ended.
    pub(crate) fn remove_ended(&mut self) {
        let now = Instant::now();
        let ended = self.ends.iter().filter(|(_, end)| **end <= now).map(|(key, _)| *key);
        ended.collect::<Vec<u64>>().into_iter().for_each(|key| _ = self.remove(key));
    }

    fn remove(&mut self, key: u64) -> Option<Box<[u8]>> {
        self.ends.remove(&key);
        self.previous.remove(&key);
        Arc::make_mut(&mut self.values).remove(&key)
    }

    /// Removes `key`, for good unless `due` says otherwise.
    pub(crate) fn delete(&mut self, due: Fault, key: u64) -> bool {
        let has_ended = self.ends.get(&key).is_some_and(|end| *end <= Instant::now());
        let Some(old) = self.remove(key).filter(|_| !has_ended) else { return false };
        if due == Fault::Resurrect && is_taken(&mut self.chances) {
            self.undone.push((key, old));
        }
        true
    }
}

/// Counts a chance; returns whether to take it.
fn is_taken(chances: &mut u64) -> bool {
    *chances += 1;
    chances.is_multiple_of(RARELY)
}

/// The second half of `value`, as far as the old one reaches; `None` if the tear would not show.
fn torn_part(value: &[u8], old: &[u8]) -> Option<Range<usize>> {
    let part = UNTORN_BYTES.max(value.len() / 2)..value.len().min(old.len());
    (part.start < part.end && value[part.clone()] != old[part.clone()]).then_some(part)
}
