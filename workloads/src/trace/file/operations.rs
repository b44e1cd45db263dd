//! Encoding of a block of key-value operations.
//!
//! ```text
//! [u8; n]     kinds: place in `OperationKind::ALL`
//! u64         time of the first operation, ns
//! column      time since the operation before, ns; the first: 0
//! dictionary  keys
//! column      value bytes
//! column      key bytes; left out where all are 0
//! ```

use super::column::{self, CHUNK, Column, take};
use super::dictionary::{self, Dictionary};
use super::record::Malformed;
use super::{Content, Record};
use crate::trace::{Operation, OperationKind};

impl Record for Operation {
    const CONTENT: Content = Content::Operations;

    fn time_ns(&self) -> Option<u64> {
        Some(self.time_ns)
    }

    fn key(&self) -> Option<u64> {
        Some(self.key)
    }

    fn encode(records: &[Self], out: &mut Vec<u8>) {
        let begin_ns = records.first().map_or(0, |first| first.time_ns);
        out.extend(records.iter().map(|operation| operation.kind as u8));
        out.extend(begin_ns.to_le_bytes());
        let mut before_ns = begin_ns;
        let mut numbers: Vec<u64> = Vec::with_capacity(records.len());
        numbers.extend(records.iter().map(|operation| {
            let since_ns = operation.time_ns.wrapping_sub(before_ns);
            before_ns = operation.time_ns;
            since_ns
        }));
        column::write(&numbers, out);
        numbers.clear();
        numbers.extend(records.iter().map(|operation| operation.key));
        dictionary::write(&numbers, out);
        numbers.clear();
        numbers.extend(records.iter().map(|operation| u64::from(operation.value_bytes)));
        column::write(&numbers, out);
        if records.iter().any(|operation| operation.key_bytes > 0) {
            numbers.clear();
            numbers.extend(records.iter().map(|operation| u64::from(operation.key_bytes)));
            column::write(&numbers, out);
        }
    }

    fn decode(mut raw: &[u8], count: usize, into: &mut Vec<Self>) -> Result<(), Malformed> {
        let input = &mut raw;
        let kinds = take(input, count, "the kinds are cut short")?;
        if kinds.iter().any(|&kind| usize::from(kind) >= OperationKind::ALL.len()) {
            return Err(Malformed("an operation of a kind that does not exist"));
        }
        let begin_ns = take(input, size_of::<u64>(), "the first time is missing")?;
        let begin_ns = u64::from_le_bytes(begin_ns.try_into().expect("eight bytes"));
        let since = Column::take(input, count, 8)?;
        let keys = Dictionary::take(input, count)?;
        let sizes = Column::take(input, count, 4)?;
        let texts = match input.first() {
            None => None,
            // Such a column is not written.
            Some(0) => return Err(Malformed("bytes behind the last column")),
            Some(_) => Some(Column::take(input, count, 4)?),
        };
        if !input.is_empty() {
            return Err(Malformed("bytes behind the last column"));
        }
        let before = into.len();
        let assembled = assemble(kinds, begin_ns, since, keys, (sizes, texts), into);
        if assembled.is_err() {
            into.truncate(before);
        }
        assembled
    }
}

fn assemble(
    kinds: &[u8],
    mut time_ns: u64,
    since: Column<'_>,
    mut keys: Dictionary<'_>,
    (sizes, texts): (Column<'_>, Option<Column<'_>>),
    into: &mut Vec<Operation>,
) -> Result<(), Malformed> {
    into.reserve(kinds.len());
    let mut backwards = false;
    let (mut since_ns, mut key, mut bytes) = ([0; CHUNK], [0; CHUNK], [0; CHUNK]);
    let mut text_bytes = [0; CHUNK];
    for (chunk, start) in kinds.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        since.read(start, &mut since_ns[..chunk.len()]);
        keys.read(start, &mut key[..chunk.len()])?;
        sizes.read(start, &mut bytes[..chunk.len()]);
        if let Some(texts) = texts {
            texts.read(start, &mut text_bytes[..chunk.len()]);
        }
        let sizes = bytes.iter().zip(&text_bytes);
        into.extend(chunk.iter().zip(&since_ns).zip(key.iter().zip(sizes)).map(
            |((&kind, &since_ns), (&key, (&value_bytes, &key_bytes)))| {
                let (now_ns, wrapped) = time_ns.overflowing_add(since_ns);
                time_ns = now_ns;
                backwards |= wrapped;
                Operation {
                    time_ns,
                    kind: OperationKind::ALL[usize::from(kind)],
                    key,
                    value_bytes: value_bytes as u32,
                    key_bytes: key_bytes as u32,
                }
            },
        ));
    }
    if backwards {
        return Err(Malformed("times run backwards"));
    }
    if !keys.is_used_up() {
        return Err(Malformed("a key that no record names"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn encoded(records: &[Operation]) -> Vec<u8> {
        let mut raw = Vec::new();
        Operation::encode(records, &mut raw);
        raw
    }

    fn operation(time_ns: u64, key: u64) -> Operation {
        Operation { time_ns, kind: OperationKind::Put, key, value_bytes: 9, key_bytes: 0 }
    }

    #[test]
    fn whole_ranges_come_back() {
        let edges = [0, 1, u64::MAX - 1, u64::MAX];
        let mut records = Vec::new();
        for time_ns in edges {
            for kind in OperationKind::ALL {
                for key in edges {
                    for (value_bytes, key_bytes) in [(0, 0), (1, 40), (u32::MAX, u32::MAX)] {
                        records.push(Operation { time_ns, kind, key, value_bytes, key_bytes });
                    }
                }
            }
        }
        let mut decoded = vec![operation(3, 3)];
        Operation::decode(&encoded(&records), records.len(), &mut decoded).unwrap();
        assert_eq!(decoded[0], operation(3, 3), "what was there stays");
        assert_eq!(decoded[1..], records);
        decoded.clear();
        Operation::decode(&encoded(&[]), 0, &mut decoded).unwrap();
        assert_eq!(decoded, []);
    }

    #[test]
    fn what_is_not_a_block_leaves_nothing_behind() {
        let refusal = |raw: &[u8], count| {
            let mut decoded = vec![operation(1, 1)];
            let refusal = Operation::decode(raw, count, &mut decoded).unwrap_err();
            assert_eq!(decoded.len(), 1);
            refusal.0
        };
        let backwards = encoded(&[operation(7, 1), operation(6, 1)]);
        assert_eq!(refusal(&backwards, 2), "times run backwards");
        let mut strange = encoded(&[operation(1, 1)]);
        strange[0] = 3;
        assert_eq!(refusal(&strange, 1), "an operation of a kind that does not exist");
        let sound = encoded(&[operation(1, 1)]);
        let longer = [&sound[..], &[0]].concat();
        assert_eq!(refusal(&longer, 1), "bytes behind the last column");
        let text = encoded(&[Operation { key_bytes: 300, ..operation(1, 1) }]);
        assert_eq!(text.len(), sound.len() + 3, "a column of two bytes");
        assert_eq!(refusal(&[&text[..], &[0]].concat(), 1), "bytes behind the last column");
        for length in 0..sound.len() {
            refusal(&sound[..length], 1);
        }
        let dictionary = [2, 0, 0, 0, 1, 7, 9, 1, 0, 1];
        let unused = [&[0; 2 + 8 + 1][..], &dictionary, &[0]].concat();
        assert_eq!(refusal(&unused, 2), "a key that no record names");
    }

    #[test]
    fn arbitrary_bytes_never_panic() {
        let mut rng = Seed(3).rng();
        let sound = encoded(&[1, 2, 2, 3].map(|number| operation(number * 300, number)));
        let mut decoded = Vec::new();
        for _ in 0..20_000 {
            let mut raw = sound.clone();
            for _ in 0..=rng.below(4) {
                let at = rng.below(raw.len() as u64) as usize;
                raw[at] = rng.next_u64() as u8;
            }
            let before = decoded.len();
            let count = if Operation::decode(&raw, 4, &mut decoded).is_ok() { 4 } else { 0 };
            assert_eq!(decoded.len(), before + count);
        }
    }
}
