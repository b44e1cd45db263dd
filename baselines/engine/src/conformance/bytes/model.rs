//! The reference map of byte strings: runs an operation on a session and checks the answer.

use std::collections::BTreeMap;

use crate::conformance::value::{Random, Version};
use crate::{
    BytesSession, BytesSnapshotRead, Decision, DeleteOutcome, FullMeaning, KvBytesEngine, Op,
    Outcome, PutOutcome, ScanOrder, ScanRange, ValueBuffers, Write, Writes,
};

/// The longest value here: the tests are about keys.
const VALUE_BYTES_MAX: usize = 200;

/// The start of a key, for messages.
pub(super) fn shown(key: &[u8]) -> String {
    format!("{:?} of {} bytes", String::from_utf8_lossy(&key[..key.len().min(24)]), key.len())
}

/// What the store must contain. Every method panics if the store's answer is wrong.
#[derive(Clone, Debug)]
pub(super) struct Model {
    live: BTreeMap<Vec<u8>, Vec<u8>>,
    puts: u64,
    /// Whether the store may drop objects by itself.
    evicts: bool,
    writes: Writes,
    buffer: Vec<u8>,
}

impl Model {
    /// The model of `engine`, which is empty.
    pub(super) fn of<E: KvBytesEngine>(engine: &E) -> Self {
        Self {
            live: BTreeMap::new(),
            puts: 0,
            evicts: E::TRAITS.full == FullMeaning::Evict,
            writes: engine.writes(),
            buffer: vec![0; VALUE_BYTES_MAX],
        }
    }

    pub(super) fn keys(&self) -> Vec<Vec<u8>> {
        self.live.keys().cloned().collect()
    }

    /// A value that no other put has.
    fn next_value(&mut self, random: &mut Random) -> Vec<u8> {
        self.puts += 1;
        let value_bytes = random.length(&(0..=VALUE_BYTES_MAX));
        let mut value = Vec::new();
        Version { number: self.puts, value_bytes }.write(self.puts, &mut value);
        value
    }

    pub(super) fn put<S: BytesSession>(
        &mut self,
        session: &mut S,
        key: &[u8],
        random: &mut Random,
    ) {
        let value = self.next_value(random);
        let outcome = session.put(key, &value);
        let outcome = outcome.unwrap_or_else(|error| panic!("put of {}: {error}", shown(key)));
        self.judge_put(key, value, outcome);
    }

    pub(super) fn get<S: BytesSession>(&mut self, session: &mut S, key: &[u8]) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let found = session.get(key, &mut buffer);
        let found = found.unwrap_or_else(|error| panic!("get of {}: {error}", shown(key)));
        self.judge_get(key, found.map(|value_bytes| &buffer[..value_bytes]));
        self.buffer = buffer;
    }

    pub(super) fn delete<S: BytesSession>(&mut self, session: &mut S, key: &[u8]) {
        let outcome = session.delete(key);
        let outcome = outcome.unwrap_or_else(|error| panic!("delete of {}: {error}", shown(key)));
        self.judge_delete(key, outcome);
    }

    /// Shows the value to a decision, which changes it if `puts`.
    pub(super) fn modify<S: BytesSession>(
        &mut self,
        session: &mut S,
        key: &[u8],
        puts: bool,
        random: &mut Random,
    ) {
        let (value, mut seen) = (self.next_value(random), None);
        let told = session.read_modify_write(key, &mut |old, new| {
            seen = old.map(<[u8]>::to_vec);
            new.extend_from_slice(&value);
            if puts { Decision::Put } else { Decision::Keep }
        });
        let told = told.unwrap_or_else(|error| panic!("change of {}: {error}", shown(key)));
        self.judge_get(key, seen.as_deref());
        assert_eq!(told.is_some(), puts, "change of {}", shown(key));
        if let Some(outcome) = told {
            self.judge_put(key, value, outcome);
        }
    }

    pub(super) fn put_if_absent<S: BytesSession>(
        &mut self,
        session: &mut S,
        key: &[u8],
        random: &mut Random,
    ) {
        let value = self.next_value(random);
        let told = session.put_if_absent(key, &value);
        let told = told.unwrap_or_else(|error| panic!("put if absent of {}: {error}", shown(key)));
        self.judge_presence("put if absent", key, told.is_none());
        if let Some(outcome) = told {
            self.judge_put(key, value, outcome);
        }
    }

    /// Runs gets, puts and deletes of these keys as one batch.
    pub(super) fn execute<S: BytesSession>(
        &mut self,
        session: &mut S,
        keys: &[Vec<u8>],
        random: &mut Random,
    ) {
        let kinds: Vec<_> = keys.iter().map(|_| random.below(3)).collect();
        let written: Vec<_> = keys.iter().map(|_| self.next_value(random)).collect();
        let operations: Vec<Op<'_, &[u8]>> = keys
            .iter()
            .zip(&kinds)
            .zip(&written)
            .map(|((key, kind), value)| (&key[..], kind, value))
            .map(|(key, kind, value)| match kind {
                0 => Op::Get { key },
                1 => Op::Put { key, value },
                _ => Op::Delete { key },
            })
            .collect();
        // Prefilled with an outcome that is wrong for every operation, so that a missing one is noticed.
        let mut outcomes = vec![Outcome::BufferTooShort(usize::MAX); keys.len()];
        let mut slots = vec![0; keys.len() * VALUE_BYTES_MAX];
        let mut values = ValueBuffers::new(&mut slots, VALUE_BYTES_MAX);
        let executed = session.execute(&operations, &mut values, &mut outcomes);
        executed.unwrap_or_else(|error| panic!("a batch: {error}"));
        for (index, ((key, outcome), value)) in keys.iter().zip(outcomes).zip(written).enumerate() {
            match (kinds[index], outcome) {
                (0, Outcome::Absent) => self.judge_get(key, None),
                (0, Outcome::Found(value_bytes)) => {
                    self.judge_get(key, Some(&values.slot(index)[..value_bytes]));
                }
                (1, Outcome::Put(outcome)) => self.judge_put(key, value, outcome),
                (2, Outcome::Deleted(outcome)) => self.judge_delete(key, outcome),
                (_, outcome) => panic!("element {index}, {}, gave {outcome:?}", shown(key)),
            }
        }
    }

    /// Removes the first of these keys and puts the others, in one step. Returns whether the store can.
    pub(super) fn write_in_one_step<S: BytesSession>(
        &mut self,
        session: &mut S,
        keys: &[Vec<u8>],
        random: &mut Random,
    ) -> bool {
        let mut values: Vec<_> = keys.iter().map(|_| Some(self.next_value(random))).collect();
        values[0] = None;
        let writes: Vec<Write<'_, &[u8]>> = keys
            .iter()
            .zip(&values)
            .map(|(key, value)| (&key[..], value))
            .map(|(key, value)| match value {
                Some(value) => Write::Put { key, value },
                None => Write::Delete { key },
            })
            .collect();
        let told = session.write_in_one_step(&writes);
        let told = told.unwrap_or_else(|error| panic!("writes in one step: {error}"));
        let Some(outcome) = told else { return false };
        assert!(outcome.is_stored(), "writes in one step: {outcome:?}");
        for (key, value) in keys.iter().zip(values) {
            match value {
                Some(value) => _ = self.live.insert(key.clone(), value),
                None => _ = self.live.remove(key),
            }
        }
        true
    }

    /// Compares all that a snapshot shows.
    pub(super) fn expect_at<E: KvBytesEngine>(
        &self,
        snapshot: &mut dyn BytesSnapshotRead,
        keys: &[Vec<u8>],
    ) {
        let mut buffer = vec![0; VALUE_BYTES_MAX];
        for key in keys {
            let found = snapshot.get(key, &mut buffer);
            let found = found.unwrap_or_else(|error| panic!("get of {}: {error}", shown(key)));
            let found = found.map(|value_bytes| &buffer[..value_bytes]);
            assert_eq!(found, self.live.get(key).map(|value| &value[..]), "{} then", shown(key));
        }
        let mut pairs = Vec::new();
        let scanned = snapshot.scan(ScanRange::up(&[][..], usize::MAX), &mut |key, value| {
            pairs.push((key.to_vec(), value.to_vec()));
        });
        let told = scanned.unwrap_or_else(|error| panic!("a scan from the empty key: {error}"));
        assert_eq!(told.is_some(), E::TRAITS.scans.are_possible(), "a scan of a snapshot");
        if told.is_some() {
            let expected: Vec<_> =
                self.live.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            assert!(pairs == expected, "{told:?} pairs, and {} were there", expected.len());
        }
    }

    /// Reads these keys, whether they are live or not.
    pub(super) fn verify_all<S: BytesSession>(&mut self, session: &mut S, keys: &[Vec<u8>]) {
        keys.iter().for_each(|key| self.get(session, key));
    }

    /// Reads every live key.
    pub(super) fn verify<S: BytesSession>(&mut self, session: &mut S) {
        for key in self.keys() {
            self.get(session, &key);
        }
    }

    /// Scans a range, and compares keys, order and values.
    pub(super) fn scan<E: KvBytesEngine>(
        &self,
        session: &mut E::BytesSession<'_>,
        range: ScanRange<&[u8]>,
    ) {
        let mut found: Vec<Vec<u8>> = Vec::new();
        let told = session.scan(range, &mut |key, value| {
            assert_eq!(Some(value), self.live.get(key).map(|it| &**it), "scanned {}", shown(key));
            found.push(key.to_vec());
        });
        let told = told.unwrap_or_else(|error| panic!("scan from {}: {error}", shown(range.first)));
        assert_eq!(told.is_some(), E::TRAITS.scans.include(range.order), "as its traits say");
        let Some(told) = told else { return };
        let expected: Vec<Vec<u8>> = self.keys_of(range);
        let at = found.iter().zip(&expected).take_while(|(one, other)| one == other).count();
        let (first, order) = (shown(range.first), range.order);
        assert!(
            found == expected,
            "scan {order:?} from {first}: {} of {} keys, at {at} found {:?}, expected {:?}",
            found.len(),
            expected.len(),
            found.get(at).map(|key| shown(key)),
            expected.get(at).map(|key| shown(key)),
        );
        assert_eq!(told, found.len(), "scan from {first}: pairs are counted");
    }

    fn keys_of(&self, range: ScanRange<&[u8]>) -> Vec<Vec<u8>> {
        let from = |key: &&Vec<u8>| key[..] >= *range.first;
        let to = |key: &&Vec<u8>| key[..] <= *range.first;
        let keys = self.live.keys();
        match range.order {
            ScanOrder::Ascending => keys.filter(from).take(range.limit).cloned().collect(),
            ScanOrder::Descending => keys.rev().filter(to).take(range.limit).cloned().collect(),
        }
    }

    fn judge_put(&mut self, key: &[u8], value: Vec<u8>, outcome: PutOutcome) {
        match outcome {
            PutOutcome::Full => panic!("a store that is nearly empty answers Full"),
            PutOutcome::Inserted => self.judge_presence("put", key, false),
            PutOutcome::Updated => self.judge_presence("put", key, true),
            PutOutcome::Stored => assert_eq!(self.writes, Writes::Blind, "put: {outcome:?}"),
        }
        self.live.insert(key.to_vec(), value);
    }

    fn judge_get(&mut self, key: &[u8], found: Option<&[u8]>) {
        self.judge_presence("get", key, found.is_some());
        let expected = self.live.get(key).map(|value| &value[..]);
        assert!(found == expected, "{} has the value of another put or key", shown(key));
    }

    fn judge_delete(&mut self, key: &[u8], outcome: DeleteOutcome) {
        match outcome {
            DeleteOutcome::Done => assert_eq!(self.writes, Writes::Blind, "delete: {outcome:?}"),
            told => self.judge_presence("delete", key, told.was_present()),
        }
        self.live.remove(key);
    }

    fn judge_presence(&mut self, operation: &str, key: &[u8], seen: bool) {
        match (self.live.contains_key(key), seen) {
            (true, false) if self.evicts => _ = self.live.remove(key),
            (true, false) => panic!("{operation} did not find {}, which is live", shown(key)),
            (false, true) => panic!("{operation} found {}, which is not live", shown(key)),
            _ => {}
        }
    }
}
