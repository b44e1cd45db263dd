//! Keys of stores that are compiled once for words and once for byte strings.
//!
//! Such a store is generic over its [`Key`], and its session does [`Operations`] on keys of that kind.
//! [`Key::Session`] makes of it what the contract asks for: with words the session itself, with byte
//! strings one that refuses keys that are too long.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::fmt::Debug;
use std::hash::Hash;

use engine::{
    BytesError, BytesSession, Decide, Decision, DeleteOutcome, GetError, KeyTooLong, KvSession, Op,
    Outcome, PutError, PutOutcome, ScanRange, ValueBuffers, Words, read_and_decide, word_of,
};

use crate::hash::{mix, mix_bytes};

/// A byte string that a store owns.
pub type Bytes = Box<[u8]>;

/// The longest byte string that the stores here take as a key, where nothing else limits them.
pub const BYTES_MAX: usize = u16::MAX as usize;

/// A key as a store holds it: a word, or a byte string of its own.
pub trait Key: Borrow<Self::Compared> + Hash + Ord + Clone + Debug + Send + Sync + 'static {
    /// A key as an operation is given it.
    type Asked<'k>: Copy + Debug;
    /// What maps compare and hash.
    type Compared: Hash + Ord + ?Sized;
    /// The length of a key.
    type Length: Length;
    /// A key as bytes, with the order of keys.
    type Spelled<'k>: AsRef<[u8]>;
    /// The contract's session over a session of this kind.
    type Session<S: Operations<Self>>: KvSession;

    /// Bytes of it within the memory of a map.
    const IN_PLACE_BYTES: u64;

    fn compared<'a>(asked: &'a Self::Asked<'_>) -> &'a Self::Compared;

    /// A copy for the store.
    fn owned(asked: Self::Asked<'_>) -> Self;

    fn asked(&self) -> Self::Asked<'_>;

    fn length(asked: Self::Asked<'_>) -> Self::Length;

    fn spelled<'a>(asked: &'a Self::Asked<'_>) -> Self::Spelled<'a>;

    /// The key that these bytes spell.
    ///
    /// # Panics
    /// If they spell none: those of no word.
    fn read(spelled: &[u8]) -> Self::Asked<'_>;

    /// Every bit of it depends on the whole key.
    fn hashed(asked: Self::Asked<'_>) -> u64;

    fn session<S: Operations<Self>>(session: S) -> Self::Session<S>;

    /// The bytes of all these keys.
    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64;
}

/// A number of bytes, which takes no memory where all keys have the same.
pub trait Length: Copy + Debug {
    fn bytes(self) -> u64;
}

/// The length of a word.
#[derive(Clone, Copy, Debug)]
pub struct EightBytes;

impl Length for EightBytes {
    #[inline]
    fn bytes(self) -> u64 {
        8
    }
}

impl Length for usize {
    #[inline]
    fn bytes(self) -> u64 {
        self as u64
    }
}

impl Key for u64 {
    type Asked<'k> = Self;
    type Compared = Self;
    type Length = EightBytes;
    type Spelled<'k> = [u8; 8];
    type Session<S: Operations<Self>> = WordSession<S>;

    const IN_PLACE_BYTES: u64 = 8;

    #[inline]
    fn compared(asked: &Self) -> &Self {
        asked
    }

    #[inline]
    fn owned(asked: Self) -> Self {
        asked
    }

    #[inline]
    fn asked(&self) -> Self {
        *self
    }

    #[inline]
    fn length(_: Self) -> EightBytes {
        EightBytes
    }

    #[inline]
    fn spelled(asked: &Self) -> [u8; 8] {
        asked.to_be_bytes()
    }

    #[inline]
    fn read(spelled: &[u8]) -> Self {
        word_of(spelled)
    }

    #[inline]
    fn hashed(asked: Self) -> u64 {
        mix(asked)
    }

    fn session<S: Operations<Self>>(session: S) -> WordSession<S> {
        WordSession(session)
    }

    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64 {
        8 * keys.len() as u64
    }
}

impl Key for Bytes {
    type Asked<'k> = &'k [u8];
    type Compared = [u8];
    type Length = usize;
    type Spelled<'k> = &'k [u8];
    type Session<S: Operations<Self>> = Words<ByteSession<S>>;

    const IN_PLACE_BYTES: u64 = 0;

    #[inline]
    fn compared<'a>(asked: &'a &[u8]) -> &'a [u8] {
        asked
    }

    #[inline]
    fn owned(asked: &[u8]) -> Self {
        asked.into()
    }

    #[inline]
    fn asked(&self) -> &[u8] {
        self
    }

    #[inline]
    fn length(asked: &[u8]) -> usize {
        asked.len()
    }

    #[inline]
    fn spelled<'a>(asked: &'a &[u8]) -> &'a [u8] {
        asked
    }

    #[inline]
    fn read(spelled: &[u8]) -> &[u8] {
        spelled
    }

    #[inline]
    fn hashed(asked: &[u8]) -> u64 {
        mix_bytes(asked)
    }

    fn session<S: Operations<Self>>(session: S) -> Words<ByteSession<S>> {
        Words(ByteSession(session))
    }

    fn sum_bytes<'k>(keys: impl ExactSizeIterator<Item = &'k Self>) -> u64 {
        keys.map(|key| key.len() as u64).sum()
    }
}

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
}
