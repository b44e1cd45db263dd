//! Long pipelines, in which the operations of one key are far apart.

use engine::{DeleteOutcome, KvSession, Op, Outcome, PutOutcome, ValueBuffers};

/// What a round of a pipeline does to every key, and what that must answer. Values have versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Insert(u8),
    Update(u8),
    /// Finds the value of this version.
    Find(u8),
    Miss,
    Delete,
    /// Deletes what is not there.
    DeleteNone,
}

/// One batch of rounds, each over all keys `0..keys`.
///
/// # Panics
/// If an outcome or a value is not what its round must answer.
pub fn pipeline(session: &mut impl KvSession, keys: u64, value_bytes: usize, rounds: &[Round]) {
    let value = |key: u64, version: u8| vec![key as u8 ^ version; value_bytes];
    let of_rounds = || rounds.iter().flat_map(|&round| (0..keys).map(move |key| (round, key)));
    let put: Vec<Vec<u8>> = of_rounds()
        .map(|(round, key)| match round {
            Round::Insert(version) | Round::Update(version) => value(key, version),
            _ => Vec::new(),
        })
        .collect();
    let operations: Vec<Op<'_>> = of_rounds()
        .zip(&put)
        .map(|((round, key), value)| match round {
            Round::Insert(_) | Round::Update(_) => Op::Put { key, value },
            Round::Find(_) | Round::Miss => Op::Get { key },
            Round::Delete | Round::DeleteNone => Op::Delete { key },
        })
        .collect();
    let mut bytes = vec![0; operations.len() * value_bytes];
    let mut values = ValueBuffers::new(&mut bytes, value_bytes);
    let mut outcomes = vec![Outcome::BufferTooShort(0); operations.len()];
    session.execute(&operations, &mut values, &mut outcomes);
    for (index, ((round, key), outcome)) in of_rounds().zip(outcomes).enumerate() {
        let expected = match round {
            Round::Insert(_) => Outcome::Put(PutOutcome::Inserted),
            Round::Update(_) => Outcome::Put(PutOutcome::Updated),
            Round::Find(_) => Outcome::Found(value_bytes),
            Round::Miss => Outcome::Absent,
            Round::Delete => Outcome::Deleted(DeleteOutcome::Removed),
            Round::DeleteNone => Outcome::Deleted(DeleteOutcome::Absent),
        };
        assert_eq!(outcome, expected, "operation {index}: {round:?} of key {key}");
        if let Round::Find(version) = round {
            assert!(values.slot(index) == value(key, version), "operation {index}, key {key}");
        }
    }
}

/// Keys and values of bytes that a protocol over text might trip over: all come back, and all can be
/// deleted once. Values have up to `value_bytes_max` bytes.
///
/// # Panics
/// If one does not.
pub fn bytes_of_every_kind(session: &mut impl KvSession, value_bytes_max: usize) {
    let line_ends = b"\r\n$5\r\nEND\r\n\0*1\r\nHD\r\n";
    let long: Vec<u8> = (0..value_bytes_max).map(|at| (at % 251) as u8).collect();
    let mut buffer = vec![0; value_bytes_max];
    let keys = [0, 1, u64::MAX, u64::from_le_bytes(*b"\r\n\0\r\n\0\r\n"), 0x0d0a_0000_0000_0d0a];
    for value in [&[][..], &[0], line_ends, &long] {
        for (number, key) in keys.into_iter().enumerate() {
            let known = !value.is_empty();
            let expected = if known { PutOutcome::Updated } else { PutOutcome::Inserted };
            assert_eq!(session.put(key, value), Ok(expected), "{number}");
            assert_eq!(session.get(key, &mut buffer), Ok(Some(value.len())));
            assert!(&buffer[..value.len()] == value, "{number}");
        }
    }
    for key in keys {
        assert!(session.delete(key).was_present());
        assert!(!session.delete(key).was_present());
        assert_eq!(session.get(key, &mut buffer), Ok(None));
    }
}
