//! One thread's use of the pseudo-store: single operations, and batches in stages.

use std::sync::atomic::Ordering;

use engine::{DeleteOutcome, GetError, KvSession, Op, Outcome, PutError, PutOutcome, ValueBuffers};
use platform::racy::{WORD_BYTES, copy_in, copy_out};

use crate::Roofline;
use crate::place::Place;

/// How many operations of a batch have their lines fetched together.
const IN_FLIGHT: usize = 32;
/// How many lines of an object are prefetched: those of 1 KiB at any alignment. For longer objects
/// the processor's own prefetchers take over.
const LINES_AHEAD: usize = 17;

/// One thread's use of a [`Roofline`].
#[derive(Debug)]
pub struct RooflineSession<'engine> {
    store: &'engine Roofline,
    /// Where the next value goes in object memory, in words.
    next: usize,
    end: usize,
}

impl<'engine> RooflineSession<'engine> {
    pub(crate) fn new(store: &'engine Roofline) -> Self {
        Self { store, next: 0, end: 0 }
    }

    #[inline]
    fn load(&self, slot: usize) -> Option<Place> {
        // Relaxed: pairs with nothing. By now the word may lead to another object, as the crate's
        // documentation says.
        Place::of(self.store.index.all()[slot].load(Ordering::Relaxed))
    }

    #[inline]
    fn get_at(&self, slot: usize, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let Some(place) = self.load(slot) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (place.value_bytes, buffer.len());
        let Some(front) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        copy_out(&self.store.objects.all()[place.at..place.at + place.words()], front);
        Ok(Some(value_bytes))
    }

    #[inline]
    fn put_at(&mut self, slot: usize, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.store.config.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let words = value_bytes.div_ceil(WORD_BYTES);
        if words > self.end - self.next {
            let share = self.store.take_share();
            (self.next, self.end) = (share.start, share.end);
        }
        let place = Place { at: self.next, value_bytes };
        self.next += words;
        copy_in(&self.store.objects.all()[place.at..self.next], value);
        // Relaxed: pairs with nothing, as above.
        self.store.index.all()[slot].store(place.word(), Ordering::Relaxed);
        Ok(PutOutcome::Stored)
    }

    #[inline]
    fn delete_at(&mut self, slot: usize) -> bool {
        let was_there = self.load(slot).is_some();
        // Relaxed: pairs with nothing, as above.
        self.store.index.all()[slot].store(Place::ABSENT, Ordering::Relaxed);
        was_there
    }
}

impl KvSession for RooflineSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.get_at(self.store.slot_of(key), buffer)
    }

    /// Tells nothing of the key: to know whether the key is new would mean reading
    /// the index line before writing it.
    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.put_at(self.store.slot_of(key), value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.delete_at(self.store.slot_of(key)))
    }

    /// Three stages for each group of operations: fetch all index lines, fetch the objects' lines
    /// of all gets, then execute the operations in order.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut slots = [0; IN_FLIGHT];
        let groups = operations.chunks(IN_FLIGHT).zip(outcomes.chunks_mut(IN_FLIGHT));
        for (group, (operations, outcomes)) in groups.enumerate() {
            for (slot, operation) in slots.iter_mut().zip(operations) {
                let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
                *slot = self.store.slot_of(key);
                self.store.index.prefetch(*slot);
            }
            for (&slot, operation) in slots.iter().zip(operations) {
                if let (Op::Get { .. }, Some(place)) = (operation, self.load(slot)) {
                    self.store.objects.prefetch_lines(place.at, place.words(), LINES_AHEAD);
                }
            }
            let answers = slots.iter().zip(operations).zip(outcomes).enumerate();
            for (turn, ((&slot, operation), outcome)) in answers {
                *outcome = match *operation {
                    Op::Get { .. } => {
                        let buffer = values.slot(group * IN_FLIGHT + turn);
                        Outcome::of_get(self.get_at(slot, buffer))
                    }
                    Op::Put { value, .. } => Outcome::of_put(self.put_at(slot, value)),
                    Op::Delete { .. } => {
                        Outcome::Deleted(DeleteOutcome::told(self.delete_at(slot)))
                    }
                };
            }
        }
    }
}
