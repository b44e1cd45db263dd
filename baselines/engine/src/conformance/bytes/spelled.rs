//! Words spelled as byte strings, so that the suite of words tests a store of byte strings.

use std::time::Duration;

use crate::{
    BytesError, BytesSession, BytesSnapshotRead, Decide, DeleteOutcome, EngineTraits, GetError,
    KvBytesEngine, KvEngine, KvSession, MemoryCensus, Op, Outcome, Presence, PutError, PutOutcome,
    Rmw, ScanRange, SessionError, Setting, SnapshotRead, Snapshots, Statistic, Storage,
    ValueBuffers, WithSnapshot, Write, Writes,
};

/// What all keys begin with. It ends within the second word of a key, and has NULs.
const PREFIX: &[u8; 11] = b"a\0prefix\0\0\0";
/// Bytes that follow a word, by some of its bits.
const TAILS: [usize; 7] = [0, 1, 5, 13, 29, 61, 300];
const TAIL: [u8; 300] = [b'~'; 300];

/// The key of a word: the prefix, the eight bytes of the word without the zeros at the end, and, where there
/// were none, a tail, as far as a key of `limit_bytes` has room for one. So keys have many lengths, some are
/// prefixes of others, and their order is that of the words: where two words differ, so do their keys, and a
/// key is cut only before zeros.
fn spell(word: u64, limit_bytes: usize, key: &mut Vec<u8>) {
    key.clear();
    key.extend_from_slice(PREFIX);
    let bytes = word.to_be_bytes();
    let significant = 8 - (word.trailing_zeros() as usize / 8).min(8);
    key.extend_from_slice(&bytes[..significant]);
    // The suite asks for the limit of one small word and uses it for another.
    if significant == 8 && word > u64::from(u8::MAX) {
        let tail_bytes = TAILS[(word >> 8) as usize % TAILS.len()];
        key.extend_from_slice(&TAIL[..tail_bytes.min(limit_bytes - key.len())]);
    }
}

/// The word that a key spells.
///
/// # Panics
/// If it spells none.
fn read(key: &[u8], limit_bytes: usize) -> u64 {
    let mut spelled = Vec::new();
    let rest = key.strip_prefix(PREFIX).unwrap_or_else(|| panic!("nobody put {key:?}"));
    let mut bytes = [0; 8];
    let significant = rest.len().min(8);
    bytes[..significant].copy_from_slice(&rest[..significant]);
    let word = u64::from_be_bytes(bytes);
    spell(word, limit_bytes, &mut spelled);
    assert_eq!(spelled, key, "the key of {word:#x}");
    word
}

/// A store of byte strings as a store of words, which are spelled with a shared beginning and many lengths.
#[derive(Debug)]
pub struct Spelled<E>(pub E);

impl<E: KvBytesEngine> KvEngine for Spelled<E> {
    const TRAITS: EngineTraits = E::TRAITS;

    type Session<'engine>
        = SpelledSession<E::BytesSession<'engine>>
    where
        E: 'engine;

    fn lacking() -> Vec<crate::OpenError> {
        E::lacking()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        let limit_bytes = E::TRAITS.keys.bytes_max().unwrap_or(0);
        Ok(SpelledSession { session: self.0.bytes_session()?, limit_bytes, key: Vec::new() })
    }

    fn presence(&self) -> Presence {
        self.0.presence()
    }

    fn storage(&self) -> Storage {
        self.0.storage()
    }

    fn writes(&self) -> Writes {
        self.0.writes()
    }

    fn rmw(&self) -> Rmw {
        self.0.rmw()
    }

    fn snapshots(&self) -> Snapshots {
        self.0.snapshots()
    }

    fn writes_in_one_step(&self) -> bool {
        self.0.writes_in_one_step()
    }

    fn settle(&self) {
        self.0.settle();
    }

    fn trim(&self) {
        self.0.trim();
    }

    fn memory(&self) -> MemoryCensus {
        self.0.memory()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.0.statistics()
    }

    fn settings(&self) -> Vec<Setting> {
        self.0.settings()
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()
    }
}

/// A session of words with a store of byte strings, which spells them.
#[derive(Debug)]
pub struct SpelledSession<S> {
    session: S,
    /// The longest key of the store.
    limit_bytes: usize,
    key: Vec<u8>,
}

/// The keys of these words.
fn spell_all(words: impl Iterator<Item = u64>, limit_bytes: usize) -> Vec<Vec<u8>> {
    let spelled = |word| {
        let mut key = Vec::new();
        spell(word, limit_bytes, &mut key);
        key
    };
    words.map(spelled).collect()
}

/// What an operation came to; no store refuses keys as short as these.
fn taken<T, E>(result: Result<T, BytesError<E>>) -> Result<T, E> {
    BytesError::apart(result).unwrap_or_else(|error| panic!("a short key: {error}"))
}

impl<S: BytesSession> KvSession for SpelledSession<S> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.session.get(&self.key, buffer))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.session.put(&self.key, value))
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        spell(key, self.limit_bytes, &mut self.key);
        self.session.delete(&self.key).unwrap_or_else(|error| panic!("a short key: {error}"))
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.session.read_modify_write(&self.key, decide))
    }

    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.session.put_if_absent(&self.key, value))
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.session.put_for(&self.key, value, lifetime))
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        let words = operations.iter().map(|operation| {
            let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
            key
        });
        let keys = spell_all(words, self.limit_bytes);
        let spelled: Vec<Op<'_, &[u8]>> = operations
            .iter()
            .zip(&keys)
            .map(|(operation, key)| (operation, &key[..]))
            .map(|(operation, key)| match *operation {
                Op::Get { .. } => Op::Get { key },
                Op::Put { value, .. } => Op::Put { key, value },
                Op::Delete { .. } => Op::Delete { key },
            })
            .collect();
        let executed = self.session.execute(&spelled, values, outcomes);
        executed.unwrap_or_else(|error| panic!("short keys: {error}"));
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        spell(range.first, self.limit_bytes, &mut self.key);
        let limit_bytes = self.limit_bytes;
        let range = ScanRange { first: &self.key[..], limit: range.limit, order: range.order };
        let shown =
            self.session.scan(range, &mut |key, value| visit(read(key, limit_bytes), value));
        shown.unwrap_or_else(|error| panic!("a short key: {error}"))
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let limit_bytes = self.limit_bytes;
        self.session.with_snapshot(&mut |snapshot| {
            read(&mut SpelledAt { snapshot, limit_bytes, key: Vec::new() });
        })
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let keys = spell_all(writes.iter().map(Write::key), self.limit_bytes);
        let spelled: Vec<_> =
            writes.iter().zip(&keys).map(|(write, key)| write.of(&key[..])).collect();
        taken(self.session.write_in_one_step(&spelled))
    }
}

/// A moment of a store of byte strings, asked by words.
struct SpelledAt<'snapshot> {
    snapshot: &'snapshot mut dyn BytesSnapshotRead,
    limit_bytes: usize,
    key: Vec<u8>,
}

impl SnapshotRead for SpelledAt<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        spell(key, self.limit_bytes, &mut self.key);
        taken(self.snapshot.get(&self.key, buffer))
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        spell(range.first, self.limit_bytes, &mut self.key);
        let limit_bytes = self.limit_bytes;
        let range = ScanRange { first: &self.key[..], limit: range.limit, order: range.order };
        let shown =
            self.snapshot.scan(range, &mut |key, value| visit(read(key, limit_bytes), value));
        shown.unwrap_or_else(|error| panic!("a short key: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::value::Random;

    #[test]
    fn keys_keep_the_order_of_their_words_and_spell_them() {
        for limit_bytes in [19, 185, usize::MAX] {
            expect_order(limit_bytes);
        }
    }

    fn expect_order(limit_bytes: usize) {
        let mut random = Random::new(1);
        let shifted = (0..64).flat_map(|shift| [1 << shift, u64::MAX << shift, u64::MAX >> shift]);
        let mut words: Vec<u64> = shifted.chain((0..2000).map(|_| random.next())).collect();
        words.extend(0..600);
        words.sort_unstable();
        words.dedup();
        let keys: Vec<Vec<u8>> = words
            .iter()
            .map(|&word| {
                let mut key = Vec::new();
                spell(word, limit_bytes, &mut key);
                key
            })
            .collect();
        assert!(keys.is_sorted_by(|one, next| one < next));
        assert!(keys.iter().zip(&words).all(|(key, &word)| read(key, limit_bytes) == word));
        let lengths: std::collections::BTreeSet<_> = keys.iter().map(Vec::len).collect();
        let least = if limit_bytes > 100 { 12 } else { 8 };
        assert!(lengths.len() > least && *lengths.last().unwrap() <= limit_bytes, "{lengths:?}");
    }
}
