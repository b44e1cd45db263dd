//! One thread's use of the store: splits batches by owner, posts, waits, collects.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use engine::{
    DeleteOutcome, GetError, KvEngine, KvSession, Op, Outcome, PutError, PutOutcome, ValueBuffers,
};

use super::MicaHandover;
use super::letter::LETTER_OPERATIONS;
use super::mailbox::{Mailbox, OwnerGone};
use super::patience::Patience;

/// A mailbox, as seen by its session.
#[derive(Debug)]
struct Written {
    mailbox: Arc<Mailbox>,
    /// Which operations of the batch go there.
    operations: Vec<u8>,
}

const _: () = assert!(LETTER_OPERATIONS <= u8::MAX as usize);

/// One thread's use of a [`MicaHandover`].
///
/// # Panics
/// Every operation panics if the owner of its key has panicked.
#[derive(Debug)]
pub struct HandoverSession<'store> {
    store: &'store MicaHandover,
    /// One for each owner.
    mailboxes: Box<[Written]>,
    /// Owners with a letter of the current batch.
    asked: Vec<usize>,
    patience: Patience,
}

impl<'store> HandoverSession<'store> {
    pub(super) fn new(store: &'store MicaHandover) -> Self {
        let mailboxes = store.owners.iter().map(|owner| Written {
            mailbox: owner.register(),
            operations: Vec::with_capacity(LETTER_OPERATIONS),
        });
        Self {
            store,
            mailboxes: mailboxes.collect(),
            asked: Vec::with_capacity(store.owners.len()),
            patience: Patience::default(),
        }
    }

    #[inline]
    fn owner_of(&self, key: u64) -> usize {
        self.store.mica.route(key, self.store.owners.len()).expect("partitions have owners")
    }

    /// Room for what a GET finds, given the caller's room.
    #[inline]
    fn slot_bytes(&self, caller_bytes: usize) -> u32 {
        // No value is longer than the limit, which a letter can express.
        caller_bytes.min(self.store.value_bytes_max) as u32
    }

    /// Hands over one operation, and copies what a GET found to the front of `buffer`.
    #[inline]
    fn hand_over_one(&mut self, key: u64, operation: Op<'_>, buffer: &mut [u8]) -> Outcome {
        let (owner, slot_bytes) = (self.owner_of(key), self.slot_bytes(buffer.len()));
        let mailbox = &self.mailboxes[owner].mailbox;
        mailbox.post(slot_bytes, std::iter::once(operation));
        self.store.owners[owner].tell();
        if let Err(OwnerGone) = mailbox.wait(&mut self.patience) {
            owner_is_gone(owner);
        }
        let mut outcome = Outcome::Absent;
        mailbox.open(1, slot_bytes, |_, found, value| {
            buffer[..value.len()].copy_from_slice(value);
            outcome = found;
        });
        outcome
    }

    /// Hands over at most [`LETTER_OPERATIONS`] operations, in one letter per owner; slots are
    /// counted from `first`.
    fn hand_over(
        &mut self,
        operations: &[Op<'_>],
        first: usize,
        slot_bytes: u32,
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        for (number, operation) in operations.iter().enumerate() {
            let key = match *operation {
                Op::Put { value, .. } if value.len() > self.store.value_bytes_max => {
                    outcomes[number] = Outcome::ValueTooLarge;
                    continue;
                }
                Op::Get { key } | Op::Put { key, .. } | Op::Delete { key } => key,
            };
            let owner = self.owner_of(key);
            let numbers = &mut self.mailboxes[owner].operations;
            if numbers.is_empty() {
                self.asked.push(owner);
            }
            numbers.push(number as u8);
        }
        for &owner in &self.asked {
            let Written { mailbox, operations: numbers } = &self.mailboxes[owner];
            mailbox.post(slot_bytes, numbers.iter().map(|&number| operations[number as usize]));
        }
        // MICA-POST, from: letters come before the check who sleeps. One fence serves all letters.
        // MICA-DOZE, to: an owner that fell asleep before this is seen.
        fence(Ordering::SeqCst);
        self.asked.iter().for_each(|&owner| self.store.owners[owner].wake_if_asleep());
        let mut gone = None;
        // Waits for all owners, gone or not: no letter is under way when this returns or panics.
        for owner in self.asked.drain(..) {
            let Written { mailbox, operations: numbers } = &mut self.mailboxes[owner];
            match mailbox.wait(&mut self.patience) {
                Ok(()) => mailbox.open(numbers.len(), slot_bytes, |turn, outcome, value| {
                    let number = numbers[turn] as usize;
                    if let Outcome::Found(value_bytes) = outcome {
                        values.slot(first + number)[..value_bytes].copy_from_slice(value);
                    }
                    outcomes[number] = outcome;
                }),
                Err(OwnerGone) => gone = Some(owner),
            }
            numbers.clear();
        }
        if let Some(owner) = gone {
            owner_is_gone(owner);
        }
    }
}

#[cold]
fn owner_is_gone(owner: usize) -> ! {
    panic!(
        "owner {owner} of mica-handover has panicked, so nobody serves its partitions: see its \
         message, then reopen the store"
    )
}

impl Drop for HandoverSession<'_> {
    fn drop(&mut self) {
        for (owner, written) in self.store.owners.iter().zip(&self.mailboxes) {
            owner.unregister(&written.mailbox);
        }
    }
}

impl KvSession for HandoverSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let buffer_bytes = buffer.len();
        match self.hand_over_one(key, Op::Get { key }, buffer) {
            Outcome::Found(value_bytes) => Ok(Some(value_bytes)),
            Outcome::BufferTooShort(value_bytes) => {
                Err(GetError::BufferTooShort { value_bytes, buffer_bytes })
            }
            Outcome::Absent => Ok(None),
            other => unreachable!("a GET has no outcome {other:?}"),
        }
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.store.value_bytes_max);
        let too_large = PutError::ValueTooLarge { value_bytes, limit_bytes };
        if value_bytes > limit_bytes {
            return Err(too_large);
        }
        match self.hand_over_one(key, Op::Put { key, value }, &mut []) {
            Outcome::Put(outcome) => Ok(outcome),
            Outcome::ValueTooLarge => Err(too_large),
            other => unreachable!("a PUT has no outcome {other:?}"),
        }
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        match self.hand_over_one(key, Op::Delete { key }, &mut []) {
            Outcome::Deleted(outcome) => outcome,
            other => unreachable!("a DELETE has no outcome {other:?}"),
        }
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        // All slots have the same length. If there are too few, this panics before anything is
        // handed over.
        let last_get = operations.iter().rposition(|each| matches!(each, Op::Get { .. }));
        let slot_bytes = last_get.map_or(0, |number| values.slot(number).len());
        let slot_bytes = self.slot_bytes(slot_bytes);
        let groups =
            operations.chunks(LETTER_OPERATIONS).zip(outcomes.chunks_mut(LETTER_OPERATIONS));
        for (group, (operations, outcomes)) in groups.enumerate() {
            self.hand_over(operations, group * LETTER_OPERATIONS, slot_bytes, values, outcomes);
        }
    }
}
