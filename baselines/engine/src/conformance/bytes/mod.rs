//! The tests that every store of byte strings passes besides those of its words.
//!
//! A crate runs them with one line, which also runs the whole suite of words on the store's byte strings:
//!
//! ```ignore
//! engine::bytes_conformance_tests!(bytes, ShardedBytes, |_| ShardedBytes::open(Config::default()));
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `spelled` | a store of words whose words are spelled as byte strings of many lengths, in their order |
//! | `keys` | keys that some layout takes for each other |
//! | `model` | the reference map of byte strings |
//! | `operations` | one session: compared with the reference map, keys of every length, keys too long |
//! | `moments` | snapshots and writes in one step |
//!
//! The suite of words, on spelled keys, covers full stores, compaction, threads, sessions and atomic
//! read-modify-writes; the tests here are about the keys themselves. `src/tests/bytes_catches.rs` has,
//! for each of them, a broken store that fails it.

mod keys;
mod model;
mod moments;
mod operations;
mod spelled;

pub use moments::byte_keys_keep_their_moments;
pub use operations::{
    byte_keys_agree_with_a_reference_map, byte_scans_are_in_order, keys_of_every_length_differ,
    too_long_keys_are_typed_errors,
};
pub use spelled::Spelled;

use super::Test;
use crate::KvBytesEngine;

/// The tests of byte keys as a table.
#[must_use]
pub fn bytes_tests<E: KvBytesEngine>() -> Vec<Test<E>> {
    macro_rules! table {
        ($($name:ident)*) => { vec![$(Test { name: stringify!($name), run: $name::<E> }),*] };
    }
    table! {
        byte_keys_agree_with_a_reference_map
        keys_of_every_length_differ
        too_long_keys_are_typed_errors
        byte_scans_are_in_order
        byte_keys_keep_their_moments
    }
}

/// Expands the suite for one engine of byte strings, as
/// [`conformance_tests!`](crate::conformance_tests) does: its words, and its keys.
#[macro_export]
macro_rules! bytes_conformance_tests {
    ($module:ident, $engine:ty, $opener:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "an opener may name everything its caller can")]
            use super::*;

            $crate::conformance_tests!(
                spelled,
                $crate::conformance::Spelled<$engine>,
                |object_memory_bytes| ($opener)(object_memory_bytes)
                    .map($crate::conformance::Spelled)
            );

            fn open(object_memory_bytes: u64) -> $engine {
                $crate::conformance::expect_open($opener, object_memory_bytes)
            }

            fn is_missing() -> bool {
                $crate::conformance::is_missing::<$engine, _>($opener)
            }

            $crate::conformance_tests! { @each bytes_tests $engine:
                byte_keys_agree_with_a_reference_map
                keys_of_every_length_differ
                too_long_keys_are_typed_errors
                byte_scans_are_in_order
                byte_keys_keep_their_moments
            }
        }
    };
}
