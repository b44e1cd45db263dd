//! Traces: what programs really requested, recorded once and replayed on any engine.
//!
//! A key-value trace is a sequence of [`Operation`]s, an allocation trace a sequence of
//! [`Allocation`]s. [`mod@file`] stores both, [`formats`] reads public formats, and [`statistics`]
//! summarises them.

mod allocation;
pub mod file;
pub mod formats;
mod operation;
pub mod statistics;
pub mod transform;

pub use allocation::{Allocation, AllocationKind};
pub use file::{
    Content, Header, Keys, Record, Totals, TraceError, TraceErrorKind, TraceReader, TraceWriter,
    WriteError,
};
pub use operation::{Operation, OperationKind};

use crate::mix::mix;

/// The key of a text or any other bytes: a 64-bit hash that never changes. In a trace with a
/// billion keys, the chance that any two share a hash is below 3 %.
#[must_use]
pub fn key_of_bytes(bytes: &[u8]) -> u64 {
    let mut state = mix(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = mix(state ^ u64::from_le_bytes(word)).wrapping_add(state.rotate_left(29));
    }
    mix(state)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_of_bytes_differ_where_the_bytes_do() {
        let texts = (0..10_000).map(|number| format!("user:{number}"));
        let zeros = (0..40).map(|length| "\0".repeat(length));
        let keys: BTreeSet<u64> =
            texts.chain(zeros).map(|text| key_of_bytes(text.as_bytes())).collect();
        assert_eq!(keys.len(), 10_040);
    }
}
