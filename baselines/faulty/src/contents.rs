//! What the faulty store holds, and the answers that are wrong on purpose.
//!
//! Wrong answers come by count: the same operations meet the same faults.

use std::collections::HashMap;
use std::ops::Range;

use engine::{GetError, PutOutcome};

use crate::Fault;

/// Of operations that could go wrong, one in so many does.
const RARELY: u64 = 100;

/// Bytes at the front of a value that a tear leaves alone: there the value says which it is.
const UNTORN_BYTES: usize = 24;

/// A map, and what it takes to be wrong about it.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) values: HashMap<u64, Box<[u8]>>,
    /// Whether overwritten values are kept for the fault to tell of.
    keeps_previous: bool,
    /// The value before the last put of a key since it was inserted.
    previous: HashMap<u64, Box<[u8]>>,
    /// Deletes that are to be undone.
    undone: Vec<(u64, Box<[u8]>)>,
    /// Puts begun.
    pub(crate) puts: u64,
    gets: u64,
    /// Operations that could have gone wrong since the fault is due.
    chances: u64,
    /// How often the fault was committed.
    pub(crate) committed: u64,
}

impl Contents {
    /// None yet, to be wrong in the way of `fault`.
    pub(crate) fn new(fault: Fault) -> Self {
        Self { keeps_previous: matches!(fault, Fault::Tear | Fault::Stale), ..Self::default() }
    }

    /// Reads `key`, wrongly where `due` says so.
    pub(crate) fn get(
        &mut self,
        due: Fault,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        self.gets += 1;
        let Some(value) = self.values.get(&key) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        let Some(front) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        front.copy_from_slice(value);
        match due {
            Fault::Lie if self.gets.is_multiple_of(RARELY) => {
                self.committed += 1;
                // The last byte: headers stay plausible, so only a look at all bytes tells.
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

    /// Stores the value, unless `due` says otherwise of this put, which has the number `put`.
    pub(crate) fn put(&mut self, due: Fault, put: u64, key: u64, value: &[u8]) -> PutOutcome {
        for (dead, old) in std::mem::take(&mut self.undone) {
            // A key that was put again has another life, which is not to be disturbed.
            if dead != key {
                self.committed += 1;
                self.values.insert(dead, old);
            }
        }
        self.committed += u64::from(due == Fault::Leak);
        let known = self.values.contains_key(&key);
        if due == Fault::Lose && put.is_multiple_of(RARELY) {
            self.committed += 1;
        } else if let Some(old) = self.values.insert(key, value.into())
            && self.keeps_previous
        {
            self.previous.insert(key, old);
        }
        if known { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Removes `key`, for good unless `due` says otherwise.
    pub(crate) fn delete(&mut self, due: Fault, key: u64) -> bool {
        let Some(old) = self.values.remove(&key) else { return false };
        self.previous.remove(&key);
        if due == Fault::Resurrect && is_taken(&mut self.chances) {
            self.undone.push((key, old));
        }
        true
    }
}

/// Counts a chance; whether it is to be taken.
fn is_taken(chances: &mut u64) -> bool {
    *chances += 1;
    chances.is_multiple_of(RARELY)
}

/// The second half of `value`, as far as the old one reaches; `None` where that would not show.
fn torn_part(value: &[u8], old: &[u8]) -> Option<Range<usize>> {
    let part = UNTORN_BYTES.max(value.len() / 2)..value.len().min(old.len());
    (part.start < part.end && value[part.clone()] != old[part.clone()]).then_some(part)
}
