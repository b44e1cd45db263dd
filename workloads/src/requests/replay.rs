//! Turns the operations of a trace into requests. Keys become dense record numbers, and the
//! expected result of every operation is known before any is executed.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Request, RequestKind};
use crate::mix::mix;
use crate::trace::{Operation, OperationKind};

/// What happens when a GET of the trace misses. Traces of caches do not say whether the client then
/// stored the value.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Miss {
    /// Nothing: the trace contains every store operation.
    #[default]
    Nothing,
    /// The value is stored, with the size that the trace gives for the GET: a look-aside cache.
    Set,
}

impl Miss {
    /// The name in files and ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Set => "set",
        }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Miss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "nothing" => Ok(Self::Nothing),
            "set" => Ok(Self::Set),
            _ => Err(format!("miss = `{text}`: must be `nothing` or `set`")),
        }
    }
}

/// Totals of a trace as requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ReplayTotals {
    /// Requests, including those added after misses.
    pub requests: u64,
    /// Distinct keys.
    pub records: u64,
    /// GETs that hit.
    pub gets: u64,
    /// GETs that miss.
    pub gets_absent: u64,
    /// PUTs of absent keys.
    pub inserts: u64,
    /// PUTs of present keys.
    pub updates: u64,
    /// DELETEs of present keys.
    pub deletes: u64,
    /// DELETEs of absent keys.
    pub deletes_absent: u64,
    /// Value bytes of all PUTs, with the bytes of keys that are texts, here and below.
    pub written_bytes: u64,
    /// Size of the largest value in bytes.
    pub value_bytes_max: u64,
    /// Keys that are live at the end.
    pub live_records: u64,
    /// Value bytes of those keys.
    pub live_bytes: u64,
    /// The most keys live at once.
    pub live_records_max: u64,
    /// The most value bytes live at once.
    pub live_bytes_max: u64,
    /// The most object bytes live at once: values plus the per-object overhead given to
    /// [`Numbering::new`].
    pub object_bytes_max: u64,
    /// Bytes of the keys that are live at the end, where keys are byte strings. Values are then without
    /// their keys.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub live_key_bytes: u64,
    /// Time from the first operation to the last.
    pub duration_ns: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Numbers the keys of a trace and tracks which are live. Takes about 40 bytes per key.
#[derive(Clone, Debug)]
pub struct Numbering {
    miss: Miss,
    overhead_bytes: u64,
    records: HashMap<u64, Entry, BuildHasherDefault<KeyHasher>>,
    /// The length of every record's key, where keys are byte strings.
    texts: Option<Vec<u16>>,
    totals: ReplayTotals,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    record: u64,
    /// Size of the live value.
    live: Option<u32>,
}

impl Numbering {
    /// Counts `overhead_bytes` per live object, beside its value, towards
    /// [`ReplayTotals::object_bytes_max`].
    #[must_use]
    pub fn new(miss: Miss, overhead_bytes: u64) -> Self {
        Self {
            miss,
            overhead_bytes,
            records: HashMap::default(),
            texts: None,
            totals: ReplayTotals::default(),
        }
    }

    /// Of a trace whose keys are replayed as byte strings. Values are then as the trace has them, without the
    /// keys' bytes, and each key's own count beside `overhead_bytes`.
    #[must_use]
    pub fn of_texts(miss: Miss, overhead_bytes: u64) -> Self {
        Self { texts: Some(Vec::new()), ..Self::new(miss, overhead_bytes) }
    }

    /// Tells the length of the next key that is new, before its first operation.
    pub fn name_next(&mut self, bytes: usize) {
        if let Some(texts) = &mut self.texts {
            texts.push(u16::try_from(bytes).expect("traces refuse longer texts"));
        }
    }

    /// The requests of an operation: one, or two if a GET misses and stores.
    ///
    /// # Errors
    /// A value larger than [`Request::SIZE_MAX`].
    pub fn requests(
        &mut self,
        operation: &Operation,
    ) -> Result<(Request, Option<Request>), ReplayError> {
        let size = match self.texts {
            None => operation.object_bytes() as usize,
            Some(_) => operation.value_bytes as usize,
        };
        if size > Request::SIZE_MAX {
            return Err(ReplayError::ValueTooLarge {
                operation: self.totals.requests,
                bytes: size,
            });
        }
        self.totals.duration_ns = operation.time_ns;
        let next = self.records.len() as u64;
        let entry = self.records.entry(operation.key).or_insert(Entry { record: next, live: None });
        let record = entry.record;
        let was = entry.live;
        // The size that a missing GET would store: the size of the present value if the trace gives
        // none.
        let size = match (operation.kind, was) {
            (OperationKind::Get, Some(live)) if operation.value_bytes == 0 => live as usize,
            (OperationKind::Delete, _) => 0,
            _ => size,
        };
        let (kind, stores) = match (operation.kind, was) {
            (OperationKind::Get, Some(_)) => (RequestKind::Get, false),
            (OperationKind::Get, None) => (RequestKind::GetAbsent, self.miss == Miss::Set),
            (OperationKind::Put, Some(_)) => (RequestKind::Update, true),
            (OperationKind::Put, None) => (RequestKind::Insert, true),
            (OperationKind::Delete, Some(_)) => (RequestKind::Delete, false),
            (OperationKind::Delete, None) => (RequestKind::DeleteAbsent, false),
        };
        match kind {
            RequestKind::Delete => entry.live = None,
            _ if stores => entry.live = Some(size as u32),
            _ => {}
        }
        self.totals.records = self.records.len() as u64;
        let first = Request::new(kind, size, record);
        self.count(first, was);
        let second = (kind == RequestKind::GetAbsent && stores).then(|| {
            let insert = Request::new(RequestKind::Insert, size, record);
            self.count(insert, None);
            insert
        });
        Ok((first, second))
    }

    /// The totals so far.
    #[must_use]
    pub fn totals(&self) -> ReplayTotals {
        self.totals
    }

    fn count(&mut self, request: Request, was: Option<u32>) {
        let totals = &mut self.totals;
        let record = request.record() as usize;
        let key_bytes = self.texts.as_ref().map_or(0, |texts| u64::from(texts[record]));
        totals.requests += 1;
        let bytes = request.size() as u64;
        let gone = u64::from(was.unwrap_or(0));
        match request.kind() {
            RequestKind::Get => totals.gets += 1,
            RequestKind::GetAbsent => totals.gets_absent += 1,
            RequestKind::DeleteAbsent => totals.deletes_absent += 1,
            RequestKind::Delete => {
                totals.deletes += 1;
                totals.live_records -= 1;
                totals.live_bytes -= gone;
                totals.live_key_bytes -= key_bytes;
            }
            RequestKind::Update => {
                totals.updates += 1;
                totals.live_bytes = totals.live_bytes - gone + bytes;
            }
            RequestKind::Insert => {
                totals.inserts += 1;
                totals.live_records += 1;
                totals.live_bytes += bytes;
                totals.live_key_bytes += key_bytes;
            }
            RequestKind::ReadModifyWrite
            | RequestKind::Scan
            | RequestKind::WriteTogether
            | RequestKind::SnapshotRead
            | RequestKind::SnapshotScan
            | RequestKind::WriteExpiring => unreachable!("no trace has such operations"),
        }
        if matches!(request.kind(), RequestKind::Update | RequestKind::Insert) {
            totals.written_bytes += bytes;
            totals.value_bytes_max = totals.value_bytes_max.max(bytes);
            totals.live_records_max = totals.live_records_max.max(totals.live_records);
            totals.live_bytes_max = totals.live_bytes_max.max(totals.live_bytes);
            let overhead_bytes = totals.live_records * self.overhead_bytes + totals.live_key_bytes;
            let object_bytes = totals.live_bytes + overhead_bytes;
            totals.object_bytes_max = totals.object_bytes_max.max(object_bytes);
        }
    }
}

/// Why an operation cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The value is too large for a request.
    ValueTooLarge {
        /// The number of the request.
        operation: u64,
        bytes: usize,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::ValueTooLarge { operation, bytes } = self;
        write!(
            formatter,
            "operation {operation} has a value of {bytes} bytes, but a request holds at most {}: \
             convert the trace with `--size-max`",
            Request::SIZE_MAX
        )
    }
}

impl std::error::Error for ReplayError {}

/// A trace's keys may be block numbers or hashes; one multiplication spreads both.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Seed;

    fn operation(kind: OperationKind, key: u64, value_bytes: u32) -> Operation {
        Operation { time_ns: 0, kind, key, value_bytes, key_bytes: 0 }
    }

    fn asked(miss: Miss, operations: &[Operation]) -> (Vec<Request>, ReplayTotals) {
        let mut numbering = Numbering::new(miss, 12);
        let mut requests = Vec::new();
        for operation in operations {
            let (first, second) = numbering.requests(operation).unwrap();
            requests.push(first);
            requests.extend(second);
        }
        (requests, numbering.totals())
    }

    #[test]
    fn every_request_knows_what_it_finds() {
        use OperationKind::{Delete, Get, Put};
        let operations = [
            operation(Get, 900, 10),
            operation(Put, 900, 100),
            operation(Get, 900, 0),
            operation(Put, 7, 50),
            operation(Put, 900, 30),
            operation(Delete, 900, 0),
            operation(Delete, 900, 0),
            operation(Put, 900, 1),
        ];
        let (requests, totals) = asked(Miss::Nothing, &operations);
        let expected = [
            Request::new(RequestKind::GetAbsent, 10, 0),
            Request::new(RequestKind::Insert, 100, 0),
            Request::new(RequestKind::Get, 100, 0),
            Request::new(RequestKind::Insert, 50, 1),
            Request::new(RequestKind::Update, 30, 0),
            Request::new(RequestKind::Delete, 0, 0),
            Request::new(RequestKind::DeleteAbsent, 0, 0),
            Request::new(RequestKind::Insert, 1, 0),
        ];
        assert_eq!(requests, expected);
        assert_eq!((totals.live_bytes, totals.live_bytes_max), (51, 150));
        assert_eq!((totals.live_records, totals.object_bytes_max), (2, 150 + 24));
        let (requests, _) = asked(Miss::Set, &operations[..1]);
        assert_eq!(requests[1], Request::new(RequestKind::Insert, 10, 0));
    }

    #[test]
    fn the_text_of_a_key_is_part_of_its_object() {
        use OperationKind::{Get, Put};
        let text =
            |kind, value_bytes| Operation { key_bytes: 40, ..operation(kind, 900, value_bytes) };
        let (requests, totals) = asked(Miss::Nothing, &[text(Put, 100), text(Get, 0)]);
        assert_eq!(requests[0], Request::new(RequestKind::Insert, 140, 0));
        assert_eq!(requests[1], Request::new(RequestKind::Get, 140, 0));
        assert_eq!((totals.live_bytes, totals.object_bytes_max), (140, 140 + 12));
        let (requests, _) = asked(Miss::Set, &[text(Get, 0)]);
        assert_eq!(requests[1], Request::new(RequestKind::Insert, 40, 0), "a value of no bytes");
    }

    #[test]
    fn keys_that_are_replayed_as_texts_are_no_part_of_values() {
        use OperationKind::{Delete, Get, Put};
        let of = |kind, key, value_bytes| Operation {
            key_bytes: 40,
            ..operation(kind, key, value_bytes)
        };
        let mut numbering = Numbering::of_texts(Miss::Set, 4);
        // The trace tells another length than the text has: the text is what stores keep.
        numbering.name_next(38);
        let (insert, _) = numbering.requests(&of(Put, 900, 100)).unwrap();
        assert_eq!(insert, Request::new(RequestKind::Insert, 100, 0));
        numbering.name_next(7);
        let (_, second) = numbering.requests(&of(Get, 7, 10)).unwrap();
        assert_eq!(second, Some(Request::new(RequestKind::Insert, 10, 1)));
        let totals = numbering.totals();
        assert_eq!((totals.live_bytes, totals.live_key_bytes), (110, 38 + 7));
        assert_eq!(totals.object_bytes_max, 110 + 45 + 2 * 4);
        numbering.requests(&of(Delete, 900, 0)).unwrap();
        assert_eq!((numbering.totals().live_bytes, numbering.totals().live_key_bytes), (10, 7));
    }

    #[test]
    fn totals_are_those_of_a_map() {
        let mut rng = Seed(7).rng();
        for miss in [Miss::Nothing, Miss::Set] {
            let operations: Vec<Operation> = (0..20_000)
                .map(|_| {
                    let kind = OperationKind::ALL[rng.below(3) as usize];
                    operation(kind, rng.below(300) << 40, rng.below(5000) as u32)
                })
                .collect();
            let (requests, totals) = asked(miss, &operations);
            let mut live: BTreeMap<u64, u64> = BTreeMap::new();
            let mut most = 0;
            for request in &requests {
                let there = live.contains_key(&request.record());
                match request.kind() {
                    RequestKind::Get => assert!(there),
                    RequestKind::GetAbsent | RequestKind::DeleteAbsent => assert!(!there),
                    RequestKind::Delete => assert!(live.remove(&request.record()).is_some()),
                    kind => {
                        assert_eq!(there, kind == RequestKind::Update);
                        live.insert(request.record(), request.size() as u64);
                    }
                }
                most = most.max(live.values().sum());
            }
            assert_eq!(totals.live_bytes_max, most);
            assert_eq!(totals.live_bytes, live.values().sum::<u64>());
            assert_eq!((totals.requests, totals.records), (requests.len() as u64, 300));
        }
    }

    #[test]
    fn a_value_that_no_request_can_name_is_refused() {
        let large = operation(OperationKind::Put, 1, 1 << 24);
        let error = Numbering::new(Miss::Nothing, 0).requests(&large).unwrap_err();
        assert!(error.to_string().contains("16777216 bytes"), "{error}");
    }
}
