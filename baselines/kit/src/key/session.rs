//! What a session does with keys of one kind, and the contract's sessions over it.

use std::convert::Infallible;
use std::time::Duration;

use engine::{
    BytesError, BytesSession, Decide, Decision, DeleteOutcome, GetError, KeyTooLong, KvSession, Op,
    Outcome, PutError, PutOutcome, ScanRange, ValueBuffers, WithBytesSnapshot, WithSnapshot,
    read_and_decide,
};

use super::{BYTES_MAX, Bytes, Key};
use crate::moment::{BytesAt, WithMoment, WordsAt, Write};

/// What a session does, for words as [`KvSession`] says and for byte strings as [`BytesSession`] does, except
/// that no key is too long.
pub trait Operations<K: Key> {
    /// The longest byte string that is given to it.
    const KEY_BYTES_MAX: usize = BYTES_MAX;

    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError>;

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError>;

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome;

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError>;

    fn execute(
        &mut self,
        operations: &[Op<'_, K::Asked<'_>>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        for (index, (operation, outcome)) in operations.iter().zip(outcomes).enumerate() {
            *outcome = match *operation {
                Op::Get { key } => Outcome::of_get(self.get(key, values.slot(index))),
                Op::Put { key, value } => Outcome::of_put(self.put(key, value)),
                Op::Delete { key } => Outcome::Deleted(self.delete(key)),
            };
        }
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let _ = (range, visit);
        None
    }

    /// As [`KvSession::with_snapshot`], of byte strings, whatever the kind of keys.
    fn with_snapshot(&mut self, read: &mut WithMoment<'_>) -> bool {
        let _ = read;
        false
    }

    /// As [`KvSession::write_in_one_step`], of byte strings, whatever the kind of keys.
    ///
    /// # Errors
    /// As for a put.
    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let _ = writes;
        Ok(None)
    }

    /// As [`KvSession::put_for`].
    ///
    /// # Errors
    /// As for a put.
    fn put_for(
        &mut self,
        key: K::Asked<'_>,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        let _ = (key, value, lifetime);
        Ok(None)
    }
}

/// As [`engine::get_then_put`]: another write of the key may come in between, and is lost.
///
/// # Errors
/// As for a put.
pub fn get_then_put<K: Key, S: Operations<K>>(
    session: &mut S,
    key: K::Asked<'_>,
    decide: &mut Decide<'_>,
) -> Result<Option<PutOutcome>, PutError> {
    let get = |buffer: &mut [u8]| Ok::<_, Infallible>(session.get(key, buffer));
    match read_and_decide(get, decide) {
        Ok((Decision::Put, new)) => session.put(key, &new).map(Some),
        Ok((Decision::Keep, _)) => Ok(None),
    }
}

/// The contract's session of words.
#[derive(Debug)]
pub struct WordSession<S>(pub S);

impl<S: Operations<u64>> KvSession for WordSession<S> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.0.get(key, buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.0.put(key, value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.0.delete(key)
    }

    #[inline]
    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.0.read_modify_write(key, decide)
    }

    #[inline]
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.0.execute(operations, values, outcomes);
    }

    #[inline]
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        self.0.scan(range, visit)
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        self.0.with_snapshot(&mut |moment| read(&mut WordsAt(moment)))
    }

    fn write_in_one_step(
        &mut self,
        writes: &[engine::Write<'_>],
    ) -> Result<Option<PutOutcome>, PutError> {
        let keys: Vec<_> = writes.iter().map(|write| write.key().to_be_bytes()).collect();
        let writes: Vec<_> =
            writes.iter().zip(&keys).map(|(write, key)| write.of(&key[..])).collect();
        self.0.write_in_one_step(&writes)
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.0.put_for(key, value, lifetime)
    }
}

/// The contract's session of byte strings, which refuses those that are longer than
/// [`Operations::KEY_BYTES_MAX`].
#[derive(Debug)]
pub struct ByteSession<S>(pub S);

#[inline]
fn check<S: Operations<Bytes>>(key: &[u8]) -> Result<(), KeyTooLong> {
    KeyTooLong::check(key, S::KEY_BYTES_MAX)
}

impl<S: Operations<Bytes>> BytesSession for ByteSession<S> {
    #[inline]
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        check::<S>(key)?;
        Ok(self.0.get(key, buffer)?)
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        check::<S>(key)?;
        Ok(self.0.put(key, value)?)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        check::<S>(key)?;
        Ok(self.0.delete(key))
    }

    fn read_modify_write(
        &mut self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        check::<S>(key)?;
        Ok(self.0.read_modify_write(key, decide)?)
    }

    fn execute(
        &mut self,
        operations: &[Op<'_, &[u8]>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) -> Result<(), KeyTooLong> {
        for operation in operations {
            let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
            check::<S>(key)?;
        }
        self.0.execute(operations, values, outcomes);
        Ok(())
    }

    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        check::<S>(range.first)?;
        Ok(self.0.scan(range, visit))
    }

    fn with_snapshot(&mut self, read: &mut WithBytesSnapshot<'_>) -> bool {
        let limit_bytes = S::KEY_BYTES_MAX;
        self.0.with_snapshot(&mut |moment| read(&mut BytesAt { moment, limit_bytes }))
    }

    fn write_in_one_step(
        &mut self,
        writes: &[Write<'_>],
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        writes.iter().try_for_each(|write| check::<S>(write.key()))?;
        Ok(self.0.write_in_one_step(writes)?)
    }

    fn put_for(
        &mut self,
        key: &[u8],
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        check::<S>(key)?;
        Ok(self.0.put_for(key, value, lifetime)?)
    }
}
