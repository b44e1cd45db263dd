//! Hands dead objects from the thread that allocated them to the thread that frees them: a bounded queue
//! with one producer and one consumer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::mapped::MappedSlice;
use super::phase::LiveObject;

/// Capacity of the queue, in objects.
const SLOTS: u64 = 1 << 14;

/// One producer's queue to its consumer. Positions only grow; a slot is the position modulo [`SLOTS`].
#[derive(Debug)]
pub(super) struct Handover {
    words: MappedSlice<AtomicU64>,
    given: Line<AtomicU64>,
    taken: Line<AtomicU64>,
    /// The producer adds nothing more in this phase.
    closed: Line<AtomicBool>,
}

/// Aligns a field that one thread writes, so that it has cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line<T>(T);

impl Handover {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self {
            words: MappedSlice::resident(2 * SLOTS as usize)?,
            given: Line::default(),
            taken: Line::default(),
            closed: Line::default(),
        })
    }

    /// Adds `object`; false when the queue is full. Only the producer calls this.
    pub(super) fn give(&self, object: LiveObject) -> bool {
        // Relaxed: only this thread writes it.
        let given = self.given.0.load(Ordering::Relaxed);
        // HANDOVER-BACK, to: the taker has read the slot that is written below.
        if given - self.taken.0.load(Ordering::Acquire) == SLOTS {
            return false;
        }
        let slot = 2 * (given % SLOTS) as usize;
        // Relaxed, twice: published by the release below.
        self.words[slot].store(object.handle, Ordering::Relaxed);
        self.words[slot + 1].store(object.bytes, Ordering::Relaxed);
        // HANDOVER, from: the words above and the object's own bytes.
        self.given.0.store(given + 1, Ordering::Release);
        true
    }

    /// Takes the oldest object. Only the consumer calls this.
    pub(super) fn take(&self) -> Option<LiveObject> {
        // Relaxed: only this thread writes it.
        let taken = self.taken.0.load(Ordering::Relaxed);
        // HANDOVER, to: the slot's words and the object's bytes.
        if taken == self.given.0.load(Ordering::Acquire) {
            return None;
        }
        let slot = 2 * (taken % SLOTS) as usize;
        let object = LiveObject {
            // Relaxed, twice: ordered by the acquire above.
            handle: self.words[slot].load(Ordering::Relaxed),
            bytes: self.words[slot + 1].load(Ordering::Relaxed),
        };
        // HANDOVER-BACK, from: the slot was read.
        self.taken.0.store(taken + 1, Ordering::Release);
        Some(object)
    }

    /// Sets whether the producer is done for this phase.
    pub(super) fn set_closed(&self, closed: bool) {
        // HANDOVER-CLOSE, from: everything given before.
        self.closed.0.store(closed, Ordering::Release);
    }

    /// Whether the producer is done. Objects given before can still be taken after this returned true.
    pub(super) fn is_closed(&self) -> bool {
        // HANDOVER-CLOSE, to.
        self.closed.0.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_given_is_taken_once_and_in_order() {
        const OBJECTS: u64 = 100_000;
        let queue = Handover::new().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for handle in 1..=OBJECTS {
                    while !queue.give(LiveObject { handle, bytes: handle * 2 }) {
                        std::thread::yield_now();
                    }
                }
                queue.set_closed(true);
            });
            let mut next = 1;
            loop {
                let closed = queue.is_closed();
                match queue.take() {
                    Some(object) => {
                        assert_eq!((object.handle, object.bytes), (next, next * 2));
                        next += 1;
                    }
                    None if closed => break,
                    None => std::thread::yield_now(),
                }
            }
            assert_eq!(next, OBJECTS + 1);
        });
    }
}
