//! What the tests share: a small random generator and values that say whose they are.
#![allow(dead_code, reason = "benches use a part")]

pub(crate) mod alone;
pub(crate) mod variants;

use nibble::{Config, Put, PutError, Session, Store, Update};

/// SplitMix64.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Fills `value` so that a torn, foreign or outdated one shows: key, version and length decide
/// every byte.
pub(crate) fn fill(value: &mut [u8], key: u64, version: u64) {
    let mut random = Random(key ^ version.rotate_left(32) ^ ((value.len() as u64) << 17));
    if value.len() >= 8 {
        value[..8].copy_from_slice(&version.to_le_bytes());
    }
    for chunk in value.get_mut(8..).unwrap_or(&mut []).chunks_mut(8) {
        let bytes = random.next().to_le_bytes();
        chunk.copy_from_slice(&bytes[..chunk.len()]);
    }
}

pub(crate) fn made(key: u64, version: u64, bytes: usize) -> Vec<u8> {
    let mut value = vec![0; bytes];
    fill(&mut value, key, version);
    value
}

/// The version of a value that [`fill`] made for `key`.
pub(crate) fn verified(key: u64, value: &[u8]) -> u64 {
    assert!(value.len() >= 8, "key {key}: {} bytes", value.len());
    let version = u64::from_le_bytes(value[..8].try_into().unwrap());
    assert!(value == made(key, version, value.len()), "key {key}: a torn or foreign value");
    version
}

/// A small store whose compaction has much to do: updates leave dead objects behind.
pub(crate) fn small(object_memory: u64, segment: u64) -> Config {
    let mut config = Config { update: Update::Append, ..Config::best(object_memory) };
    config.segment_bytes = segment;
    config.block_bytes = 4 << 10;
    config.heads = 2;
    config.compaction_workers = 2;
    config
}

pub(crate) fn open(config: Config) -> Store {
    Store::open(config).expect("the configuration is valid")
}

/// Puts keys from `first` on until the store answers `Full`; answers the key that did not fit.
pub(crate) fn fill_store(
    session: &Session<'_>,
    first: u64,
    mut bytes: impl FnMut(u64) -> usize,
) -> u64 {
    let mut buffer = vec![0; 1 << 20];
    for key in first.. {
        let value = &mut buffer[..bytes(key)];
        fill(value, key, 0);
        match put(session, key, value) {
            Ok(_) => {}
            Err(PutError::Full) => return key,
            Err(error) => panic!("{error}"),
        }
    }
    unreachable!("memory is finite")
}

/// A PUT that tries again while a busy machine keeps another session inside an operation.
pub(crate) fn put(session: &Session<'_>, key: u64, value: &[u8]) -> Result<Put, PutError> {
    let mut put = session.put(key, value);
    for _ in 0..10 {
        if !matches!(put, Err(PutError::Stalled { .. })) {
            break;
        }
        put = session.put(key, value);
    }
    put
}

/// Checks that a PUT was refused for lack of room, not for another reason.
pub(crate) fn check_refusal(error: PutError) {
    assert!(matches!(error, PutError::Full | PutError::Stalled { .. }), "{error}");
}
