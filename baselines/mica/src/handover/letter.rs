//! The layout of letters and answers in a mailbox, and how a letter is carried out.

use std::mem;

use engine::{KvSession, Op, Outcome, ValueBuffers};

/// The most operations in a letter.
pub(super) const LETTER_OPERATIONS: usize = 64;
/// Up to this many operations, an owner uses a short batch.
const SHORT_OPERATIONS: usize = 8;
/// Initial size of a value buffer.
pub(super) const BUFFER_BYTES_FIRST: usize = 4096;
/// The largest buffer that is kept for the next letter.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// An operation in a letter; the values of PUTs are stored separately, one after the other.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Get { key: u64 },
    Put { key: u64, value_bytes: u32 },
    Delete { key: u64 },
}

#[derive(Debug)]
#[repr(C)]
pub(super) struct Request {
    /// The values of its PUTs, one after the other.
    values: Vec<u8>,
    /// Room for the value that a GET finds.
    slot_bytes: u32,
    operations: u32,
    asked: [Asked; LETTER_OPERATIONS],
}

#[derive(Debug)]
#[repr(C)]
pub(super) struct Reply {
    /// One slot per operation, if there is a GET among them.
    values: Vec<u8>,
    outcomes: [Outcome; LETTER_OPERATIONS],
}

/// Where a letter's first operation ends, and an answer's first outcome.
pub(super) const FIRST_OPERATION_END: usize = mem::offset_of!(Request, asked) + size_of::<Asked>();
pub(super) const FIRST_OUTCOME_END: usize = mem::offset_of!(Reply, outcomes) + size_of::<Outcome>();

impl Request {
    pub(super) fn new() -> Self {
        Self {
            values: Vec::with_capacity(BUFFER_BYTES_FIRST),
            slot_bytes: 0,
            operations: 0,
            asked: [Asked::Get { key: 0 }; LETTER_OPERATIONS],
        }
    }

    pub(super) fn buffer_bytes(&self) -> usize {
        self.values.capacity()
    }

    /// Writes at most [`LETTER_OPERATIONS`] operations; `slot_bytes` is the room for what a GET
    /// finds.
    #[inline]
    pub(super) fn write<'a>(&mut self, slot_bytes: u32, operations: impl Iterator<Item = Op<'a>>) {
        // Moved out while it grows, because the owner polls the line that contains its header.
        let mut values = mem::take(&mut self.values);
        values.clear();
        let mut count = 0;
        for (asked, operation) in self.asked.iter_mut().zip(operations) {
            *asked = match operation {
                Op::Get { key } => Asked::Get { key },
                Op::Put { key, value } => {
                    values.extend_from_slice(value);
                    let value_bytes = u32::try_from(value.len()).expect("below the store's limit");
                    Asked::Put { key, value_bytes }
                }
                Op::Delete { key } => Asked::Delete { key },
            };
            count += 1;
        }
        (self.values, self.slot_bytes, self.operations) = (values, slot_bytes, count);
    }

    /// Executes the letter's operations; returns how many there were.
    #[inline]
    pub(super) fn carry_out<S: KvSession>(&mut self, session: &mut S, reply: &mut Reply) -> usize {
        let Reply { values: found, outcomes } = reply;
        let (operations, slot_bytes) = (self.operations as usize, self.slot_bytes as usize);
        make_room(found, operations * slot_bytes);
        let slots = &mut ValueBuffers::new(found, slot_bytes);
        let (asked, values) = (&self.asked[..operations], &*self.values);
        match *asked {
            // A single operation does not repay the preparation of a batch.
            [Asked::Get { key }] => {
                outcomes[0] = Outcome::of_get(session.get(key, slots.slot(0)));
            }
            [Asked::Put { key, .. }] => outcomes[0] = Outcome::of_put(session.put(key, values)),
            [Asked::Delete { key }] => outcomes[0] = Outcome::Deleted(session.delete(key)),
            _ if operations <= SHORT_OPERATIONS => {
                execute::<SHORT_OPERATIONS, S>(session, asked, values, slots, outcomes);
            }
            _ => execute::<LETTER_OPERATIONS, S>(session, asked, values, slots, outcomes),
        }
        if self.values.capacity() > BUFFER_BYTES_KEPT {
            self.values = Vec::with_capacity(BUFFER_BYTES_FIRST);
        }
        operations
    }
}

impl Reply {
    pub(super) fn new() -> Self {
        Self { values: vec![0; BUFFER_BYTES_FIRST], outcomes: [Outcome::Absent; LETTER_OPERATIONS] }
    }

    pub(super) fn buffer_bytes(&self) -> usize {
        self.values.capacity()
    }

    /// Calls `each` with the number and outcome of every operation of the letter, in order, with
    /// the value that a GET found.
    #[inline]
    pub(super) fn read(
        &mut self,
        operations: usize,
        slot_bytes: u32,
        mut each: impl FnMut(usize, Outcome, &[u8]),
    ) {
        for (number, &outcome) in self.outcomes[..operations].iter().enumerate() {
            let value = match outcome {
                Outcome::Found(value_bytes) => {
                    &self.values[number * slot_bytes as usize..][..value_bytes]
                }
                _ => &[],
            };
            each(number, outcome, value);
        }
        if self.values.capacity() > BUFFER_BYTES_KEPT {
            self.values = vec![0; BUFFER_BYTES_FIRST];
        }
    }
}

/// Makes a buffer at least this long. Its contents are lost.
#[inline]
fn make_room(values: &mut Vec<u8>, bytes: usize) {
    if values.len() < bytes {
        // A buffer that is not kept need not be made larger than requested.
        let is_kept = bytes <= BUFFER_BYTES_KEPT;
        *values = vec![0; if is_kept { bytes.next_power_of_two() } else { bytes }];
    }
}

/// Executes a batch of at most `N` operations.
fn execute<const N: usize, S: KvSession>(
    session: &mut S,
    asked: &[Asked],
    mut values: &[u8],
    slots: &mut ValueBuffers<'_>,
    outcomes: &mut [Outcome],
) {
    let mut operations = [Op::Get { key: 0 }; N];
    for (operation, &asked) in operations.iter_mut().zip(asked) {
        *operation = match asked {
            Asked::Get { key } => Op::Get { key },
            Asked::Put { key, value_bytes } => {
                let (value, behind) = values.split_at(value_bytes as usize);
                values = behind;
                Op::Put { key, value }
            }
            Asked::Delete { key } => Op::Delete { key },
        };
    }
    session.execute(&operations[..asked.len()], slots, &mut outcomes[..asked.len()]);
}
