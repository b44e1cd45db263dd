//! Words as keys of a store of byte strings: their eight big-endian bytes, whose order is theirs.

use std::time::Duration;

use crate::{
    BytesError, BytesSession, BytesSnapshotRead, Decide, DeleteOutcome, GetError, KvSession,
    PutError, PutOutcome, ScanRange, SnapshotRead, WithSnapshot, Write,
};

/// A session of words with a store of byte strings.
#[derive(Debug)]
pub struct Words<S>(pub S);

/// What an operation on eight bytes came to: every store takes so many.
#[inline]
fn of_a_word<T, E>(result: Result<T, BytesError<E>>) -> Result<T, E> {
    result.map_err(|error| match error {
        BytesError::Value(error) => error,
        BytesError::Key(error) => panic!("a store of byte strings takes words: {error}"),
    })
}

impl<S: BytesSession> KvSession for Words<S> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        of_a_word(self.0.get(&key.to_be_bytes(), buffer))
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        of_a_word(self.0.put(&key.to_be_bytes(), value))
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let deleted = self.0.delete(&key.to_be_bytes());
        deleted.unwrap_or_else(|error| panic!("a store of byte strings takes words: {error}"))
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        of_a_word(self.0.read_modify_write(&key.to_be_bytes(), decide))
    }

    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        of_a_word(self.0.put_if_absent(&key.to_be_bytes(), value))
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        of_a_word(self.0.put_for(&key.to_be_bytes(), value, lifetime))
    }

    /// # Panics
    /// At a key that is no word.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let range = ScanRange { first: &first.to_be_bytes()[..], limit, order };
        let shown = self.0.scan(range, &mut |key, value| visit(word_of(key), value));
        shown.unwrap_or_else(|error| panic!("a store of byte strings takes words: {error}"))
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        self.0.with_snapshot(&mut |snapshot| read(&mut WordsAt(snapshot)))
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let keys: Vec<_> = writes.iter().map(|write| write.key().to_be_bytes()).collect();
        let writes: Vec<_> =
            writes.iter().zip(&keys).map(|(write, key)| write.of(&key[..])).collect();
        of_a_word(self.0.write_in_one_step(&writes))
    }
}

/// The words of a store of byte strings at one moment.
struct WordsAt<'snapshot>(&'snapshot mut dyn BytesSnapshotRead);

impl SnapshotRead for WordsAt<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        of_a_word(self.0.get(&key.to_be_bytes(), buffer))
    }

    /// # Panics
    /// At a key that is no word.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let range = ScanRange { first: &first.to_be_bytes()[..], limit, order };
        let shown = self.0.scan(range, &mut |key, value| visit(word_of(key), value));
        shown.unwrap_or_else(|error| panic!("a store of byte strings takes words: {error}"))
    }
}

/// The word that these bytes are.
///
/// # Panics
/// If they are not eight.
#[must_use]
pub fn word_of(key: &[u8]) -> u64 {
    u64::from_be_bytes(key.try_into().expect("a key of a store of words has eight bytes"))
}
