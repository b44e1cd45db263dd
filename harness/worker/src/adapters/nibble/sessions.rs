//! Sessions of Nibble behind the contract, with words and with byte strings as keys.

use engine::{
    BytesError, BytesSession, DeleteOutcome, GetError, KeyTooLong, KvSession, Op, Outcome,
    PutError, PutOutcome, ValueBuffers,
};
use nibble::{Answer, Buffers, KeyedError, Operation};

/// One thread's session with a Nibble store.
#[derive(Debug)]
pub(crate) struct NibbleSession<'store> {
    pub(super) session: nibble::Session<'store>,
}

/// One thread's session with a Nibble store of byte strings.
#[derive(Debug)]
pub(crate) struct NibbleBytesSession<'store> {
    pub(super) session: nibble::Session<'store, [u8]>,
}

impl KvSession for NibbleSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.session.get(key, buffer).map_err(too_short)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.session.put(key, value).map_or_else(refused, |stored| Ok(outcome_of(stored)))
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.session.delete(key).unwrap_or_else(|_| closed()))
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        let (bytes, slot_bytes) = values.slots();
        let mut buffers = Buffers::new(bytes, slot_bytes);
        self.session.execute(operations.iter().map(asked), &mut buffers, |index, answer| {
            outcomes[index] = answered(answer);
        });
    }
}

impl BytesSession for NibbleBytesSession<'_> {
    #[inline]
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        self.session.get(key, buffer).map_err(|error| match error {
            KeyedError::Key(error) => too_long(error).into(),
            KeyedError::Value(error) => BytesError::Value(too_short(error)),
        })
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        match self.session.put(key, value) {
            Ok(stored) => Ok(outcome_of(stored)),
            Err(KeyedError::Key(error)) => Err(too_long(error).into()),
            Err(KeyedError::Value(error)) => refused(error).map_err(BytesError::Value),
        }
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        match self.session.delete(key) {
            Ok(was_there) => Ok(DeleteOutcome::told(was_there)),
            Err(KeyedError::Key(error)) => Err(too_long(error)),
            Err(KeyedError::Value(_)) => closed(),
        }
    }

    fn execute(
        &mut self,
        operations: &[Op<'_, &[u8]>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) -> Result<(), KeyTooLong> {
        let (bytes, slot_bytes) = values.slots();
        let mut buffers = Buffers::new(bytes, slot_bytes);
        let asked: Vec<_> = operations.iter().map(asked).collect();
        let answered = |index: usize, answer| outcomes[index] = answered(answer);
        self.session.execute(&asked, &mut buffers, answered).map_err(too_long)
    }
}

fn too_short(error: nibble::BufferTooShort) -> GetError {
    GetError::BufferTooShort { value_bytes: error.value_bytes, buffer_bytes: error.buffer_bytes }
}

fn too_long(error: nibble::KeyTooLong) -> KeyTooLong {
    KeyTooLong { key_bytes: error.key_bytes, limit_bytes: error.limit_bytes }
}

/// What a PUT that stored nothing came to.
fn refused(error: nibble::PutError) -> Result<PutOutcome, PutError> {
    match error {
        nibble::PutError::Full | nibble::PutError::Stalled { .. } => Ok(PutOutcome::Full),
        nibble::PutError::ValueTooLarge { value_bytes, limit_bytes } => {
            Err(PutError::ValueTooLarge { value_bytes, limit_bytes })
        }
        nibble::PutError::Closed => closed(),
    }
}

/// Compaction has panicked: a bug, which ends the cell.
#[cold]
fn closed() -> ! {
    panic!("nibble: {}", nibble::PutError::Closed)
}

fn outcome_of(stored: nibble::Put) -> PutOutcome {
    match stored {
        nibble::Put::Inserted => PutOutcome::Inserted,
        nibble::Put::Updated => PutOutcome::Updated,
    }
}

/// An operation of the contract in the form the engine takes.
#[inline]
fn asked<'value, K: Copy>(operation: &Op<'value, K>) -> Operation<'value, K> {
    match *operation {
        Op::Get { key } => Operation::Get { key },
        Op::Put { key, value } => Operation::Put { key, value },
        Op::Delete { key } => Operation::Delete { key },
    }
}

#[inline]
fn answered(answer: Answer) -> Outcome {
    match answer {
        Answer::Found(value_bytes) => Outcome::Found(value_bytes),
        Answer::Absent => Outcome::Absent,
        Answer::TooShort { value_bytes } => Outcome::BufferTooShort(value_bytes),
        Answer::Stored(stored) => Outcome::Put(outcome_of(stored)),
        Answer::Refused(nibble::PutError::Full | nibble::PutError::Stalled { .. }) => {
            Outcome::Put(PutOutcome::Full)
        }
        Answer::Refused(nibble::PutError::ValueTooLarge { .. }) => Outcome::ValueTooLarge,
        Answer::Refused(nibble::PutError::Closed) => closed(),
        Answer::Deleted(was_there) => Outcome::Deleted(DeleteOutcome::told(was_there)),
    }
}
