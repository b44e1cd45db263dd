//! A store of words, or one of byte strings that is asked by words: each word has a byte string of its own.

use nibble::{
    Answer, BufferTooShort, Buffers, Census, CheckReport, Config, KeyedError, Operation, Put,
    PutError, Session, Statistics, Store, TooManySessions,
};

use crate::common::open;

/// Bytes that a header takes.
const HEADER_BYTES: usize = 12;
/// Bytes that a key's length takes.
const LENGTH_BYTES: usize = 2;

pub(crate) enum Opened {
    Words(Store),
    Bytes(Store<[u8]>),
}

pub(crate) enum Sitting<'store> {
    Words(Session<'store>),
    Bytes(Session<'store, [u8]>),
}

macro_rules! either {
    ($self:ident, $store:ident => $then:expr) => {
        match $self {
            Opened::Words($store) => $then,
            Opened::Bytes($store) => $then,
        }
    };
}

impl Opened {
    pub(crate) fn open(config: Config, byte_keys: bool) -> Self {
        if !byte_keys {
            return Self::Words(open(config));
        }
        Self::Bytes(Store::open_for_byte_keys(config).expect("the configuration is valid"))
    }

    pub(crate) fn session(&self) -> Result<Sitting<'_>, TooManySessions> {
        match self {
            Self::Words(store) => store.session().map(Sitting::Words),
            Self::Bytes(store) => store.session().map(Sitting::Bytes),
        }
    }

    /// What an object of this key takes besides its value.
    pub(crate) fn beside_bytes(&self, key: u64) -> usize {
        match self {
            Self::Words(_) => HEADER_BYTES,
            Self::Bytes(_) => HEADER_BYTES + LENGTH_BYTES + spelled(key).len(),
        }
    }

    /// The longest value of this key.
    pub(crate) fn value_limit(&self, key: u64) -> usize {
        let beside_bytes = self.beside_bytes(key) - HEADER_BYTES;
        either!(self, store => store.value_limit()).saturating_sub(beside_bytes)
    }

    pub(crate) fn trim(&self) {
        either!(self, store => store.trim());
    }

    pub(crate) fn settle(&self) -> bool {
        either!(self, store => store.settle())
    }

    pub(crate) fn census(&self) -> Census {
        either!(self, store => store.census())
    }

    pub(crate) fn statistics(&self) -> Statistics {
        either!(self, store => store.statistics())
    }

    pub(crate) fn check(&self) -> Result<CheckReport, String> {
        either!(self, store => store.check())
    }
}

/// The byte string of a word: eight bytes and up to 300 more, which repeat them.
fn spelled(key: u64) -> Vec<u8> {
    let more =
        [0, 0, 1, 8, 8, 16, 57, 300][(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61) as usize];
    key.to_be_bytes().into_iter().cycle().take(8 + more).collect()
}

/// What was refused for another reason than its key, which is never too long.
fn of_value<T, E>(result: Result<T, KeyedError<E>>) -> Result<T, E> {
    result.map_err(|error| match error {
        KeyedError::Key(error) => panic!("{error}"),
        KeyedError::Value(error) => error,
    })
}

impl Sitting<'_> {
    pub(crate) fn get(&self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, BufferTooShort> {
        match self {
            Self::Words(session) => session.get(key, buffer),
            Self::Bytes(session) => of_value(session.get(&spelled(key), buffer)),
        }
    }

    pub(crate) fn put(&self, key: u64, value: &[u8]) -> Result<Put, PutError> {
        match self {
            Self::Words(session) => session.put(key, value),
            Self::Bytes(session) => of_value(session.put(&spelled(key), value)),
        }
    }

    pub(crate) fn delete(&self, key: u64) -> Result<bool, PutError> {
        match self {
            Self::Words(session) => session.delete(key),
            Self::Bytes(session) => of_value(session.delete(&spelled(key))),
        }
    }

    pub(crate) fn execute<'value>(
        &self,
        operations: impl Iterator<Item = Operation<'value>>,
        buffers: &mut Buffers<'_>,
        answers: impl FnMut(usize, Answer),
    ) {
        let session = match self {
            Self::Words(session) => return session.execute(operations, buffers, answers),
            Self::Bytes(session) => session,
        };
        let operations: Vec<_> = operations.map(|one| (spelled(one.key()), one)).collect();
        let asked: Vec<_> = operations
            .iter()
            .map(|(key, operation)| match *operation {
                Operation::Get { .. } => Operation::Get { key: &key[..] },
                Operation::Put { value, .. } => Operation::Put { key: &key[..], value },
                Operation::Delete { .. } => Operation::Delete { key: &key[..] },
            })
            .collect();
        session.execute(&asked, buffers, answers).unwrap_or_else(|error| panic!("{error}"));
    }
}
