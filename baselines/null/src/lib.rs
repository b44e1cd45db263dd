//! A store that stores nothing: its numbers are the cost of the harness.
//!
//! Every operation computes its answer from its arguments and reads or writes no shared memory. A
//! loop over it therefore costs what the driver, the stream of operations and the clock cost. The
//! answers are those of a store in which every key is live: `get` finds `value_bytes` bytes (but
//! does not touch the buffer), `put` updates, `delete` finds its key.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Duration;

use engine::{
    BytesError, BytesSession, DeleteOutcome, EngineTraits, FullMeaning, GetError, KeyTooLong, Keys,
    KvBytesEngine, KvEngine, KvSession, MemoryBound, MemoryCensus, Op, Outcome, PutError,
    PutOutcome, SessionError, Setting, ValueBuffers,
};

/// The store; see the crate's documentation.
#[derive(Clone, Copy, Debug)]
pub struct Null {
    value_bytes: usize,
}

impl Null {
    /// A store in which every value appears to have `value_bytes` bytes.
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
        keys: Keys::Bytes { max: usize::MAX },
        value_bytes_max: usize::MAX,
        keeps_values: false,
        ..EngineTraits::BASE
    };

    type Session<'engine> = NullSession;

    fn session(&self) -> Result<NullSession, SessionError> {
        let answers = [
            Outcome::Found(self.value_bytes),
            Outcome::Put(PutOutcome::Updated),
            Outcome::Deleted(DeleteOutcome::Removed),
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

impl KvBytesEngine for Null {
    type BytesSession<'engine> = NullSession;

    fn bytes_session(&self) -> Result<NullSession, SessionError> {
        self.session()
    }
}

/// One thread's use of [`Null`].
#[derive(Debug)]
pub struct NullSession {
    value_bytes: usize,
    /// The answers to a GET, a PUT and a DELETE in a batch.
    answers: [Outcome; 3],
}

// `black_box` keeps the optimiser from dropping the stream of operations along with the operation:
// as for any store, the key and the value's address must be computed.
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
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        black_box(key);
        DeleteOutcome::Removed
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        black_box(lifetime);
        KvSession::put(self, key, value).map(Some)
    }

    /// Does not branch on the kind of operation: in a random mix, that branch would cost more than
    /// everything else.
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

impl BytesSession for NullSession {
    #[inline]
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        black_box(key);
        Ok(Some(self.value_bytes.min(buffer.len())))
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        black_box((key, value.as_ptr()));
        Ok(PutOutcome::Updated)
    }

    fn put_for(
        &mut self,
        key: &[u8],
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        black_box(lifetime);
        BytesSession::put(self, key, value).map(Some)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        black_box(key);
        Ok(DeleteOutcome::Removed)
    }
}
