//! A store of byte strings small enough to be plainly right, and the ways in which its keys can be made wrong.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard};

use engine::{
    BytesError, BytesSession, BytesSnapshotRead, Decide, Decision, DeleteOutcome, EngineTraits,
    FullMeaning, GetError, KeyTooLong, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    PutError, PutOutcome, Rmw, ScanOrder, ScanRange, Scans, SessionError, Snapshots,
    WithBytesSnapshot, Words, Write,
};

/// The longest key.
const LIMIT_BYTES: usize = 5000;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyFault {
    Nothing,
    /// As where keys are strings of C.
    CutsAtNul,
    /// As where `memcmp` is asked about the shorter length.
    PrefixIsEqual,
    /// As where the length is kept in a byte.
    LengthByteWraps,
    /// As where only the first word and the length are compared.
    ComparesOneWord,
    /// As where a key is padded to whole words.
    PadsWithZeros,
    EmptyIsAbsent,
    CutsWhatIsTooLong,
    RefusesTheLongest,
    RefusesOnlyPuts,
    OrdersByLength,
    OrdersAsSigned,
    ScansBehindTheFirst,
    ScansWithoutTheEmpty,
    BatchesTakeAnyLength,
    SnapshotsCutAtNul,
    SnapshotsMove,
    SnapshotsTakeAnyLength,
    StepsCutAtNul,
    StepsTakeAnyLength,
}

/// An ordered map behind one lock.
#[derive(Debug)]
pub(crate) struct ByteToy {
    fault: KeyFault,
    live: Mutex<BTreeMap<Vec<u8>, Object>>,
}

/// A key as it was put, and its value.
#[derive(Clone, Debug)]
struct Object {
    key: Vec<u8>,
    value: Vec<u8>,
}

impl ByteToy {
    pub(crate) fn open(fault: KeyFault) -> Self {
        Self { fault, live: Mutex::default() }
    }

    pub(crate) fn open_whole(_: u64) -> Result<Self, Infallible> {
        Ok(Self::open(KeyFault::Nothing))
    }

    fn has(&self, fault: KeyFault) -> bool {
        self.fault == fault
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Object>> {
        self.live.lock().unwrap()
    }

    /// What the map has as the key: by it keys are told apart and ordered.
    fn place(&self, live: &BTreeMap<Vec<u8>, Object>, key: &[u8]) -> Vec<u8> {
        match self.fault {
            KeyFault::CutsAtNul => before_nul(key).to_vec(),
            KeyFault::LengthByteWraps => key[..usize::from(key.len() as u8)].to_vec(),
            KeyFault::CutsWhatIsTooLong => key[..key.len().min(LIMIT_BYTES)].to_vec(),
            KeyFault::ComparesOneWord => {
                let mut place = key[..key.len().min(8)].to_vec();
                place.extend(key.len().to_be_bytes());
                place
            }
            KeyFault::PadsWithZeros => {
                let mut place = key.to_vec();
                place.resize(key.len().next_multiple_of(8), 0);
                place
            }
            KeyFault::OrdersByLength => {
                let mut place = key.len().to_be_bytes().to_vec();
                place.extend(key);
                place
            }
            KeyFault::OrdersAsSigned => key.iter().map(|byte| byte ^ 0x80).collect(),
            KeyFault::PrefixIsEqual => {
                let is_equal = |other: &&Vec<u8>| other.starts_with(key) || key.starts_with(other);
                live.keys().find(is_equal).cloned().unwrap_or(key.to_vec())
            }
            _ => key.to_vec(),
        }
    }

    fn check_length(&self, key: &[u8]) -> Result<(), KeyTooLong> {
        let limit_bytes = LIMIT_BYTES - usize::from(self.has(KeyFault::RefusesTheLongest));
        match self.fault {
            KeyFault::CutsWhatIsTooLong => Ok(()),
            _ => KeyTooLong::check(key, limit_bytes),
        }
    }

    /// The same for operations that store nothing.
    fn check_length_asked(&self, key: &[u8]) -> Result<(), KeyTooLong> {
        if self.has(KeyFault::RefusesOnlyPuts) { Ok(()) } else { self.check_length(key) }
    }
}

impl KvEngine for ByteToy {
    const TRAITS: EngineTraits = EngineTraits {
        name: "toy of byte strings",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        keys: Keys::Bytes { max: LIMIT_BYTES },
        scans: Scans::Both,
        rmw: Rmw::Atomic,
        snapshots: Snapshots::Linearizable,
        writes_in_one_step: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = Words<ByteToySession<'engine>>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.bytes_session().map(Words)
    }

    fn memory(&self) -> MemoryCensus {
        MemoryCensus::default()
    }
}

impl KvBytesEngine for ByteToy {
    type BytesSession<'engine> = ByteToySession<'engine>;

    fn bytes_session(&self) -> Result<ByteToySession<'_>, SessionError> {
        Ok(ByteToySession(self))
    }
}

#[derive(Debug)]
pub(crate) struct ByteToySession<'engine>(&'engine ByteToy);

impl ByteToySession<'_> {
    fn insert(&self, live: &mut BTreeMap<Vec<u8>, Object>, key: &[u8], value: &[u8]) -> PutOutcome {
        let place = self.0.place(live, key);
        let object = Object { key: key.to_vec(), value: value.to_vec() };
        match live.insert(place, object) {
            Some(_) => PutOutcome::Updated,
            None => PutOutcome::Inserted,
        }
    }
}

impl BytesSession for ByteToySession<'_> {
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        let toy = self.0;
        toy.check_length_asked(key)?;
        let live = toy.lock();
        if key.is_empty() && toy.has(KeyFault::EmptyIsAbsent) {
            return Ok(None);
        }
        let Some(Object { value, .. }) = live.get(&toy.place(&live, key)) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        let Some(front) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes }.into());
        };
        front.copy_from_slice(value);
        Ok(Some(value_bytes))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        self.0.check_length(key)?;
        Ok(self.insert(&mut self.0.lock(), key, value))
    }

    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        self.0.check_length_asked(key)?;
        let mut live = self.0.lock();
        let place = self.0.place(&live, key);
        Ok(DeleteOutcome::told(live.remove(&place).is_some()))
    }

    fn read_modify_write(
        &mut self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        self.0.check_length(key)?;
        let mut live = self.0.lock();
        let mut new = Vec::new();
        let old = live.get(&self.0.place(&live, key)).map(|object| &object.value[..]);
        match decide(old, &mut new) {
            Decision::Keep => Ok(None),
            Decision::Put => Ok(Some(self.insert(&mut live, key, &new))),
        }
    }

    fn execute(
        &mut self,
        operations: &[engine::Op<'_, &[u8]>],
        values: &mut engine::ValueBuffers<'_>,
        outcomes: &mut [engine::Outcome],
    ) -> Result<(), KeyTooLong> {
        use engine::{Op, Outcome};
        for (index, operation) in operations.iter().enumerate() {
            let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
            if self.0.has(KeyFault::BatchesTakeAnyLength) && key.len() > LIMIT_BYTES {
                outcomes[index] = Outcome::Absent;
                continue;
            }
            outcomes[index] = match *operation {
                Op::Get { key } => {
                    Outcome::of_get(BytesError::apart(self.get(key, values.slot(index)))?)
                }
                Op::Put { key, value } => Outcome::of_put(BytesError::apart(self.put(key, value))?),
                Op::Delete { key } => Outcome::Deleted(self.delete(key)?),
            };
        }
        Ok(())
    }

    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        let ScanRange { first, limit, order } = range;
        let toy = self.0;
        toy.check_length_asked(first)?;
        let live = toy.lock();
        let place = toy.place(&live, first);
        let bound = match toy.fault {
            KeyFault::ScansBehindTheFirst => Bound::Excluded(&place),
            _ => Bound::Included(&place),
        };
        let objects: Vec<&Object> = match order {
            ScanOrder::Ascending => {
                live.range::<Vec<u8>, _>((bound, Bound::Unbounded)).map(|it| it.1).collect()
            }
            ScanOrder::Descending => {
                live.range::<Vec<u8>, _>((Bound::Unbounded, bound)).rev().map(|it| it.1).collect()
            }
        };
        let skips = toy.has(KeyFault::ScansWithoutTheEmpty);
        let objects = objects.into_iter().filter(|it| !skips || !it.key.is_empty()).take(limit);
        Ok(Some(objects.map(|it| visit(&it.key, &it.value)).count()))
    }

    fn with_snapshot(&mut self, read: &mut WithBytesSnapshot<'_>) -> bool {
        let toy = self.0;
        if toy.has(KeyFault::SnapshotsMove) {
            read(&mut ByteToyMoment(toy));
        } else {
            let live = Mutex::new(toy.lock().clone());
            read(&mut ByteToyMoment(&ByteToy { fault: toy.fault, live }));
        }
        true
    }

    fn write_in_one_step(
        &mut self,
        writes: &[Write<'_, &[u8]>],
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        let toy = self.0;
        for write in writes {
            if !toy.has(KeyFault::StepsTakeAnyLength) {
                toy.check_length(write.key())?;
            }
        }
        let mut live = toy.lock();
        for write in writes {
            let mut key = write.key();
            if toy.has(KeyFault::StepsCutAtNul) {
                key = before_nul(key);
            }
            match write.value() {
                Some(value) => _ = self.insert(&mut live, key, value),
                None => {
                    let place = toy.place(&live, key);
                    live.remove(&place);
                }
            }
        }
        Ok(Some(PutOutcome::Updated))
    }
}

fn before_nul(key: &[u8]) -> &[u8] {
    let nul = key.iter().position(|&byte| byte == 0);
    &key[..nul.unwrap_or(key.len())]
}

/// A copy of a map as it was, or, as a planted fault, the map as it is.
struct ByteToyMoment<'toy>(&'toy ByteToy);

impl BytesSnapshotRead for ByteToyMoment<'_> {
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        match self.0.fault {
            KeyFault::SnapshotsTakeAnyLength if key.len() > LIMIT_BYTES => Ok(None),
            KeyFault::SnapshotsCutAtNul => ByteToySession(self.0).get(before_nul(key), buffer),
            _ => ByteToySession(self.0).get(key, buffer),
        }
    }

    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        ByteToySession(self.0).scan(range, visit)
    }
}
