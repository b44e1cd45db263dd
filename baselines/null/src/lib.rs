//! A store that stores nothing: what remains in its numbers is the price of the harness.
//!
//! Every operation answers from its arguments alone, reads no shared memory and writes none, so
//! that a loop over it costs what the driver, the stream of operations and the clock cost. The
//! answers are those of a store in which every key is live: `get` finds `value_bytes` bytes (the
//! buffer is not touched), `put` updates, `delete` finds its key.
#![forbid(unsafe_code)]

use std::hint::black_box;

use engine::{
    EngineTraits, FullMeaning, GetError, KvEngine, KvSession, MemoryBound, MemoryCensus, Op,
    Outcome, PutError, PutOutcome, SessionError, Setting, ValueBuffers,
};

/// The store; see the crate's documentation.
#[derive(Clone, Copy, Debug)]
pub struct Null {
    value_bytes: usize,
}

impl Null {
    /// A store whose values have `value_bytes` bytes each, as far as anyone can see.
    #[must_use]
    pub fn open(value_bytes: usize) -> Self {
        Self { value_bytes }
    }
}

impl KvEngine for Null {
    const TRAITS: EngineTraits = EngineTraits {
        name: "null",
        description: "stores nothing: prices the harness",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        value_bytes_max: usize::MAX,
        keeps_values: false,
        ..EngineTraits::BASE
    };

    type Session<'engine> = NullSession;

    fn session(&self) -> Result<NullSession, SessionError> {
        let answers = [
            Outcome::Found(self.value_bytes),
            Outcome::Put(PutOutcome::Updated),
            Outcome::Deleted(true),
        ];
        Ok(NullSession { value_bytes: self.value_bytes, answers })
    }

    fn memory(&self) -> MemoryCensus {
        MemoryCensus { complete: true, ..MemoryCensus::default() }
    }

    fn settings(&self) -> Vec<Setting> {
        vec![Setting::new("value_bytes", self.value_bytes)]
    }
}

/// One thread's use of [`Null`].
#[derive(Debug)]
pub struct NullSession {
    value_bytes: usize,
    /// To a GET, a PUT and a DELETE of a batch.
    answers: [Outcome; 3],
}

// `black_box` keeps the optimiser from dropping the stream of operations with the operation: the
// key and the value's address must exist, as for any store.
impl KvSession for NullSession {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        black_box(key);
        Ok(Some(self.value_bytes.min(buffer.len())))
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        black_box((key, value.as_ptr()));
        Ok(PutOutcome::Updated)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> bool {
        black_box(key);
        true
    }

    /// Without a branch on the kind of operation, which in a random mix would cost more than all the rest.
    #[inline]
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        _: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        for (operation, outcome) in black_box(operations).iter().zip(outcomes) {
            let kind = match operation {
                Op::Get { .. } => 0,
                Op::Put { .. } => 1,
                Op::Delete { .. } => 2,
            };
            *outcome = self.answers[kind];
        }
    }
}
