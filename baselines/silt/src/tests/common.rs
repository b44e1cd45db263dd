//! Small stores: with few entries in a log, every step comes often.

use std::sync::Arc;

use baseline_silt::{Acknowledge, Files, Params, Scratch, Steps, Store, of_word};

/// Logs of about 240 entries, merges at 1000, all on the thread that puts.
pub(super) fn small() -> Params {
    Params {
        instances: 1,
        tag_bits: 6,
        merge_entries: 1000,
        acknowledge: Acknowledge::Written,
        threads: false,
        log_buffer_bytes: 16 << 10,
        ..Params::new(100)
    }
}

pub(super) fn open(files: &(impl Files + Clone + 'static), params: Params) -> Store {
    Store::open_in(Arc::new(files.clone()), params, Steps::default()).unwrap()
}

/// The value of a key's `version`: of some length, and different from others of the same key.
pub(super) fn value(key: u64, version: u64) -> Vec<u8> {
    let length = (key.wrapping_mul(7) + version * 13) % 80;
    let mut value = [key.to_le_bytes(), version.to_le_bytes()].concat();
    value.resize(16 + length as usize, version as u8 ^ key as u8);
    value
}

pub(super) fn get(store: &Store, key: u64, scratch: &mut Scratch) -> Option<Vec<u8>> {
    store.get(&of_word(key), scratch).unwrap().map(<[u8]>::to_vec)
}
