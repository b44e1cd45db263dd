//! A store of byte strings for the loops that know records by words: each word is spelled as the key of its
//! record within the operation, as a client would do, and the price of the driver has that in it.

use std::path::PathBuf;
use std::time::Duration;

use engine::{
    BytesError, BytesSession, BytesSnapshotRead, Decide, DeleteOutcome, Durability, EngineTraits,
    GetError, KvBytesEngine, KvEngine, KvSession, MemoryCensus, Op, Outcome, Presence, PutError,
    PutOutcome, Rmw, ScanRange, SessionError, Setting, SnapshotRead, Snapshots, Statistic, Storage,
    ValueBuffers, WithSnapshot, Write, Writes,
};
use workloads::Spelling;

use crate::trace_keys::RecordedKeys;

/// Operations of a batch whose keys are spelled at a time: the longest batch of a cell.
const BATCH_MAX: usize = 64;

/// Where the keys of records come from.
#[derive(Debug)]
pub(crate) enum Keys {
    /// The workload's lengths.
    Spelled(Spelling),
    /// A trace.
    Recorded(RecordedKeys),
}

impl Keys {
    fn bytes_max(&self) -> usize {
        match self {
            Self::Spelled(spelling) => spelling.bytes_max(),
            Self::Recorded(keys) => keys.bytes_max(),
        }
    }

    #[inline(always)]
    fn bytes(&self, word: u64) -> usize {
        match self {
            Self::Spelled(spelling) => spelling.bytes(word),
            Self::Recorded(keys) => keys.bytes(word),
        }
    }

    /// The key of a word; `room` holds the longest.
    #[inline(always)]
    fn spell<'a>(&'a self, word: u64, room: &'a mut [u8]) -> &'a [u8] {
        match self {
            Self::Spelled(spelling) => spelling.spell(word, room),
            Self::Recorded(keys) => keys.spell(word, room),
        }
    }

    /// The key of a word at the front of `room`, which becomes the rest.
    #[inline(always)]
    fn spell_next<'a>(&'a self, word: u64, room: &mut &'a mut [u8]) -> &'a [u8] {
        let (own, rest) = std::mem::take(room).split_at_mut(self.bytes(word));
        *room = rest;
        self.spell(word, own)
    }

    /// The word whose key this is. A trace never asks for it: it has no scans.
    fn word_of(&self, key: &[u8]) -> Option<u64> {
        match self {
            Self::Spelled(spelling) => spelling.word_of(key),
            Self::Recorded(_) => None,
        }
    }
}

impl From<Spelling> for Keys {
    fn from(spelling: Spelling) -> Self {
        Self::Spelled(spelling)
    }
}

/// A store of byte strings, asked by words.
#[derive(Debug)]
pub(crate) struct ByteKeys<E> {
    engine: E,
    keys: Keys,
}

impl<E: KvBytesEngine> ByteKeys<E> {
    /// `engine`, asked with these keys.
    pub(crate) fn of(engine: E, keys: impl Into<Keys>) -> Self {
        Self { engine, keys: keys.into() }
    }
}

impl<E: KvBytesEngine> KvEngine for ByteKeys<E> {
    const TRAITS: EngineTraits = E::TRAITS;

    type Session<'engine>
        = ByteKeysSession<'engine, E>
    where
        E: 'engine;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        let session = self.engine.bytes_session()?;
        let room = vec![0; self.keys.bytes_max() * BATCH_MAX].into_boxed_slice();
        Ok(ByteKeysSession { session, keys: &self.keys, room })
    }

    fn presence(&self) -> Presence {
        self.engine.presence()
    }

    fn storage(&self) -> Storage {
        self.engine.storage()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.engine.folders()
    }

    fn durability(&self) -> Durability {
        self.engine.durability()
    }

    fn writes(&self) -> Writes {
        self.engine.writes()
    }

    fn rmw(&self) -> Rmw {
        self.engine.rmw()
    }

    fn snapshots(&self) -> Snapshots {
        self.engine.snapshots()
    }

    fn writes_in_one_step(&self) -> bool {
        self.engine.writes_in_one_step()
    }

    fn settle(&self) {
        self.engine.settle();
    }

    fn trim(&self) {
        self.engine.trim();
    }

    fn memory(&self) -> MemoryCensus {
        self.engine.memory()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.engine.statistics()
    }

    fn settings(&self) -> Vec<Setting> {
        self.engine.settings()
    }

    fn check(&self) -> Result<(), String> {
        self.engine.check()
    }
}

/// One thread's session with a store of byte strings, asked by words.
#[derive(Debug)]
pub(crate) struct ByteKeysSession<'engine, E: KvBytesEngine + 'engine> {
    session: E::BytesSession<'engine>,
    keys: &'engine Keys,
    /// The keys of a batch.
    room: Box<[u8]>,
}

/// What an operation came to: a plan refuses stores that do not take the longest key.
#[inline(always)]
fn taken<T, Error>(result: Result<T, BytesError<Error>>) -> Result<T, Error> {
    result.map_err(|error| match error {
        BytesError::Value(error) => error,
        BytesError::Key(error) => panic!("a store that the plan has checked: {error}"),
    })
}

impl<E: KvBytesEngine> KvSession for ByteKeysSession<'_, E> {
    #[inline(always)]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        taken(self.session.get(self.keys.spell(key, &mut self.room), buffer))
    }

    #[inline(always)]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        taken(self.session.put(self.keys.spell(key, &mut self.room), value))
    }

    #[inline(always)]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let deleted = self.session.delete(self.keys.spell(key, &mut self.room));
        deleted.unwrap_or_else(|error| panic!("a store that the plan has checked: {error}"))
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        taken(self.session.read_modify_write(self.keys.spell(key, &mut self.room), decide))
    }

    fn put_if_absent(&mut self, key: u64, value: &[u8]) -> Result<Option<PutOutcome>, PutError> {
        taken(self.session.put_if_absent(self.keys.spell(key, &mut self.room), value))
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        taken(self.session.put_for(self.keys.spell(key, &mut self.room), value, lifetime))
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        let mut spelled: [Op<'_, &[u8]>; BATCH_MAX] = [Op::Get { key: &[] }; BATCH_MAX];
        let mut room = &mut self.room[..];
        for (place, operation) in spelled.iter_mut().zip(operations) {
            let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
            let key = self.keys.spell_next(key, &mut room);
            *place = match *operation {
                Op::Get { .. } => Op::Get { key },
                Op::Put { value, .. } => Op::Put { key, value },
                Op::Delete { .. } => Op::Delete { key },
            };
        }
        let executed = self.session.execute(&spelled[..operations.len()], values, outcomes);
        executed.unwrap_or_else(|error| panic!("a store that the plan has checked: {error}"));
    }

    /// A key that spells no record is shown as one that nobody asked for, and found to be wrong.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let (keys, ScanRange { first, limit, order }) = (self.keys, range);
        let range = ScanRange { first: keys.spell(first, &mut self.room), limit, order };
        let shown = self.session.scan(range, &mut |key, value| {
            visit(keys.word_of(key).unwrap_or(first.wrapping_add(1)), value);
        });
        shown.unwrap_or_else(|error| panic!("a store that the plan has checked: {error}"))
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let Self { session, keys, room } = self;
        session.with_snapshot(&mut |snapshot| read(&mut ByteKeysAt { snapshot, keys, room }))
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let mut spelled = [Write::Delete { key: &[][..] }; BATCH_MAX];
        let mut room = &mut self.room[..];
        for (place, write) in spelled.iter_mut().zip(writes) {
            *place = write.of(self.keys.spell_next(write.key(), &mut room));
        }
        taken(self.session.write_in_one_step(&spelled[..writes.len()]))
    }
}

/// A moment of a store of byte strings, asked by words.
struct ByteKeysAt<'snapshot> {
    snapshot: &'snapshot mut dyn BytesSnapshotRead,
    keys: &'snapshot Keys,
    room: &'snapshot mut [u8],
}

impl SnapshotRead for ByteKeysAt<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        taken(self.snapshot.get(self.keys.spell(key, self.room), buffer))
    }

    /// As [`ByteKeysSession`]'s.
    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let (keys, ScanRange { first, limit, order }) = (self.keys, range);
        let range = ScanRange { first: keys.spell(first, self.room), limit, order };
        let shown = self.snapshot.scan(range, &mut |key, value| {
            visit(keys.word_of(key).unwrap_or(first.wrapping_add(1)), value);
        });
        shown.unwrap_or_else(|error| panic!("a store that the plan has checked: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use baseline_hashmap::{Config, ShardedBytes};

    use super::*;

    fn spelled(sizes: &str) -> Result<ByteKeys<ShardedBytes>, engine::OpenError> {
        let spelling = Spelling::new(&sizes.parse().expect("lengths"));
        ShardedBytes::open(Config::default()).map(|engine| ByteKeys::of(engine, spelling))
    }

    engine::conformance_tests!(short, ByteKeys<ShardedBytes>, |_| super::spelled("8"));
    engine::conformance_tests!(of_many_lengths, ByteKeys<ShardedBytes>, |_| super::spelled(
        "8..80"
    ));

    #[test]
    fn snapshots_and_steps_are_of_the_records_whose_keys_are_spelled() {
        use baseline_redb::{Redb, RedbConfig};
        use engine::conformance::{OBJECT_MEMORY_BYTES, expect_open, moments_are_whole};

        for sizes in ["8", "24..40"] {
            let open = |_| {
                let spelling = Spelling::new(&sizes.parse().expect("lengths"));
                Redb::open(RedbConfig::default()).map(|engine| ByteKeys::of(engine, spelling))
            };
            assert!(expect_open(open, OBJECT_MEMORY_BYTES).writes_in_one_step());
            moments_are_whole(&|bytes| expect_open(open, bytes));
        }
    }

    #[test]
    fn scans_show_records_and_tell_keys_of_none() {
        let engine = baseline_btree::LockedBytes::open();
        engine.bytes_session().unwrap().put(b"nobody's", b"x").unwrap();
        let keys = ByteKeys::of(engine, Spelling::new(&"24..40".parse().unwrap()));
        let mut session = keys.session().unwrap();
        for word in [3, 1, 2] {
            session.put(word, &word.to_le_bytes()).unwrap();
        }
        let mut shown = Vec::new();
        session.scan(ScanRange::up(1, 10), &mut |word, value| shown.push((word, value.to_vec())));
        let of = |word: u64| (word, word.to_le_bytes().to_vec());
        assert_eq!(shown, [of(1), of(2), of(3)], "text of words is in their order");
        let mut below = Vec::new();
        session.scan(ScanRange::down(1, 10), &mut |word, _| below.push(word));
        assert_eq!(below, [1, 2], "a key that is no record's has another word than was asked for");
    }
}
